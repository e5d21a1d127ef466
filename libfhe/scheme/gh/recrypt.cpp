// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/recrypt.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libfhe/scheme/adder/evaluate.hpp"
#include "libfhe/scheme/gh/row_task.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::gh {

namespace {

// Memory for the sums and prepared factors of the blocks that are worked on at once.
constexpr std::size_t kWorkingBytes = std::size_t{512} << 20;

// A row has a prepared operand, and while its sums are added up each of them is there twice.
std::size_t blocks_at_once(const Parameters& p, std::size_t modulus_bits) {
  const std::size_t width = p.precision + 1;
  const std::size_t integers = rows_of_block(p) * (kPreparedIntegers + 2 * width);
  const std::size_t bytes = integers * bytes_for_bits(modulus_bits);
  return std::clamp<std::size_t>(kWorkingBytes / bytes, 1, p.s);
}

// Encrypts the bits of the chosen elements of all blocks.
class BitSelector {
 public:
  // `z` is the expanded ciphertext.
  BitSelector(const Parameters& parameters, const KeyOperands& key, const Ring& ring,
              const std::vector<std::uint32_t>& z)
      : p_(parameters),
        key_(key),
        ring_(ring),
        z_(z),
        rows_(rows_of_block(p_)),
        width_(p_.precision + 1) {}

  // Bit i of block k at k width + i.
  [[nodiscard]] std::vector<Operand> all_bits(const Monitor& monitor) const {
    const std::size_t at_once = blocks_at_once(p_, bit_length(ring_.modulus()));
    std::vector<Operand> bits;
    bits.reserve(p_.s * width_);
    for (std::size_t first = 0; first < p_.s; first += at_once) {
      const std::size_t count = std::min(at_once, p_.s - first);
      const std::vector<Operand> sums = row_sums(first, count, monitor);
      const std::vector<Operand> factors = row_factors(first, count);
      std::vector<std::vector<OperandPair>> products;
      for (std::size_t at = 0; at < count * width_; ++at) {
        products.push_back(bit(factors, sums, at / width_, at % width_));
      }
      Progress progress(monitor, "products", products.size());
      std::ranges::move(ring_.dot_all(products, progress), std::back_inserter(bits));
    }
    return bits;
  }

 private:
  // For row a of a block the sums of the eta_b over the elements (a, b) with bit i set, reduced: at
  // (block rows + a) width + i.
  [[nodiscard]] std::vector<Operand> row_sums(std::size_t first, std::size_t count,
                                              const Monitor& monitor) const {
    BlockSelection selection{.block_size = p_.c,
                             .width = static_cast<unsigned>(width_),
                             .masks = std::vector<std::uint32_t>(count * rows_ * p_.c)};
    std::vector<Operand> elements;
    elements.reserve(selection.masks.size());
    for (std::size_t block = 0; block < count; ++block) {
      for (std::size_t j = 0; j < p_.S; ++j) {
        const Pair pair = pair_at(j, p_.c);
        selection.masks[(block * rows_ + pair.a) * p_.c + pair.b] = z_[(first + block) * p_.S + j];
      }
      for (std::size_t at = 0; at < rows_ * p_.c; ++at) {
        elements.push_back(key_.eta[(first + block) * p_.c + at % p_.c]);
      }
    }
    return ring_.selected_elements(elements, selection, monitor);
  }

  // eta_a for each row of a block: at block rows + a.
  [[nodiscard]] std::vector<Operand> row_factors(std::size_t first, std::size_t count) const {
    std::vector<Operand> factors;
    for (std::size_t at = 0; at < count * rows_; ++at) {
      factors.emplace_back(key_.eta[(first + at / rows_) * p_.c + at % rows_]);
    }
    return ring_.prepare_all(factors);
  }

  // The products whose sum is bit i of a block.
  [[nodiscard]] std::vector<OperandPair> bit(const std::vector<Operand>& factors,
                                             const std::vector<Operand>& sums, std::size_t block,
                                             std::size_t i) const {
    std::vector<OperandPair> terms;
    for (std::size_t row = block * rows_; row < (block + 1) * rows_; ++row) {
      terms.emplace_back(factors[row], sums[row * width_ + i]);
    }
    return terms;
  }

  const Parameters& p_;
  const KeyOperands& key_;
  const Ring& ring_;
  const std::vector<std::uint32_t>& z_;
  std::size_t rows_;
  std::size_t width_;
};

}  // namespace

std::vector<Operand> select_bits(const Parameters& parameters, const KeyOperands& key,
                                 const Ring& ring, const std::vector<std::uint32_t>& z,
                                 const Monitor& monitor) {
  return BitSelector(parameters, key, ring, z).all_bits(monitor);
}

Integer recrypt(const Parameters& parameters, const KeyOperands& key, const Ring& ring,
                const AdderProgram& adder, const Integer& c, const Monitor& monitor) {
  if (auto whole = ring.recrypt(RowTask(parameters, adder).of(key, ring.modulus(), c), monitor))
    return std::move(*whole);
  const std::vector<std::uint32_t> z = expand(parameters, key, ring, c, monitor);
  std::vector<Operand> bits = select_bits(parameters, key, ring, z, monitor);
  return evaluate_adder(adder, ring, std::move(bits), monitor).value();
}

std::size_t recryption_integers(const Parameters& p, std::size_t modulus_bits) {
  const std::size_t width = p.precision + 1;
  // The factors and sums of the rows, beside the adder's inputs.
  const std::size_t rows = blocks_at_once(p, modulus_bits) * rows_of_block(p);
  const std::size_t selection = rows * (kPreparedIntegers + width) + p.s * width;
  return kRingIntegers + std::max(selection, adder_integers(p.adder_program()));
}

}  // namespace fhe::gh
