#include "accel/fpga/driver/model_clocks.hpp"

#include <algorithm>

#include "accel/fpga/driver/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kFetchClocks = 32;
constexpr std::uint64_t kShortProductClocks = 39'098;  // halves of zeros are not loaded
constexpr std::uint64_t kFullProductClocks = 41'146;
constexpr std::uint64_t kHalfProduct = parameter::product_words / 2;
constexpr std::uint64_t kSumLatency = 2;
constexpr std::uint64_t kSparseLatency = 12 + parameter::sparse_weight;
constexpr std::uint64_t kSparseBits = std::uint64_t{1} << parameter::sparse_index_bits;

std::uint64_t blocks(std::uint64_t words, std::uint64_t block_words) {
  return (words + block_words - 1) / block_words;
}

// Block products as PROGRAMMING.md cuts them; with `adds` they are added to what is there.
ModelWork product(std::uint64_t x_words, std::uint64_t y_words, bool adds) {
  const auto [shorter, longer] = std::minmax(x_words, y_words);
  if (shorter == 0) return {};
  const bool one_block = shorter <= kHalfProduct;
  const std::uint64_t piece = one_block ? parameter::product_words - shorter : kHalfProduct;
  const std::uint64_t shorter_blocks = one_block ? 1 : blocks(shorter, piece);
  const std::uint64_t count = shorter_blocks * blocks(longer, piece);
  const bool full = one_block && std::min(longer, piece) > kHalfProduct;
  const std::uint64_t operands = blocks(longer, piece) * shorter + shorter_blocks * longer;
  return {.multiply = count * (full ? kFullProductClocks : kShortProductClocks),
          .words_read = operands + (adds || count > 1 ? operands : 0),
          .words_written = operands};
}

ModelWork sparse_product(std::uint64_t x_words, std::uint64_t sum_words, bool adds) {
  return {.sparse = kSparseLatency + sum_words * (kWordBits / parameter::sparse_block_bits),
          .words_read = 1 + x_words + (adds ? sum_words : 0),
          .words_written = sum_words};
}

ModelWork sum(std::uint64_t words, std::uint64_t operands_read) {
  return {.accumulate = kSumLatency + words,
          .words_read = operands_read * words,
          .words_written = words};
}

ModelWork reduction(const BarrettShape& shape) {
  ModelWork work = product(shape.argument_words() - shape.shift_low / kWordBits,
                           shape.reciprocal_words(), false);
  work += product(shape.quotient_words(), shape.modulus_words(), false);
  work += sum(shape.remainder_words(), 2);  // y
  work += sum(shape.modulus_words(), 2);    // its comparison with the modulus
  work.reduce = work.multiply + work.accumulate;
  return work;
}

// Adding one term, or as many as there are slots.
ModelWork term_work(const EncryptionSum& request) {
  const std::uint64_t x = words_for_bits(request.element_bits);
  const std::uint64_t y = words_for_bits(request.weight_bits);
  if (request.sparse) return sparse_product(x, x + kSparseBits / kWordBits, true);
  if (request.slots <= 1) return product(x, y, true);
  const std::uint64_t slot =
      words_for_bits(std::uint64_t{request.element_bits} + request.weight_bits + 4);
  return {.multiply = kFullProductClocks,
          .words_read = request.slots * (x + y) + slot,
          .words_written = slot};
}

ModelWork encryption_work(const Command& command, const Context& context) {
  constexpr std::uint64_t kTermsInWord = kWordBytes / 16;
  const EncryptionSum request = decode_encryption_sum(command);
  const std::uint64_t at_a_time = request.sparse ? 1 : std::max<std::uint64_t>(request.slots, 1);
  ModelWork work{.words_read = blocks(request.terms, kTermsInWord)};
  const ModelWork each = term_work(request);
  for (std::uint64_t i = 0; i < blocks(request.terms, at_a_time); ++i) work += each;
  if (request.affine) work += sum(words_for_bits(command.destination.bits), 1);
  if (request.reduce) work += reduction(context.shape);
  return work;
}

}  // namespace

std::uint64_t ModelWork::clocks() const {
  return kFetchClocks + multiply + sparse + accumulate + words_written;
}

ModelWork& ModelWork::operator+=(const ModelWork& other) {
  multiply += other.multiply;
  sparse += other.sparse;
  accumulate += other.accumulate;
  reduce += other.reduce;
  words_read += other.words_read;
  words_written += other.words_written;
  return *this;
}

ModelWork model_work(const Command& command, const Context& context) {
  const std::uint64_t x = words_for_bits(command.source0.bits);
  const std::uint64_t y = words_for_bits(command.source1.bits);
  const std::uint64_t z = words_for_bits(command.destination.bits);
  const bool adds = command.has(flag::accumulate);
  switch (command.opcode) {
    case Opcode::mul:
      return product(x, y, adds);
    case Opcode::sqr:
      return product(x, x, adds);
    case Opcode::lhwmul:
      return sparse_product(x, z, adds);
    case Opcode::modred:
      return reduction(context.shape);
    case Opcode::acc:
    case Opcode::sub:
      return sum(z, 2);
    case Opcode::csub: {  // the comparison, then the difference or the copy
      ModelWork work = sum(z, 2);
      work += sum(z, 2);
      return work;
    }
    case Opcode::affine:
      return sum(z, 1);
    case Opcode::enc_cnt:
      return encryption_work(command, context);
    case Opcode::set_ctx:
      return {.words_read = 1};
    case Opcode::clear:
      return {.words_written = z};
    case Opcode::copy:
      return {.words_read = x, .words_written = z};
    case Opcode::nop:
    case Opcode::fence:
      return {};
  }
  return {};
}

}  // namespace fhe::fpga
