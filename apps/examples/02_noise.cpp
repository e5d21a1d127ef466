// SPDX-License-Identifier: Apache-2.0
// Example 2: noise, and who takes it away.
//
// Every ciphertext hides its bit under noise. A sum adds the noises, a product multiplies them, and
// past a limit the bit is lost. The library keeps a proven upper bound with each ciphertext, in
// bits, and no gate gives a result that could be wrong.
#include <iostream>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::RefreshPolicy;
using fhe::examples::check;
using fhe::examples::check_refused;

int main() {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);
  const fhe::Ciphertext a = encryptor.encrypt(true);
  const fhe::Ciphertext b = encryptor.encrypt(true);

  // The default policy recrypts an operand, just in time, when the result would be too noisy.
  const fhe::Evaluator automatic(keys.public_key);
  const fhe::NoiseRule rule = automatic.noise_rule();
  std::cout << "noise in bits: fresh " << a.noise().bits() << ", limit to recrypt "
            << rule.refresh_limit.bits() << ", limit to decrypt " << rule.decrypt_limit.bits()
            << '\n';
  const fhe::Ciphertext both = automatic.and_gate(a, b);
  std::cout << "automatic: a product of noise " << both.noise().bits() << " after "
            << automatic.counts().recryptions << " recryptions\n";
  check(automatic.counts().recryptions > 0, "a fresh operand was too noisy to be multiplied");
  check(decryptor.decrypt(both), "1 and 1 = 1");

  // By hand: recrypting runs the decryption on encrypted key bits, so that the result has the noise
  // of that computation instead of the noise of c. Done early, it saves the policy the work.
  const fhe::Ciphertext quiet = automatic.recrypt(a);
  std::cout << "by hand: noise " << a.noise().bits() << " -> " << quiet.noise().bits() << '\n';
  check(quiet.noise() < a.noise() && decryptor.decrypt(quiet), "less noise, the same bit");

  // The policy `never` fails instead of recrypting: for circuits whose noise is planned.
  const fhe::Evaluator never(keys.public_key, fhe::open_backend(), RefreshPolicy::never());
  check(!decryptor.decrypt(never.xor_gate(a, b)), "never: sums of fresh bits are fine");
  check_refused(fhe::ErrorCode::noise_exceeded, "never: a product of fresh bits is refused",
                [&] { return never.and_gate(a, b); });
  check(decryptor.decrypt(never.and_gate(quiet, automatic.recrypt(b))),
        "never: a product of recrypted bits is fine");

  // The policy `callback` asks the caller, who may have a faster machine for it.
  int asked = 0;
  const fhe::Evaluator asking(keys.public_key, fhe::open_backend(),
                              RefreshPolicy::callback([&](const fhe::Ciphertext& c) {
                                ++asked;
                                return automatic.recrypt(c);
                              }));
  check(decryptor.decrypt(asking.and_gate(a, b)) && asked > 0, "callback: asked, and right");

  // Past the limit: multiplying by hand, with nobody to refuse, gives a number whose bit is lost.
  // Its bound says so, and neither the secret key nor recryption pretends to know better.
  const fhe::Ciphertext lost(never.key().ring().multiply(a.value(), b.value()),
                             rule.product(a.noise(), b.noise()), a.key());
  std::cout << "a product past the limit: noise up to " << lost.noise().bits() << '\n';
  check_refused(fhe::ErrorCode::noise_exceeded, "decryption refuses it",
                [&] { return decryptor.decrypt(lost); });
  check_refused(fhe::ErrorCode::noise_exceeded, "recryption refuses it",
                [&] { return automatic.recrypt(lost); });
}
