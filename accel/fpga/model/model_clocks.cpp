// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/model/model_clocks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "accel/fpga/contract/command_rules.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/engine_choice.hpp"
#include "accel/fpga/model/super_size_clocks.hpp"
#include "accel/polynomials/hardware_clocks.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kProductWords = parameter::product_words;
constexpr std::uint64_t kHalfProduct = kProductWords / 2;

// The memory: until the first word that is asked for has come, until the last one that is written
// is acknowledged, and the words that a reader asks for ahead.
constexpr std::uint64_t kReadClocks = 26;
constexpr std::uint64_t kNoReadClocks = 1;  // of a segment without words
constexpr std::uint64_t kWriteClocks = 23;
constexpr std::uint64_t kReadAhead = 32;

// Sums of selected elements, for each slice and at the end.
constexpr std::uint64_t kSliceClocks = 12;
constexpr std::uint64_t kSelectionClocks = 2;
constexpr std::uint64_t kStoredSelectionClocks = 1;
constexpr std::uint64_t kLeastSliceLines = 4;
constexpr std::uint64_t kMasksInWord = kWordBits / parameter::selection_sums;

// Products with leading bits of c, at the beginning and the end.
constexpr std::uint64_t kWindowClocks = 12;

// The sequencer.
constexpr std::uint64_t kNopClocks = 4;
constexpr std::uint64_t kCheckClocks = 12;
constexpr std::uint64_t kChecksumClocks = 15;
constexpr std::uint64_t kRefusalClocks = kCheckClocks + 2;
constexpr std::uint64_t kRecordClocks = kReadClocks + 12;
constexpr std::uint64_t kShiftClocks = 31;  // to divide shifts by words that have not 512 bits
constexpr std::uint64_t kTermsInWord = kWordBits / parameter::entry_bits;
constexpr std::uint64_t kListClocks = kReadClocks + 2;
constexpr std::uint64_t kSeedClocks = kReadClocks + 2;
constexpr std::uint64_t kTermClocks = 6;       // of a term that is a command of the datapath
constexpr std::uint64_t kFirstPairClocks = 5;  // of terms that are one command together
constexpr std::uint64_t kStartClocks = 2;

// The operations, without memory: from `start` to `done`.
constexpr std::uint64_t kBlockClocks = 39'108;      // operands of 1536 words
constexpr std::uint64_t kFullBlockClocks = 41'156;  // of 3072 words
constexpr std::uint64_t kTransformClocks = 16'384;  // of a stream: four passes
constexpr std::uint64_t kStreamClocks = 3 * kTransformClocks + 31;
constexpr std::uint64_t kReadOutClocks = 4'102;
constexpr std::uint64_t kNextBlockClocks = 21;   // from a sum that is in memory to the next one
constexpr std::uint64_t kSerialClocks = 41;      // beside the multiplier
constexpr std::uint64_t kThroughputClocks = 16;  // beside its pipeline
constexpr std::uint64_t kLeftOutClocks = 3;      // for a diagonal that is not multiplied
constexpr std::uint64_t kOldClocks = 24;         // until the first old words are there
constexpr std::uint64_t kSumClocks = 5;
constexpr std::uint64_t kSparseClocks = 32;
constexpr std::uint64_t kPolynomialClocks = 9;  // beside those of the multiplier
constexpr std::uint64_t kIndexClocks = 2;
constexpr std::uint64_t kNextTermAtLeast = 73;  // the sum goes to memory and comes back
constexpr std::uint64_t kSparseWordClocks = kWordBits / parameter::sparse_block_bits;

// Sums by weights: words of elements that are multiplied at a time, and terms that are added up;
// clocks like kThroughputClocks, those of a term, and those until what was added up before is
// there.
constexpr std::uint64_t kSliceWords = 2 * throughput_block_words(0) - 8;
constexpr std::uint64_t kPartTerms = 65'536 / (parameter::weighted_bits / 24);
constexpr std::uint64_t kWeightedClocks = 1'193;
constexpr std::uint64_t kWeightedTermClocks = 256;
constexpr std::uint64_t kPartClocks = 25;

std::uint64_t pieces(std::uint64_t words, std::uint64_t piece) {
  return std::max<std::uint64_t>((words + piece - 1) / piece, 1);
}

// What the product unit does at a time.
struct Block {
  std::uint64_t x_words, y_words;
  bool full;
  std::uint64_t old_words, result_words;
};

// Both operands want 3 words in 4 clocks, which the one read port gives to the longer one alone.
std::uint64_t loading_stalls(const Block& block) {
  return 2 * std::min(block.x_words, block.y_words) / 3;
}

// Words leave 3 in 4 clocks until the product ends, then one a clock.
std::uint64_t clocks_after_product(const Block& block) {
  if (block.result_words >= kProductWords)
    return kWriteClocks + 1 + block.result_words - kProductWords;
  const std::uint64_t before = 4 * (kProductWords - block.result_words) / 3;
  return before < kWriteClocks ? kWriteClocks - before : 0;
}

// Until the first words are there.
std::uint64_t clocks_before_loading(const Block& block) {
  std::uint64_t clocks = block.x_words + block.y_words != 0 ? kReadClocks : 0;
  if (block.old_words != 0) clocks += std::min(block.old_words, kReadAhead);
  return clocks;
}

// With the words, but no clocks.
ModelWork traffic(const Block& block) {
  return {.words_read = block.x_words + block.y_words + block.old_words,
          .words_written = block.result_words};
}

ModelWork block_work(const Block& block) {
  ModelWork work = traffic(block);
  work.multiply = (block.full ? kFullBlockClocks : kBlockClocks) + clocks_before_loading(block) +
                  loading_stalls(block) + clocks_after_product(block);
  return work;
}

// A product, and what becomes of it.
struct Product {
  std::uint64_t x_words, y_words, result_words;
  bool adds = false;
  std::uint64_t from = 0;  // words below need not be right
};

// In the order of rtl/fft768/product_blocks.sv.
std::vector<Block> blocks_of(const Product& product) {
  const std::uint64_t result_words = product.result_words;
  const auto [shorter, longer] = std::minmax(product.x_words, product.y_words);
  const std::uint64_t step = shorter > kHalfProduct ? kHalfProduct : kProductWords - shorter;
  const std::uint64_t long_pieces = pieces(longer, step);
  const std::uint64_t short_pieces = pieces(shorter, step);
  const std::uint64_t columns =
      std::min(long_pieces + short_pieces - 1, pieces(result_words, step));
  const auto piece = [step](std::uint64_t words, std::uint64_t number) {
    return std::min(step, words - number * step);
  };
  std::vector<Block> blocks;
  std::uint64_t filled = product.adds ? result_words : 0;
  for (std::uint64_t column = 0; column < columns; ++column) {
    const std::uint64_t at = column * step;
    const std::uint64_t room = result_words - at;
    const std::uint64_t last = std::min(column, short_pieces - 1);
    for (std::uint64_t i = column < long_pieces ? 0 : column - long_pieces + 1; i <= last; ++i) {
      const bool fills = product.adds || (column + 1 == columns && i == last);
      const std::uint64_t written = fills ? room : std::min(room, kProductWords + 1);
      const std::uint64_t x = piece(longer, column - i);
      blocks.push_back({.x_words = x,
                        .y_words = piece(shorter, i),
                        .full = x > kHalfProduct,
                        .old_words = std::min(filled > at ? filled - at : 0, written),
                        .result_words = written});
      filled = std::max(filled, at + written);
    }
  }
  return blocks;
}

ModelWork product_by_blocks(const Product& product) {
  ModelWork work{.control = kStartClocks};
  for (const Block& block : blocks_of(product)) work += block_work(block);
  return work;
}

// The processors take turns. Each transforms the first operand of its next product at once, and the
// second one when the product before is read out, which waits for the sum before to be in memory.
ModelWork product_by_stream(const Product& product) {
  const std::vector<Block> blocks = blocks_of(product);
  const std::uint64_t beats = blocks.front().full ? 4096 : 2048;
  ModelWork work{.control = kStartClocks};
  std::array<std::uint64_t, 2> computed{}, read_out{};
  std::uint64_t first = kStreamClocks + clocks_before_loading(blocks.front());
  std::uint64_t in_memory = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t processor = i % 2;
    if (i < 2) {
      computed[processor] = first += beats + loading_stalls(blocks[i]);
    } else {
      computed[processor] = 2 * kTransformClocks +
                            std::max(computed[processor] + kTransformClocks, read_out[processor]);
    }
    read_out[processor] =
        kReadOutClocks + std::max(computed[processor], in_memory + kNextBlockClocks);
    in_memory = read_out[processor] + clocks_after_product(blocks[i]);
    work += traffic(blocks[i]);
  }
  work.multiply = in_memory;
  return work;
}

// The blocks of rtl/throughput/diagonal_blocks.sv, `step` words of either operand.
struct Diagonals {
  Diagonals(const Equipment& equipment, const Product& product) {
    const std::uint64_t shorter = std::min(product.x_words, product.y_words);
    size = throughput_size(equipment, shorter);
    step = throughput_block_words(size);
    x_pieces = pieces(product.x_words, step);
    y_pieces = pieces(product.y_words, step);
    end = std::min(x_pieces + y_pieces - 1, pieces(product.result_words, step));
    if (product.from > step) begin = std::min((product.from - 1) / step - 1, end - 1);
  }

  // Blocks of x in a diagonal: from the first one to the last one.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t diagonal) const {
    return diagonal < y_pieces ? 0 : diagonal - y_pieces + 1;
  }
  [[nodiscard]] std::uint64_t last_of(std::uint64_t diagonal) const {
    return std::min(diagonal, x_pieces - 1);
  }
  [[nodiscard]] std::uint64_t clocks_of_product() const { return 8 * step / 3; }

  std::uint64_t size = 0, step = 0;
  std::uint64_t x_pieces = 1, y_pieces = 1;
  std::uint64_t begin = 0, end = 1;  // diagonals
};

// One product of these, in beats of the stream.
struct BlockProduct {
  std::uint64_t words;  // of its operands
  bool last;            // of its diagonal
};

// How long the stream waits for the one read port, which brings operands and `old_words` of the
// destination into their queues: in steps of 64 beats, in sixths of a word, which is what the
// shares of three readers in half a clock are. Operands enter in the first half of a product, and
// old words leave with the first half of a product that ends its diagonal, or with both of the last
// one.
class StreamWaits {
 public:
  StreamWaits(const Diagonals& blocks, std::uint64_t queue_words, std::uint64_t latency)
      : steps_(std::uint64_t{4} << blocks.size),
        late_((latency + kStepBeats / 2) / kStepBeats),
        operand_room_(kUnit * 2 * (queue_words + kReadAhead)),
        old_room_(kUnit * (queue_words + kReadAhead)) {}

  [[nodiscard]] std::uint64_t of(const std::vector<BlockProduct>& products,
                                 std::uint64_t old_words) {
    operands_ = old_ = started_ = 0;
    operands_left_ = 0;
    old_left_ = kUnit * old_words;
    for (const BlockProduct& product : products) operands_left_ += kUnit * product.words;
    std::uint64_t waits = 0;
    for (std::uint64_t step = 0; step < products.size() * steps_ + late_; ++step) {
      started_ = step >= late_ ? 1 : 0;
      const std::uint64_t wanted = operands_of(products, step);
      read(kStepBeats * kUnit);
      const std::uint64_t old_wanted =
          step < late_ ? 0 : std::min(old_of(products, step - late_), old_ + old_left_);
      for (; operands_ < wanted || old_ < old_wanted; waits += kHalfClock) read(kHalfClock);
      operands_ -= wanted;
      old_ -= old_wanted;
    }
    return waits / kUnit;
  }

 private:
  static constexpr std::uint64_t kStepBeats = 64;
  static constexpr std::uint64_t kStepWords = 48;
  static constexpr std::uint64_t kUnit = 6;
  static constexpr std::uint64_t kHalfClock = kUnit / 2;

  [[nodiscard]] std::uint64_t operands_of(const std::vector<BlockProduct>& products,
                                          std::uint64_t step) const {
    const std::uint64_t half = steps_ / 2;
    if (step / steps_ >= products.size() || step % steps_ >= half) return 0;
    const std::uint64_t words = kUnit * products[step / steps_].words;
    return words * (step % steps_ + 1) / half - words * (step % steps_) / half;
  }
  [[nodiscard]] std::uint64_t old_of(const std::vector<BlockProduct>& products,
                                     std::uint64_t step) const {
    const std::uint64_t number = step / steps_;
    const bool adds =
        products[number].last && (step % steps_ < steps_ / 2 || number + 1 == products.size());
    return adds ? kUnit * kStepWords : 0;
  }

  // So many words at most, shared by those readers that have room.
  void read(std::uint64_t words) {
    const std::uint64_t old_wanted = started_ * std::min(old_room_ - old_, old_left_);
    const std::uint64_t operands_wanted = std::min(operand_room_ - operands_, operands_left_);
    const std::uint64_t share = std::min(old_wanted, operands_wanted == 0 ? words : words / 3);
    const std::uint64_t operands = std::min(operands_wanted, words - share);
    const std::uint64_t old_words = std::min(old_wanted, words - operands);
    operands_ += operands;
    operands_left_ -= operands;
    old_ += old_words;
    old_left_ -= old_words;
  }

  std::uint64_t steps_, late_;  // of a product; from its operands to its result
  std::uint64_t operand_room_, old_room_;
  std::uint64_t operands_ = 0, operands_left_ = 0, old_ = 0, old_left_ = 0;  // here, to come
  std::uint64_t started_ = 0;  // old words are read from the first result on
};

// All block products one behind the other, while their sum leaves.
ModelWork product_by_throughput(const Equipment& equipment, const Product& product) {
  const Diagonals blocks(equipment, product);
  const std::uint64_t step = blocks.step;
  const auto piece = [step](std::uint64_t words, std::uint64_t number) {
    return std::min(step, words - number * step);
  };
  std::vector<BlockProduct> products;
  ModelWork work{.control = kStartClocks,
                 .words_written = product.result_words - blocks.begin * step};
  for (std::uint64_t diagonal = blocks.begin; diagonal < blocks.end; ++diagonal) {
    for (std::uint64_t i = blocks.first_of(diagonal); i <= blocks.last_of(diagonal); ++i) {
      products.push_back({piece(product.x_words, i) + piece(product.y_words, diagonal - i),
                          i == blocks.last_of(diagonal)});
      work.words_read += products.back().words;
    }
  }
  const std::uint64_t latency = kThroughputClocks + throughput_latency(blocks.size);
  const std::uint64_t last_words = product.result_words - (blocks.end - 1) * step;
  const std::uint64_t shorter = std::min({product.x_words, product.y_words, step});
  // In thirds of a clock; the reader of an operand that does not fill its block goes on with the
  // next.
  std::uint64_t thirds = 2 * shorter + 4 * std::min(last_words, 2 * step);
  if (products.size() > 1) thirds += 2 * std::min(step - shorter, kReadAhead);
  work.multiply = kReadClocks + latency + kLeftOutClocks * blocks.begin +
                  (products.size() - 1) * blocks.clocks_of_product() + thirds / 3 + kWriteClocks;
  if (last_words > 2 * step) work.multiply += 3 + last_words - 2 * step;
  if (product.adds) {
    const std::uint64_t queue = std::uint64_t{32} << (equipment.throughput_log2_points() - 12);
    StreamWaits waits(blocks, queue, latency);
    work.multiply += kOldClocks + waits.of(products, work.words_written) - waits.of(products, 0);
    work.words_read += work.words_written;
  }
  return work;
}

// What rtl/low_latency/serial_engine.sv multiplies and adds up: rows, `step` words from one to the
// next.
struct Rows {
  std::uint64_t x_words, y_words;  // of all rows together
  std::uint64_t count, step;
  std::uint64_t result_words;
  bool adds = false;
};

// rtl/low_latency/low_latency_multiplier.sv
std::uint64_t clocks_of_rows(const Equipment& equipment, std::uint64_t blocks, std::uint64_t rows) {
  const std::uint64_t stages = log2_points(equipment) - 1;
  const std::uint64_t slot = std::uint64_t{1} << stages;
  const bool waits = blocks % 2 == 1 && blocks > 1;
  return 2 * slot - 2 + 34 * stages + 15 + rows * (1 + blocks / 2) * slot +
         (waits ? 3 * slot / 2 : slot);
}

// Words leave 7 in 64 clocks until the product ends, then one a clock.
std::uint64_t clocks_after_rows(std::uint64_t product_words, std::uint64_t result_words) {
  constexpr std::uint64_t kLastClocks = kWriteClocks + 3;
  if (result_words >= product_words) return kLastClocks + result_words - product_words;
  const std::uint64_t before = 64 * (product_words - result_words) / 7;
  return before < kLastClocks ? kLastClocks - before : 0;
}

ModelWork product_by_rows(const Equipment& equipment, const Rows& rows) {
  const std::uint64_t block = block_words(equipment);
  const std::uint64_t blocks = pieces(rows.x_words, block);
  const std::uint64_t product_words = (blocks + 1) * block;
  ModelWork work{.control = kStartClocks,
                 .multiply = kSerialClocks + clocks_of_rows(equipment, blocks, rows.count),
                 .words_read = rows.y_words + rows.count * rows.x_words};
  if (work.words_read != 0) work.multiply += kReadClocks;
  // What is above the product of a row delays the next one, but for the words that can wait.
  const std::uint64_t hidden =
      61 + (blocks % 2 == 0 ? std::uint64_t{1} << (log2_points(equipment) - 2) : 0);
  std::uint64_t old_words = rows.adds ? rows.result_words : 0;
  for (std::uint64_t row = 0; row < rows.count; ++row) {
    const std::uint64_t room = rows.result_words - row * rows.step;
    const bool last = row + 1 == rows.count;
    const std::uint64_t written =
        last || rows.adds ? room : std::min(room, blocks * block + row_words(equipment));
    if (last) {
      work.multiply += clocks_after_rows(product_words, written);
    } else if (written > product_words + hidden) {
      work.multiply += written - product_words - hidden;
    }
    work.words_read += old_words;
    work.words_written += written;
    old_words = written - rows.step;
  }
  return work;
}

ModelWork product_by_rows(const Equipment& equipment, const Product& product) {
  const auto [shorter, longer] = std::minmax(product.x_words, product.y_words);
  const std::uint64_t row = row_words(equipment);
  return product_by_rows(equipment, {.x_words = longer,
                                     .y_words = shorter,
                                     .count = pieces(shorter, row),
                                     .step = row,
                                     .result_words = product.result_words,
                                     .adds = product.adds});
}

ModelWork product_by(const Equipment& equipment, Engine engine, const Product& product) {
  switch (engine) {
    case Engine::stream768:
      return product_by_stream(product);
    case Engine::fftmul:
      return product_by_rows(equipment, product);
    case Engine::throughput:
      return product_by_throughput(equipment, product);
    default:
      return product_by_blocks(product);
  }
}

ModelWork product(const Equipment& equipment, const Product& product,
                  Engine wanted = Engine::fastest) {
  return product_by(equipment, choose_engine(equipment, wanted, product.x_words, product.y_words),
                    product);
}

// Products of polynomials: the record, then one product behind the other, as fast as the multiplier
// takes them and memory their results.
ModelWork polynomial_products(const Command& command, const Equipment& equipment) {
  const std::size_t n = std::size_t{1} << log2_size_of(command);
  const std::uint32_t bits = equipment.coefficient_bits();
  const std::uint64_t x_words = words_for_bits(command.source0.bits);
  const std::uint64_t between =
      std::max<std::uint64_t>(karatsuba::clocks_between_products(n), words_for_bits(2 * n * bits));
  return {.control = kStartClocks,
          .multiply = kReadClocks + kPolynomialClocks +
                      karatsuba::clocks_of_one_product(n, equipment.most_coefficients(), bits) +
                      (command.aux2 - 1) * between + kWriteClocks,
          .words_read = 2 + 2 * x_words,
          .words_written = 2 * x_words};
}

ModelWork sparse_product(std::uint64_t x_words, std::uint64_t weight, std::uint64_t result_words,
                         bool adds) {
  const std::uint64_t indices = weight == 0 ? 0 : 1;
  const std::uint64_t read = x_words + indices + (adds ? result_words : 0);
  return {.control = kStartClocks,
          .sparse = kSparseClocks + (read == 0 ? 0 : kReadClocks) + weight +
                    kIndexClocks * indices + kSparseWordClocks * result_words + (adds ? 1U : 0U) +
                    kWriteClocks,
          .words_read = read,
          .words_written = result_words};
}

// Sums of two numbers: one word a clock, two clocks where both are read.
ModelWork reading_sum(std::uint64_t words, std::uint64_t a_words, std::uint64_t b_words) {
  const std::uint64_t read = a_words + b_words;
  return {.control = kStartClocks,
          .accumulate = kSumClocks + (read == 0 ? kNoReadClocks : kReadClocks) + words +
                        std::min(a_words, b_words),
          .words_read = read};
}

ModelWork sum(std::uint64_t words, std::uint64_t a_words, std::uint64_t b_words) {
  ModelWork work = reading_sum(words, a_words, b_words);
  work.accumulate += kWriteClocks;
  work.words_written = words;
  return work;
}

// In four steps: five sweeps through memory, four of a square, or where the points of y were kept.
ModelWork four_step_product(unsigned size, const Product& product, SecondOperand second) {
  const std::uint64_t points = std::uint64_t{32'768} << size;
  const std::uint64_t columns = second == SecondOperand::other ? 2 : 1;  // sweeps
  const std::uint64_t rows = second == SecondOperand::same ? 1 : 2;
  const std::uint64_t operands = product.x_words + (columns == 1 ? 0 : product.y_words);
  const std::uint64_t digits = four_step_words(size);
  return {.control = kStartClocks,
          .multiply = four_step_clocks(size, second, product.result_words),
          .words_read = operands + (rows + 1) * points + std::min(product.result_words, digits),
          .words_written = (columns + 1) * points + digits + product.result_words};
}

// How a reduction multiplies: in four steps of a size for q A_0, or by blocks.
struct ReductionMethod {
  std::optional<unsigned> size;
  Transforms transforms = Transforms::none;

  [[nodiscard]] SecondOperand second() const {
    return transforms == Transforms::taken ? SecondOperand::kept : SecondOperand::other;
  }
};

ModelWork quotient(const Equipment& equipment, const BarrettShape& shape,
                   std::uint64_t argument_words, const ReductionMethod& method) {
  const std::uint64_t low_words = shape.shift_low / kWordBits;
  const Product estimate{.x_words = argument_words > low_words ? argument_words - low_words : 0,
                         .y_words = shape.reciprocal_words(),
                         .result_words = shape.estimate_words(),
                         .from = shape.may_lose() ? shape.shift_high / kWordBits : 0};
  const bool in_four_steps = method.transforms != Transforms::none &&
                             shape.estimate_words() <= four_step_words(*method.size + 1);
  return in_four_steps ? four_step_product(*method.size + 1, estimate, method.second())
                       : product(equipment, estimate);
}

// y = x - q A_0: all of it by a cyclic product in four steps, with the upper part of x added last;
// or the words that y has.
ModelWork difference(const Equipment& equipment, const BarrettShape& shape,
                     std::uint64_t argument_words, const ReductionMethod& method) {
  const auto& size = method.size;
  const std::uint64_t words = size ? four_step_words(*size) : shape.remainder_words();
  const Product multiple{shape.quotient_words(), shape.modulus_words(), words};
  ModelWork work =
      size ? four_step_product(*size, multiple, method.second()) : product(equipment, multiple);
  work += sum(words, std::min(argument_words, words), words);
  if (size) work += sum(words, words, argument_words > words ? argument_words - words : 0);
  return work;
}

ModelWork reduction(const Equipment& equipment, const BarrettShape& shape,
                    std::uint64_t argument_words, std::uint64_t result_words,
                    const ReductionMethod& method = {}) {
  if (equipment.has(feature::ssmul)) {
    const std::uint64_t clocks =
        SuperSizeClocks(equipment).reduction(shape, result_words * kWordBits);
    return {.control = kStartClocks,
            .multiply = clocks,
            .reduce = clocks,
            .words_read = argument_words + shape.modulus_words() + shape.reciprocal_words(),
            .words_written = result_words};
  }
  const std::uint64_t remainder = shape.remainder_words();
  const std::uint64_t modulus = shape.modulus_words();
  ModelWork work = quotient(equipment, shape, argument_words, method);
  work += difference(equipment, shape, argument_words, method);
  work += reading_sum(remainder, remainder, modulus);
  work += sum(result_words, std::min(remainder, result_words), 0);
  work.reduce = work.clocks();
  return work;
}

// Terms that follow each other without a gap, as long as memory is fast enough.
ModelWork sparse_terms(const ProductSum& request, std::uint64_t sum_words) {
  const std::uint64_t x = words_for_bits(request.element_bits);
  const std::uint64_t next = kSparseWordClocks * sum_words;
  const std::uint64_t later = request.terms - 1U;
  ModelWork work = sparse_product(x, request.sparse_weight, sum_words, false);
  work.control += kListClocks + kFirstPairClocks;
  work.sparse += later * std::max(next, kNextTermAtLeast);
  work.words_read += later * (x + (request.sparse_weight == 0 ? 0 : 1) + sum_words);
  work.words_written += later * sum_words;
  return work;
}

// Terms that follow each other through the low-latency multiplier. Their list comes while it counts
// blocks.
ModelWork rows_of_terms(const Equipment& equipment, const ProductSum& request,
                        std::uint64_t sum_words) {
  return product_by_rows(equipment, {.x_words = words_for_bits(request.element_bits),
                                     .y_words = request.terms * words_for_bits(request.weight_bits),
                                     .count = request.terms,
                                     .step = 0,
                                     .result_words = sum_words});
}

// Terms that are products by themselves.
ModelWork dense_terms(const Equipment& equipment, const ProductSum& request,
                      std::uint64_t sum_words) {
  const std::uint64_t x = words_for_bits(request.element_bits);
  const std::uint64_t y = words_for_bits(request.weight_bits);
  ModelWork work{.control = kListClocks};
  for (unsigned term = 0; term < request.terms; ++term) {
    work.control += kTermClocks;
    work += product(equipment, {x, y, sum_words, term != 0}, request.engine);
  }
  return work;
}

bool is_super_size_sum(const ProductSum& request, const Equipment& equipment) {
  return equipment.has(feature::ssmul) && !request.sparse && request.terms != 0 &&
         (request.engine == Engine::fastest || request.engine == Engine::ssmul);
}

// In one operation of the super-size multiplier.
ModelWork super_size_sum(const ProductSum& request, const Context& context,
                         const Equipment& equipment) {
  const SuperSizeClocks clocks(equipment);
  const std::uint64_t x = words_for_bits(request.element_bits);
  const std::uint64_t y = words_for_bits(request.weight_bits);
  const std::uint64_t z = words_for_bits(request.destination.bits);
  const SuperSizeClocks::Sum sum{request.terms, request.element_bits, request.weight_bits,
                                 request.affine};
  return {.control = kCheckClocks + kListClocks,
          .multiply = request.reduce ? clocks.reduced_sum(sum, context.shape, z * kWordBits)
                                     : clocks.sum(sum, z * kWordBits),
          .words_read = request.terms * (x + y + z) + pieces(request.terms, kTermsInWord),
          .words_written = request.terms * z};
}

ModelWork rows_work(const Command& command, const Context& context, const Equipment& equipment) {
  const NestedSum request = decode_nested_sum(command);
  const std::uint64_t x = words_for_bits(request.element_bits);
  const std::uint64_t y = words_for_bits(request.weight_bits);
  const std::uint64_t z = words_for_bits(request.destination.bits);
  if (request.rows == 0) {
    ModelWork work{.control = kCheckClocks};
    work += sum(context.shape.sum_words(), 0, 0);
    if (request.affine) work += sum(context.shape.sum_words(), context.shape.sum_words(), 1);
    work += reduction(equipment, context.shape, context.shape.argument_words(), z);
    return work;
  }
  const std::uint64_t row_bits = std::max<std::uint64_t>(
      std::uint64_t{request.element_bits} + request.weight_bits + parameter::sum_margin,
      context.shape.phi);
  const SuperSizeClocks::Sum sum{request.rows, request.element_bits, request.weight_bits,
                                 request.affine};
  return {.control = kCheckClocks + kListClocks,
          .multiply =
              SuperSizeClocks(equipment).nested_sum(sum, row_bits, context.shape, z * kWordBits),
          .words_read = request.entries() * (x + y) + pieces(request.entries(), kTermsInWord),
          .words_written = request.rows * z};
}

// Before a command on elements: the record of their stream, or all that are stored.
template <class Request>
ModelWork elements_work(const Request& request) {
  const std::uint64_t stored_words = request.elements * words_for_bits(request.element_bits);
  return {.control = kCheckClocks + (request.stored ? 0 : kSeedClocks) + kStartClocks,
          .words_read = request.stored ? stored_words : 1};
}

// Of a slice of one element: a line a clock, or a word of it where elements are stored.
std::uint64_t slice_clocks(const Selection& request, std::uint64_t words,
                           std::uint64_t line_words) {
  const std::uint64_t lines = pieces(words, line_words);
  return request.stored ? line_words * lines : std::max(lines, kLeastSliceLines);
}

// The lines of a slice of each element, and then the words of the sums.
ModelWork selection_work(const Command& command, std::uint64_t line_words) {
  const Selection request = decode_selection(command);
  const std::uint64_t slice_words = parameter::selection_lines * line_words;
  const std::uint64_t mask_words = pieces(request.elements, kMasksInWord);
  ModelWork work = elements_work(request);
  work.accumulate = (request.stored ? kStoredSelectionClocks : kSelectionClocks) + kWriteClocks;
  for (std::uint64_t at = 0; at < request.sum_words; at += slice_words) {
    const std::uint64_t words = std::min(request.sum_words - at, slice_words);
    work.accumulate += kSliceClocks + kReadClocks + mask_words +
                       request.elements * slice_clocks(request, words, line_words) +
                       request.sums * words;
    work.words_read += mask_words;
    work.words_written += request.sums * words;
  }
  return work;
}

// The products of pairs of slices of elements with weights one behind the other, added up as
// spectra, the first slice and the second leaving one after the other; in parts of so many terms:
// rtl/throughput/throughput_engine.sv.
ModelWork weighted_work(const Command& command) {
  const WeightedSum request = decode_weighted_sum(command);
  const std::uint64_t z = words_for_bits(request.destination.bits);
  const std::uint64_t pairs = pieces(words_for_bits(request.element_bits), 2 * kSliceWords);
  const std::uint64_t parts = pieces(request.elements, kPartTerms);
  // Of d, words from the last pair on, and from the slice on in which it ends.
  const std::uint64_t pair_words = z - (pairs - 1) * 2 * kSliceWords;
  const std::uint64_t second = pair_words > kSliceWords ? 1 : 0;
  const std::uint64_t last_words = pair_words - second * kSliceWords;
  const std::uint64_t in_product = std::min(last_words, 2 * throughput_block_words(0));
  std::uint64_t part_clocks =
      kReadClocks + kWeightedClocks + (4 * in_product - 1) / 3 + kWriteClocks;
  if (last_words > in_product) part_clocks += 3 + last_words - in_product;
  const std::uint64_t before = pairs * (request.elements + parts) - (2 - second) * parts;
  return {
      .control = kCheckClocks + kSeedClocks + kStartClocks,
      .multiply = kWeightedTermClocks * before + parts * part_clocks + (parts - 1) * kPartClocks,
      .words_read =
          1 + pairs * request.elements * words_for_bits(request.weight_bits) + (parts - 1) * z,
      .words_written = parts * z};
}

// Elements that are multiplied by c together, and how c is read for them.
constexpr std::uint64_t kChunkElements = parameter::window_elements;

// Slices of all elements of a chunk, a line a clock: the first element waits for the words of c,
// which wait until the slice before the last one has left the ring.
std::uint64_t generated_windows_clocks(std::uint64_t elements, std::uint64_t words,
                                       std::uint64_t line_words) {
  const std::uint64_t lines = pieces(words, line_words);
  const std::uint64_t slice = parameter::window_words / line_words;
  std::uint64_t number = 0,
                done = 0;  // when the words of c have come, and the lines are multiplied
  std::array<std::uint64_t, 2> room = {};  // when this slice and the next one of c may come
  for (std::uint64_t first = 0; first < elements; first += kChunkElements) {
    const std::uint64_t count = std::min(elements - first, kChunkElements);
    ++number;
    for (std::uint64_t at = 0; at < lines; at += slice) {
      const std::uint64_t here = std::min(lines - at, slice);
      number = std::max(number, room[0]) + line_words * here;
      done = std::max(done + here, number + 1) + (count - 1) * here;
      room = {room[1], done - here};
    }
  }
  return done;
}

// The words of stored elements come one a clock through the same port as those of c, which are read
// ahead while there is room for them.
std::uint64_t stored_windows_clocks(std::uint64_t elements, std::uint64_t words,
                                    std::uint64_t element_words, std::uint64_t line_words) {
  constexpr std::uint64_t kSlice = parameter::window_words;
  std::uint64_t beside = 0;  // words of c that come while elements keep the port busy
  for (std::uint64_t at = 0; at < std::min(words, element_words); at += kSlice) {
    const std::uint64_t here = std::min(words - at, kSlice);
    const std::uint64_t stored = std::min(element_words - at, kSlice);
    if (elements * (here - std::min(here, stored)) < here) beside += here;
  }
  const std::uint64_t ahead = kReadAhead + (beside == 0 ? 0 : 2 * kSlice);
  return elements * line_words * pieces(words, line_words) +
         std::min({words, elements * element_words, beside + ahead});
}

ModelWork windows_work(const Command& command, std::uint64_t line_words) {
  const Windows request = decode_windows(command);
  const std::uint64_t words = words_for_bits(request.number.bits);
  ModelWork work = elements_work(request);
  work.multiply =
      kWindowClocks + kReadClocks + kWriteClocks +
      (request.stored ? stored_windows_clocks(request.elements, words,
                                              words_for_bits(request.element_bits), line_words)
                      : generated_windows_clocks(request.elements, words, line_words));
  work.words_read += pieces(request.elements, kChunkElements) * words;
  work.words_written = words_for_bits(command.destination.bits);
  return work;
}

ModelWork terms_work(const Command& command, const Context& context, const Equipment& equipment) {
  const ProductSum request = decode_product_sum(command);
  if (is_super_size_sum(request, equipment)) return super_size_sum(request, context, equipment);
  const std::uint64_t result_words = words_for_bits(command.destination.bits);
  const std::uint64_t sum_words = request.reduce ? context.shape.sum_words() : result_words;
  ModelWork work{.control = kCheckClocks};
  if (request.terms == 0) {
    work += sum(sum_words, 0, 0);
  } else {
    work.words_read += pieces(request.terms, kTermsInWord);
    if (request.generated) work.control += kSeedClocks;
    work += request.sparse ? sparse_terms(request, sum_words)
            : sums_in_rows(equipment, request.engine, request.element_bits, request.weight_bits)
                ? rows_of_terms(equipment, request, sum_words)
                : dense_terms(equipment, request, sum_words);
  }
  // Elements that are generated do not come from memory, but what they are made of does.
  if (request.generated && request.terms != 0)
    work.words_read -= request.terms * words_for_bits(request.element_bits) - 1;
  if (request.affine) work += sum(sum_words, sum_words, 1);
  if (request.reduce)
    work += reduction(equipment, context.shape, context.shape.argument_words(), result_words);
  return work;
}

// SRC0 by a number of y_bits, by the super-size multiplier.
ModelWork super_size_product(const Command& command, std::uint32_t y_bits,
                             const Equipment& equipment) {
  const SuperSizeClocks clocks(equipment);
  const std::uint64_t x_bits = command.source0.bits;
  const std::uint64_t words = words_for_bits(command.destination.bits);
  const std::uint64_t z_bits = words * kWordBits;
  return {.control = kStartClocks,
          .multiply = command.has(flag::accumulate) ? clocks.added_product(x_bits, y_bits, z_bits)
                                                    : clocks.product(x_bits, y_bits, z_bits),
          .words_read = words_for_bits(x_bits) + words_for_bits(y_bits) + words,
          .words_written = words};
}

// A product in four steps, or by the engine that is named or chosen.
ModelWork product_work(const Command& command, const Equipment& equipment) {
  const std::uint32_t y_bits =
      command.opcode == Opcode::sqr ? command.source0.bits : command.source1.bits;
  const std::uint64_t x = words_for_bits(command.source0.bits);
  const std::uint64_t y = words_for_bits(y_bits);
  const std::uint64_t z = words_for_bits(command.destination.bits);
  if (const auto size = four_steps_of(command))
    return four_step_product(*size, {x, y, z}, second_operand_of(command));
  const Engine engine = choose_engine(equipment, engine_of(command), x, y);
  if (engine == Engine::ssmul) return super_size_product(command, y_bits, equipment);
  return product_by(equipment, engine, {x, y, z, command.has(flag::accumulate)});
}

// The comparison, then the difference.
ModelWork choice(std::uint64_t words, std::uint64_t a_words, std::uint64_t b_words) {
  ModelWork work = reading_sum(words, a_words, b_words);
  work += sum(words, a_words, b_words);
  return work;
}

// Of an operation whose result is DST: nothing where that has no bits.
ModelWork operation_work(const Command& command, const CommandRules& rules,
                         const Equipment& equipment) {
  const std::uint64_t x = words_for_bits(rules.source0.bits);
  const std::uint64_t y = words_for_bits(rules.source1.bits);
  const std::uint64_t z = words_for_bits(rules.destination_bits);
  if (z == 0) return {};
  switch (rules.procedure) {
    case Procedure::product:
      return product_work(command, equipment);
    case Procedure::sparse_product:
      return sparse_product(x, command.aux, z, command.has(flag::accumulate));
    case Procedure::polynomials:
      return polynomial_products(command, equipment);
    case Procedure::choice:
      return choice(z, x, y);
    default:
      return sum(z, x, y);
  }
}

ModelWork checked(ModelWork work) {
  work.control += kCheckClocks;
  return work;
}

ModelWork command_work(const Command& command, const Context& context, const Equipment& equipment) {
  const CommandRules rules = rules_of(command, equipment, context.shape);
  switch (rules.procedure) {
    case Procedure::none:
      return {.control = kNopClocks};
    case Procedure::context:
      return {.control =
                  kCheckClocks + kRecordClocks + (equipment.has(feature::ssmul) ? kShiftClocks : 0),
              .words_read = 1};
    case Procedure::program:
      return {.control = kCheckClocks};
    case Procedure::selection:
      return selection_work(command, equipment.line_words());
    case Procedure::windows:
      return windows_work(command, equipment.line_words());
    case Procedure::weighted:
      return weighted_work(command);
    case Procedure::terms:
      return terms_work(command, context, equipment);
    case Procedure::rows:
      return rows_work(command, context, equipment);
    case Procedure::reduction:
      return checked(reduction(equipment, context.shape, words_for_bits(rules.source0.bits),
                               words_for_bits(rules.destination_bits),
                               {four_steps_of(command), transforms_of(command)}));
    default:
      return checked(operation_work(command, rules, equipment));
  }
}

}  // namespace

ModelWork& ModelWork::operator+=(const ModelWork& other) {
  control += other.control;
  multiply += other.multiply;
  sparse += other.sparse;
  accumulate += other.accumulate;
  reduce += other.reduce;
  words_read += other.words_read;
  words_written += other.words_written;
  return *this;
}

ModelWork model_work(const Command& command, const Context& context, const Equipment& equipment) {
  ModelWork work = command_work(command, context, equipment);
  if (command.has(flag::crc)) work.control += kChecksumClocks;
  return work;
}

std::uint64_t program_clocks(std::span<const Command> commands, const Context& context,
                             const Equipment& equipment) {
  const auto count = static_cast<std::uint16_t>(commands.size());
  std::uint64_t clock = model_work(run(0, count), {}, equipment).clocks();
  std::uint64_t fetched = clock;
  for (const Command& command : commands) {
    fetched = next_fetch(clock, fetched);
    clock = fetched + model_work(command, context, equipment).clocks();
  }
  return clock;
}

ModelWork refused_work() {
  return {.control = kRefusalClocks};
}

}  // namespace fhe::fpga
