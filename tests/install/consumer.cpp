// SPDX-License-Identifier: Apache-2.0
// What a user's first program looks like: an AND on encrypted bits. Then what crosses the border of
// a shared libfhe: a backend of the program's own, and an error. Exit status 0 when all is right.
#include <memory>
#include <string_view>

#include <libfhe/fhe.hpp>

namespace {

class OwnBackend final : public fhe::Backend {
 public:
  [[nodiscard]] fhe::BackendInfo info() const override { return {"own", "of a user", 1 << 20, {}}; }
  [[nodiscard]] fhe::Integer multiply(const fhe::Integer& x, const fhe::Integer& y) const override {
    return x * y;
  }
};

bool runs_own_backend(const fhe::KeyPair& keys, const fhe::Ciphertext& one) {
  fhe::register_backend({"own", "of a user", [](std::string_view) -> fhe::BackendPtr {
                           return std::make_shared<OwnBackend>();
                         }});
  const fhe::Evaluator evaluator(keys.public_key, fhe::open_backend("own"));
  return fhe::Decryptor(keys.secret_key).decrypt(evaluator.and_gate(one, one));
}

bool catches_errors() {
  try {
    static_cast<void>(fhe::ParameterSet::named("of nobody"));
  } catch (const fhe::Error& error) {
    return error.code() == fhe::ErrorCode::unknown_name;
  }
  return false;
}

}  // namespace

int main() {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-mini")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);
  const fhe::Ciphertext one = encryptor.encrypt(true);
  const fhe::Ciphertext zero = encryptor.encrypt(false);
  const bool right = decryptor.decrypt(evaluator.and_gate(one, one)) &&
                     !decryptor.decrypt(evaluator.and_gate(one, zero));
  return right && runs_own_backend(keys, one) && catches_errors() ? 0 : 1;
}
