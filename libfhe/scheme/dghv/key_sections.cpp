#include "libfhe/scheme/dghv/key_sections.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace fhe::dghv {

namespace {

constexpr std::size_t kGeneratorBytes = 16;

Integer read_single(ContainerReader& in, std::string_view section, std::size_t bits) {
  in.open_section(section, bytes_for_bits(bits), bytes_for_bits(bits));
  Integer value = in.read_integer(bits);
  in.close_section();
  return value;
}

void check_modulus(const Integer& x0, std::size_t gamma, const ContainerReader& in) {
  // Small factors would make ciphertexts leak; a key from KeyGen has none.
  constexpr unsigned long kLargestTrialFactor = 1UL << 12;
  bool has_small_factor = false;
  for (unsigned long factor = 2; factor <= kLargestTrialFactor; ++factor) {
    has_small_factor = has_small_factor || mpz_divisible_ui_p(x0.get_mpz_t(), factor) != 0;
  }
  if (bit_length(x0) != gamma || has_small_factor) {
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("{}: the modulus x0 must have exactly {} bits and no small factor; the file "
                    "does not hold a key that this program wrote",
                    in.path().string(), gamma));
  }
}

}  // namespace

void write_seed(SectionWriter& out, const StreamSeed& seed) {
  out.begin_section("seed");
  out.write_padded(kAesCtrGenerator, kGeneratorBytes);
  out.write(seed);
}

StreamSeed read_seed(ContainerReader& in) {
  StreamSeed seed;
  in.open_section("seed", kGeneratorBytes + seed.size(), kGeneratorBytes + seed.size());
  const std::string generator = in.read_padded(kGeneratorBytes);
  if (generator != kAesCtrGenerator) {
    throw in.malformed(
        fmt::format("the key was made with the generator '{}', this program has '{}'", generator,
                    kAesCtrGenerator));
  }
  in.read(seed);
  in.close_section();
  return seed;
}

void write_modulus(SectionWriter& out, const Parameters& parameters, const Integer& x0) {
  out.begin_section("x0");
  out.write_integer(x0, parameters.gamma);
}

Integer read_modulus(ContainerReader& in, const Parameters& parameters) {
  Integer x0 = read_single(in, "x0", parameters.gamma);
  check_modulus(x0, parameters.gamma, in);
  return x0;
}

void write_list(SectionWriter& out, std::string_view section, std::span<const Integer> values,
                std::size_t bits) {
  out.begin_section(section);
  out.write_packed(values, bits);
}

std::vector<Integer> read_list(ContainerReader& in, std::string_view section, std::size_t count,
                               std::size_t bits) {
  const std::uint64_t bytes = bytes_for_bits(count * bits);
  in.open_section(section, bytes, bytes);
  std::vector<Integer> values = in.read_packed(count, bits);
  in.close_section();
  return values;
}

void write_u0(SectionWriter& out, const Parameters& parameters, const SquashedKey& key) {
  out.begin_section("u0");
  out.write_integer(key.u0, parameters.kappa + 1);
}

void write_sigma(SectionWriter& out, const Parameters& parameters, const SquashedKey& key) {
  write_list(out, "sigma", key.sigma, parameters.correction_bits());
}

SquashedKey read_squashed(ContainerReader& in, const Parameters& parameters,
                          const StreamSeed& seed) {
  Integer u0 = read_single(in, "u0", parameters.kappa + 1);
  std::vector<Integer> sigma =
      read_list(in, "sigma", parameters.key_bits(), parameters.correction_bits());
  return {seed, std::move(u0), std::move(sigma)};
}

}  // namespace fhe::dghv
