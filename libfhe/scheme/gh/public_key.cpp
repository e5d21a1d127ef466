#include "libfhe/scheme/gh/public_key.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/gh/bound_key.hpp"
#include "libfhe/scheme/gh/sections.hpp"

namespace fhe::gh {

namespace {

// `count` integers of [0, d), one after the other.
std::vector<Integer> read_residues(std::string_view section, std::size_t count, const Integer& d,
                                   ContainerReader& in) {
  const std::size_t bits = bit_length(d);
  const std::uint64_t bytes = std::uint64_t{count} * bytes_for_bits(bits);
  in.open_section(section, bytes, bytes);
  std::vector<Integer> values(count);
  for (Integer& value : values) {
    value = in.read_integer(bits);
    if (value >= d) {
      throw in.malformed(
          "a value is not below the modulus; the file does not hold a key that this "
          "program wrote");
    }
  }
  in.close_section();
  return values;
}

void write_residues(std::string_view section, const std::vector<Integer>& values, const Integer& d,
                    SectionWriter& out) {
  out.begin_section(section);
  for (const Integer& value : values) out.write_integer(value, bit_length(d));
}

void check_root(const Integer& r, const Integer& d, std::size_t n, const ContainerReader& in) {
  if (power(*open_backend()->ring(d), r, n) == d - 1) return;
  throw in.malformed(fmt::format(
      "r is not a root of x^{} + 1 modulo d; the file does not hold a key that this program wrote",
      n));
}

void check_key_bits(const std::vector<Integer>& eta, const ContainerReader& in) {
  std::vector<const Integer*> sorted;
  for (const Integer& value : eta) sorted.push_back(&value);
  std::ranges::sort(sorted, std::ranges::less(),
                    [](const Integer* x) -> const Integer& { return *x; });
  const auto equal = [](const Integer* x, const Integer* y) { return *x == *y; };
  if (*sorted.front() <= 1 || std::ranges::adjacent_find(sorted, equal) != sorted.end()) {
    throw in.malformed(
        "an encrypted key bit is 0, 1 or equal to another one, and so tells the bit; "
        "the file does not hold a key that this program wrote");
  }
}

}  // namespace

PublicKey::PublicKey(const Parameters& parameters, Integer d, Integer r, SquashedKey squashed)
    : parameters_(parameters), d_(std::move(d)), r_(std::move(r)), squashed_(std::move(squashed)) {}

std::shared_ptr<const PublicKey> PublicKey::read(const Parameters& p, ContainerReader& in) {
  Integer d = read_determinant(p, in);
  Integer r = std::move(read_residues("r", 1, d, in).front());
  check_root(r, d, p.n, in);
  SquashedKey squashed;
  squashed.x = read_residues("x", p.s, d, in);
  squashed.eta = read_residues("eta", p.s * p.c, d, in);
  check_key_bits(squashed.eta, in);
  return std::make_shared<const PublicKey>(p, std::move(d), std::move(r), std::move(squashed));
}

void PublicKey::write(SectionWriter& out) const {
  write_determinant(d_, out);
  write_residues("r", {r_}, d_, out);
  write_residues("x", squashed_.x, d_, out);
  write_residues("eta", squashed_.eta, d_, out);
}

std::shared_ptr<const fhe::BoundKey> PublicKey::bind(std::shared_ptr<const PublicMaterial> self,
                                                     const KeyId& id, const BackendPtr& backend,
                                                     const RecryptOptions& options) const {
  return std::make_shared<const gh::BoundKey>(
      std::static_pointer_cast<const PublicKey>(std::move(self)), id, backend, options);
}

}  // namespace fhe::gh
