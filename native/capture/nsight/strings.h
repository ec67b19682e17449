#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "capture/sqlite/database.h"

namespace strata::nsight {

/// Texts of an export by their number in its table StringIds. That table also holds what a program printed
/// and read, so only the texts that are asked for by number are ever looked at.
class Strings {
 public:
  explicit Strings(sqlite::Database& database) : database_(database), table_(database.find("StringIds")) {}

  /// The text of each number, repaired to UTF-8 and at most kMostLetters long; those not found are missing.
  std::unordered_map<int64_t, std::string> at(const std::unordered_set<int64_t>& ids);

  static constexpr size_t kMostLetters = 4096;

 private:
  sqlite::Database& database_;
  const sqlite::Table* table_;
};

}  // namespace strata::nsight
