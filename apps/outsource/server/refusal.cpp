// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/refusal.hpp"

#include <filesystem>
#include <new>

#include "apps/outsource/messages.hpp"

namespace fhe::outsource {

namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::unknown_name:
      return 404;
    case ErrorCode::wrong_key:
      return 409;
    case ErrorCode::malformed_file:
    case ErrorCode::invalid_parameters:
    case ErrorCode::noise_exceeded:
    case ErrorCode::unsupported:
      return 422;
    case ErrorCode::stopped:
    case ErrorCode::out_of_memory:
      return 503;
    case ErrorCode::io:  // what can fail here is the disk, which is full
      return 507;
    case ErrorCode::randomness:
    case ErrorCode::wrong_result:
      return 500;
  }
  return 500;
}

}  // namespace

Refusal not_found(const std::string& what) {
  return {404, "not_found", "there is no " + what};
}

Refusal refusal_said(const std::string& code, const std::string& message) {
  const std::optional<ErrorCode> known = error_code_named(code);
  return {known ? status_of(*known) : 500, code, message};
}

bool is_passing(const Refusal& refusal) {
  return refusal.status() == 503 || refusal.status() == 507;
}

Refusal refusal_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const Error& error) {
    return {status_of(error.code()), std::string(to_string(error.code())), error.what()};
  } catch (const std::bad_alloc&) {
    return {503, "out_of_memory", "the server is out of memory: try again later"};
  } catch (const std::filesystem::filesystem_error&) {
    return {507, "io", "the server cannot use its disk: try again later"};
  } catch (...) {
    return {500, "internal", "the server failed: its log says why"};
  }
}

}  // namespace fhe::outsource
