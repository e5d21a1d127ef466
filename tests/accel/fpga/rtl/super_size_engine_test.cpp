// SPDX-License-Identifier: Apache-2.0
// super_size_engine behind the readers and the writer of a datapath: against GMP, with memory and
// pairs that are late, and a memory that shows what is written no sooner than it says so.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "SuperSizeDatapath.h"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/words.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"

namespace fhe::test {

namespace {

constexpr std::uint32_t kDigitsWord = 28;  // bits of a word of the machine
constexpr std::uint64_t kSuper = 5;        // of operation_kinds.svh

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

class SuperSizeMachine {
 public:
  explicit SuperSizeMachine(Words* stalls = nullptr, std::uint64_t latency = 24)
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
  Simulation<SuperSizeDatapath> model_;
};

// Products and sums of random and extreme numbers, at lengths around those of words, lines and
// blocks.
std::size_t some_length(Operands& operands) {
  static constexpr std::array<std::size_t, 12> kEdges = {1,   2,   27,  28,  29,  224,
                                                         225, 448, 511, 512, 513, 1024};
  return operands.coin() ? kEdges[operands.between(0, kEdges.size() - 1)]
                         : operands.between(1, 3000);
}

Integer some_number(Operands& operands, std::size_t bits) {
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
Integer signed_word(const Integer& t) {
  return t < 0 ? Integer(t + power_of_two(kWordBits)) : t;
}

// Terms of a sum, put in its memory.
struct Terms {
  Request request;
  Integer sum;
};

Terms some_terms(SuperSizeMachine& machine, Operands& operands, std::size_t count,
                 std::size_t a_bits, std::size_t b_bits) {
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

void add_noise(SuperSizeMachine& machine, Operands& operands, Terms& terms) {
  Integer t = operands.with_random_sign(some_number(operands, 511));
  if (2 * terms.sum + t < 0) t = -t;
  terms.request.affine = true;
  terms.request.addend = machine.add(signed_word(t), kWordBits).address;
  terms.sum = 2 * terms.sum + t;
}

}  // namespace

TEST_CASE("rtl super_size_engine: products", "[rtl]") {
  Operands operands(71);
  Words stalls(72);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 80; ++trial) {
      const std::size_t a_bits = some_length(operands);
      const std::size_t b_bits = some_length(operands);
      const Integer a = some_number(operands, a_bits);
      const Integer b = some_number(operands, b_bits);
      Request request{.a = machine.add(a, a_bits), .b = machine.add(b, b_bits)};
      request.check_pad = operands.coin();
      request.d = machine.reserve(a_bits + b_bits + operands.between(0, 1) * some_length(operands));
      INFO(a_bits << " by " << b_bits << " bits into " << request.d.bits);
      machine.run(request);
      CHECK(machine.load(request.d) == a * b);
      CHECK_FALSE(machine.carry());
      CHECK_FALSE(machine.pad_error());
    }
  }
}

TEST_CASE("rtl super_size_engine: numbers without bits", "[rtl]") {
  Operands operands(73);
  SuperSizeMachine machine;
  const Integer x = operands.bits(700);
  for (const auto& [a_bits, b_bits] :
       {std::pair{0U, 700U}, std::pair{700U, 0U}, std::pair{0U, 0U}}) {
    const Request request{.a = a_bits == 0 ? Place{} : machine.add(x, a_bits),
                          .b = b_bits == 0 ? Place{} : machine.add(x, b_bits),
                          .d = machine.reserve(1400)};
    machine.run(request);
    CHECK(machine.load(request.d) == 0);
  }
}

TEST_CASE("rtl super_size_engine: products that are added", "[rtl]") {
  Operands operands(74);
  Words stalls(75);
  SuperSizeMachine machine(&stalls);
  for (int trial = 0; trial < 80; ++trial) {
    const std::size_t a_bits = some_length(operands);
    const std::size_t b_bits = some_length(operands);
    const Integer a = some_number(operands, a_bits);
    const Integer b = some_number(operands, b_bits);
    Request request{.accumulate = true, .a = machine.add(a, a_bits), .b = machine.add(b, b_bits)};
    const std::size_t words =
        fpga::words_for_bits(a_bits + b_bits + operands.between(0, 1) * some_length(operands));
    const Integer old = some_number(operands, words * kWordBits);
    request.d = machine.add(old, words * kWordBits);
    INFO(a_bits << " by " << b_bits << " bits to " << words << " words");
    machine.run(request);
    const Integer sum = old + a * b;
    CHECK(machine.load(request.d) == low_bits(sum, words * kWordBits));
    CHECK(machine.carry() == (bit_length(sum) > words * kWordBits));
  }
}

TEST_CASE("rtl super_size_engine: remainders", "[rtl]") {
  Operands operands(76);
  Words stalls(77);
  bool seen[2] = {};
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 60; ++trial) {
      const std::size_t phi = operands.between(2, 2000);
      const std::size_t gamma = operands.between(0, phi + 40);
      const Integer modulus = trial % 5 == 0   ? power_of_two(phi - 1)
                              : trial % 5 == 1 ? all_ones(phi)
                                               : operands.exactly(phi);
      machine.set_modulus(modulus, static_cast<std::uint32_t>(gamma),
                          static_cast<std::uint32_t>(operands.between(0, 3)));
      const std::size_t bits = operands.between(0, phi + gamma);
      Integer x = bits == 0 ? Integer(0) : some_number(operands, bits);
      if (trial % 4 == 0) x -= x % modulus;
      if (trial % 8 == 0 && x != 0) x -= 1;
      Request request{.operation = Operation::remainder,
                      .reduces = operands.coin(),
                      .check_pad = operands.coin(),
                      .a = machine.add(x, bits)};
      const bool in_place = operands.coin() && request.a.bits >= phi;
      request.d = in_place ? request.a : machine.reserve(phi + operands.between(0, 1200));
      INFO("phi " << phi << ", gamma " << gamma << ", " << bits << " bits");
      machine.run(request);
      CHECK(machine.load(request.d) == x % modulus);
      seen[machine.reduced()] = true;
      CHECK_FALSE(machine.pad_error());
    }
  }
  CHECK(seen[0]);
  CHECK(seen[1]);
}

TEST_CASE("rtl super_size_engine: sums", "[rtl]") {
  Operands operands(78);
  Words stalls(79);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 40; ++trial) {
      const std::size_t a_bits = some_length(operands);
      const std::size_t b_bits = some_length(operands) % 1200 + 1;
      Terms terms = some_terms(machine, operands, operands.between(1, 6), a_bits, b_bits);
      const bool affine = operands.coin();
      if (affine) add_noise(machine, operands, terms);
      terms.request.check_pad = operands.coin();
      terms.request.d =
          machine.reserve(std::max<std::size_t>(a_bits + b_bits + 17, affine ? 513 : 1) +
                          operands.between(0, 1) * some_length(operands));
      INFO(terms.request.terms << " terms of " << a_bits << " by " << b_bits << " bits");
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == terms.sum);
      CHECK_FALSE(machine.carry());
      CHECK_FALSE(machine.pad_error());
    }
  }
}

TEST_CASE("rtl super_size_engine: sums modulo a number", "[rtl]") {
  Operands operands(80);
  Words stalls(81);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 40; ++trial) {
      const std::size_t phi = operands.between(2, 2000);
      const std::size_t a_bits = std::max<std::size_t>(1, phi - operands.between(0, phi / 4));
      const std::size_t b_bits = some_length(operands) % 1200 + 1;
      const Integer modulus = operands.exactly(phi);
      Terms terms = some_terms(machine, operands, operands.between(1, 6), a_bits, b_bits);
      if (operands.coin()) add_noise(machine, operands, terms);
      const std::size_t least = bit_length(terms.sum) > phi ? bit_length(terms.sum) - phi : 0;
      machine.set_modulus(modulus,
                          static_cast<std::uint32_t>(least + operands.between(0, 1) * 600));
      terms.request.reduces = true;
      terms.request.d = machine.reserve(phi + operands.between(0, 1) * some_length(operands));
      INFO(terms.request.terms << " terms of " << a_bits << " by " << b_bits << " bits modulo "
                               << phi);
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == terms.sum % modulus);
    }
  }
}

TEST_CASE("rtl super_size_engine: the nested form", "[rtl]") {
  Operands operands(82);
  Words stalls(83);
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    SuperSizeMachine machine(late);
    for (int trial = 0; trial < 16; ++trial) {
      const std::size_t phi = operands.between(300, 1600);
      const std::size_t b_bits = operands.between(1, 300);
      const std::size_t theta = operands.between(1, 4);
      const Integer modulus = operands.exactly(phi);
      machine.set_modulus(modulus, static_cast<std::uint32_t>(std::max(phi, b_bits) + 20));
      Terms terms{.request = {.operation = Operation::nested,
                              .reduces = true,
                              .terms = theta,
                              .a = {0, phi},
                              .b = {0, b_bits},
                              .row_excess = b_bits + 3},
                  .sum = 0};
      std::vector<Integer> columns;
      std::vector<std::uint64_t> columns_at;
      for (std::size_t j = 0; j < theta; ++j) {
        columns.push_back(operands.below(modulus));
        columns_at.push_back(machine.add(columns.back(), phi).address);
      }
      for (std::size_t i = 0; i < theta; ++i) {
        Integer row;
        for (std::size_t j = 0; j < theta; ++j) {
          const Integer b = some_number(operands, b_bits);
          row += b * columns[j];
          terms.request.pairs.emplace_back(columns_at[j], machine.add(b, b_bits).address);
        }
        const Integer factor = operands.below(modulus);
        terms.sum += factor * row;
        terms.request.pairs.emplace_back(machine.add(factor, phi).address, 0);
      }
      if (operands.coin()) add_noise(machine, operands, terms);
      terms.request.d = machine.reserve(phi);
      INFO(theta << " rows of " << phi << " by " << b_bits << " bits");
      machine.run(terms.request);
      CHECK(machine.load(terms.request.d) == oracle::mod(terms.sum, modulus));
    }
  }
}

TEST_CASE("rtl super_size_engine: bits above the end of a number are found", "[rtl]") {
  Operands operands(84);
  SuperSizeMachine machine;
  const std::size_t phi = 1000;
  const Integer modulus = operands.exactly(phi);
  machine.set_modulus(modulus, 1200);
  const Place good = machine.add(operands.bits(900), 900);
  const Place bad{machine.add(power_of_two(1020), 1024).address, 900};
  const Place room = machine.reserve(2000);
  for (const bool check_pad : {false, true}) {
    for (const bool first : {false, true}) {
      machine.run(
          {.check_pad = check_pad, .a = first ? bad : good, .b = first ? good : bad, .d = room});
      CHECK(machine.pad_error() == check_pad);
      Request sum{.operation = Operation::sum,
                  .check_pad = check_pad,
                  .terms = 2,
                  .a = {0, 900},
                  .b = {0, 900}};
      sum.d = room;
      sum.pairs = {{good.address, good.address},
                   {(first ? bad : good).address, (first ? good : bad).address}};
      machine.run(sum);
      CHECK(machine.pad_error() == check_pad);
    }
    machine.run({.operation = Operation::remainder, .check_pad = check_pad, .a = bad, .d = room});
    CHECK(machine.pad_error() == check_pad);
  }
  machine.run({.a = good, .b = good, .d = room});
  CHECK_FALSE(machine.pad_error());
}

TEST_CASE("rtl super_size_engine: a reset at any moment", "[rtl]") {
  Operands operands(85);
  Words stalls(86);
  SuperSizeMachine machine(&stalls);
  const Integer modulus = operands.exactly(700);
  machine.set_modulus(modulus, 400);
  Terms terms = some_terms(machine, operands, 3, 700, 300);
  add_noise(machine, operands, terms);
  terms.request.reduces = true;
  terms.request.d = machine.reserve(700);
  const std::size_t clocks = machine.run(terms.request);
  for (std::size_t end = 1; end < clocks * 3 / 4; end += clocks / 40) {
    machine.abandon(terms.request, end);
    machine.run(terms.request);
    CHECK(machine.load(terms.request.d) == terms.sum % modulus);
  }
}

// A line of 512 bits has 18 words: the memory's latency hides behind them, but where a row of
// blocks goes back to the beginning of a second number that is longer than the lines that are kept.
TEST_CASE("rtl super_size_engine: memory adds few clocks to those of the machine", "[rtl]") {
  Operands operands(87);
  SuperSizeMachine machine;
  for (const auto& [a_bits, b_bits] : {std::pair{40'000U, 900U}, std::pair{5'000U, 5'000U}}) {
    Request request{.a = machine.add(operands.bits(a_bits), a_bits),
                    .b = machine.add(operands.bits(b_bits), b_bits)};
    request.d = machine.reserve(a_bits + b_bits);
    const std::size_t clocks = machine.run(request);
    const std::size_t rows = (a_bits + 223) / 224;
    const std::size_t own_clocks = 33 + 95 + 8 * rows * ((b_bits + 223) / 224);
    const std::size_t returns = b_bits > 2'000 ? 60 * rows : 0;
    INFO(clocks << " clocks, of which the machine counts " << own_clocks);
    CHECK(clocks < own_clocks + 140 + returns);
  }
}

}  // namespace fhe::test
