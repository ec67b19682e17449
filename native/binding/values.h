#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::binding {

/// A typed array of its own with a copy of a column. Electron refuses array buffers over foreign memory, so
/// every array is allocated here, on the JavaScript thread.
template <typename T>
Napi::TypedArrayOf<T> copyOut(Napi::Env env, const std::vector<T>& column) {
  auto array = Napi::TypedArrayOf<T>::New(env, column.size());
  std::copy(column.begin(), column.end(), array.Data());
  return array;
}

inline Napi::Number number(Napi::Env env, double value) { return Napi::Number::New(env, value); }

/// Exact: a BigInt, for addresses and for totals that may pass 2^53.
inline Napi::BigInt whole(Napi::Env env, uint64_t value) { return Napi::BigInt::New(env, value); }

inline Napi::String text(Napi::Env env, std::string_view value) {
  return Napi::String::New(env, value.data(), value.size());
}

}  // namespace strata::binding
