// SPDX-License-Identifier: Apache-2.0
// The processor of 65,536-point transforms: every pattern of a stage, against butterflies computed
// one by one.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "FftProcessor.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Lanes;
using fhe::test::limb;
using fhe::test::multiply_mod;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::transform16;
using fhe::test::Words;
using Samples = std::vector<std::uint64_t>;

constexpr std::size_t kPoints = 65536;
constexpr std::size_t kButterflies = 4096;
constexpr std::size_t kStageLatency = 23;
constexpr std::size_t kSpectrumLatency = 14;
constexpr std::size_t kReadLatency = 4;

struct Stage {
  unsigned digit;
  bool inverse = false;
  bool blank = false;  // the upper points of butterflies with odd counts
};

// Factor of lane k of butterfly `count`: cheap, and different for each.
std::uint64_t factor(std::size_t count, std::size_t lane) {
  return (count * 16 + lane + 1) * 0x9e3779b97f4a7c15 % fhe::test::kModulus;
}

std::size_t sample_of(std::size_t count, unsigned digit, std::size_t lane) {
  const std::size_t low = count & ((std::size_t{1} << 4 * digit) - 1);
  return (count - low) << 4 | lane << 4 * digit | low;
}

// The first `butterflies` of a stage by its definition.
void apply(Samples& samples, const Stage& stage, std::size_t butterflies = kButterflies) {
  for (std::size_t count = 0; count < butterflies; ++count) {
    Lanes points{};
    for (std::size_t n = 0; n < (stage.blank && count % 2 == 1 ? 8 : 16); ++n) {
      points[n] = samples[sample_of(count, stage.digit, n)];
    }
    const Lanes spectrum = transform16(points, stage.inverse);
    for (std::size_t k = 0; k < 16; ++k) {
      samples[sample_of(count, stage.digit, k)] = multiply_mod(spectrum[k], factor(count, k));
    }
  }
}

class Processor {
 public:
  Processor() {
    model_->store = model_->load = model_->blank = model_->inverse = 0;
    model_->read_advance = 1;
    model_.reset();
  }

  void load(const Samples& samples) {
    model_->load = 1;
    for (std::size_t count = 0; count < kButterflies; ++count) {
      model_->load_count = static_cast<SData>(count);
      set_limbs(model_->load_data, samples.data() + 16 * count);
      model_.clock();
    }
    model_->load = 0;
  }

  // The commands of a stage and the clocks that it takes to store; or the first `clocks` of them.
  void run(const Stage& stage, std::size_t clocks = kButterflies + kStageLatency) {
    model_->digit = static_cast<CData>(stage.digit);
    model_->inverse = stage.inverse;
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      model_->count = static_cast<SData>(clock % kButterflies);
      model_->store = clock < kButterflies;
      model_->blank = stage.blank && clock % 2 == 1;
      Lanes factors{};
      for (std::size_t k = 0; k < 16; ++k) factors[k] = factor(clock - kSpectrumLatency, k);
      set_limbs(model_->factors, factors);
      model_.clock();
    }
    model_->store = 0;
    model_->blank = 0;
  }

  // All samples in natural order; with `hold`, the read path stops every now and then.
  Samples read(bool hold = false) {
    Words words(8);
    Samples samples(kPoints);
    model_->digit = 0;
    for (std::size_t count = 0; count < kButterflies + kReadLatency;) {
      model_->count = static_cast<SData>(count % kButterflies);
      model_->read_advance = !hold || words.below(3) != 0;
      if (model_->read_advance && count >= kReadLatency) {
        for (std::size_t n = 0; n < 16; ++n) {
          samples[16 * (count - kReadLatency) + n] = limb(model_->samples, n);
        }
      }
      count += model_->read_advance;
      model_.clock();
    }
    model_->read_advance = 1;
    return samples;
  }

  void reset() { model_.reset(); }

 private:
  Simulation<FftProcessor> model_;
};

Samples random_samples(std::uint64_t seed) {
  Words words(seed);
  Samples samples(kPoints);
  for (std::uint64_t& sample : samples) sample = words.residue();
  return samples;
}

}  // namespace

TEST_CASE("rtl fft_processor: what is loaded is read, also through a held read path", "[rtl]") {
  Processor processor;
  const Samples samples = random_samples(9);
  processor.load(samples);
  CHECK((processor.read() == samples));
  CHECK((processor.read(true) == samples));
}

TEST_CASE("rtl fft_processor: stages of all digits, forward and inverse, back to back", "[rtl]") {
  Processor processor;
  Samples samples = random_samples(10);
  processor.load(samples);
  for (const bool inverse : {false, true}) {
    for (const unsigned digit : {3U, 1U, 0U, 2U}) {
      const Stage stage{.digit = digit, .inverse = inverse};
      apply(samples, stage);
      processor.run(stage);
    }
  }
  CHECK((processor.read() == samples));
}

TEST_CASE("rtl fft_processor: a blanked upper half counts as zero", "[rtl]") {
  Processor processor;
  Samples samples = random_samples(11);
  processor.load(samples);
  const Stage stage{.digit = 3, .blank = true};
  apply(samples, stage);
  processor.run(stage);
  CHECK((processor.read() == samples));
}

TEST_CASE("rtl fft_processor: a reset ends the stores under way", "[rtl]") {
  constexpr std::size_t kClocks = 1000;
  Processor processor;
  Samples samples = random_samples(12);
  processor.load(samples);
  const Stage stage{.digit = 2};
  processor.run(stage, kClocks);
  processor.reset();  // the edge of the reset itself still writes
  apply(samples, stage, kClocks + 1 - (kStageLatency - 1));
  CHECK((processor.read() == samples));
}
