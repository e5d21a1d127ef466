// SPDX-License-Identifier: Apache-2.0
// A request that is answered with an error, and how errors of the library are answered.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace fhe::outsource {

class Refusal : public std::runtime_error {
 public:
  // `code` is short and stable, the message says what is wrong and what to do about it.
  Refusal(int status, std::string code, const std::string& message)
      : std::runtime_error(message), status_(status), code_(std::move(code)) {}

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  int status_;
  std::string code_;
};

[[nodiscard]] Refusal not_found(const std::string& what);

// What a process of the server says with the name of an ErrorCode; 500 for another name.
[[nodiscard]] Refusal refusal_said(const std::string& code, const std::string& message);

// The answer to anything that can be caught while a request is being served. What is no Refusal and
// no fhe::Error is an error of the server, of which the client learns nothing but that.
[[nodiscard]] Refusal refusal_of(const std::exception_ptr& exception);

}  // namespace fhe::outsource
