#include "libfhe/scheme/gh/encryption.hpp"

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/buffered_random.hpp"

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
  const Ring& ring = powers.ring();
  std::vector<Integer> ciphertexts(noise.size());
  Progress progress(monitor, phase, noise.size());
  parallel_for(noise.size(), [&](std::size_t i) {
    Integer u = powers.evaluate(noise[i]);
    const Integer doubled = ring.add(u, u);
    ciphertexts[i] = bit_of(i) ? ring.add(doubled, 1) : doubled;
    wipe(u);
    progress.advance();
  });
  return ciphertexts;
}

}  // namespace fhe::gh
