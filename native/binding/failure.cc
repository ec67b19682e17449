#include "binding/failure.h"

#include <new>

#include "allocator/replay_error.h"
#include "capture/capture.h"
#include "trace/progress.h"

namespace strata::binding {

Napi::Error Failure::toError(Napi::Env env) const {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, code));
  error.Set("remedy", Napi::String::New(env, remedy));
  error.Set("byte", Napi::Number::New(env, static_cast<double>(byte)));
  return error;
}

Failure describeCurrentException() {
  try {
    throw;
  } catch (const CaptureError& error) {
    return {error.code, error.what(), error.remedy, error.byte};
  } catch (const ReplayError& error) {
    return {error.code, error.what(), error.remedy};
  } catch (const Cancelled&) {
    return {"cancelled", "The work was cancelled.", ""};
  } catch (const std::bad_alloc&) {
    return {"out-of-memory", "There is not enough memory on this machine for this capture.",
            "Close other traces or programs, or record fewer events (max_entries)."};
  } catch (const std::exception& error) {
    return {"internal", std::string("Something went wrong inside Strata: ") + error.what(),
            "Report it together with the file."};
  }
}

}  // namespace strata::binding
