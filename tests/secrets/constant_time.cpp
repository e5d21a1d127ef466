// SPDX-License-Identifier: Apache-2.0
// Decryption in constant time, checked by valgrind: whatever depends on the secret key counts as
// undefined, so that memcheck reports every branch on it and every memory access that it decides.
//
//   valgrind --error-limit=no constant_time
//
// Exit status 0 when none happens while frozen ciphertexts of every scheme are decrypted, right and
// refused ones.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <valgrind/memcheck.h>

#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "tests/support/plain_chunk_form.hpp"

namespace {

using fhe::Backend;
using fhe::BackendInfo;
using fhe::ChunkForm;
using fhe::Ciphertext;
using fhe::Integer;
using fhe::NoiseBound;
using fhe::SecretContext;
using fhe::SecretMaterial;

// A copy of a secret that counts as undefined; its length is public.
fhe::SecretInteger undefined_copy(const Integer& secret) {
  Integer copy = secret;
  const auto limbs = fhe::limbs_of(copy);
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(limbs.data(), limbs.size_bytes()));
  return fhe::SecretInteger(std::move(copy));
}

bool depends_on_undefined(const std::uint8_t& value) {
  unsigned char undefined_bits = 0;
  static_cast<void>(VALGRIND_GET_VBITS(&value, &undefined_bits, sizeof value));
  return undefined_bits != 0;
}

class Check {
 public:
  // Whether `condition` holds; if not, says what is wrong.
  void require(bool condition, const std::string& what) {
    if (condition) return;
    fmt::print(stderr, "constant_time: {}\n", what);
    failed_ = true;
  }

  // Runs `body` and requires that it has as many reports of memcheck as it should: none or some.
  template <class Body>
  auto count_reports(bool some, const std::string& what, const Body& body) {
    const unsigned before = VALGRIND_COUNT_ERRORS;
    auto result = body();
    const unsigned reports = VALGRIND_COUNT_ERRORS - before;
    require((reports != 0) == some, fmt::format("{}: {} reports", what, reports));
    return result;
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

// Decrypts c under the undefined key and compares with `expected`, of the key in the clear.
void check_decryption(Check& check, const SecretContext& undefined, const Integer& c,
                      NoiseBound claim, const SecretMaterial::Decryption& expected,
                      const std::string& name) {
  SecretMaterial::Decryption result =
      check.count_reports(false, name, [&] { return undefined.decrypt(c, claim); });
  check.require(std::ranges::all_of(result.bits, depends_on_undefined),
                name + ": a bit does not depend on the undefined key");
  static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(&result, sizeof result));
  static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(result.bits.data(), result.bits.size()));
  check.require(result.bits == expected.bits && result.within_claim == expected.within_claim,
                name + ": another answer than that of the key in the clear");
}

void check_decryptions(Check& check, const SecretContext& undefined, const SecretMaterial& clear,
                       const std::vector<Ciphertext>& ciphertexts, const std::string& group) {
  for (const Ciphertext& c : ciphertexts) {
    for (const NoiseBound claim : {c.noise(), NoiseBound(), NoiseBound::from_bits(1 << 19)}) {
      check_decryption(check, undefined, c.value(), claim, clear.decrypt(c.value(), claim),
                       fmt::format("{}, claim of {} bits", group, claim.bits()));
    }
  }
}

// What the engine offers to decryption, with instructions that valgrind knows.
class BackendWithForms final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override { return {}; }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
  [[nodiscard]] std::unique_ptr<ChunkForm> chunk_form(std::size_t bits,
                                                      std::size_t weight_bits) const override {
    constexpr std::size_t kSlices = 8;
    const std::size_t limbs = fhe::limbs_for_bits(weight_bits);
    const std::size_t chunks = fhe::limbs_for_bits(bits) / (kSlices * limbs) + 1;
    return std::make_unique<fhe::test::PlainChunkForm>(kSlices, chunks, limbs);
  }
};

void check_key(Check& check, const SecretMaterial& undefined, const SecretMaterial& clear,
               const std::vector<Ciphertext>& ciphertexts, const std::string& group) {
  check_decryptions(check, undefined, clear, ciphertexts, group);
  // What does depend on the noise is seen: otherwise nothing was checked.
  static_cast<void>(check.count_reports(true, group + ": measuring the noise", [&] {
    return undefined.measure_noise(ciphertexts.front().value());
  }));
}

fhe::SecretIntegers undefined_copies(std::span<const Integer> secrets) {
  fhe::SecretIntegers copies(secrets.size());
  for (std::size_t j = 0; j < secrets.size(); ++j) {
    std::swap(copies[j], undefined_copy(secrets[j]).value());
  }
  return copies;
}

std::vector<fhe::SecretIndices> copies_of(std::span<const fhe::SecretIndices> indices) {
  return {indices.begin(), indices.end()};
}

// `prefix` of the frozen files: "", "cmnt-", ...
void check_frozen_key(Check& check, const std::string& prefix) {
  const std::filesystem::path folder = std::filesystem::path(FHE_TEST_DATA_DIR) / "frozen";
  const fhe::SecretKey key = fhe::load_secret_key(folder / (prefix + "secret.fhe"));
  const auto ciphertexts = fhe::load_ciphertexts(folder / (prefix + "ciphertexts.fhe"), key);
  const std::string& group = key.parameters().name();
  if (const auto* prime = dynamic_cast<const fhe::dghv::DghvSecretMaterial*>(&key.material())) {
    // From the primes on: SecretDivisor is made in constant time too. Their product, which GMP
    // makes once for a key, is not; decryption does without it.
    fhe::dghv::SecretPrimes primes(undefined_copies(prime->primes().span()));
    const auto undefined = check.count_reports(false, group + ": making the key", [&] {
      return std::make_shared<const fhe::dghv::DghvSecretMaterial>(
          prime->parameters(), std::move(primes), copies_of(prime->all_ones()), prime->modulus());
    });
    check_key(check, *undefined, *prime, ciphertexts, group);
    const auto context = check.count_reports(false, group + ": making its context", [&] {
      return undefined->make_context(undefined, BackendWithForms());
    });
    check.require(context != undefined, group + ": the context is the key itself");
    check_decryptions(check, *context, *prime, ciphertexts, group + " by slices");
  } else {
    const auto& ideal = dynamic_cast<const fhe::gh::GhSecretMaterial&>(key.material());
    // GMP's division, once for a key, is not in constant time; its quotient is undefined like w.
    const fhe::gh::GhSecretMaterial undefined(fhe::gh::Parameters(key.parameters()),
                                              undefined_copy(ideal.w()), ideal.modulus());
    check_key(check, undefined, ideal, ciphertexts, group);
  }
}

}  // namespace

int main() {
  if (RUNNING_ON_VALGRIND == 0) {
    fmt::print(stderr, "usage: valgrind --error-limit=no constant_time\n");
    return 2;
  }
  try {
    Check check;
    for (const std::string prefix : {"", "cmnt-", "cmnt-paper-", "bdghv-", "gh-"}) {
      check_frozen_key(check, prefix);
    }
    return check.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "constant_time: {}\n", error.what());
    return 1;
  }
}
