// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/number.hpp"

#include <atomic>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

thread_local Trace* current_trace = nullptr;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> ids{0};
  return ++ids;
}

}  // namespace

Trace::Trace() : id_(next_id()), outer_(current_trace) {
  current_trace = this;
}

Trace::~Trace() {
  current_trace = outer_;
}

Trace& Trace::current() {
  if (current_trace != nullptr) return *current_trace;
  throw Error(
      ErrorCode::invalid_argument,
      "a Uint, Int or Bool lives in a function that is traced: make it in one that you give "
      "to compute(), and keep data in an Encrypted");
}

void Trace::require_current(std::uint64_t id) {
  if (current().id() == id) return;
  throw Error(
      ErrorCode::invalid_argument,
      "this Uint, Int or Bool was made while another function was traced: give results back "
      "from the function, as its return value");
}

}  // namespace fhe
