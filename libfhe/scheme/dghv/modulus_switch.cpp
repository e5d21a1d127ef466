// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus_switch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::dghv {

// With W = eta' + 1 the bits of an expanded entry: y_i = Y_i / 2^kappa' in [0, 2^W) and
//   sum_i s_i Y_i = round(2^(eta' + kappa') / p)   mod 2^(W + kappa'),
// s in {0,1}^Theta with s_0 = 1, all Y_i but Y_0 from a public stream. Element i * W + b of the
// other stream hides round(s_i 2^b p' / 2^W) + r under p'.
struct ModulusSwitch::Contents {
  Parameters parameters;  // of the group; eta is the source's
  std::size_t new_eta;
  std::size_t Theta;
  KeyId source;
  Integer source_modulus;
  Integer target_modulus;
  KeyId target{};
  StreamSeed seed{};
  Integer Y0{};
  std::vector<Integer> corrections{};

  [[nodiscard]] std::size_t entry_bits() const { return new_eta + 1; }
  [[nodiscard]] std::size_t fraction_bits() const { return parameters.gamma + 2; }
  [[nodiscard]] std::size_t Y_bits() const { return entry_bits() + fraction_bits(); }
  [[nodiscard]] PublicStream Y_stream() const {
    return {seed, StreamPurpose::switch_squash, 1, Theta - 1, Y_bits()};
  }
  [[nodiscard]] PublicStream bit_stream() const {
    return {seed, StreamPurpose::switch_bits, 0, Theta * entry_bits(), parameters.gamma};
  }
};

namespace {

using Contents = ModulusSwitch::Contents;

[[noreturn]] void unsupported(const char* what) {
  throw Error(
      ErrorCode::unsupported,
      fmt::format("keys made by modulus switching cannot {}; they compute and decrypt", what));
}

NoiseRule rung_rule(std::size_t eta) {
  return {.decrypt_limit = decrypt_limit(eta), .refresh_limit = {}, .product_growth = {}};
}

// The secret key of a rung: p' alone, without a squashed form.
class RungSecret final : public PrimeSecret {
 public:
  RungSecret(Parameters parameters, SecretInteger p, Integer x0)
      : PrimeSecret(std::move(p), std::move(x0)), parameters_(std::move(parameters)) {}

  [[nodiscard]] NoiseRule noise_rule() const override { return rung_rule(bit_length(p())); }
  [[nodiscard]] std::optional<std::string> flaw() const override { return std::nullopt; }
  void write(SectionWriter&) const override { unsupported("be saved"); }
  [[nodiscard]] std::size_t section_count() const override { unsupported("be saved"); }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
};

class RungKeyContext final : public KeyContext {
 public:
  RungKeyContext(KeyId id, const Integer& modulus, std::size_t eta, const BackendPtr& backend)
      : id_(std::move(id)), eta_(eta), ring_(backend->ring(modulus)) {}

  [[nodiscard]] const Ring& ring() const override { return *ring_; }
  [[nodiscard]] const KeyId& id() const override { return id_; }
  [[nodiscard]] NoiseRule noise_rule() const override { return rung_rule(eta_); }
  [[nodiscard]] NoiseBound fresh_noise() const override { unsupported("encrypt"); }
  [[nodiscard]] NoiseBound refreshed_noise() const override { unsupported("recrypt"); }
  [[nodiscard]] std::vector<Ciphertext> encrypt(const std::vector<bool>&, const EncryptOptions&,
                                                SecretRandom&, const Monitor&) const override {
    unsupported("encrypt");
  }
  [[nodiscard]] std::vector<Ciphertext> recrypt_all(const std::vector<Ciphertext>&,
                                                    const Monitor&) const override {
    unsupported("recrypt");
  }

 private:
  KeyId id_;
  std::size_t eta_;
  std::shared_ptr<const Ring> ring_;
};

class RungPublic final : public PublicMaterial {
 public:
  RungPublic(Integer x0, std::size_t eta) : x0_(std::move(x0)), eta_(eta) {}

  [[nodiscard]] const Integer& modulus() const override { return x0_; }
  [[nodiscard]] std::optional<std::string> flaw() const override { return std::nullopt; }
  void write(SectionWriter&) const override { unsupported("be saved"); }
  [[nodiscard]] std::size_t section_count() const override { unsupported("be saved"); }
  [[nodiscard]] std::shared_ptr<const KeyContext> make_context(
      std::shared_ptr<const PublicMaterial>, const KeyId& id, const BackendPtr& backend,
      const RecryptOptions&) const override {
    return std::make_shared<const RungKeyContext>(id, x0_, eta_, backend);
  }

 private:
  Integer x0_;
  std::size_t eta_;
};

struct Source {
  const PrimeSecret& secret;
  const Parameters& parameters;
};

Source source_of(const SecretKey& key) {
  if (const auto* own = dynamic_cast<const DghvSecretMaterial*>(&key.material())) {
    return {*own, own->parameters()};
  }
  if (const auto* rung = dynamic_cast<const RungSecret*>(&key.material())) {
    return {*rung, rung->parameters()};
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} is not a key over the integers modulo x0: its modulus cannot be switched",
                  key.id().text()));
}

void check_options(const SwitchOptions& options, const Source& source) {
  const std::size_t eta = bit_length(source.secret.p());
  const std::size_t smallest = source.parameters.rho + 8;
  if (options.eta >= eta || options.eta < smallest) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("modulus switching from a prime of {} bits leads to one of {} to {} bits, not "
                    "of {}",
                    eta, smallest, eta - 1, options.eta));
  }
  if (options.Theta < 2 || options.Theta > (std::size_t{1} << 32) / (options.eta + 1)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("Theta = {} must be at least 2 and Theta (eta + 1) below 2^32", options.Theta));
  }
}

// s_0 = 1, every other entry a uniform bit.
std::vector<bool> draw_selector(std::size_t Theta, SecretRandom& random) {
  std::vector<bool> s{true};
  while (s.size() < Theta) s.push_back(uniform_index(random, 2) == 1);
  return s;
}

Integer solve_Y0(const Contents& contents, const Integer& p, const std::vector<bool>& s) {
  const PublicStream Y = contents.Y_stream();
  Integer Y0 = (power_of_two(contents.new_eta + contents.fraction_bits() + 1) + p) / (2 * p);
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i]) Y0 -= Y.element(i - 1);
  }
  return low_bits(Y0, contents.Y_bits());
}

// round(s_i 2^b p' / 2^W) + r for every i and b.
SecretIntegers hidden_bits(const Contents& contents, const Integer& new_p,
                           const std::vector<bool>& s, SecretRandom& random) {
  const std::size_t width = contents.entry_bits();
  SecretIntegers values(contents.Theta * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = uniform_centered(random, contents.parameters.rho);
    if (s[i / width]) {
      values[i] += ((new_p << (i % width + 1)) + power_of_two(width)) >> (width + 1);
    }
  }
  return values;
}

KeyId rung_id(const Contents& contents) {
  KeyIdHasher hasher;
  hasher.begin_section("rung");
  hasher.write(contents.seed);
  hasher.write_integer(contents.target_modulus, contents.parameters.gamma);
  hasher.write_integer(contents.Y0, contents.Y_bits());
  hasher.write_packed(contents.corrections, contents.new_eta + contents.parameters.lambda);
  return {contents.source.parameters, hasher.finish(contents.source.digest),
          contents.source.test_key};
}

NoiseBound switched_noise(const Contents& contents, std::size_t old_eta, NoiseBound noise) {
  const double scaled_bits =
      noise.bits() - static_cast<double>(old_eta) + static_cast<double>(contents.new_eta) + 1;
  const auto Theta = static_cast<unsigned long>(contents.Theta);
  const Integer floor = 2 * Theta * static_cast<unsigned long>(contents.entry_bits()) *
                            (power_of_two(contents.parameters.rho) + 1) +
                        Theta + 4;
  return NoiseBound::from_bits(std::max(scaled_bits, 0.0)) + NoiseBound::from_magnitude(floor);
}

// z = round(c Y / 2^kappa') mod 2^W.
Integer expanded_entry(const Contents& contents, const Integer& c, const Integer& Y,
                       const Backend& backend) {
  const std::size_t fraction = contents.fraction_bits();
  const Integer product = backend.multiply(c, Y) + power_of_two(fraction - 1);
  return low_bits(product >> fraction, contents.entry_bits());
}

// With q = (c - e) / p: sum s_i z_i = 2^eta' c / p mod 2^W up to rounding, so
//   2 sum_i sum_b bit_b(z_i) sigma_(i,b) + (c mod 2) = q p' + e p'/p + small   mod 2p',
// and its noise has the parity of (c mod 2) + q = m.
Ciphertext switched(const ModulusSwitch::Contents& contents, const Ciphertext& c,
                    const BackendPtr& backend, const Monitor& monitor) {
  require_ciphertext_of(contents.source, contents.source_modulus, c);
  const PublicStream Y = contents.Y_stream();
  const std::size_t width = contents.entry_bits();
  BlockSelection selection{.block_size = contents.Theta * width, .width = 1, .masks = {}};
  selection.masks.resize(contents.Theta * width);
  Progress progress(monitor, "expand", contents.Theta);
  parallel_for(contents.Theta, [&](std::size_t i) {
    const Integer& stored = contents.Y0;
    const Integer z =
        expanded_entry(contents, c.value(), i == 0 ? stored : Y.element(i - 1), *backend);
    for (std::size_t b = 0; b < width; ++b) {
      selection.masks[i * width + b] = static_cast<std::uint32_t>(mpz_tstbit(z.get_mpz_t(), b));
    }
    progress.advance();
  });
  const auto ring = backend->ring(contents.target_modulus);
  const PublicStream chi = contents.bit_stream();
  const Integer sum = ring->selected_sums({chi, contents.corrections}, selection, monitor).front();
  const int parity = mpz_odd_p(c.value().get_mpz_t()) != 0 ? 1 : 0;
  return {ring->reduce(2 * sum + parity),
          switched_noise(contents, contents.parameters.eta, c.noise()), contents.target};
}

Rung draw_rung(const SecretKey& from, const SwitchOptions& options, const BackendPtr& backend,
               const Monitor& monitor) {
  const Source source = source_of(from);
  check_options(options, source);
  SystemRandom random;
  Parameters next = source.parameters;
  next.eta = options.eta;
  Modulus modulus = generate_modulus(next, *backend, random, monitor);
  const Integer& new_p = modulus.p.value();

  Contents contents{.parameters = source.parameters,
                    .new_eta = options.eta,
                    .Theta = options.Theta,
                    .source = from.id(),
                    .source_modulus = source.secret.modulus(),
                    .target_modulus = modulus.x0};
  fill_public(contents.seed);
  const std::vector<bool> s = draw_selector(options.Theta, random);
  contents.Y0 = solve_Y0(contents, source.secret.p(), s);
  contents.corrections =
      compress(next, new_p, contents.bit_stream(), hidden_bits(contents, new_p, s, random),
               *backend, random, monitor);
  contents.target = rung_id(contents);

  const KeyId id = contents.target;
  auto shared = std::make_shared<const Contents>(std::move(contents));
  auto public_part = std::make_shared<const RungPublic>(modulus.x0, options.eta);
  auto secret_part =
      std::make_unique<const RungSecret>(next, std::move(modulus.p), std::move(modulus.x0));
  return {ModulusSwitch(std::move(shared)),
          PublicKey(from.parameters(), id, std::move(public_part)),
          SecretKey(from.parameters(), id, std::move(secret_part))};
}

}  // namespace

ModulusSwitch::ModulusSwitch(std::shared_ptr<const Contents> contents)
    : contents_(std::move(contents)) {}

const KeyId& ModulusSwitch::source() const {
  return contents_->source;
}
const KeyId& ModulusSwitch::target() const {
  return contents_->target;
}

Ciphertext ModulusSwitch::apply(const Ciphertext& c, const BackendPtr& backend,
                                const Monitor& monitor) const {
  return reporting_memory([&] { return switched(*contents_, c, backend, monitor); });
}

Rung make_rung(const SecretKey& from, const SwitchOptions& options, const BackendPtr& backend,
               const Monitor& monitor) {
  const SecretWork work;
  return reporting_memory([&] { return draw_rung(from, options, backend, monitor); });
}

}  // namespace fhe::dghv
