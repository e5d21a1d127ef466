// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/decryption_oracle.hpp"

#include <fmt/format.h>

namespace fhe::attack {

Finding decryption_oracle(const Samples& samples, const DecryptionOracle& owner,
                          const Monitor& monitor) {
  Finding finding;
  const Integer p =
      finding.step("the key's owner is asked to decrypt, and refuses or does not", [&] {
        Integer refused = owner.limit;  // or one more
        Integer decrypted = 3 * power_of_two(samples.eta - 2);
        Progress progress(monitor, "answers", samples.eta);
        while (decrypted - refused > 1) {
          const Integer middle = (refused + decrypted) / 2;
          (owner.is_decrypted(middle) ? decrypted : refused) = middle;
          ++finding.samples;
          progress.advance();
        }
        return Integer(decrypted + owner.limit);
      });
  finding.note(fmt::format("{} answers show where p is", finding.samples));
  if (samples.modulus % p == 0) finding.primes = {p};
  return finding;
}

}  // namespace fhe::attack
