#include "libfhe/scheme/dghv/secret_key.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fhe::dghv {

namespace {

// x padded with zeros to `count` limbs, so that the length tells nothing.
std::vector<Limb> padded_limbs(const Integer& x, std::size_t count) {
  std::vector<Limb> limbs(std::max(count, mpz_size(x.get_mpz_t())));
  std::ranges::copy(limbs_of(x), limbs.begin());
  return limbs;
}

void wipe_limbs(std::vector<Limb>& limbs) {
  wipe(std::as_writable_bytes(std::span(limbs)));
}

// x mod p as limbs_of(p).size() limbs, without branches on the values.
std::vector<Limb> residue_limbs(const Integer& x, std::size_t x_limbs, const Integer& p) {
  const auto divisor = limbs_of(p);
  const auto divisor_size = static_cast<mp_size_t>(divisor.size());
  std::vector<Limb> remainder = padded_limbs(x, std::max(x_limbs, divisor.size()));
  const auto size = static_cast<mp_size_t>(remainder.size());
  std::vector<Limb> scratch(static_cast<std::size_t>(mpn_sec_div_r_itch(size, divisor_size)));
  mpn_sec_div_r(remainder.data(), size, divisor.data(), divisor_size, scratch.data());
  wipe_limbs(scratch);
  std::vector<Limb> result(remainder.begin(),
                           remainder.begin() + static_cast<std::ptrdiff_t>(divisor.size()));
  wipe_limbs(remainder);
  return result;
}

std::vector<std::uint32_t> read_ones(const Parameters& parameters, ContainerReader& in) {
  const std::vector<Box> boxes = parameters.boxes();
  const std::uint64_t bytes = 4 * (boxes.size() + 1);
  in.open_section("s", bytes, bytes);
  if (in.read_u32() != boxes.size()) {
    throw in.malformed(fmt::format("the secret bits must have {} ones", boxes.size()));
  }
  std::vector<std::uint32_t> ones;
  for (const Box& box : boxes) {
    ones.push_back(in.read_u32());
    if (ones.back() < box.first || ones.back() - box.first >= box.size) {
      throw in.malformed("the secret bits do not have exactly one 1 in each box");
    }
  }
  in.close_section();
  return ones;
}

}  // namespace

SecretKey::SecretKey(const Parameters& parameters, SecretInteger p, std::vector<std::uint32_t> ones,
                     Integer x0)
    : PrimeSecret(std::move(p), std::move(x0)), parameters_(parameters), ones_(std::move(ones)) {}

SecretKey::~SecretKey() {
  wipe(std::as_writable_bytes(std::span(ones_)));
}

std::unique_ptr<const SecretKey> SecretKey::read(const Parameters& parameters,
                                                 ContainerReader& in) {
  const std::uint64_t p_bytes = bytes_for_bits(parameters.eta);
  in.open_section("p", p_bytes, p_bytes);
  SecretInteger p(in.read_integer(parameters.eta));
  in.close_section();
  std::vector<std::uint32_t> ones = read_ones(parameters, in);
  const std::uint64_t x0_bytes = bytes_for_bits(parameters.gamma);
  in.open_section("x0", x0_bytes, x0_bytes);
  Integer x0 = in.read_integer(parameters.gamma);
  in.close_section();
  if (bit_length(p.value()) != parameters.eta || bit_length(x0) != parameters.gamma ||
      mpz_odd_p(x0.get_mpz_t()) == 0 || x0 % p.value() != 0) {
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("{}: the modulus x0 is not an odd multiple of p; the file does not hold a "
                    "key that this program wrote",
                    in.path().string()));
  }
  return std::make_unique<const SecretKey>(parameters, std::move(p), std::move(ones),
                                           std::move(x0));
}

SecretInteger PrimeSecret::noise(const Integer& c) const {
  std::vector<Limb> residue = residue_limbs(c, mpz_size(x0_.get_mpz_t()), p());
  const auto size = static_cast<mp_size_t>(residue.size());
  // Centre: subtract p exactly when 2 * residue > p.
  std::vector<Limb> doubled(residue.size() + 1);
  doubled.back() = mpn_lshift(doubled.data(), residue.data(), size, 1);
  const std::vector<Limb> p_limbs = padded_limbs(p(), residue.size() + 1);
  std::vector<Limb> difference(residue.size() + 1);
  const Limb below = mpn_sub_n(difference.data(), doubled.data(), p_limbs.data(), size + 1);
  std::vector<Limb> magnitude(residue.size());
  mpn_sub_n(magnitude.data(), p_limbs.data(), residue.data(), size);
  // below = 1: the residue itself; below = 0: -(p - residue).
  const Limb keep = Limb{0} - below;
  for (std::size_t i = 0; i < magnitude.size(); ++i) {
    magnitude[i] = (residue[i] & keep) | (magnitude[i] & ~keep);
  }
  Integer result = from_limbs(magnitude);
  if (below == 0) mpz_neg(result.get_mpz_t(), result.get_mpz_t());
  for (std::vector<Limb>* secret : {&residue, &doubled, &difference, &magnitude}) {
    wipe_limbs(*secret);
  }
  return SecretInteger(std::move(result));
}

SecretMaterial::Decryption PrimeSecret::decrypt(const Integer& c) const {
  const SecretInteger residue = noise(c);
  return {.bit = mpz_odd_p(residue.value().get_mpz_t()) != 0,
          .noise = NoiseBound::from_magnitude(residue.value())};
}

void SecretKey::write(SectionWriter& out) const {
  out.begin_section("p");
  out.write_integer(p(), parameters_.eta);
  out.begin_section("s");
  out.write_u32(static_cast<std::uint32_t>(ones_.size()));
  for (const std::uint32_t position : ones_) out.write_u32(position);
  out.begin_section("x0");
  out.write_integer(modulus(), parameters_.gamma);
}

}  // namespace fhe::dghv
