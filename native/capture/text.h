#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

/// 12279 as "12,279", for sentences.
std::string grouped(uint64_t number);

/// "1 event", "12,279 events".
std::string counted(uint64_t number, std::string_view singular, std::string_view plural);

/// 0x1f as "0x1f".
std::string hexadecimal(uint64_t number);

/// Whether the bytes are well-formed UTF-8 without surrogates, and without signs that cannot be seen or that
/// turn the direction of writing: whether repairUtf8 would change nothing.
bool isPlain(std::string_view text);

/// The text as it may be shown: every byte that is not well-formed UTF-8 replaced by U+FFFD, and every sign
/// that cannot be seen or that turns the direction of writing by its escape, "\u202e". Names come from
/// captures, which are not trusted.
std::string repairUtf8(std::string_view text);

/// Appends one code point; surrogates and values above U+10FFFF become U+FFFD.
void appendUtf8(std::string& text, uint32_t codePoint);

}  // namespace strata
