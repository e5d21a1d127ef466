// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/plain_forms.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "apps/cli/output.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::cli {

namespace {

constexpr std::size_t kByteBits = 8;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Error refused(std::string_view origin, const std::string& why) {
  return {ErrorCode::invalid_argument, fmt::format("{}: {}", origin, why)};
}

Error too_many(std::string_view origin, std::uint64_t most, std::string_view things) {
  return refused(origin, fmt::format("more than {} {}; split them over several files, or raise "
                                     "--max-ciphertexts here and where they are read",
                                     most, things));
}

std::vector<bool> read_bits(const Characters& next, std::string_view origin, std::uint64_t most) {
  std::vector<bool> bits;
  std::uint64_t position = 0;
  while (const std::optional<char> c = next()) {
    ++position;
    if (is_space(*c)) continue;
    if (*c != '0' && *c != '1') {
      throw refused(origin, fmt::format("character {} is not 0, 1 or white space", position));
    }
    if (bits.size() == most) throw too_many(origin, most, "bits");
    bits.push_back(*c == '1');
  }
  if (bits.empty()) throw refused(origin, "no bits; give at least one");
  return bits;
}

std::string read_all(const Characters& next, std::string_view origin, std::uint64_t most) {
  std::string text;
  while (const std::optional<char> c = next()) {
    if (text.size() == most) throw too_many(origin, most, "characters");
    text.push_back(*c);
  }
  return text;
}

std::vector<bool> read_text(const Characters& next, std::string_view origin, std::uint64_t most) {
  std::vector<bool> bits;
  for (const char c : read_all(next, origin, most / kByteBits)) {
    const std::vector<bool> byte = bits_of(static_cast<unsigned char>(c), kByteBits);
    bits.insert(bits.end(), byte.begin(), byte.end());
  }
  if (bits.empty()) throw refused(origin, "no text; give at least one character");
  return bits;
}

// A number as it is written.
struct WrittenNumber {
  bool negative = false;
  int base = 10;
  std::string digits;
};

// `position`: of the first character of `text` in what the user wrote, from 1.
std::string checked_digits(std::string_view text, int base, std::size_t position,
                           std::string_view origin) {
  std::string digits;
  for (const char c : text) {
    const bool good = base == 16 ? is_hex_digit(c) : c >= '0' && c <= '9';
    if (!good) {
      throw refused(origin, fmt::format("character {} is no {}digit", position,
                                        base == 16 ? "hexadecimal " : ""));
    }
    digits.push_back(c);
    ++position;
  }
  if (digits.empty()) throw refused(origin, "no digits; give at least one");
  return digits;
}

// Takes a prefix away; returns whether it was there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

WrittenNumber written_number(std::string_view whole, PlainForm form, std::string_view origin) {
  std::string_view text = whole;
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  const char* const begin = whole.data();
  WrittenNumber number;
  number.negative = form == PlainForm::number && take(text, "-");
  const bool marked = take(text, "0x") || take(text, "0X");
  if (marked || form == PlainForm::hex) number.base = 16;
  const auto position = static_cast<std::size_t>(text.data() - begin) + 1;
  number.digits = checked_digits(text, number.base, position, origin);
  return number;
}

void require_width(std::uint64_t width, std::string_view origin, std::uint64_t most) {
  if (width > most) throw too_many(origin, most, "bits");
  if (width == 0) throw refused(origin, "a number of 0 bits; give --width at least 1");
}

bool fits(const Integer& value, std::uint64_t width) {
  return value >= 0 ? bit_length(value) <= width : bit_length(-value - 1) < width;
}

std::vector<bool> read_number(PlainForm form, const Characters& next, std::string_view origin,
                              const PlainShape& shape) {
  const WrittenNumber number = written_number(read_all(next, origin, shape.most), form, origin);
  if (form == PlainForm::number && !shape.width) {
    throw refused(origin, "give the number of bits with --width, such as --width 8");
  }
  const std::uint64_t width = shape.width.value_or(4 * number.digits.size());
  require_width(width, origin, shape.most);
  Integer value(number.digits, number.base);
  if (number.negative) value = -value;
  if (!fits(value, width)) {
    throw refused(origin, fmt::format("the number does not fit into {0} bit{1}, which hold 0 to "
                                      "2^{0} - 1, or -2^{2} to 2^{2} - 1 in two's complement: "
                                      "raise --width",
                                      width, width == 1 ? "" : "s", width - 1));
  }
  std::vector<bool> bits(width);
  for (std::size_t i = 0; i < width; ++i) bits[i] = mpz_tstbit(value.get_mpz_t(), i) != 0;
  return bits;
}

// The lines of a text that say something: with `keeps_spaces` all that have a character, else those
// with more than white space. They end with a line feed, or the two characters of DOS.
class Lines {
 public:
  Lines(Characters next, bool keeps_spaces) : next_(std::move(next)), keeps_spaces_(keeps_spaces) {}

  // The characters of the next line, to be read before the one after it is asked for.
  std::optional<Characters> next() {
    ended_ = false;
    while (const std::optional<char> c = take()) {
      if (*c == '\n') ++number_;
      if (*c == '\n' || *c == '\r' || (!keeps_spaces_ && is_space(*c))) continue;
      held_ = c;
      return [this] { return in_line(); };
    }
    return std::nullopt;
  }

  // Of the line that next() gave last, counted from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }

  void skip_rest() {
    while (in_line()) {
    }
  }

 private:
  std::optional<char> take() {
    if (!held_) return next_();
    return std::exchange(held_, std::nullopt);
  }

  std::optional<char> in_line() {
    if (ended_) return std::nullopt;
    std::optional<char> c = take();
    if (c == '\r') {
      held_ = next_();
      if (held_ != '\n') return c;
      c = take();
    }
    if (c != '\n') return c;
    held_ = c;  // for next(), which counts it
    ended_ = true;
    return std::nullopt;
  }

  Characters next_;
  bool keeps_spaces_;
  std::optional<char> held_;
  std::uint64_t number_ = 1;
  bool ended_ = false;
};

std::string escaped(unsigned char c) {
  return fmt::format("\\x{:02x}", c);
}

}  // namespace

const std::vector<std::string>& plain_form_names() {
  static const std::vector<std::string> names{"bits", "number", "hex", "text"};
  return names;
}

PlainForm plain_form_named(std::string_view name) {
  const auto& names = plain_form_names();
  return static_cast<PlainForm>(std::ranges::find(names, name) - names.begin());
}

Characters characters_of(std::string_view text) {
  return [rest = text]() mutable -> std::optional<char> {
    if (rest.empty()) return std::nullopt;
    const char c = rest.front();
    rest.remove_prefix(1);
    return c;
  };
}

std::vector<bool> read_plain(PlainForm form, const Characters& next, std::string_view origin,
                             const PlainShape& shape) {
  const bool is_number = form == PlainForm::number || form == PlainForm::hex;
  if (is_number) return read_number(form, next, origin, shape);
  if (shape.width) {
    throw refused(origin, "--width is the width of a number (--number, --hex): leave it out");
  }
  return form == PlainForm::text ? read_text(next, origin, shape.most)
                                 : read_bits(next, origin, shape.most);
}

std::vector<std::vector<bool>> read_slots(PlainForm form, const Characters& next,
                                          std::string_view origin, const PlainShape& shape) {
  std::vector<std::vector<bool>> slots;
  Lines lines(next, form == PlainForm::text);
  while (const auto line = lines.next()) {
    const std::string where = fmt::format("{}, line {}", origin, lines.number());
    slots.push_back(read_plain(form, *line, where, shape));
    lines.skip_rest();
    if (slots.back().size() == slots.front().size()) continue;
    throw refused(origin, fmt::format("slot {} has {} bits and slot 0 has {}; give each a bit for "
                                      "every ciphertext",
                                      slots.size() - 1, slots.back().size(), slots.front().size()));
  }
  if (slots.empty()) throw refused(origin, "no bits; give a line for each slot");
  return transposed(slots);
}

std::string decimal_text(const std::vector<bool>& bits, bool is_signed) {
  Integer value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) mpz_setbit(value.get_mpz_t(), i);
  }
  if (is_signed && !bits.empty() && bits.back()) value -= Integer(1) << bits.size();
  return value.get_str();
}

std::string text_of(const std::vector<bool>& bits) {
  if (bits.size() % kByteBits != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} bits are no text, which has {} for each byte: print them with "
                            "--hex, or leave the form out",
                            bits.size(), kByteBits));
  }
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += kByteBits) {
    text.push_back(static_cast<char>(number_of(bits, i, kByteBits)));
  }
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::type_error&) {
    throw Error(ErrorCode::invalid_argument,
                "the bytes are no text in UTF-8: print them with --hex, or leave the form out");
  }
  return text;
}

std::string without_controls(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
      safe += escaped(c);
    } else if (c == 0xc2 && next < 0xa0) {  // U+0080 to U+009F
      safe += escaped(static_cast<unsigned char>(next));
      ++i;
    } else {
      safe.push_back(text[i]);
    }
  }
  return safe;
}

}  // namespace fhe::cli
