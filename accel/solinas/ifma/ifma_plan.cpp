#include "accel/solinas/ifma/ifma_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accel/solinas/ifma/kernels.hpp"
#include "accel/solinas/ifma/make_tables.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"

namespace fhe::solinas {

namespace ifma {
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

// Memory for the residues of a product, kept for the next one: getting it afresh from the system,
// page by page, takes as long as the product.
class WorkMemory {
 public:
  // At least `words` words.
  Spectrum take(std::size_t words) {
    {
      const std::lock_guard lock(mutex_);
      if (kept_.size() >= words) return std::exchange(kept_, Spectrum());
    }
    return Spectrum(words);
  }

  void give_back(Spectrum memory) {
    const std::lock_guard lock(mutex_);
    if (memory.size() > kept_.size()) kept_ = std::move(memory);
  }

 private:
  std::mutex mutex_;
  Spectrum kept_;
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

class IfmaPlan final : public TransformPlan {
 public:
  explicit IfmaPlan(const Shape& shape);

  [[nodiscard]] std::size_t limbs() const override { return shape_.limbs(); }
  [[nodiscard]] std::size_t max_terms() const override { return terms_held(primes_, shape_); }

  [[nodiscard]] Spectrum forward(std::span<const Limb> x) const override;
  void multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const override;
  void add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const override;
  void inverse(Spectrum& spectrum, std::span<Limb> out) const override;
  void product(std::span<const Limb> x, std::span<const Limb> y,
               std::span<Limb> out) const override;

 private:
  // A spectrum has the residues of its primes one after the other, and last a line that says what
  // it holds.
  enum class Holds : Word { operand, products };
  static constexpr std::size_t kLine = 8;

  [[nodiscard]] std::size_t prime_words() const { return tables_[0]->stride * shape_.top; }
  [[nodiscard]] std::size_t spectrum_words() const { return kPrimes * prime_words() + kLine; }
  [[nodiscard]] Word& holds(Spectrum& spectrum) const {
    return spectrum.data()[kPrimes * prime_words()];
  }
  [[nodiscard]] Word* of_prime(Spectrum& spectrum, std::size_t k) const {
    return spectrum.data() + k * prime_words();
  }
  [[nodiscard]] const Word* of_prime(const Spectrum& spectrum, std::size_t k) const {
    return spectrum.data() + k * prime_words();
  }

  void for_each_block(const Workers& workers,
                      const std::function<void(std::size_t prime, std::size_t block)>& body) const;
  // The columns of the blocks in ranges for the threads.
  [[nodiscard]] std::size_t range_count(const Workers& workers) const;
  [[nodiscard]] Range range(std::size_t i, std::size_t count) const;

  void split(std::size_t prime, std::span<const Limb> x, Word* residues,
             const Range& columns) const;
  // Both: the product's residues into the first of `work`, where there is room for three primes.
  void product_by_primes(std::span<const Limb> x, std::span<const Limb> y, bool square,
                         Spectrum& work) const;
  void product_in_parallel(const Workers& workers, std::span<const Limb> x, std::span<const Limb> y,
                           bool square, Spectrum& work) const;
  void join(const Workers& workers, const Recombination& recombination, Spectrum& work,
            std::span<Limb> out) const;

  Shape shape_;
  const PrimeSet& primes_;
  std::array<OwnedTables, kPrimes> owned_;
  std::array<const Tables*, kPrimes> tables_;
  Recombination of_operand_;
  Recombination of_products_;
  mutable WorkMemory memory_;
};

IfmaPlan::IfmaPlan(const Shape& shape)
    : shape_(shape),
      primes_(primes_for(shape)),
      owned_{OwnedTables(primes_.primes[0], primes_.bits, shape),
             OwnedTables(primes_.primes[1], primes_.bits, shape),
             OwnedTables(primes_.primes[2], primes_.bits, shape)},
      tables_{&owned_[0].get(), &owned_[1].get(), &owned_[2].get()},
      of_operand_(make_recombination(primes_, tables_, false)),
      of_products_(make_recombination(primes_, tables_, true)) {}

void IfmaPlan::for_each_block(
    const Workers& workers,
    const std::function<void(std::size_t prime, std::size_t block)>& body) const {
  const std::size_t top = shape_.top;
  workers.for_each(kPrimes * top, [&](std::size_t i) { body(i / top, i % top); });
}

std::size_t IfmaPlan::range_count(const Workers& workers) const {
  constexpr std::size_t kRangesPerThread = 2;
  if (!workers.many()) return 1;
  return std::min(kRangesPerThread * workers.threads(), shape_.block_limbs() / kColumnUnit);
}

Range IfmaPlan::range(std::size_t i, std::size_t count) const {
  const std::size_t units = shape_.block_limbs() / kColumnUnit;
  return {units * i / count * kColumnUnit, units * (i + 1) / count * kColumnUnit};
}

void IfmaPlan::split(std::size_t prime, std::span<const Limb> x, Word* residues,
                     const Range& columns) const {
  split_limbs(*tables_[prime], x.data(), x.size(), residues, columns.first, columns.last);
}

Spectrum IfmaPlan::forward(std::span<const Limb> x) const {
  Spectrum spectrum(spectrum_words());
  holds(spectrum) = static_cast<Word>(Holds::operand);
  const Workers workers(limbs());
  const std::size_t ranges = range_count(workers);
  workers.for_each(kPrimes * ranges, [&](std::size_t i) {
    const std::size_t prime = i / ranges;
    split(prime, x, of_prime(spectrum, prime), range(i % ranges, ranges));
  });
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    forward_block(*tables_[prime], of_prime(spectrum, prime), block);
  });
  return spectrum;
}

void IfmaPlan::multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const {
  if (product.size() != spectrum_words()) product = Spectrum(spectrum_words());
  const Workers workers(limbs());
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    multiply_block(*tables_[prime], of_prime(product, prime), of_prime(a, prime),
                   of_prime(b, prime), block);
  });
  holds(product) = static_cast<Word>(Holds::products);
}

void IfmaPlan::add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const {
  const Workers workers(limbs());
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    add_product_block(*tables_[prime], of_prime(sum, prime), of_prime(a, prime), of_prime(b, prime),
                      block);
  });
}

void IfmaPlan::inverse(Spectrum& spectrum, std::span<Limb> out) const {
  const Workers workers(limbs());
  const bool products = holds(spectrum) == static_cast<Word>(Holds::products);
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    if (!products) shorten_block(*tables_[prime], of_prime(spectrum, prime), block);
    inverse_block(*tables_[prime], of_prime(spectrum, prime), block);
  });
  join(workers, products ? of_products_ : of_operand_, spectrum, out);
}

// Prime by prime: the second operand's memory is used for one prime after the other.
void IfmaPlan::product_by_primes(std::span<const Limb> x, std::span<const Limb> y, bool square,
                                 Spectrum& work) const {
  const Range all{0, shape_.block_limbs()};
  for (std::size_t prime = 0; prime < kPrimes; ++prime) {
    Word* a = of_prime(work, prime);
    Word* b = square ? a : of_prime(work, kPrimes);
    split(prime, x, a, all);
    if (!square) split(prime, y, b, all);
    for (std::size_t block = 0; block < shape_.top; ++block) {
      convolve_block(*tables_[prime], a, b, block);
    }
  }
}

void IfmaPlan::product_in_parallel(const Workers& workers, std::span<const Limb> x,
                                   std::span<const Limb> y, bool square, Spectrum& work) const {
  const auto a = [&](std::size_t prime) { return of_prime(work, prime); };
  const auto b = [&](std::size_t prime) {
    return of_prime(work, square ? prime : kPrimes + prime);
  };
  const std::size_t ranges = range_count(workers);
  workers.for_each(kPrimes * ranges, [&](std::size_t i) {
    const std::size_t prime = i / ranges;
    const Range columns = range(i % ranges, ranges);
    split(prime, x, a(prime), columns);
    if (!square) split(prime, y, b(prime), columns);
  });
  for_each_block(workers, [&](std::size_t prime, std::size_t block) {
    convolve_block(*tables_[prime], a(prime), b(prime), block);
  });
}

void IfmaPlan::product(std::span<const Limb> x, std::span<const Limb> y,
                       std::span<Limb> out) const {
  const bool square = x.data() == y.data() && x.size() == y.size();
  const Workers workers(limbs());
  const std::size_t of_second = square ? 0 : workers.many() ? kPrimes : 1;
  Spectrum work = memory_.take((kPrimes + of_second) * prime_words());
  if (workers.many()) {
    product_in_parallel(workers, x, y, square, work);
  } else {
    product_by_primes(x, y, square, work);
  }
  join(workers, of_products_, work, out);
  memory_.give_back(std::move(work));
}

void IfmaPlan::join(const Workers& workers, const Recombination& recombination, Spectrum& work,
                    std::span<Limb> out) const {
  const std::size_t top = shape_.top;
  const std::size_t ranges = range_count(workers);
  const std::array<const Word*, kPrimes> values{of_prime(work, 0), of_prime(work, 1),
                                                of_prime(work, 2)};
  std::vector<Spill> spills(ranges * top);  // of range i and row m at i * top + m
  workers.for_each(ranges, [&](std::size_t i) {
    const Range columns = range(i, ranges);
    join_limbs(tables_.data(), recombination, values.data(), columns.first, columns.last,
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
}  // namespace ifma

static_assert(kMaxIfmaPlanLimbs == ifma::kMaxLimbs);

std::size_t ifma_plan_limbs(std::size_t min_limbs) {
  if (min_limbs > kMaxIfmaPlanLimbs) {
    throw Error(ErrorCode::invalid_argument, "a product of " + std::to_string(min_limbs) +
                                                 " limbs is asked for; plans have " +
                                                 std::to_string(kMaxIfmaPlanLimbs) + " at most");
  }
  return ifma::fastest_shape(min_limbs).limbs();
}

PlanPtr make_ifma_plan(std::size_t min_limbs) {
  const std::size_t limbs = ifma_plan_limbs(min_limbs);
  return std::make_shared<const ifma::IfmaPlan>(ifma::fastest_shape(limbs));
}

}  // namespace fhe::solinas
