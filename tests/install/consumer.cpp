// SPDX-License-Identifier: Apache-2.0
// What a user's first program looks like: an AND on encrypted bits. Exit status 0 when it is right.
#include <libfhe/fhe.hpp>

int main() {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-mini")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);
  const fhe::Ciphertext one = encryptor.encrypt(true);
  const fhe::Ciphertext zero = encryptor.encrypt(false);
  const bool right = decryptor.decrypt(evaluator.and_gate(one, one)) &&
                     !decryptor.decrypt(evaluator.and_gate(one, zero));
  return right ? 0 : 1;
}
