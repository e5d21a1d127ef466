// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/three_primes/three_primes_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"

namespace fhe::cpu {

namespace three_primes {
namespace {

// From this length on a call uses several threads.
constexpr std::size_t kParallelLimbs = std::size_t{1} << 14;

// Ranges of columns are multiples of this.
constexpr std::size_t kColumnUnit = 128;

struct Range {
  std::size_t first;
  std::size_t last;
};

// The threads of one call: asked for once, since asking costs more than a short transform.
class Workers {
 public:
  explicit Workers(std::size_t limbs) : threads_(limbs < kParallelLimbs ? 1 : thread_count()) {}

  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] bool many() const { return threads_ > 1; }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& body) const {
    if (many()) {
      parallel_for(count, body);
    } else {
      for (std::size_t i = 0; i < count; ++i) body(i);
    }
  }

 private:
  std::size_t threads_;
};

// sum += spill * 2^(64 position), modulo 2^(64 L) - 1 for L = sum.size().
void add_cyclic(std::span<Limb> sum, std::size_t position, Spill spill) {
  Limb addend = spill.low;
  Limb next = spill.high;
  while (addend != 0 || next != 0) {
    if (position == sum.size()) position = 0;
    sum[position] += addend;
    const Limb carry = sum[position] < addend ? 1 : 0;
    addend = next + carry;  // next is far from the end of its range
    next = 0;
    ++position;
  }
}

// The largest number of products whose digits the primes hold, when every limb is at its largest:
// terms * limbs * (2^64 - 1)^2 < p1 p2 p3.
std::size_t terms_held(const PrimeSet& set, const Shape& shape) {
  return static_cast<std::size_t>(capacity(set)) / shape.limbs();
}

const PrimeSet& primes_for(const Shape& shape) {
  return terms_held(kNarrow, shape) > 0 ? kNarrow : kWide;
}

// The vector code of a plan. In vectors of four lanes the integers of the wide primes, which have
// less room and are reduced more often, take longer than reals.
const Kernels& code_for(const Shape& shape, Kernel kernel) {
  const bool wide = &primes_for(shape) == &kWide;
  return kernels_of(kernel == Kernel::avxifma && wide ? Kernel::avx2 : kernel);
}

class ThreePrimesPlan final : public TransformPlan {
 public:
  using TransformPlan::add_product;
  using TransformPlan::multiply;

  ThreePrimesPlan(const Shape& shape, const Kernels& kernels);

  [[nodiscard]] std::size_t limbs() const override { return shape_.limbs(); }
  [[nodiscard]] std::size_t max_terms() const override { return terms_held(primes_, shape_); }

  [[nodiscard]] Spectrum forward(std::span<const Limb> x) const override;
  void multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const override;
  void add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const override;
  void multiply(Spectrum& product, std::span<const Limb> x, const Spectrum& y) const override;
  void add_product(Spectrum& sum, std::span<const Limb> x, const Spectrum& y) const override;
  void inverse(Spectrum& spectrum, std::span<Limb> out) const override;
  void product(std::span<const Limb> x, std::span<const Limb> y,
               std::span<Limb> out) const override;
  void product(std::span<const Limb> x, const Spectrum& y, std::span<Limb> out) const override;

 private:
  // A spectrum has the residues of its primes one after the other, and last a line that says what
  // it holds.
  enum class Holds : Limb { operand, products };
  static constexpr std::size_t kLine = 8;

  [[nodiscard]] std::size_t prime_words() const { return tables_[0]->stride * shape_.top; }
  [[nodiscard]] std::size_t spectrum_words() const { return kPrimes * prime_words() + kLine; }
  [[nodiscard]] Limb& holds(Spectrum& spectrum) const {
    return spectrum.data()[kPrimes * prime_words()];
  }
  [[nodiscard]] Limb* of_prime(Spectrum& spectrum, std::size_t k) const {
    return spectrum.data() + k * prime_words();
  }
  [[nodiscard]] const Limb* of_prime(const Spectrum& spectrum, std::size_t k) const {
    return spectrum.data() + k * prime_words();
  }

  void for_each_block(const Workers& workers,
                      const std::function<void(std::size_t prime, std::size_t block)>& body) const;
  // The columns of the blocks in ranges for the threads.
  [[nodiscard]] std::size_t range_count(const Workers& workers) const;
  [[nodiscard]] Range range(std::size_t i, std::size_t count) const;

  // An operand on its way in: its limbs, and where its residues go.
  struct Entry {
    std::span<const Limb> limbs;
    Limb* residues;
    std::size_t step;  // from one prime to the next; 0: one memory for one prime after the other

    [[nodiscard]] Limb* of_prime(std::size_t k) const { return residues + k * step; }
  };
  [[nodiscard]] Entry entry(std::span<const Limb> limbs, Limb* residues) const {
    return {limbs, residues, prime_words()};
  }
  // An operand whose residues are used up at once, so that a single thread needs the memory of one
  // prime alone; scratch_words() is what there must be.
  [[nodiscard]] Entry passing_entry(const Workers& workers, std::span<const Limb> limbs,
                                    Limb* residues) const {
    return {limbs, residues, workers.many() ? prime_words() : 0};
  }
  [[nodiscard]] std::size_t scratch_words(const Workers& workers) const {
    return (workers.many() ? kPrimes : 1) * prime_words();
  }

  // The residues of the operands, then body(prime, block) for all blocks: prime by prime on a
  // single thread, for the cache.
  void enter(const Workers& workers, std::initializer_list<Entry> operands,
             const std::function<void(std::size_t prime, std::size_t block)>& body) const;
  void split(std::initializer_list<Entry> operands, std::size_t prime, const Range& columns) const;
  void join(const Workers& workers, const Recombination& recombination, const Limb* residues,
            std::span<Limb> out) const;

  const Kernels& kernels_;
  Shape shape_;
  const PrimeSet& primes_;
  std::array<OwnedTables, kPrimes> owned_;
  std::array<const Tables*, kPrimes> tables_;
  Recombination of_operand_;
  Recombination of_products_;
};

ThreePrimesPlan::ThreePrimesPlan(const Shape& shape, const Kernels& kernels)
    : kernels_(kernels),
      shape_(shape),
      primes_(primes_for(shape)),
      owned_{OwnedTables(primes_.primes[0], primes_.bits, shape, kernels.form),
             OwnedTables(primes_.primes[1], primes_.bits, shape, kernels.form),
             OwnedTables(primes_.primes[2], primes_.bits, shape, kernels.form)},
      tables_{&owned_[0].get(), &owned_[1].get(), &owned_[2].get()},
      of_operand_(make_recombination(primes_, tables_, false)),
      of_products_(make_recombination(primes_, tables_, true)) {}

void ThreePrimesPlan::for_each_block(
    const Workers& workers,
    const std::function<void(std::size_t prime, std::size_t block)>& body) const {
  const std::size_t top = shape_.top;
  workers.for_each(kPrimes * top, [&](std::size_t i) { body(i / top, i % top); });
}

std::size_t ThreePrimesPlan::range_count(const Workers& workers) const {
  constexpr std::size_t kRangesPerThread = 2;
  if (!workers.many()) return 1;
  return std::min(kRangesPerThread * workers.threads(), shape_.block_limbs() / kColumnUnit);
}

Range ThreePrimesPlan::range(std::size_t i, std::size_t count) const {
  const std::size_t units = shape_.block_limbs() / kColumnUnit;
  return {units * i / count * kColumnUnit, units * (i + 1) / count * kColumnUnit};
}

void ThreePrimesPlan::split(std::initializer_list<Entry> operands, std::size_t prime,
                            const Range& columns) const {
  for (const Entry& x : operands) {
    kernels_.split_limbs(*tables_[prime], x.limbs.data(), x.limbs.size(), x.of_prime(prime),
                         columns.first, columns.last);
  }
}

void ThreePrimesPlan::enter(const Workers& workers, std::initializer_list<Entry> operands,
                            const std::function<void(std::size_t, std::size_t)>& body) const {
  if (!workers.many()) {
    for (std::size_t prime = 0; prime < kPrimes; ++prime) {
      split(operands, prime, {0, shape_.block_limbs()});
      for (std::size_t block = 0; block < shape_.top; ++block) body(prime, block);
    }
    return;
  }
  const std::size_t ranges = range_count(workers);
  workers.for_each(kPrimes * ranges,
                   [&](std::size_t i) { split(operands, i / ranges, range(i % ranges, ranges)); });
  for_each_block(workers, body);
}

Spectrum ThreePrimesPlan::forward(std::span<const Limb> x) const {
  Spectrum spectrum(spectrum_words());
  enter(Workers(limbs()), {entry(x, spectrum.data())}, [&](std::size_t prime, std::size_t block) {
    kernels_.forward_block(*tables_[prime], of_prime(spectrum, prime), block);
  });
  holds(spectrum) = static_cast<Limb>(Holds::operand);
  return spectrum;
}

void ThreePrimesPlan::multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const {
  if (product.size() != spectrum_words()) product = Spectrum(spectrum_words());
  const Workers workers(limbs());
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    kernels_.multiply_block(*tables_[prime], of_prime(product, prime), of_prime(a, prime),
                            of_prime(b, prime), block);
  });
  holds(product) = static_cast<Limb>(Holds::products);
}

void ThreePrimesPlan::add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const {
  const Workers workers(limbs());
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    kernels_.add_product_block(*tables_[prime], of_prime(sum, prime), of_prime(a, prime),
                               of_prime(b, prime), block);
  });
}

void ThreePrimesPlan::multiply(Spectrum& product, std::span<const Limb> x,
                               const Spectrum& y) const {
  if (product.size() != spectrum_words()) product = Spectrum(spectrum_words());
  enter(Workers(limbs()), {entry(x, product.data())}, [&](std::size_t prime, std::size_t block) {
    Limb* const values = of_prime(product, prime);
    kernels_.multiply_with_points(*tables_[prime], values, values, of_prime(y, prime), block);
  });
  holds(product) = static_cast<Limb>(Holds::products);
}

void ThreePrimesPlan::add_product(Spectrum& sum, std::span<const Limb> x, const Spectrum& y) const {
  const Workers workers(limbs());
  PooledWords scratch(scratch_words(workers));
  const Entry passing = passing_entry(workers, x, scratch.data());
  enter(workers, {passing}, [&](std::size_t prime, std::size_t block) {
    kernels_.add_product_with_points(*tables_[prime], of_prime(sum, prime), passing.of_prime(prime),
                                     of_prime(y, prime), block);
  });
}

void ThreePrimesPlan::inverse(Spectrum& spectrum, std::span<Limb> out) const {
  const Workers workers(limbs());
  const bool products = holds(spectrum) == static_cast<Limb>(Holds::products);
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    if (!products) kernels_.shorten_block(*tables_[prime], of_prime(spectrum, prime), block);
    kernels_.inverse_block(*tables_[prime], of_prime(spectrum, prime), block);
  });
  join(workers, products ? of_products_ : of_operand_, spectrum.data(), out);
}

void ThreePrimesPlan::product(std::span<const Limb> x, std::span<const Limb> y,
                              std::span<Limb> out) const {
  const Workers workers(limbs());
  const bool square = x.data() == y.data() && x.size() == y.size();
  PooledWords work(kPrimes * prime_words() + (square ? 0 : scratch_words(workers)));
  const Entry first = entry(x, work.data());
  if (square) {
    enter(workers, {first}, [&](std::size_t prime, std::size_t block) {
      kernels_.convolve_block(*tables_[prime], first.of_prime(prime), first.of_prime(prime), block);
    });
  } else {
    const Entry second = passing_entry(workers, y, work.data() + kPrimes * prime_words());
    enter(workers, {first, second}, [&](std::size_t prime, std::size_t block) {
      kernels_.convolve_block(*tables_[prime], first.of_prime(prime), second.of_prime(prime),
                              block);
    });
  }
  join(workers, of_products_, work.data(), out);
}

void ThreePrimesPlan::product(std::span<const Limb> x, const Spectrum& y,
                              std::span<Limb> out) const {
  const Workers workers(limbs());
  PooledWords work(kPrimes * prime_words());
  const Entry first = entry(x, work.data());
  enter(workers, {first}, [&](std::size_t prime, std::size_t block) {
    kernels_.convolve_with_points(*tables_[prime], first.of_prime(prime), of_prime(y, prime),
                                  block);
  });
  join(workers, of_products_, first.residues, out);
}

void ThreePrimesPlan::join(const Workers& workers, const Recombination& recombination,
                           const Limb* residues, std::span<Limb> out) const {
  const std::size_t top = shape_.top;
  const std::size_t ranges = range_count(workers);
  const std::array<const Limb*, kPrimes> values{residues, residues + prime_words(),
                                                residues + 2 * prime_words()};
  std::vector<Spill> spills(ranges * top);  // of range i and row m at i * top + m
  workers.for_each(ranges, [&](std::size_t i) {
    const Range columns = range(i, ranges);
    kernels_.join_limbs(tables_.data(), recombination, values.data(), columns.first, columns.last,
                        out.data(), spills.data() + i * top);
  });
  for (std::size_t row = 0; row < top; ++row) {
    for (std::size_t i = 0; i < ranges; ++i) {
      add_cyclic(out, row * shape_.block_limbs() + range(i, ranges).last, spills[i * top + row]);
    }
  }
  // 2^(64 L) - 1 stands for zero.
  constexpr Limb kAllOnes = ~Limb{0};
  if (std::all_of(out.begin(), out.end(), [](Limb limb) { return limb == kAllOnes; })) {
    std::fill(out.begin(), out.end(), 0);
  }
}

}  // namespace
}  // namespace three_primes

static_assert(kMaxThreePrimesPlanLimbs == three_primes::kMaxLimbs);

std::size_t three_primes_plan_limbs(std::size_t min_limbs) {
  if (min_limbs > kMaxThreePrimesPlanLimbs) {
    throw Error(ErrorCode::invalid_argument,
                "a product of " + std::to_string(min_limbs) + " limbs is asked for; plans have " +
                    std::to_string(kMaxThreePrimesPlanLimbs) + " at most");
  }
  return three_primes::fastest_shape(min_limbs).limbs();
}

PlanPtr make_three_primes_plan(std::size_t min_limbs, Kernel kernel) {
  const std::size_t limbs = three_primes_plan_limbs(min_limbs);
  const three_primes::Shape shape = three_primes::fastest_shape(limbs);
  return std::make_shared<const three_primes::ThreePrimesPlan>(
      shape, three_primes::code_for(shape, kernel));
}

}  // namespace fhe::cpu
