// SPDX-License-Identifier: Apache-2.0
// super_size_engine behind the readers and the writer of a datapath, with memory and pairs that are
// late, and a memory that shows what is written no sooner than it says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/words.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test::engine {

constexpr std::uint64_t kSuper = 5;  // of operation_kinds.svh

enum class Operation : std::uint8_t { product, remainder, sum, nested };

// An integer in memory.
struct Place {
  std::uint64_t address = 0;
  std::size_t bits = 0;

  [[nodiscard]] std::uint64_t words() const { return fpga::words_for_bits(bits); }
};

// What an operation is told besides its kind.
struct Request {
  Operation operation = Operation::product;
  bool accumulate = false;
  bool affine = false;
  bool reduces = false;
  bool check_pad = true;
  std::size_t terms = 1;
  Place a{}, b{}, d{};
  std::uint64_t addend = 0;
  std::size_t row_excess = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs{};
};

// A datapath whose only multiplier has words of so many bits.
template <class Model, std::uint32_t kDigitsWord>
class EngineMachine {
 public:
  explicit EngineMachine(Words* stalls = nullptr, std::uint64_t latency = 24)
      : stalls_(stalls), reads_(latency), writes_(latency) {
    model_->start = model_->generated = model_->seed_found = 0;
    model_->power_reset = 1;
    model_->pair_valid = 0;
    model_->response_valid = 0;
    model_->written_valid = 0;
    model_->written_error = 0;
    model_.reset();
    model_->power_reset = 0;
  }

  // Room for so many bits, in words that hold anything.
  Place reserve(std::size_t bits) {
    const Place place{next_, bits};
    next_ += 64 * (place.words() + 1);
    return place;
  }
  Place add(const Integer& x, std::size_t bits) {
    const Place place = reserve(bits);
    const std::vector<Word512> words = words_of_integer(x, place.words());
    for (std::size_t i = 0; i < words.size(); ++i) memory_.write(place.address + 64 * i, words[i]);
    return place;
  }
  [[nodiscard]] Integer load(const Place& place) const {
    std::vector<Word512> words;
    for (std::size_t i = 0; i < place.words(); ++i)
      words.push_back(memory_.at(place.address + 64 * i));
    return integer_of_words(words);
  }

  // Reductions are modulo this number of exactly phi bits from now on.
  void set_modulus(const Integer& modulus, std::uint32_t gamma, std::uint32_t more_shift = 0) {
    const auto phi = static_cast<std::uint32_t>(bit_length(modulus));
    fpga::BarrettShape shape = fpga::barrett_shape(phi, gamma, kDigitsWord);
    shape.shift_high += more_shift * kDigitsWord;
    REQUIRE(shape.is_valid());
    const Place scratch = reserve(shape.scratch_words() * kWordBits);
    const fpga::Context context{.shape = shape,
                                .modulus = add(modulus, phi).address,
                                .reciprocal = add(fpga::barrett_reciprocal(shape, modulus),
                                                  shape.reciprocal_words() * kWordBits)
                                                  .address,
                                .scratch = scratch.address,
                                .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())};
    const fpga::ContextRecord record = fpga::encode_context(context);
    std::copy(record.begin(), record.end(), model_->record.data());
    model_->phi_words = static_cast<std::uint32_t>(shape.modulus_words());
    model_->input_words = static_cast<std::uint32_t>(shape.argument_words());
    model_->reciprocal_words = static_cast<std::uint32_t>(shape.reciprocal_words());
    model_->remainder_words = static_cast<std::uint32_t>(shape.remainder_words());
    scratch_ = scratch;
  }

  // Clocks from start to done.
  std::size_t run(const Request& request) {
    begin(request);
    std::size_t clocks = 1;
    while (!model_->done) {
      if (++clocks > kMost) FAIL("no end");
      clock();
    }
    CHECK(pairs_.empty());
    clock();
    CHECK(model_->busy == 0);
    CHECK(reads_.under_way() == 0);
    CHECK(writes_.under_way() == 0);
    return clocks;
  }

  // An operation that a reset ends after so many clocks; memory answers all that was asked first.
  void abandon(const Request& request, std::size_t clocks) {
    begin(request);
    for (std::size_t i = 0; i < clocks; ++i) clock();
    CHECK(model_->busy == 1);
    model_->pair_valid = 0;
    pairs_.clear();
    model_->reset = 1;
    clock();
    while (reads_.under_way() != 0 || writes_.under_way() != 0) clock();
    model_->reset = 0;
    clock();
    CHECK(model_->busy == 0);
  }

  [[nodiscard]] bool carry() { return model_->carry != 0; }
  [[nodiscard]] bool reduced() { return model_->remainder_reduced != 0; }
  [[nodiscard]] bool pad_error() { return model_->pad_error != 0; }

 private:
  struct Write {
    std::uint64_t address;
    Word512 word;
  };

  void begin(const Request& request) {
    model_->kind = kSuper;
    model_->operation = static_cast<CData>(request.operation);
    model_->accumulate = request.accumulate;
    model_->affine = request.affine;
    model_->reduces = request.reduces;
    model_->terms = static_cast<SData>(request.terms);
    model_->a_address = request.a.address;
    model_->a_words = static_cast<std::uint32_t>(request.a.words());
    model_->a_tail = static_cast<SData>(request.check_pad ? request.a.bits % kWordBits : 0);
    model_->b_address = request.b.address;
    model_->b_words = static_cast<std::uint32_t>(request.b.words());
    model_->b_tail = static_cast<SData>(request.check_pad ? request.b.bits % kWordBits : 0);
    model_->a_bits = static_cast<std::uint32_t>(request.a.bits);
    model_->b_bits = static_cast<std::uint32_t>(request.b.bits);
    model_->d_address = request.d.address;
    model_->d_words = static_cast<std::uint32_t>(request.d.words());
    model_->addend = request.addend;
    model_->row_excess = static_cast<std::uint32_t>(request.row_excess);
    pairs_.assign(request.pairs.begin(), request.pairs.end());
    destination_ = request.d;
    uses_scratch_ = request.reduces || request.operation == Operation::remainder;
    model_->start = 1;
    clock();
    model_->start = model_->generated = model_->seed_found = 0;
  }

  void clock() {
    const unsigned readers = stalls_ == nullptr ? 7 : static_cast<unsigned>(stalls_->below(8));
    const std::optional<std::uint64_t> answer = reads_.next();
    model_->response_valid = 0;
    if (answer) {
      model_->response_valid = static_cast<CData>(1U << asked_.front().first);
      set_limbs(model_->response_data, asked_.front().second);
      asked_.pop_front();
    }
    const bool is_written = writes_.next().has_value();
    model_->written_valid = is_written;
    if (is_written) {
      memory_.write(written_.front().address, written_.front().word);
      written_.pop_front();
    }
    offered_ = !pairs_.empty() && (offered_ || takes_part(stalls_));
    model_->pair_valid = offered_;
    model_->pair_a = pairs_.empty() ? 0 : pairs_.front().first;
    model_->pair_b = pairs_.empty() ? 0 : pairs_.front().second;
    model_->write_ready = takes_part(stalls_);
    model_->read_ready = 0;
    model_.settle();
    // One read a clock, the lowest client first.
    const unsigned wanted = model_->read_valid & readers;
    model_->read_ready = static_cast<CData>(wanted & (~wanted + 1));
    model_.settle();
    ask(wanted & (~wanted + 1));
    if (model_->write_valid && model_->write_ready) take_write();
    if (model_->pair_valid && model_->pair_ready) {
      pairs_.pop_front();
      offered_ = false;
    }
    model_.clock();
  }

  // What is read is what lies there when it is asked for.
  void ask(unsigned client) {
    for (unsigned i = 0; i < 3; ++i) {
      if ((client >> i & 1) == 0) continue;
      const std::uint64_t address = limb(model_->read_address, i);
      reads_.ask(address, stalls_);
      asked_.emplace_back(i, memory_.at(address));
    }
  }

  void take_write() {
    const std::uint64_t address = model_->write_address;
    if (!is_within(address, destination_) && !(uses_scratch_ && is_within(address, scratch_)))
      FAIL("a write to " << address);
    Write write{address, {}};
    for (std::size_t i = 0; i < write.word.size(); ++i) write.word[i] = limb(model_->write_data, i);
    writes_.ask(address, stalls_);
    written_.push_back(write);
  }

  static bool is_within(std::uint64_t address, const Place& place) {
    return address >= place.address && address < place.address + 64 * place.words();
  }

  static constexpr std::size_t kMost = 10'000'000;

  Words* stalls_;
  Memory memory_;
  std::uint64_t next_ = std::uint64_t{5} << 32;
  Place destination_, scratch_;
  bool uses_scratch_ = false;
  bool offered_ = false;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> pairs_;
  Answers reads_, writes_;
  std::deque<std::pair<unsigned, Word512>> asked_;
  std::deque<Write> written_;
  Simulation<Model> model_;
};

// Random and extreme ones.
inline Integer some_number(Operands& operands, std::size_t bits) {
  switch (operands.between(0, 3)) {
    case 0:
      return all_ones(bits);
    case 1:
      return operands.runs(bits);
    case 2:
      return 0;
    default:
      return operands.bits(bits);
  }
}

// T as the signed word that it is in memory.
inline Integer signed_word(const Integer& t) {
  return t < 0 ? Integer(t + power_of_two(kWordBits)) : t;
}

// Terms of a sum, put in its memory.
struct Terms {
  Request request;
  Integer sum;
};

template <class Machine>
Terms some_terms(Machine& machine, Operands& operands, std::size_t count, std::size_t a_bits,
                 std::size_t b_bits) {
  Terms terms;
  terms.request = {.operation = Operation::sum, .terms = count, .a = {0, a_bits}, .b = {0, b_bits}};
  for (std::size_t i = 0; i < count; ++i) {
    const Integer a = some_number(operands, a_bits);
    const Integer b = some_number(operands, b_bits);
    terms.sum += a * b;
    terms.request.pairs.emplace_back(machine.add(a, a_bits).address,
                                     machine.add(b, b_bits).address);
  }
  return terms;
}

template <class Machine>
void add_noise(Machine& machine, Operands& operands, Terms& terms) {
  Integer t = operands.with_random_sign(some_number(operands, 511));
  if (2 * terms.sum + t < 0) t = -t;
  terms.request.affine = true;
  terms.request.addend = machine.add(signed_word(t), kWordBits).address;
  terms.sum = 2 * terms.sum + t;
}

}  // namespace fhe::test::engine
