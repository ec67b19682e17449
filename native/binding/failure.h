#pragma once

#include <napi.h>

#include <string>

namespace strata::binding {

/// An exception of the core on its way to JavaScript: an Error with `code`, `remedy` and `byte`.
struct Failure {
  std::string code;
  std::string message;
  std::string remedy;
  int64_t byte = -1;

  Napi::Error toError(Napi::Env env) const;
};

/// Describes the exception being handled; to be called inside a catch block.
Failure describeCurrentException();

}  // namespace strata::binding
