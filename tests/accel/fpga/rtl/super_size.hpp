// SPDX-License-Identifier: Apache-2.0
// super_size_encrypt with a memory beside it; and its arithmetic and its clocks by their formulas.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "accel/fpga/model/super_size_clocks.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/encryptions.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

// Ports of any width as 32-bit pieces, the lowest first.
template <std::unsigned_integral Port>
void set_pieces(Port& port, const std::uint32_t* pieces) {
  if constexpr (sizeof(Port) == 8) {
    port = pieces[0] | static_cast<std::uint64_t>(pieces[1]) << 32;
  } else {
    port = static_cast<Port>(pieces[0]);
  }
}

template <std::size_t N>
void set_pieces(VlWide<N>& port, const std::uint32_t* pieces) {
  std::copy_n(pieces, N, port.data());
}

template <std::unsigned_integral Port>
void get_pieces(const Port& port, std::uint32_t* pieces) {
  pieces[0] = static_cast<std::uint32_t>(port);
  if constexpr (sizeof(Port) == 8) pieces[1] = static_cast<std::uint32_t>(port >> 32);
}

template <std::size_t N>
void get_pieces(const VlWide<N>& port, std::uint32_t* pieces) {
  std::copy_n(port.data(), N, pieces);
}

constexpr std::size_t ceil_divide(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

using fpga::SuperSizeShape;

// Words of `bits` bits. They hold anything until they are written.
class WordMemory {
 public:
  explicit WordMemory(std::size_t bits) : bits_(bits), pieces_(ceil_divide(bits, 32)) {}

  [[nodiscard]] std::size_t words_for(std::size_t bits) const { return ceil_divide(bits, bits_); }

  // Room for so many words; its address.
  std::uint32_t reserve(std::size_t words) {
    const std::size_t at = data_.size() / pieces_;
    for (std::size_t i = 0; i < words * pieces_; ++i) data_.push_back(noise());
    return static_cast<std::uint32_t>(at);
  }

  // x modulo 2^(bits of so many words), stored; its address.
  std::uint32_t add(const Integer& x, std::size_t words) {
    const std::uint32_t at = reserve(words);
    for (std::size_t i = 0; i < words; ++i) {
      const Integer word = low_bits(x >> (i * bits_), bits_);
      std::fill_n(this->word(at + static_cast<std::uint32_t>(i)), pieces_, 0);
      mpz_export(this->word(at + static_cast<std::uint32_t>(i)), nullptr, -1, 4, 0, 0,
                 word.get_mpz_t());
    }
    return at;
  }

  [[nodiscard]] Integer load(std::uint32_t at, std::size_t words) {
    Integer x;
    for (std::size_t i = words; i-- > 0;) {
      Integer word;
      mpz_import(word.get_mpz_t(), pieces_, -1, 4, 0, 0,
                 this->word(at + static_cast<std::uint32_t>(i)));
      x = (x << bits_) + word;
    }
    return x;
  }

  std::uint32_t* word(std::uint32_t at) {
    if ((at + 1) * pieces_ > data_.size()) FAIL("address " << at << " is outside of the memory");
    return &data_[at * pieces_];
  }

  // What lies on a port to which nothing was read.
  const std::uint32_t* garbage() {
    for (std::size_t i = 0; i < pieces_; ++i) garbage_[i] = noise();
    if (bits_ % 32 != 0) garbage_[pieces_ - 1] &= (std::uint32_t{1} << bits_ % 32) - 1;
    return garbage_.data();
  }

 private:
  std::uint32_t noise() { return static_cast<std::uint32_t>(engine_()); }

  std::size_t bits_;
  std::size_t pieces_;
  std::vector<std::uint32_t> data_;
  std::array<std::uint32_t, 8> garbage_{};
  std::minstd_rand engine_{20140407};
};

// What a reduction is told, by eqs. (9) to (11) in words; A_01 is made for `excess_bits`.
struct Reduction {
  Integer modulus;
  std::size_t modulus_bits = 0;  // phi
  std::size_t excess_bits = 0;   // gamma
  bool long_reciprocal = false;

  [[nodiscard]] std::size_t head(std::size_t word) const { return (modulus_bits - 2) / word; }
  // alpha - beta in words.
  [[nodiscard]] std::size_t shift(std::size_t word) const {
    const std::size_t least = (modulus_bits + excess_bits) / word + 1 - head(word);
    return long_reciprocal ? std::max(modulus_bits / word + 1, least) : least;
  }
  // floor(2^(phi + alpha) / A_0)
  [[nodiscard]] Integer reciprocal(std::size_t word) const {
    return power_of_two(word * (head(word) + shift(word))) / modulus;
  }
  // x - r, which is to be below 2 A_0.
  [[nodiscard]] Integer difference(const Integer& x, std::size_t word) const {
    const Integer q = (x >> (word * head(word))) * reciprocal(word);
    return x - (q >> (word * shift(word))) * modulus;
  }
};

struct SuperSizeOptions {
  bool long_reciprocal = false;
  bool overlap = true;
  Words* stalls = nullptr;      // the memory is late at its will
  Words* late_pairs = nullptr;  // pairs are
};

struct SuperSizeResult {
  Integer value;
  std::size_t clocks = 0;
  bool reduced = false;  // a last subtraction was needed
};

template <class Model>
class SuperSizeMachine {
 public:
  explicit SuperSizeMachine(const SuperSizeShape& shape) : shape_(shape) {
    model_->start = 0;
    model_->advance = 1;
    model_.settle();
    model_.reset();
  }

  [[nodiscard]] const SuperSizeShape& shape() const { return shape_; }

  SuperSizeResult multiply(const Integer& a, std::size_t a_bits, const Integer& b,
                           std::size_t b_bits, const SuperSizeOptions& options = {}) {
    WordMemory memory(shape_.word());
    const std::size_t words = (a_bits + b_bits) / shape_.word() + 1;
    model_->operation = 0;
    model_->reduces = 0;
    model_->result_bits = static_cast<std::uint32_t>(a_bits + b_bits);
    model_->element_bits = static_cast<std::uint32_t>(a_bits);
    model_->weight_bits = static_cast<std::uint32_t>(b_bits);
    pairs_ = {{memory.add(a, memory.words_for(a_bits)), memory.add(b, memory.words_for(b_bits))}};
    model_->product_at = memory.reserve(words);
    const std::size_t clocks = run(memory, options);
    return {memory.load(model_->product_at, words), clocks};
  }

  SuperSizeResult reduce(const Reduction& reduction, const Integer& x,
                         const SuperSizeOptions& options = {}) {
    WordMemory memory(shape_.word());
    model_->operation = 1;
    pairs_.clear();
    const std::size_t words = reduction.modulus_bits + reduction.excess_bits;
    model_->sum_at = memory.add(x, words / shape_.word() + 1);
    prepare_reduction(memory, reduction);
    const std::size_t clocks = run(memory, options);
    return remainder(memory, clocks);
  }

  SuperSizeResult encrypt(const Encryption& e, const SuperSizeOptions& options = {}) {
    WordMemory memory(shape_.word());
    load(memory, e, options);
    const std::size_t clocks = run(memory, options);
    return remainder(memory, clocks);
  }

  // The sum of an encryption as it is, or the double of it with noise and message (`affine`),
  // modulo 2^(d words) where it has `room_bits`. With `old`, one product is added to what is there.
  Integer sum(const Encryption& e, std::size_t room_bits, bool affine, const Integer* old = nullptr,
              const SuperSizeOptions& options = {}) {
    WordMemory memory(shape_.word());
    load(memory, e, options);
    const std::size_t words = room_bits / shape_.word() + 1;
    model_->initial_sum = old != nullptr ? 2 : 0;
    model_->affine = affine;
    model_->reduces = 0;
    model_->result_bits = static_cast<std::uint32_t>(room_bits);
    model_->sum_at = old != nullptr ? memory.add(*old, words) : memory.reserve(words);
    run(memory, options);
    return memory.load(model_->sum_at, words);
  }

  // The sum of an encryption modulo x0, without doubling and noise.
  Integer reduced_sum(const Encryption& e, const SuperSizeOptions& options = {}) {
    WordMemory memory(shape_.word());
    load(memory, e, options);
    model_->initial_sum = 0;
    model_->affine = 0;
    const std::size_t clocks = run(memory, options);
    return remainder(memory, clocks).value;
  }

  // An encryption that a reset ends after so many clocks.
  void abandon(const Encryption& e, std::size_t clocks) {
    WordMemory memory(shape_.word());
    load(memory, e, {});
    begin();
    for (std::size_t i = 0; i < clocks; ++i) step(memory, {});
    CHECK(model_->busy == 1);
    model_.reset();
    CHECK(model_->busy == 0);
  }

 private:
  void prepare_reduction(WordMemory& memory, const Reduction& reduction) {
    const std::size_t word = shape_.word();
    const std::size_t words = reduction.modulus_bits / word + 2;
    const std::size_t shift = reduction.shift(word);
    model_->modulus_bits = static_cast<std::uint32_t>(reduction.modulus_bits);
    model_->excess_bits = static_cast<std::uint32_t>(reduction.excess_bits);
    model_->shift_low = static_cast<std::uint32_t>(word * reduction.head(word));
    model_->shift_high = static_cast<std::uint32_t>(word * shift);
    model_->modulus_at = memory.add(reduction.modulus, memory.words_for(reduction.modulus_bits));
    model_->reciprocal_at = memory.add(reduction.reciprocal(word), shift);
    model_->product_at = memory.reserve(2 * words + 2 * shift);
    model_->multiple_at = memory.reserve(words + 2 * shift);
    model_->difference_at = memory.reserve(words);
    model_->reduced_at = memory.reserve(words);
  }

  void load(WordMemory& memory, const Encryption& e, const SuperSizeOptions& options) {
    prepare_reduction(memory, {.modulus = e.modulus,
                               .modulus_bits = e.element_bits,
                               .excess_bits = e.excess_bits(),
                               .long_reciprocal = options.long_reciprocal});
    const std::size_t noise_words = bit_length(e.noise) / shape_.word() + 1;
    const std::size_t sum_words = memory.words_for(e.element_bits + e.excess_bits()) + 2;
    model_->operation = e.nested() ? 3 : 2;
    model_->initial_sum = 1;
    model_->affine = 1;
    model_->reduces = 1;
    model_->element_bits = static_cast<std::uint32_t>(e.element_bits);
    model_->weight_bits = static_cast<std::uint32_t>(e.weight_bits);
    model_->row_excess_bits = static_cast<std::uint32_t>(e.row_excess_bits());
    model_->count = static_cast<std::uint32_t>(e.count());
    model_->message = e.message;
    model_->overlap = options.overlap;
    load_pairs(memory, e);
    model_->noise_words = static_cast<std::uint32_t>(e.noise == 0 ? 0 : noise_words);
    model_->noise_at = memory.add(e.noise, noise_words);
    model_->sum_at = memory.reserve(sum_words);
    model_->row_at = memory.reserve(sum_words);
  }

  // A_i and B_i; or a row of A_j0 and B_ij, then A_i1, for each i.
  void load_pairs(WordMemory& memory, const Encryption& e) {
    const std::size_t element_words = memory.words_for(e.element_bits);
    std::vector<std::uint32_t> elements;
    for (const Integer& element : e.elements)
      elements.push_back(memory.add(element, element_words));
    pairs_.clear();
    for (std::size_t i = 0; i < e.weights.size(); ++i) {
      pairs_.push_back(
          {elements[i % e.count()], memory.add(e.weights[i], memory.words_for(e.weight_bits))});
      if (e.nested() && (i + 1) % e.count() == 0)
        pairs_.push_back({memory.add(e.factors[i / e.count()], element_words), 0});
    }
  }

  SuperSizeResult remainder(WordMemory& memory, std::size_t clocks) {
    const bool reduced = model_->remainder_reduced != 0;
    const std::size_t words = model_->modulus_bits / shape_.word() + 1;
    return {memory.load(reduced ? model_->reduced_at : model_->difference_at, words), clocks,
            reduced};
  }

  void begin() {
    model_->advance = 1;
    model_.settle();
    model_->start = 1;
    model_.clock();
    model_->start = 0;
    // Nothing but the memory answers from here on.
    CHECK(model_->busy == 1);
  }

  std::size_t run(WordMemory& memory, const SuperSizeOptions& options) {
    begin();
    std::size_t clocks = 0;
    while (model_->busy) {
      if (++clocks > kMost) FAIL("no end");
      if (!step(memory, options)) --clocks;
    }
    CHECK(model_->done == 1);
    CHECK(model_->cycles == clocks);
    CHECK(pairs_.empty());
    return clocks;
  }

  // One clock; whether it counted.
  bool step(WordMemory& memory, const SuperSizeOptions& options) {
    const bool advance = options.stalls == nullptr || options.stalls->below(3) != 0;
    model_->advance = advance;
    offer_pair(options);
    model_.settle();
    if (!advance) {
      model_.clock();
      return false;
    }
    const Access access = requested();
    const bool takes_pair = model_->pair_valid && model_->pair_ready;
    model_.clock();
    serve(memory, access);
    if (takes_pair) pairs_.pop_front();
    return true;
  }

  void offer_pair(const SuperSizeOptions& options) {
    const bool late = options.late_pairs != nullptr && options.late_pairs->below(3) == 0;
    model_->pair_valid = !pairs_.empty() && !late;
    model_->pair_element = pairs_.empty() ? 0 : pairs_.front().element;
    model_->pair_weight = pairs_.empty() ? 0 : pairs_.front().weight;
  }

  struct Pair {
    std::uint32_t element, weight;
  };

  struct Access {
    bool x, y, partial, sum, product, total;
    std::uint32_t x_at, y_at, partial_at, sum_at, product_at, total_at;
    std::array<std::uint32_t, 8> product_word, total_word;
  };

  Access requested() {
    Access a{.x = model_->x_read != 0,
             .y = model_->y_read != 0,
             .partial = model_->partial_read != 0,
             .sum = model_->sum_read != 0,
             .product = model_->product_write != 0,
             .total = model_->total_write != 0,
             .x_at = model_->x_address,
             .y_at = model_->y_address,
             .partial_at = model_->partial_address,
             .sum_at = model_->sum_address,
             .product_at = model_->product_address,
             .total_at = model_->total_address,
             .product_word = {},
             .total_word = {}};
    get_pieces(model_->product_word, a.product_word.data());
    get_pieces(model_->total_word, a.total_word.data());
    return a;
  }

  void serve(WordMemory& memory, const Access& a) {
    for (const auto& [read, at] :
         {std::pair{a.x, a.x_at}, std::pair{a.y, a.y_at}, std::pair{a.partial, a.partial_at},
          std::pair{a.sum, a.sum_at}}) {
      const bool written = (a.product && a.product_at == at) || (a.total && a.total_at == at);
      if (read && written) FAIL("word " << at << " is read in the clock that writes it");
    }
    set_pieces(model_->x_word, a.x ? memory.word(a.x_at) : memory.garbage());
    set_pieces(model_->y_word, a.y ? memory.word(a.y_at) : memory.garbage());
    set_pieces(model_->partial_word, a.partial ? memory.word(a.partial_at) : memory.garbage());
    set_pieces(model_->sum_word, a.sum ? memory.word(a.sum_at) : memory.garbage());
    const std::size_t pieces = ceil_divide(shape_.word(), 32);
    if (a.product) std::copy_n(a.product_word.data(), pieces, memory.word(a.product_at));
    if (a.total) std::copy_n(a.total_word.data(), pieces, memory.word(a.total_at));
  }

  static constexpr std::size_t kMost = 100'000'000;

  SuperSizeShape shape_;
  Simulation<Model> model_;
  std::deque<Pair> pairs_;
};

}  // namespace fhe::test
