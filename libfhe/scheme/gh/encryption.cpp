// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/encryption.hpp"

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

std::vector<NoisePolynomial> draw_noise(const Parameters& parameters, std::size_t count,
                                        SecretRandom& random) {
  BufferedRandom buffered(random);
  std::vector<NoisePolynomial> noise;
  noise.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    noise.push_back(NoisePolynomial::draw(buffered, parameters.n, parameters.h));
  }
  return noise;
}

std::vector<Integer> encrypt_bits(const Powers& powers, const std::vector<NoisePolynomial>& noise,
                                  const std::function<bool(std::size_t)>& bit_of,
                                  std::string_view phase, const Monitor& monitor) {
  const Integer& d = powers.ring().modulus();
  std::vector<Integer> ciphertexts(noise.size());
  Progress progress(monitor, phase, noise.size());
  parallel_for(noise.size(), [&](std::size_t i) {
    const SecretInteger u(powers.evaluate(noise[i]));
    Integer& c = ciphertexts[i];
    c = 2 * u.value() + (bit_of(i) ? 1 : 0);
    if (c >= d) c -= d;
    progress.advance();
  });
  return ciphertexts;
}

}  // namespace fhe::gh
