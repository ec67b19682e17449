#include "allocator/simulator.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "allocator/bfc_simulator.h"
#include "allocator/direct_simulator.h"
#include "allocator/offline_simulators.h"
#include "allocator/pytorch_simulator.h"
#include "allocator/replay_error.h"
#include "allocator/rmm_simulators.h"
#include "allocator/tiered_simulators.h"
#include "allocator/virtual_simulators.h"

namespace strata {
namespace {

/// Sizes above have no device behind them.
constexpr uint64_t kMostBytes = uint64_t{1} << 60;

struct Unit {
  std::string_view name;
  uint64_t bytes;
};
/// Binary units only: what "GB" means differs between tools, and a guess would be off by 7 %.
constexpr Unit kUnits[] = {{"", 1},
                           {"B", 1},
                           {"KiB", uint64_t{1} << 10},
                           {"MiB", uint64_t{1} << 20},
                           {"GiB", uint64_t{1} << 30},
                           {"TiB", uint64_t{1} << 40}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A number as a person writes it: whole where it is.
std::string written(double number) {
  if (std::floor(number) == number && std::abs(number) < 1e15)
    return std::to_string(static_cast<int64_t>(number));
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

[[noreturn]] void refuse(const Knob& knob, std::string_view value, const std::string& rule) {
  throw ReplayError("bad-setting",
                    "The setting " + knob.name + " cannot be \"" + std::string(value) + "\": " + rule + ".",
                    "Correct the value, or leave the setting out for its default.");
}

bool hasRange(const Knob& knob) { return knob.least != knob.most; }

std::string rangeOf(const Knob& knob) {
  return hasRange(knob) ? " from " + written(knob.least) + " to " + written(knob.most) : "";
}

void checkRange(const Knob& knob, std::string_view value, double number, const std::string& what) {
  if (hasRange(knob) && (number < knob.least || number > knob.most))
    refuse(knob, value, "it must be " + what + rangeOf(knob));
}

/// "512", "20MiB", "1.5 GiB"; a part of a byte is refused, not rounded.
uint64_t readBytes(const Knob& knob, std::string_view value) {
  const std::string what = "a size in bytes, or with B, KiB, MiB, GiB or TiB behind it,";
  const std::string_view text = trimmed(value);
  size_t digits = 0;
  while (digits < text.size() && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.'))
    ++digits;
  const std::string_view unitName = trimmed(text.substr(digits));
  for (const Unit& unit : kUnits) {
    if (unit.name != unitName || digits == 0) continue;
    const char* end = text.data() + digits;
    uint64_t whole = 0;
    const auto [at, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc() && at == end && whole <= kMostBytes / unit.bytes) {
      checkRange(knob, value, static_cast<double>(whole * unit.bytes), what);
      return whole * unit.bytes;
    }
    const std::string number(text.substr(0, digits));
    char* stop = nullptr;
    const double bytes = std::strtod(number.c_str(), &stop) * static_cast<double>(unit.bytes);
    const bool isExact =
        *stop == '\0' && bytes <= static_cast<double>(kMostBytes) && std::floor(bytes) == bytes;
    if (!isExact) break;
    checkRange(knob, value, bytes, what);
    return static_cast<uint64_t>(bytes);
  }
  refuse(knob, value, "it must be " + what + rangeOf(knob));
}

uint64_t readCount(const Knob& knob, std::string_view value) {
  const std::string_view text = trimmed(value);
  uint64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || at != text.data() + text.size())
    refuse(knob, value, "it must be a whole number" + rangeOf(knob));
  checkRange(knob, value, static_cast<double>(number), "a whole number");
  return number;
}

double readFraction(const Knob& knob, std::string_view value) {
  const std::string text(trimmed(value));
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  if (text.empty() || *stop != '\0' || !(number >= 0 && number <= 1))
    refuse(knob, value, "it must be a number from 0 to 1");
  checkRange(knob, value, number, "a number");
  return number;
}

bool readFlag(const Knob& knob, std::string_view value) {
  const std::string_view text = trimmed(value);
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  refuse(knob, value, "it must be true or false");
}

const std::string& readChoice(const Knob& knob, std::string_view value) {
  for (const std::string& choice : knob.choices)
    if (choice == trimmed(value)) return choice;
  refuse(knob, value, "it must be one of " + joined(knob.choices));
}

const Knob* knobNamed(const std::vector<Knob>& knobs, std::string_view name) {
  for (const Knob& knob : knobs)
    if (knob.name == name) return &knob;
  return nullptr;
}

void append(std::vector<Simulator>& all, std::vector<Simulator> family) {
  for (Simulator& one : family) all.push_back(std::move(one));
}

}  // namespace

Settings::Settings(const std::vector<Knob>& knobs, const WrittenSettings& written) {
  for (const auto& [name, value] : written) {
    if (knobNamed(knobs, name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Knob& knob : knobs) names.push_back(knob.name);
    throw ReplayError("unknown-setting",
                      "This allocator has no setting called \"" + name + "\" (value \"" + value + "\").",
                      names.empty() ? "It has none at all." : "Its settings are: " + joined(names) + ".");
  }
  for (const Knob& knob : knobs) {
    const auto given = written.find(knob.name);
    Value value = read(knob, given != written.end() ? given->second : knob.initial);
    values_.emplace(knob.name, std::move(value));
  }
}

Settings::Value Settings::read(const Knob& knob, const std::string& text) {
  Value value{.text = text, .isSet = !trimmed(text).empty()};
  if (!value.isSet) return value;
  switch (knob.kind) {
    case Knob::Kind::Bytes:
      value.whole = readBytes(knob, text);
      break;
    case Knob::Kind::Count:
      value.whole = readCount(knob, text);
      break;
    case Knob::Kind::Fraction:
      value.number = readFraction(knob, text);
      break;
    case Knob::Kind::Flag:
      value.whole = readFlag(knob, text) ? 1 : 0;
      break;
    case Knob::Kind::Choice:
      value.text = readChoice(knob, text);
      break;
    case Knob::Kind::Text:
      break;
  }
  return value;
}

const Settings::Value& Settings::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::out_of_range("no knob is called " + std::string(name));
  return found->second;
}

bool Settings::isSet(std::string_view name) const { return at(name).isSet; }
uint64_t Settings::bytes(std::string_view name) const { return at(name).whole; }
uint64_t Settings::count(std::string_view name) const { return at(name).whole; }
double Settings::fraction(std::string_view name) const { return at(name).number; }
bool Settings::flag(std::string_view name) const { return at(name).whole != 0; }
const std::string& Settings::text(std::string_view name) const { return at(name).text; }

const std::vector<Simulator>& simulators() {
  static const std::vector<Simulator> all = [] {
    std::vector<Simulator> list;
    append(list, pytorchSimulators());
    append(list, bfcSimulators());
    append(list, rmmSimulators());
    append(list, virtualSimulators());
    append(list, directSimulators());
    append(list, tieredSimulators());
    append(list, offlineSimulators());
    return list;
  }();
  return all;
}

const Simulator& simulatorNamed(std::string_view name) {
  std::vector<std::string> names;
  for (const Simulator& one : simulators()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw ReplayError("unknown-allocator", "There is no allocator called \"" + std::string(name) + "\".",
                    "The known ones are: " + joined(names) + ".");
}

}  // namespace strata
