// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "apps/cli/plain_forms.hpp"
#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

Error refused_numbers(std::string_view origin, std::uint64_t line, std::string_view what) {
  return {ErrorCode::invalid_argument, fmt::format("{}, line {}: {}", origin, line, what)};
}

// A word as a number modulo Q, or nothing.
std::optional<std::uint64_t> number_of_word(std::string_view word, std::uint64_t modulus) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc() || end != word.data() + word.size() || number >= modulus) {
    return std::nullopt;
  }
  return negative && number != 0 ? modulus - number : number;
}

// Collects numbers character by character.
class NumberReader {
 public:
  NumberReader(std::string_view origin, std::uint64_t modulus, std::uint64_t most)
      : origin_(origin), modulus_(modulus), most_(most) {}

  void take(char c) {
    const bool is_end = c == '\n';
    if (!is_end && c != ' ' && c != '\t' && c != '\r') {
      word_.push_back(c);
      if (word_.size() > kMostDigits) throw no_number();
      return;
    }
    end_word();
    if (is_end) end_line();
  }

  std::vector<she::SlotNumbers> finish() {
    take('\n');
    if (rows_.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: no numbers; give a line for each slot", origin_));
    }
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kMostDigits = 20;

  [[nodiscard]] Error no_number() const {
    return refused_numbers(origin_, line_,
                           fmt::format("word {} is no whole number between -{} and {}",
                                       in_line_ + 1, modulus_ - 1, modulus_ - 1));
  }

  void end_word() {
    if (word_.empty()) return;
    const std::optional<std::uint64_t> number = number_of_word(word_, modulus_);
    if (!number) throw no_number();
    word_.clear();
    if (slots_ == 0) rows_.emplace_back();
    if (in_line_ >= rows_.size() || in_line_ >= most_ || slots_ >= most_) {
      throw refused_numbers(origin_, line_, "too many numbers; give as many as in the first line");
    }
    rows_[in_line_++].push_back(*number);
  }

  void end_line() {
    if (in_line_ != 0 && in_line_ != rows_.size()) {
      throw refused_numbers(origin_, line_,
                            fmt::format("{} numbers, and the first line has {}; give one for each "
                                        "ciphertext",
                                        in_line_, rows_.size()));
    }
    slots_ += in_line_ != 0 ? 1 : 0;
    in_line_ = 0;
    ++line_;
  }

  std::string_view origin_;
  std::uint64_t modulus_;
  std::uint64_t most_;
  std::vector<she::SlotNumbers> rows_;
  std::string word_;
  std::uint64_t line_ = 1;
  std::uint64_t slots_ = 0;  // whole lines with numbers
  std::size_t in_line_ = 0;
};

// x in (-Q/2, Q/2].
std::int64_t centred(std::uint64_t x, std::uint64_t modulus) {
  return static_cast<std::int64_t>(x) -
         (2 * x > modulus ? static_cast<std::int64_t>(modulus) : std::int64_t{0});
}

}  // namespace

std::vector<she::SlotNumbers> read_slot_numbers(const Characters& next, std::string_view origin,
                                                std::uint64_t modulus, std::uint64_t most) {
  NumberReader reader(origin, modulus, most);
  while (const std::optional<char> c = next()) reader.take(*c);
  return reader.finish();
}

Report slot_numbers_report(const std::vector<she::SlotNumbers>& rows, std::uint64_t modulus,
                           bool is_signed) {
  Report report;
  report.json["slots"] = Json::array();
  for (std::size_t j = 0; j < rows.front().size(); ++j) {
    Json slot = Json::array();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t number =
          is_signed ? centred(rows[k][j], modulus) : static_cast<std::int64_t>(rows[k][j]);
      slot.push_back(number);
      report.text += fmt::format("{}{}", k == 0 ? "" : " ", number);
    }
    report.json["slots"].push_back(std::move(slot));
    report.text += '\n';
  }
  return report;
}

}  // namespace fhe::cli
