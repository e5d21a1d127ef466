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
    // chi_i is as long as the modulus, so this takes at most one subtraction or addition.
    const Integer difference = chi.element(i) - corrections_[i];
    mpz_fdiv_r(values[i].get_mpz_t(), difference.get_mpz_t(), modulus.get_mpz_t());
    progress.advance();
  });
  std::vector<Ciphertext> ciphertexts;
  ciphertexts.reserve(size());
  for (Integer& value : values) ciphertexts.emplace_back(std::move(value), noise_, key_);
  return ciphertexts;
}

}  // namespace fhe
