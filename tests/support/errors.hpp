// SPDX-License-Identifier: Apache-2.0
// How tests say which fhe::Error they expect:
//
//   CHECK_THROWS_MATCHES(open_backend("x"), Error, HasCode(ErrorCode::unknown_name));
#pragma once

#include <string>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"

template <>
struct Catch::StringMaker<fhe::Error> {
  static std::string convert(const fhe::Error& error) {
    return std::string(fhe::to_string(error.code())) + ": " + error.what();
  }
};

namespace fhe::test {

// Matches an Error with this code whose message holds `part` (empty: any message).
class HasCode final : public Catch::Matchers::MatcherBase<Error> {
 public:
  explicit HasCode(ErrorCode code, std::string part = {}) : code_(code), part_(std::move(part)) {}

  [[nodiscard]] bool match(const Error& error) const override {
    return error.code() == code_ && std::string(error.what()).find(part_) != std::string::npos;
  }

  [[nodiscard]] std::string describe() const override {
    return "has code " + std::string(to_string(code_)) +
           (part_.empty() ? "" : " and names '" + part_ + "'");
  }

 private:
  ErrorCode code_;
  std::string part_;
};

// That `parse` finds the text malformed, and says where, such as "circuit.blif:3: ", and what.
template <class Parse>
void check_refused_at(const Parse& parse, const std::string& text, const std::string& where,
                      const std::string& what) {
  CAPTURE(text.substr(0, 400), where);
  CHECK_THROWS_MATCHES(parse(), Error, HasCode(ErrorCode::malformed_file, where));
  CHECK_THROWS_MATCHES(parse(), Error, HasCode(ErrorCode::malformed_file, what));
}

}  // namespace fhe::test
