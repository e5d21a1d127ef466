// SPDX-License-Identifier: Apache-2.0
// The transforms of multiplier_throughput alone: spectra by definition, of all lengths, one after
// the other with and without clocks between them; and the clocks.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "ForwardTransform16.h"
#include "InverseTransform16.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::add_mod;
using fhe::test::kModulus;
using fhe::test::kRoot;
using fhe::test::Lanes;
using fhe::test::limb;
using fhe::test::multiply_mod;
using fhe::test::power_mod;
using fhe::test::set_limbs;
using fhe::test::Simulation;
using fhe::test::Words;
using Values = std::vector<std::uint64_t>;

constexpr std::size_t kLanes = 16;
constexpr std::size_t kPoints = 65536;

// Of transforms whose sizes are at most `longest`.
constexpr std::uint64_t forward_clocks(std::size_t longest) {
  return (std::uint64_t{256} << longest) - 256 + 5 * longest + 9 + 533 + 9 + 27;
}
constexpr std::uint64_t inverse_clocks(std::size_t longest) {
  return (std::uint64_t{256} << longest) - 256 + 6 * longest + 9 + 534 + 9 + 28 + 1;
}

std::size_t reversed(std::size_t x, std::size_t bits) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < bits; ++i) result |= (x >> i & 1) << (bits - 1 - i);
  return result;
}

Values powers_of_root() {
  Values result(kPoints, 1);
  for (std::size_t i = 1; i < kPoints; ++i) result[i] = multiply_mod(result[i - 1], kRoot);
  return result;
}

// X(k) = sum of x(n) v^(n k), v of order of the length: halves, each by itself.
Values spectrum_of(const Values& x, const Values& powers) {
  const std::size_t half = x.size() / 2;
  if (half == 0) return x;
  Values even, odd;
  for (std::size_t i = 0; i < half; ++i) even.push_back(x[2 * i]), odd.push_back(x[2 * i + 1]);
  even = spectrum_of(even, powers);
  odd = spectrum_of(odd, powers);
  Values result(x.size());
  for (std::size_t k = 0; k < half; ++k) {
    const std::uint64_t product = multiply_mod(odd[k], powers[k * (kPoints / x.size())]);
    result[k] = add_mod(even[k], product);
    result[k + half] = add_mod(even[k], kModulus - product);
  }
  return result;
}

// Which point of the spectrum leaves in a clock and a lane: forward_transform.
std::size_t place(std::size_t clock, std::size_t lane, std::size_t size) {
  const std::size_t second = (clock >> 6 & 3) + 4 * (clock >> 2 & 15);
  const std::size_t third = (clock & 3) + 4 * lane;
  return reversed(clock >> 8, size) + ((second + 64 * third) << size);
}

// The two sets of ports.
struct Forward {
  using Model = ForwardTransform16;
  static std::uint64_t clocks(std::size_t longest) { return forward_clocks(longest); }
  static constexpr bool kInverse = false;
  static auto& tag_in(Model& model) { return model.tag; }
  static auto& in(Model& model) { return model.points; }
  static auto& tag_out(Model& model) { return model.spectrum_tag; }
  static auto& out(Model& model) { return model.spectrum; }
};
struct Inverse {
  using Model = InverseTransform16;
  static std::uint64_t clocks(std::size_t longest) { return inverse_clocks(longest); }
  static constexpr bool kInverse = true;
  static auto& tag_in(Model& model) { return model.spectrum_tag; }
  static auto& in(Model& model) { return model.spectrum; }
  static auto& tag_out(Model& model) { return model.tag; }
  static auto& out(Model& model) { return model.points; }
};

// The factors of transform_factors, as late as its ROMs.
class Factors {
 public:
  Factors(const Values& powers, bool inverse) : powers_(powers), inverse_(inverse) {}

  template <class Model>
  void serve(Model& model) {
    asked_.emplace_back(model.first_clock, model.second_clock);
    if (asked_.size() <= 2) return;
    const auto [first, second] = asked_.front();
    asked_.pop_front();
    Lanes first_factors{}, second_factors{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      first_factors[lane] = power(reversed(first >> 8, 4) * (16 * (first & 255) + lane));
      second_factors[lane] =
          power(16 * ((second >> 6) + 4 * (second >> 2 & 15)) * (16 * (second & 3) + lane));
      if (inverse_) second_factors[lane] = multiply_mod(second_factors[lane], divided_);
    }
    set_limbs(model.first_factors, first_factors);
    set_limbs(model.second_factors, second_factors);
  }

 private:
  [[nodiscard]] std::uint64_t power(std::size_t exponent) const {
    return powers_[(inverse_ ? kPoints - exponent % kPoints : exponent) % kPoints];
  }

  const Values& powers_;
  bool inverse_;
  std::uint64_t divided_ = power_mod(4096, kModulus - 2);
  std::deque<std::pair<std::size_t, std::size_t>> asked_;
};

struct Job {
  std::size_t size = 0;
  std::uint64_t gap = 0;  // clocks before it
  Values in, out;         // by clock, then by lane
};

Job job_of(std::size_t size, std::uint64_t gap, bool inverse, const Values& powers, Words& words) {
  const std::size_t points = std::size_t{4096} << size;
  Values x(points);
  for (std::uint64_t& value : x) value = words.residue();
  const Values spectrum = spectrum_of(x, powers);
  Values moved(points);
  for (std::size_t i = 0; i < points; ++i) moved[i] = spectrum[place(i / kLanes, i % kLanes, size)];
  return inverse ? Job{size, gap, moved, x} : Job{size, gap, x, moved};
}

template <class Ports>
class Bench {
 public:
  Bench(const Values& powers, std::size_t longest)
      : factors_(powers, Ports::kInverse), clocks_(Ports::clocks(longest)) {
    model_->longest = static_cast<CData>(longest);
    if constexpr (!Ports::kInverse) model_->lend = 0;
  }

  // The results, each when it is due; others than those of the jobs are of the time before. How
  // many beats they were.
  std::size_t run(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
      for (std::uint64_t i = 0; i < job.gap; ++i) clock(0, Values(kLanes, words_.random() >> 1));
      for (std::size_t at = 0; at < job.in.size(); at += kLanes) {
        const std::size_t tag = std::size_t{1} << 15 | job.size << 12 | at / kLanes;
        due_.push_back({now_ + clocks_, tag, &job.out[at]});
        clock(tag, Values(&job.in[at], &job.in[at] + kLanes));
      }
    }
    while (!due_.empty()) clock(0, Values(kLanes));
    return checked_;
  }

 private:
  struct Due {
    std::uint64_t clock = 0;
    std::size_t tag = 0;
    const std::uint64_t* points = nullptr;
  };

  void clock(std::size_t tag, const Values& points) {
    Ports::tag_in(*model_) = static_cast<SData>(tag);
    set_limbs(Ports::in(*model_), points);
    model_.settle();  // with longest = 0 points and clocks go through from the inputs
    factors_.serve(*model_);
    model_.clock();
    ++now_;
    if (now_ < clocks_) return;
    const std::size_t tag_out = Ports::tag_out(*model_);
    if (due_.empty() || due_.front().clock != now_) {
      if (tag_out >> 15 != 0) FAIL("a beat that nobody gave, in clock " << now_);
      return;
    }
    if (tag_out != due_.front().tag) FAIL("tag " << tag_out << " in clock " << now_);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (limb(Ports::out(*model_), lane) != due_.front().points[lane])
        FAIL("tag " << tag_out << ", lane " << lane);
    }
    due_.pop_front();
    ++checked_;
  }

  Simulation<typename Ports::Model> model_;
  Factors factors_;
  std::uint64_t clocks_;
  std::deque<Due> due_;
  std::uint64_t now_ = 0;
  std::size_t checked_ = 0;
  Words words_{330};
};

}  // namespace

TEMPLATE_TEST_CASE("rtl throughput transforms: every length, in any order", "[rtl]", Forward,
                   Inverse) {
  const Values powers = powers_of_root();
  Words words(331);
  const auto check = [&](std::size_t longest, const std::vector<std::size_t>& sizes) {
    INFO("longest " << longest);
    std::vector<Job> jobs;
    std::size_t beats = 0;
    for (const std::size_t size : sizes) {
      const std::uint64_t gap = jobs.size() % 3 == 1 ? words.below(300) : 0;
      beats += std::size_t{256} << size;
      jobs.push_back(job_of(size, gap, TestType::kInverse, powers, words));
    }
    Bench<TestType> bench(powers, longest);
    CHECK(bench.run(jobs) == beats);
  };
  check(4, {0, 0, 4, 1, 3, 0, 2, 2, 0});
  check(3, {3, 0, 2, 3});
  check(2, {2, 1, 0, 2});
  check(1, {1, 0, 1});
  check(0, {0, 0});
}
