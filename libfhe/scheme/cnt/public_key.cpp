#include "libfhe/scheme/cnt/public_key.hpp"

#include <fmt/format.h>

#include "libfhe/scheme/cnt/bound_key.hpp"

namespace fhe::cnt {

namespace {

constexpr std::size_t kGeneratorBytes = 16;

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

Integer read_single(ContainerReader& in, std::string_view section, std::size_t bits) {
  in.open_section(section, bytes_for_bits(bits), bytes_for_bits(bits));
  Integer value = in.read_integer(bits);
  in.close_section();
  return value;
}

std::vector<Integer> read_list(ContainerReader& in, std::string_view section, std::size_t count,
                               std::size_t bits) {
  const std::uint64_t bytes = bytes_for_bits(count * bits);
  in.open_section(section, bytes, bytes);
  std::vector<Integer> values = in.read_packed(count, bits);
  in.close_section();
  return values;
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

PublicStream element_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::public_elements, 1, parameters.tau, parameters.gamma};
}

PublicKey::PublicKey(const Parameters& parameters, Integer x0, std::vector<Integer> delta,
                     dghv::SquashedKey squashed)
    : parameters_(parameters),
      x0_(std::move(x0)),
      delta_(std::move(delta)),
      squashed_(std::move(squashed)) {}

PublicStream PublicKey::element_stream() const {
  return cnt::element_stream(parameters_, squashed_.seed);
}

std::shared_ptr<const PublicKey> PublicKey::read(const Parameters& p, ContainerReader& in) {
  const StreamSeed seed = read_seed(in);
  Integer x0 = read_single(in, "x0", p.gamma);
  check_modulus(x0, p.gamma, in);
  Integer u0 = read_single(in, "u0", p.kappa + 1);
  std::vector<Integer> delta = read_list(in, "delta", p.tau, p.correction_bits());
  std::vector<Integer> sigma = read_list(in, "sigma", p.Theta, p.correction_bits());
  return std::make_shared<const PublicKey>(
      p, std::move(x0), std::move(delta), dghv::SquashedKey{seed, std::move(u0), std::move(sigma)});
}

void PublicKey::write(SectionWriter& out) const {
  out.begin_section("seed");
  out.write_padded(kAesCtrGenerator, kGeneratorBytes);
  out.write(squashed_.seed);
  out.begin_section("x0");
  out.write_integer(x0_, parameters_.gamma);
  out.begin_section("u0");
  out.write_integer(squashed_.u0, parameters_.kappa + 1);
  out.begin_section("delta");
  out.write_packed(delta_, parameters_.correction_bits());
  out.begin_section("sigma");
  out.write_packed(squashed_.sigma, parameters_.correction_bits());
}

std::shared_ptr<const fhe::BoundKey> PublicKey::bind(std::shared_ptr<const PublicMaterial> self,
                                                     const KeyId& id, const BackendPtr& backend,
                                                     const RecryptOptions& options) const {
  return std::make_shared<const cnt::BoundKey>(
      std::static_pointer_cast<const PublicKey>(std::move(self)), id, backend, options);
}

}  // namespace fhe::cnt
