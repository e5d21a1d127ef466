// SPDX-License-Identifier: Apache-2.0
// The polynomial multiplier as an engine of the device's datapath, with memory around it: against
// software, and its clocks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "PolynomialEngine128.h"
#include "PolynomialEngine192.h"
#include "PolynomialEngine64.h"
#include "accel/polynomials/hardware_clocks.hpp"
#include "accel/polynomials/hardware_format.hpp"
#include "libfhe/arith/registry.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/accel/polynomials/schoolbook.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace {

using fhe::Integer;
using fhe::kronecker_multiplier;
using fhe::open_backend;
using fhe::Polynomial;
using fhe::power_of_two;
using fhe::karatsuba::clocks_between_products;
using fhe::karatsuba::clocks_of_one_product;
using fhe::karatsuba::from_beats;
using fhe::karatsuba::kOperandLanes;
using fhe::karatsuba::kResultLanes;
using fhe::karatsuba::NormalizedModulus;
using fhe::karatsuba::to_beats;
using fhe::test::kWordLimbs;
using fhe::test::limb;
using fhe::test::Memory;
using fhe::test::Operands;
using fhe::test::schoolbook;
using fhe::test::set_limb;
using fhe::test::Simulation;
using fhe::test::some_modulus;
using fhe::test::some_polynomial;
using fhe::test::takes_part;
using fhe::test::Word512;
using fhe::test::Words;
using fhe::test::words_of_integer;

constexpr std::uint64_t kWordBytes = 64;

template <class Model, std::size_t kBits, std::size_t kMaxCoefficients>
struct Hardware {
  using Module = Model;
  static constexpr std::size_t kCoefficientBits = kBits;
  static constexpr std::size_t kSize = kMaxCoefficients;
};
using Hardware64 = Hardware<PolynomialEngine64, 64, 128>;
using Hardware128 = Hardware<PolynomialEngine128, 128, 32>;
using Hardware192 = Hardware<PolynomialEngine192, 192, 32>;

// Where an operation finds and puts what.
constexpr std::uint64_t kA = 0x1'0000'0000;
constexpr std::uint64_t kB = 0x2'0000'0040;
constexpr std::uint64_t kRecord = 0x3'0000'0080;
constexpr std::uint64_t kD = 0xffff'ffff'0000'0000;

struct Batch {
  Integer modulus;
  unsigned log2_size = 3;
  std::vector<fhe::PolynomialMultiplier::Operands> operands{};
  bool check_pad = false;

  [[nodiscard]] std::size_t size() const { return std::size_t{1} << log2_size; }

  [[nodiscard]] std::vector<Polynomial> products() const {
    if (size() > 32) return kronecker_multiplier(modulus, open_backend())->multiply_all(operands);
    std::vector<Polynomial> products;
    for (const auto& [a, b] : operands) products.push_back(schoolbook(a, b, modulus));
    return products;
  }
};

Batch some_batch(Operands& operands, unsigned log2_size, std::size_t count,
                 const Integer& modulus) {
  Batch batch{.modulus = modulus, .log2_size = log2_size};
  for (std::size_t i = 0; i < count; ++i) {
    batch.operands.push_back({some_polynomial(operands, batch.size(), modulus),
                              some_polynomial(operands, batch.size(), modulus)});
  }
  return batch;
}

std::vector<Word512> words_of(std::span<const std::byte> bytes) {
  std::vector<Word512> words;
  for (std::size_t i = 0; i < bytes.size(); i += kWordBytes) {
    Word512& word = words.emplace_back();
    for (std::size_t k = 0; k < kWordLimbs; ++k) {
      word[k] = fhe::from_bytes(bytes.subspan(i + 8 * k, 8)).get_ui();
    }
  }
  return words;
}

template <class Hardware>
class Engine {
 public:
  static constexpr std::size_t kBits = Hardware::kCoefficientBits;

  Engine() {
    model_->start = 0;
    quiet();
    model_.reset();
    CHECK(model_->busy == 0);
  }

  Memory& memory() { return memory_; }

  // Clocks from that of start to that of done.
  std::size_t run(const Batch& batch, Words* stalls = nullptr) {
    begin(batch, stalls);
    std::size_t clocks = 1;
    for (; model_->done == 0; ++clocks) {
      if (clocks > 1000000) FAIL("no end");
      CHECK(model_->busy == 1);
      model_->start = stalls != nullptr && stalls->coin();  // not heard while busy
      step(stalls);
    }
    model_->start = 0;
    CHECK(model_->busy == 0);
    CHECK(model_->bad_modulus == 0);
    check_results(batch);
    step(stalls);
    CHECK(model_->done == 0);
    return clocks;
  }

  // A modulus of which the highest bit is 0: nothing is written; then a reset, as the device does
  // it.
  void refuse(const Batch& batch, const Integer& modulus) {
    begin(batch, nullptr);
    memory_.write(kRecord, words_of_integer(modulus, 1).front());
    for (int i = 0; model_->done == 0; ++i) {
      if (i > 100) FAIL("no end");
      step(nullptr);
    }
    CHECK(model_->bad_modulus == 1);
    CHECK(model_->busy == 0);
    CHECK(written_ == 0);
    forget();
  }

  // An operation that a reset ends after so many clocks.
  void abandon(const Batch& batch, std::size_t clocks, Words* stalls) {
    begin(batch, stalls);
    for (std::size_t i = 1; i < clocks; ++i) step(stalls);
    forget();
  }

 private:
  void forget() {
    quiet();
    model_.reset();
    for (Reader& reader : readers_) reader = {};
    segments_.clear();
    unacknowledged_ = written_ = 0;
    CHECK(model_->busy == 0);
    CHECK(model_->done == 0);
    CHECK(model_->segment_valid == 0);
    CHECK(model_->out_valid == 0);
  }

  struct Segment {
    std::uint64_t address;
    std::uint64_t words;
    std::uint64_t tail;
  };

  // What a reader of memory does: the words of all segments, one behind the other.
  struct Reader {
    std::vector<Segment> segments{};
    std::deque<Word512> words{};
    bool offered = false;
  };

  void put(std::uint64_t address, std::span<const std::byte> bytes) {
    for (const Word512& word : words_of(bytes)) {
      memory_.write(address, word);
      address += kWordBytes;
    }
  }

  void put_record(const Batch& batch, const NormalizedModulus& modulus) {
    std::vector<std::byte> record(2 * kWordBytes);
    // The rest of the words is not looked at.
    const Integer rest = power_of_two(512 - kBits) - 1;
    const Integer above = batch.check_pad ? Integer(0) : Integer(rest << kBits);
    fhe::to_bytes(modulus.modulus() + above, std::span(record).first(kWordBytes));
    fhe::to_bytes(modulus.barrett() + above, std::span(record).last(kWordBytes));
    put(kRecord, record);
  }

  void begin(const Batch& batch, Words* stalls) {
    const NormalizedModulus modulus(batch.modulus, kBits);
    put_record(batch, modulus);
    const std::size_t bytes = batch.size() * kBits / 8;
    std::uint64_t place = 0;
    for (const auto& [a, b] : batch.operands) {
      Polynomial scaled;
      for (const Integer& x : a) scaled.push_back(modulus.scaled(x));
      std::vector<std::byte> beats(bytes);
      to_beats(scaled, batch.size(), kOperandLanes, beats);
      put(kA + place, beats);
      to_beats(b, batch.size(), kOperandLanes, beats);
      put(kB + place, beats);
      place += bytes;
    }
    guards_ = {memory_.at(kD - kWordBytes), memory_.at(kD + 2 * place)};
    words_ = static_cast<std::size_t>(place / kWordBytes);
    model_->start = 1;
    model_->a_address = kA;
    model_->b_address = kB;
    model_->record_address = kRecord;
    model_->d_address = kD;
    model_->a_words = static_cast<IData>(words_);
    model_->d_words = static_cast<IData>(2 * words_);
    model_->log2_size = static_cast<CData>(batch.log2_size);
    model_->record_tail = batch.check_pad ? kBits : 0;
    written_ = 0;
    for (Reader& reader : readers_) reader.segments.clear();
    step(stalls);
    CHECK(model_->done == 0);
    model_->start = 0;
  }

  void check_results(const Batch& batch) {
    check_reads(batch);
    CHECK(written_ == 2 * words_);
    const NormalizedModulus modulus(batch.modulus, kBits);
    const std::vector<Polynomial> expected = batch.products();
    const std::size_t bytes = 2 * batch.size() * kBits / 8;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      Polynomial product = from_beats(bytes_at(kD + i * bytes, bytes), batch.size(), kResultLanes);
      for (Integer& x : product) x = modulus.unscaled(x);
      CHECK(product.back() == 0);
      product.pop_back();
      INFO(kBits << " bits, " << batch.size() << " coefficients, product " << i);
      REQUIRE(product == expected[i]);
    }
    CHECK(memory_.at(kD - kWordBytes) == guards_[0]);
    CHECK(memory_.at(kD + expected.size() * bytes) == guards_[1]);
  }

  // The record, then the operands; all of them, once.
  void check_reads(const Batch& batch) {
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(readers_[i].words.empty());
      REQUIRE(readers_[i].segments.size() == 2);
      CHECK(readers_[i].segments[0].address == kRecord + kWordBytes * i);
      CHECK(readers_[i].segments[0].words == 1);
      CHECK(readers_[i].segments[0].tail == (batch.check_pad ? kBits : 0));
      CHECK(readers_[i].segments[1].address == (i == 0 ? kA : kB));
      CHECK(readers_[i].segments[1].words == words_);
      CHECK(readers_[i].segments[1].tail == 0);
    }
  }

  std::vector<std::byte> bytes_at(std::uint64_t address, std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; i += kWordBytes) {
      const Word512 word = memory_.at(address + i);
      fhe::to_bytes(fhe::from_limbs(word), std::span(bytes).subspan(i, kWordBytes));
    }
    return bytes;
  }

  void quiet() {
    model_->segment_ready = model_->in_valid = 0;
    model_->out_ready = 0;
    model_->writer_idle = 1;
  }

  void step(Words* stalls) {
    drive(stalls);
    model_.settle();
    look();
    model_.clock();
  }

  void drive(Words* stalls) {
    unsigned segment_ready = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const bool room = i < 3 || segments_.size() < 2;
      segment_ready |= static_cast<unsigned>(room && takes_part(stalls)) << i;
    }
    model_->segment_ready = static_cast<CData>(segment_ready);
    unsigned in_valid = 0;
    for (unsigned i = 0; i < 2; ++i) {
      Reader& reader = readers_[i];
      reader.offered = reader.offered || (!reader.words.empty() && takes_part(stalls));
      in_valid |= static_cast<unsigned>(reader.offered) << i;
      for (std::size_t k = 0; k < kWordLimbs; ++k) {
        set_limb(model_->in_data, kWordLimbs * i + k,
                 reader.offered ? reader.words.front()[k] : 0x5a5aa5a5'12345678);
      }
    }
    model_->in_valid = static_cast<CData>(in_valid);
    model_->out_ready = !segments_.empty() && takes_part(stalls);
    if (unacknowledged_ > 0 && takes_part(stalls)) --unacknowledged_;
    model_->writer_idle = segments_.empty() && unacknowledged_ == 0;
  }

  void look() {
    for (unsigned i = 0; i < 2; ++i) look_at_reader(i);
    CHECK((model_->segment_valid & 4) == 0);
    // A word never waits for its segment: it goes with one that was given before.
    if (model_->out_valid && model_->out_ready) take_word();
    if ((model_->segment_valid & model_->segment_ready & 8) != 0) {
      segments_.push_back(segment(3));
    }
  }

  void look_at_reader(unsigned i) {
    Reader& reader = readers_[i];
    if (reader.offered && (model_->in_ready >> i & 1) != 0) {
      reader.words.pop_front();
      reader.offered = false;
    }
    if ((model_->segment_valid & model_->segment_ready) >> i & 1) {
      reader.segments.push_back(segment(i));
      const Segment& given = reader.segments.back();
      for (std::uint64_t k = 0; k < given.words; ++k) {
        reader.words.push_back(memory_.at(given.address + kWordBytes * k));
      }
    }
  }

  Segment segment(unsigned i) {
    if (i < 3) CHECK(model_->segment_zeros[i] == 0);
    return {.address = limb(model_->segment_address, i),
            .words = model_->segment_words[i],
            .tail = i < 3 ? model_->segment_tail >> (9 * i) & 511 : 0};
  }

  void take_word() {
    Word512 word;
    for (std::size_t k = 0; k < kWordLimbs; ++k) word[k] = limb(model_->out_data, k);
    Segment& into = segments_.front();
    memory_.write(into.address, word);
    into.address += kWordBytes;
    if (--into.words == 0) segments_.pop_front();
    ++written_;
    ++unacknowledged_;
  }

  Simulation<typename Hardware::Module> model_;
  Memory memory_;
  std::array<Reader, 2> readers_;
  std::deque<Segment> segments_;  // of the writer
  std::size_t unacknowledged_ = 0;
  std::size_t written_ = 0;
  std::size_t words_ = 0;  // of either side's operands
  std::array<Word512, 2> guards_{};
};

template <class Hardware>
unsigned largest_log2_size() {
  unsigned log2 = 0;
  while (std::size_t{1} << log2 < Hardware::kSize) ++log2;
  return log2;
}

// Batches of all sizes, back to back.
template <class Hardware>
void check_batches(std::uint64_t seed, std::size_t rounds, Words* stalls) {
  Operands operands(seed);
  Engine<Hardware> engine;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (unsigned log2 = 3; log2 <= largest_log2_size<Hardware>(); ++log2) {
      const Integer modulus = some_modulus(operands, Hardware::kCoefficientBits);
      Batch batch = some_batch(operands, log2, operands.between(1, 6), modulus);
      batch.check_pad = operands.coin();
      engine.run(batch, stalls);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("batches of products from memory to memory equal software", "[karatsuba][rtl]",
                   Hardware64, Hardware128, Hardware192) {
  check_batches<TestType>(31, 6, nullptr);
}

TEMPLATE_TEST_CASE("batches of products are right whenever memory stalls", "[karatsuba][rtl]",
                   Hardware64, Hardware128, Hardware192) {
  Words stalls(32);
  check_batches<TestType>(33, 6, &stalls);
}

TEST_CASE("a batch of a thousand products", "[karatsuba][rtl]") {
  Operands operands(34);
  Engine<Hardware64> engine;
  engine.run(some_batch(operands, 3, 1000, operands.exactly(64)));
}

TEMPLATE_TEST_CASE("the clocks of a batch", "[karatsuba][rtl]", Hardware64, Hardware128,
                   Hardware192) {
  constexpr std::size_t kBits = TestType::kCoefficientBits;
  Operands operands(35);
  Engine<TestType> engine;
  for (unsigned log2 = 3; log2 <= largest_log2_size<TestType>(); ++log2) {
    const std::size_t size = std::size_t{1} << log2;
    const std::size_t result_words = size * kBits / 256;
    CAPTURE(kBits, size);
    const auto clocks = [&](std::size_t count) {
      return engine.run(some_batch(operands, log2, count, operands.exactly(kBits)));
    };
    // The record, the messages, a gearbox on either side, the last acknowledgement.
    const std::size_t alone = clocks_of_one_product(size, TestType::kSize, kBits) + 7;
    const std::size_t once = clocks(1);
    CHECK(once >= alone);
    CHECK(once <=
          alone + (kBits == 64 ? 0 : result_words));  // the last beats are given word by word
    for (const std::size_t count : {2U, 10U, 30U}) {
      const std::size_t between =
          std::max<std::size_t>(clocks_between_products(size), result_words);
      CHECK(clocks(count) == once + (count - 1) * between);
    }
  }
}

TEST_CASE("a modulus of too few bits ends a batch", "[karatsuba][rtl]") {
  Operands operands(38);
  Engine<Hardware64> engine;
  const Batch batch = some_batch(operands, 4, 3, operands.exactly(64));
  for (const Integer& modulus : {Integer(0), operands.bits(63), Integer(power_of_two(63) - 1),
                                 Integer(power_of_two(64) + 1)}) {
    engine.refuse(batch, modulus);
    engine.run(batch);
  }
}

TEST_CASE("a reset ends a batch in any of its clocks", "[karatsuba][rtl]") {
  Operands operands(36);
  Words stalls(37);
  Engine<Hardware64> engine;
  const Batch abandoned = some_batch(operands, 4, 5, operands.exactly(64));
  for (std::size_t clocks = 1; clocks < 120; ++clocks) {
    engine.abandon(abandoned, clocks, clocks % 2 == 0 ? &stalls : nullptr);
    if (clocks % 4 == 0) engine.run(some_batch(operands, 3, 2, operands.exactly(50)));
  }
  engine.run(some_batch(operands, 7, 2, operands.exactly(64)));
}
