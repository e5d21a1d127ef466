// SPDX-License-Identifier: Apache-2.0
// A request that is answered with an error, and how errors of the library are answered.
#pragma once

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace fhe::outsource {

class Refusal : public std::runtime_error {
 public:
  // `code` is short and stable, the message says what is wrong and what to do about it. After
  // `wait`, unless that is 0, another try will do.
  Refusal(int status, std::string code, const std::string& message, std::chrono::seconds wait = {})
      : std::runtime_error(message), status_(status), code_(std::move(code)), wait_(wait) {}

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] std::chrono::seconds wait() const { return wait_; }

 private:
  int status_;
  std::string code_;
  std::chrono::seconds wait_;
};

[[nodiscard]] Refusal not_found(const std::string& what);

// What a process of the server says with the name of an ErrorCode; 500 for another name.
[[nodiscard]] Refusal refusal_said(const std::string& code, const std::string& message);

// Whether the server's machine is in the way (its disk, memory, processes, open files), and not
// what is asked of it: the same can be done later.
[[nodiscard]] bool is_passing(const Refusal& refusal);

// The answer to anything that can be caught while a request is being served. What is no Refusal and
// no fhe::Error is an error of the server, of which the client learns nothing but that.
[[nodiscard]] Refusal refusal_of(const std::exception_ptr& exception);

}  // namespace fhe::outsource
