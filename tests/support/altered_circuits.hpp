// SPDX-License-Identifier: Apache-2.0
// Texts of circuits that were altered, as files from elsewhere may be: bytes, numbers, lines and
// the counts of the header, which have to fit each other before the rest of a file is looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/circuit_oracle.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

class CircuitAlterer {
 public:
  explicit CircuitAlterer(std::uint64_t seed) : random_(seed) {}

  // One of the texts with one to three changes.
  std::string altered(const std::vector<std::string>& texts) {
    std::string text = pick(texts);
    for (std::size_t changes = random_.between(1, 3); changes > 0; --changes) {
      if (text.empty()) text.push_back('\n');
      change(text);
    }
    return text;
  }

 private:
  struct Part {
    std::size_t start = 0;
    std::size_t size = 0;
  };

  template <class List>
  const typename List::value_type& pick(const List& list) {
    return list.at(random_.between(0, list.size() - 1));
  }

  void change(std::string& text) {
    const std::size_t at = random_.between(0, text.size() - 1);
    switch (random_.between(0, 8)) {
      case 0:
        text[at] = static_cast<char>(random_.between(0, 255));
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ 1 << random_.between(0, 7));
        break;
      case 2:
        text[at] = text[random_.between(0, text.size() - 1)];
        break;
      case 3:
        text.erase(at, random_.between(1, 8));
        break;
      case 4:
        text.insert(at, text.substr(random_.between(0, text.size() - 1), random_.between(1, 30)));
        break;
      case 5:
      case 6:
        change_number(text);
        break;
      case 7:
        change_line(text);
        break;
      default:
        replace_header(text);
        break;
    }
  }

  void change_number(std::string& text) {
    const std::vector<Part> numbers = parts(text, [](char c) { return c >= '0' && c <= '9'; });
    if (numbers.empty()) return;
    const Part& part = pick(numbers);
    const Part& other = pick(numbers);
    static const std::array<std::string, 12> kNumbers{"0",
                                                      "1",
                                                      "2",
                                                      "-1",
                                                      "2147483647",
                                                      "2147483648",
                                                      "4294967295",
                                                      "4294967296",
                                                      "65536",
                                                      "65537",
                                                      "9223372036854775808",
                                                      "99999999999999999999"};
    const std::string number =
        random_.coin() ? pick(kNumbers) : text.substr(other.start, other.size);
    text.replace(part.start, part.size, number);
  }

  void change_line(std::string& text) {
    const std::vector<Part> lines = parts(text, [](char c) { return c != '\n'; });
    if (lines.empty()) return;
    const Part& part = pick(lines);
    const std::string line = text.substr(part.start, part.size);
    switch (random_.between(0, 2)) {
      case 0:
        text.erase(part.start, part.size + 1);
        break;
      case 1:
        text.insert(part.start, line + "\n");
        break;
      default: {
        const Part& other = pick(lines);
        text.replace(part.start, part.size, text.substr(other.start, other.size));
        break;
      }
    }
  }

  // Small counts, all at once: each of them alone would not fit the others.
  void replace_header(std::string& text) {
    const std::vector<Part> lines = parts(text, [](char c) { return c != '\n'; });
    const std::size_t given = std::min<std::size_t>(lines.size(), 3);
    if (given == 0) return;
    const Part& last = lines[given - 1];
    std::string header = small() + " " + small() + "\n";
    for (int i = 0; i < 2; ++i) {
      const std::size_t words = random_.between(0, 2);
      header += std::to_string(words);
      for (std::size_t k = 0; k < words; ++k) header += " " + small();
      header += "\n";
    }
    text.replace(0, std::min(last.start + last.size + 1, text.size()), header);
  }

  std::string small() { return std::to_string(random_.between(0, 2)); }

  // The longest stretches of characters that belong.
  template <class Belongs>
  static std::vector<Part> parts(const std::string& text, const Belongs& belongs) {
    std::vector<Part> found;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!belongs(text[i])) continue;
      if (found.empty() || found.back().start + found.back().size != i) found.push_back({i, 0});
      ++found.back().size;
    }
    return found;
  }

  Operands random_;
};

// Gives a parser `rounds` texts that are made from these, and returns how many were circuits.
// Throws OracleViolation where what must hold for every text does not (circuit_oracle.hpp).
template <class Parse>
std::size_t parse_altered(const std::vector<std::string>& texts, const Parse& parse, int rounds) {
  CircuitAlterer alterer(11);
  std::size_t parsed = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = alterer.altered(texts);
    try {
      parsed += check_circuit_text(parse, text) ? 1U : 0U;
    } catch (const OracleViolation& violation) {
      throw OracleViolation(fmt::format("{}: text {} is\n{}", violation.what(), i, text));
    }
  }
  return parsed;
}

}  // namespace fhe::test
