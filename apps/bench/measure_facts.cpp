// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/measure_facts.hpp"

#include <system_error>

#include <fmt/format.h>

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/noise_meter.hpp"

namespace fhe::bench {

namespace {

namespace fs = std::filesystem;

// The name of a file that is removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(fs::path path) : path_(std::move(path)) {}
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

template <class Key>
std::uint64_t file_bytes(const Key& key, const fs::path& scratch) {
  const ScratchFile file(scratch / ".measured-key");
  save(file.path(), key);
  return fs::file_size(file.path());
}

NoiseChain chain_of(std::string start, Ciphertext c, const Evaluator& evaluator,
                    const SecretKey& key) {
  const NoiseRule rule = evaluator.noise_rule();
  NoiseChain chain{std::move(start), {}};
  for (unsigned depth = 0;; ++depth) {
    chain.steps.push_back({depth, c.noise().bits(), measure_noise(key, c).bits()});
    const NoiseBound next = rule.product(c.noise(), c.noise());
    if (next > rule.decrypt_limit) {
      chain.steps.push_back({depth + 1, next.bits(), std::nullopt});
      return chain;
    }
    c = evaluator.and_gate(c, c);
  }
}

}  // namespace

GroupFacts measure_facts(const ParameterSet& group, const BackendPtr& backend,
                         const fs::path& scratch) {
  const KeyPair keys = KeyGenerator(group, backend).generate();
  const Encryptor encryptor(keys.public_key, backend);
  const Evaluator evaluator(keys.public_key, backend, RefreshPolicy::never());
  const NoiseRule rule = evaluator.noise_rule();
  const Ciphertext fresh = encryptor.encrypt(true);
  return {.group = group.name(),
          .scheme = group.scheme(),
          .modulus_bits = bit_length(keys.public_key.modulus()),
          .public_key_bytes = file_bytes(keys.public_key, scratch),
          .secret_key_bytes = file_bytes(keys.secret_key, scratch),
          .decrypt_limit_bits = rule.decrypt_limit.bits(),
          .refresh_limit_bits = rule.refresh_limit.bits(),
          .chains = {chain_of("fresh", fresh, evaluator, keys.secret_key),
                     chain_of("recrypted", evaluator.recrypt(fresh), evaluator, keys.secret_key)}};
}

}  // namespace fhe::bench
