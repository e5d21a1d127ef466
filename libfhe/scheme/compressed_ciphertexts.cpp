// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/compressed_ciphertexts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"

namespace fhe {

namespace {

void require_form(const std::vector<Integer>& corrections, const CompressedForm& form) {
  const auto fits = [&](const Integer& x) {
    return x >= 0 && bit_length(x) <= form.correction_bits;
  };
  const auto wrong = std::ranges::find_if_not(corrections, fits);
  if (wrong == corrections.end()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("compressed ciphertext {} is not a correction of {} bits: it was altered",
                          wrong - corrections.begin(), form.correction_bits));
}

// Modulo the modulus, for x below it in absolute value or of as many bits.
void reduce(Integer& x, const Integer& modulus) {
  if (x < 0) x += modulus;
  if (x >= modulus) x -= modulus;
}

}  // namespace

Error no_compressed_form() {
  return {ErrorCode::unsupported,
          "keys of this kind make no compressed ciphertexts; encrypt with the public key (those of "
          "cnt and cmnt groups can, and gh has no shorter form)"};
}

std::vector<Ciphertext> CompressedCiphertexts::expand(const CompressedForm& form,
                                                      const Integer& modulus,
                                                      const Monitor& monitor) const {
  require_form(corrections_, form);
  const PublicStream chi(seed_, StreamPurpose::ciphertexts, 0, size(), form.element_bits);
  std::vector<Integer> values(size());
  Progress progress(monitor, "expand ciphertexts", size());
  parallel_for(size(), [&](std::size_t i) {
    values[i] = chi.element(i);
    values[i] -= corrections_[i];
    reduce(values[i], modulus);
    progress.advance();
  });
  std::vector<Ciphertext> ciphertexts;
  ciphertexts.reserve(size());
  for (Integer& value : values) ciphertexts.emplace_back(std::move(value), noise_, key_);
  return ciphertexts;
}

}  // namespace fhe
