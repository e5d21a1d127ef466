// SPDX-License-Identifier: Apache-2.0
// Backends that are wrong in one way each: the conformance suite finds every one of them, in the
// cases that it belongs to, and goes on.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/conformance/suite.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/plain_chunk_form.hpp"

namespace fhe::test {

namespace {

// Right in everything; those derived from it are not.
class Honest : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override {
    return {.name = "honest",
            .description = "multiply by GMP",
            .max_operand_bits = std::size_t{1} << 27,
            .native = {"multiply"}};
  }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    if (std::max(bit_length(x), bit_length(y)) > info().max_operand_bits) {
      throw Error(ErrorCode::invalid_argument, "an operand is too long");
    }
    counters().count_multiplication(limbs_of(x).size(), limbs_of(y).size());
    return x * y;
  }
};

class Nameless final : public Honest {
 public:
  [[nodiscard]] BackendInfo info() const override {
    BackendInfo info = Honest::info();
    info.name.clear();
    return info;
  }
};

class WrongWhenLong final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    const Integer product = Honest::multiply(x, y);
    const bool is_long = std::min(bit_length(x), bit_length(y)) > 300'000;
    return is_long ? Integer(product + power_of_two(200'000)) : product;
  }
};

class LosesTheSign final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return Honest::multiply(abs(x), y);
  }
};

class WrongForSquares final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return Honest::multiply(x, y) + (&x == &y && bit_length(x) > 90 ? 1 : 0);
  }
};

class TakesAnyLength final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
};

class ThrowsForeignExceptions final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    if (bit_length(x) > 40'000) throw std::runtime_error("the card is on fire");
    return Honest::multiply(x, y);
  }
};

class ThrowsNumbers final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    if (bit_length(x) == 5000) throw 42;
    return Honest::multiply(x, y);
  }
};

class CountsBackwards final : public Honest {
 public:
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    counters().add({.limb_products = ~std::uint64_t{0}});
    return x * y;
  }
};

// A ring whose results differ from those of the default one.
class OtherRing : public Ring {
 public:
  using Ring::Ring;
};

template <class Made>
class WithRing : public Honest {
 public:
  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    return std::make_shared<const Made>(shared_from_this(), modulus);
  }
};

class UnreducedRing final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override {
    const Integer product = Ring::multiply(a, b);
    return product == 1 ? Integer(product + modulus()) : product;
  }
};

class RingThatForgetsTerms final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override {
    return Ring::dot(terms.first(std::min<std::size_t>(terms.size(), 100)));
  }
};

class RingThatMixesUpResults final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] std::vector<Operand> compute_all(std::span<const RingOperation> operations,
                                                 Progress& progress) const override {
    std::vector<Operand> results = Ring::compute_all(operations, progress);
    if (results.size() > 1) std::swap(results.front(), results.back());
    return results;
  }
};

class RingThatDropsSums final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] std::vector<Operand> dot_all(std::span<const std::vector<OperandPair>> sums,
                                             Progress& progress) const override {
    std::vector<Operand> results = Ring::dot_all(sums, progress);
    if (results.size() > 2) results.back() = Operand(Integer());
    return results;
  }
};

class RingThatKeepsTooMuch final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] std::vector<Operand> selected_elements(const CorrectedStream& x,
                                                       const BlockSelection& selection,
                                                       const Monitor& monitor) const override {
    std::vector<Operand> sums = Ring::selected_elements(x, selection, monitor);
    for (Operand& sum : sums) sum = Operand(sum.value() + modulus());
    return sums;
  }
};

class RingOfAnyModulus final : public Honest {
 public:
  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    return Backend::ring(modulus < 2 ? Integer(2) : modulus);
  }
};

// The ring works on a copy of the backend that it does not keep.
class Forgotten final : public Honest {
 public:
  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    const BackendPtr other = std::make_shared<const Honest>();
    return std::make_shared<const Ring>(other, modulus);
  }
};

class RingWithWrongSums final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  using Ring::weighted_sums;
  [[nodiscard]] std::vector<Integer> weighted_sums(const CorrectedStream& x,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    std::vector<Integer> sums = Ring::weighted_sums(x, batch, monitor);
    if (batch.size() % 2 == 1) sums.back() = Ring::reduce(sums.back() + 1);
    return sums;
  }
};

class RingThatSelectsTooLittle final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] std::vector<Integer> selected_sums(const CorrectedStream& x,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    std::vector<Integer> sums = Ring::selected_sums(x, selection, monitor);
    if (selection.width > 5) sums.pop_back();
    return sums;
  }
};

class RingThatTakesAnyMask final : public OtherRing {
 public:
  using OtherRing::OtherRing;
  [[nodiscard]] std::vector<Integer> selected_sums(const CorrectedStream& x,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    BlockSelection allowed = selection;
    for (std::uint32_t& mask : allowed.masks) {
      if (selection.width == 1) mask &= 1U;
    }
    return Ring::selected_sums(x, allowed, monitor);
  }
};

class WrongLastWindow final : public Honest {
 public:
  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    auto windows = Honest::product_windows(c, stream, spec, monitor);
    if (windows.size() == 28) windows.back() ^= 1U;
    return windows;
  }
};

// Cut off in place of rounded.
class CutWindows final : public Honest {
 public:
  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    auto windows = Honest::product_windows(c, stream, spec, monitor);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const Integer product = low_bits(c * stream.element(i), spec.modulus_bits);
      const Integer leading = product >> (spec.modulus_bits - spec.window_bits);
      windows[i] = static_cast<std::uint32_t>(leading.get_ui());
    }
    return windows;
  }
};

// The ninth number gets the windows of the first.
class MixedWindows final : public Honest {
 public:
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> product_windows_all(
      std::span<const Integer> batch, const IntegerStream& stream, const WindowSpec& spec,
      const Monitor& monitor) const override {
    auto windows = Honest::product_windows_all(batch, stream, spec, monitor);
    if (windows.size() > 8) windows[8] = windows[0];
    return windows;
  }
};

class WrongResidues final : public Honest {
 public:
  [[nodiscard]] std::vector<Integer> residues(const IntegerStream& stream, const Integer& modulus,
                                              const Monitor& monitor) const override {
    auto residues = Honest::residues(stream, modulus, monitor);
    if (modulus == 2 && !residues.empty()) residues.front() += modulus;
    return residues;
  }
};

// The last weight is lost.
class ForgetfulForm final : public ChunkForm {
 public:
  explicit ForgetfulForm(std::unique_ptr<ChunkForm> form) : form_(std::move(form)) {}
  [[nodiscard]] Shape shape() const override { return form_->shape(); }
  void set_weight(std::size_t index, std::span<const Limb> weight) override {
    if (index + 1 < shape().chunks) form_->set_weight(index, weight);
  }
  void sums(const Integer& x, std::span<Limb> sums) const override { form_->sums(x, sums); }

 private:
  std::unique_ptr<ChunkForm> form_;
};

class WrongSumsOfChunks final : public Honest {
 public:
  [[nodiscard]] std::unique_ptr<ChunkForm> chunk_form(std::size_t bits,
                                                      std::size_t weight_bits) const override {
    const std::size_t limbs = limbs_for_bits(weight_bits);
    return std::make_unique<ForgetfulForm>(
        std::make_unique<PlainChunkForm>(1, bits / (limbs * kLimbBits) + 1, limbs));
  }
};

class CarelessTest final : public FermatTest {
 public:
  explicit CarelessTest(std::size_t limbs) : limbs_(limbs) {}
  [[nodiscard]] std::size_t width() const override { return 3; }
  [[nodiscard]] std::vector<bool> passes(std::span<const Limb> numbers) const override {
    return std::vector<bool>(numbers.size() / limbs_, true);
  }

 private:
  std::size_t limbs_;
};

class TakesAllForPrimes final : public Honest {
 public:
  [[nodiscard]] std::unique_ptr<FermatTest> fermat_test(std::size_t bits) const override {
    return std::make_unique<CarelessTest>(limbs_for_bits(bits));
  }
};

class NeverStops final : public Honest {
 public:
  [[nodiscard]] std::vector<Integer> residues(const IntegerStream& stream, const Integer& modulus,
                                              const Monitor& monitor) const override {
    return Honest::residues(stream, modulus, {.stop = {}, .progress = monitor.progress});
  }
};

class SaysNothing final : public Honest {
 public:
  [[nodiscard]] std::vector<Integer> residues(const IntegerStream& stream, const Integer& modulus,
                                              const Monitor& monitor) const override {
    return Honest::residues(stream, modulus, {.stop = monitor.stop, .progress = {}});
  }
};

struct Liar {
  std::string lie;
  BackendPtr backend;
  std::string area;     // where it is found
  std::string failure;  // part of one
};

template <class Backend>
Liar liar(std::string lie, std::string area, std::string failure) {
  return {std::move(lie), std::make_shared<const Backend>(), std::move(area), std::move(failure)};
}

std::vector<Liar> liars() {
  return {
      liar<Nameless>("it has no name", "backend", "the backend has a name"),
      liar<WrongWhenLong>("long products are wrong", "backend", "bit 200000 is the lowest"),
      liar<LosesTheSign>("the first sign is lost", "backend", "-6 times 1 is 6 in place of -6"),
      liar<WrongForSquares>("squares are wrong", "backend", "(one object)"),
      liar<ThrowsForeignExceptions>("it throws other exceptions", "backend", "the card is on fire"),
      liar<ThrowsNumbers>("it throws numbers", "backend", "an exception of an unknown type"),
      liar<CountsBackwards>("a counter goes back", "backend", "no counter goes back"),
      liar<WithRing<UnreducedRing>>("a result in a ring is not reduced", "ring", "a product in"),
      liar<WithRing<RingThatForgetsTerms>>("dot products are cut off", "ring", "of 150 terms"),
      liar<WithRing<RingThatMixesUpResults>>("results change places", "ring", "among many"),
      liar<WithRing<RingThatDropsSums>>("a sum of products is missing", "ring", "of results"),
      liar<WithRing<RingThatKeepsTooMuch>>("kept sums are not reduced", "selected_sums",
                                           "as elements of the ring"),
      liar<RingOfAnyModulus>("it takes any modulus", "ring", "the modulus -7"),
      liar<WithRing<RingWithWrongSums>>("an odd number of sums is wrong", "weighted_sums",
                                        "3 weighted sums"),
      liar<WithRing<RingThatSelectsTooLittle>>("a selected sum is missing", "selected_sums",
                                               "entries in place of"),
      liar<WithRing<RingThatTakesAnyMask>>("masks are not checked", "selected_sums",
                                           "outside of the width"),
      liar<WrongLastWindow>("the last window is wrong", "product_windows", "entry 27 of 28"),
      liar<CutWindows>("windows are not rounded", "product_windows", "in place of"),
      liar<MixedWindows>("windows of many numbers are mixed up", "product_windows",
                         "products with number 8 of"),
      liar<WrongResidues>("a residue is not reduced", "residues", "residues of"),
      liar<WrongSumsOfChunks>("a weight is lost", "residues", "sum 0 of a form"),
      liar<TakesAllForPrimes>("it takes every number for a prime", "fermat_test",
                              "Fermat's test of 511 is right"),
      liar<NeverStops>("it does not stop", "monitor", "throws nothing"),
      liar<SaysNothing>("it reports no progress", "monitor", "residues report progress"),
  };
}

std::vector<conformance::Outcome> outcomes_of(BackendPtr backend,
                                              const conformance::Selection& selection) {
  return conformance::run(std::move(backend), conformance::select(selection),
                          conformance::kUsualSeed, {});
}

// The areas with a case that failed.
std::vector<std::string> failed_areas(const std::vector<conformance::Outcome>& outcomes) {
  std::vector<std::string> areas;
  for (const conformance::Outcome& outcome : outcomes) {
    if (!outcome.passed && std::ranges::count(areas, outcome.area) == 0) {
      areas.push_back(outcome.area);
    }
  }
  return areas;
}

bool says(const std::vector<conformance::Outcome>& outcomes, const std::string& area,
          const std::string& part) {
  return std::ranges::any_of(outcomes, [&](const conformance::Outcome& outcome) {
    return outcome.area == area &&
           std::ranges::any_of(outcome.failures, [&](const std::string& failure) {
             return failure.find(part) != std::string::npos;
           });
  });
}

}  // namespace

TEST_CASE("an honest backend passes") {
  std::size_t checks = 0;
  for (const conformance::Outcome& outcome :
       outcomes_of(std::make_shared<const Honest>(), {.only = ""})) {
    CAPTURE(outcome.name, outcome.failures);
    CHECK(outcome.passed);
    checks += outcome.checks;
  }
  CHECK(checks > 2000);
}

TEST_CASE("a backend that is wrong in one way fails where it is wrong") {
  for (Liar& liar : liars()) {
    const auto outcomes = outcomes_of(std::move(liar.backend), {.only = liar.area});
    CAPTURE(liar.lie, liar.area);
    CHECK(std::ranges::count(failed_areas(outcomes), liar.area) == 1);
    CHECK(says(outcomes, liar.area, liar.failure));
  }
}

TEST_CASE("a backend that is wrong in one way fails nowhere else", "[long]") {
  const std::size_t cases = conformance::select({.only = ""}).size();
  for (Liar& liar : liars()) {
    // What is built on products fails with them, and programs with all that they are built on.
    if (liar.area == "backend" || liar.area == "ring") continue;
    const auto outcomes = outcomes_of(std::move(liar.backend), {.only = ""});
    CAPTURE(liar.lie);
    CHECK(outcomes.size() == cases);
    std::vector<std::string> failed = failed_areas(outcomes);
    std::erase(failed, "program");
    CHECK(failed == std::vector{liar.area});
  }
}

TEST_CASE("a ring that does not keep its backend alive fails") {
  const auto outcomes =
      outcomes_of(std::make_shared<const Forgotten>(), {.only = "keeps its backend alive"});
  REQUIRE(outcomes.size() == 1);
  CHECK(says(outcomes, "ring", "a ring keeps its backend alive"));
}

TEST_CASE("a backend that takes operands longer than it says fails the long cases", "[long]") {
  const auto outcomes = outcomes_of(std::make_shared<const TakesAnyLength>(),
                                    {.with_long = true, .only = "longer ones"});
  REQUIRE(outcomes.size() == 1);
  CHECK(says(outcomes, "backend", "throws nothing"));
}

TEST_CASE("a case draws the same operands whenever it is run with the same seed") {
  const auto failures = [](std::uint64_t seed) {
    const auto outcomes =
        conformance::run(std::make_shared<const CutWindows>(),
                         conformance::select({.only = "of random operands"}), seed, {});
    return outcomes.back().failures;
  };
  CHECK(failures(1) == failures(1));
  CHECK(failures(1) != failures(2));
}

}  // namespace fhe::test
