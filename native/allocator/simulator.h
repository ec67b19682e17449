#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/allocator.h"
#include "allocator/request_trace.h"

namespace strata {

/// A setting of a simulated allocator, named as the allocator's own documentation names it.
struct Knob {
  enum class Kind : uint8_t {
    Bytes,     ///< whole bytes; a binary unit may be written behind it: 512, 20MiB, 1.5GiB
    Count,     ///< a whole number
    Fraction,  ///< 0 to 1
    Flag,      ///< true or false
    Choice,    ///< one of `choices`
    Text,      ///< whatever the allocator reads itself, e.g. PYTORCH_CUDA_ALLOC_CONF
  };
  std::string name;
  Kind kind = Kind::Bytes;
  std::string initial = {};  ///< its default, as a user would write it; empty: not set
  std::vector<std::string> choices = {};
  double least = 0, most = 0;  ///< both ends allowed, in the knob's unit; equal: any value
};

/// Settings as the user wrote them, by knob name; what is missing has its default.
using WrittenSettings = std::map<std::string, std::string, std::less<>>;

/// Settings checked against their knobs, typed. Reading a knob that the simulator does not declare is a
/// programming error (std::out_of_range).
class Settings {
 public:
  /// Errors: ReplayError "unknown-setting" or "bad-setting", naming the key, the value and what is allowed.
  Settings(const std::vector<Knob>& knobs, const WrittenSettings& written);

  bool isSet(std::string_view name) const;  ///< written, or it has a default
  uint64_t bytes(std::string_view name) const;
  uint64_t count(std::string_view name) const;
  double fraction(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;  ///< Choice and Text

 private:
  struct Value {
    std::string text;
    double number = 0;
    uint64_t whole = 0;
    bool isSet = false;
  };
  static Value read(const Knob& knob, const std::string& text);
  const Value& at(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// Allocators stacked on one another over a device; the last one is asked.
using AllocatorStack = std::vector<std::unique_ptr<Allocator>>;

/// An allocator that can be asked "what if".
struct Simulator {
  std::string name;  ///< stable: "pytorch", "bfc", "rmm-pool", …
  std::vector<Knob> knobs;
  /// A teaching model or a plan that no driver follows; results say so.
  bool isModel = false;
  bool knowsPools = false;  ///< private pools (Control::BeginPool) are more than words to it
  /// Not started. `requests` is what will be asked, for plans that know everything beforehand.
  /// Errors: ReplayError.
  AllocatorStack (*build)(const Settings& settings, Driver& device, const RequestTrace& requests) = nullptr;
};

/// All of them, in the order a user should meet them. Each family declares its own in its own file.
const std::vector<Simulator>& simulators();
/// Errors: ReplayError "unknown-allocator", naming those there are.
const Simulator& simulatorNamed(std::string_view name);

}  // namespace strata
