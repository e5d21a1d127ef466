// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/plugin_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "accel/plugin/one_line.hpp"

namespace fhe::plugin {

namespace {

ErrorCode code_of(int status) {
  switch (status) {
    case FHE_BACKEND_INVALID_ARGUMENT:
      return ErrorCode::invalid_argument;
    case FHE_BACKEND_UNSUPPORTED:
      return ErrorCode::unsupported;
    case FHE_BACKEND_STOPPED:
      return ErrorCode::stopped;
    case FHE_BACKEND_OUT_OF_MEMORY:
      return ErrorCode::out_of_memory;
    case FHE_BACKEND_WRONG_RESULT:
      return ErrorCode::wrong_result;
    default:
      return ErrorCode::io;
  }
}

// What a plug-in has written.
std::string text_of(const fhe_backend_error& error) {
  const std::string text = one_line({error.message, strnlen(error.message, sizeof error.message)});
  return text.empty() ? "it does not say what is wrong" : text;
}

}  // namespace

fhe_number number(const Integer& x) {
  const std::span<const Limb> limbs = limbs_of(x);
  return {limbs.data(), limbs.size()};
}

Error PluginCalls::wrong(std::string_view what) const {
  return {ErrorCode::wrong_result, fmt::format("the plug-in {}: {}", path(), what)};
}

Error PluginCalls::reported(int status, const fhe_backend_error& error,
                            const Monitor& monitor) const {
  if (status == FHE_BACKEND_STOPPED && !monitor.stop.stop_requested()) {
    return wrong("it stopped without being asked to");
  }
  return {code_of(status), fmt::format("the plug-in {}: {}", path(), text_of(error))};
}

Results::Results(std::size_t count, std::size_t limbs)
    : limbs_(limbs), values_(count), views_(count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t* const at = mpz_limbs_write(values_[i].get_mpz_t(), static_cast<long>(limbs));
    std::fill_n(at, limbs, ~std::uint64_t{0});
    mpz_limbs_finish(values_[i].get_mpz_t(), static_cast<long>(limbs));
    views_[i] = {at, limbs};
  }
}

template <class IsInRange>
std::vector<Integer> Results::checked(const PluginCalls& calls, const IsInRange& is_in_range) {
  for (Integer& value : values_) {
    mpz_limbs_finish(value.get_mpz_t(), static_cast<long>(limbs_));
    if (!is_in_range(value)) throw calls.wrong("it gave a result that is out of range");
  }
  return std::move(values_);
}

std::vector<Integer> Results::below(const Integer& end, const PluginCalls& calls) {
  return checked(calls, [&](const Integer& value) { return value < end; });
}

std::vector<Integer> Results::of_bits(std::size_t bits, const PluginCalls& calls) {
  return checked(calls, [&](const Integer& value) { return bit_length(value) <= bits; });
}

}  // namespace fhe::plugin
