// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "accel/cpu/streams/grouped_sums.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t kPrimes = three_primes::kPrimes;

// Terms whose weights are transformed at a time, by all threads. Their spectra are to stay in the
// third-level cache, while all groups go through them; the sums of the groups do not fit there, and
// come and go once for these terms.
constexpr std::size_t kTermsAtOnce = 2 * kSpectralTerms;

// The spectra of weights, for a range of terms.
// In the order of PointProducts, kSpectralTerms terms together. Wiped with the memory.
class SpectralWeights {
 public:
  // Room for `terms` weights of each of `sets` sets. The plan must outlive the object.
  SpectralWeights(const SpectralPlan& plan, std::size_t sets, std::size_t terms);

  // Transforms the weights first, first + 1, ..., first + terms - 1 of all sets of the batch, on
  // all threads. Requires as many sets, and not more terms, than there is room for.
  void set(std::span<const DenseWeights> batch, std::size_t first, std::size_t terms);

  // The points modulo one prime of kSpectralTerms terms from `term` on (a multiple of that),
  // counted from the first that was set.
  [[nodiscard]] const std::uint64_t* at(std::size_t term, std::size_t prime) const {
    return words_.data() + offset(term, prime);
  }

 private:
  // The words of weight `index` of at most eight sets, one set in each lane: then what the sets
  // have at one point stands together, as in the table.
  static void gather(std::span<const DenseWeights> sets, std::size_t index, LaneBuffer& words);
  void store(const LaneBuffer& points, std::size_t prime, std::size_t term, std::size_t set);
  [[nodiscard]] std::size_t offset(std::size_t term, std::size_t prime) const;

  const SpectralPlan& plan_;
  std::size_t sets_;
  LaneBuffer words_;
};

SpectralWeights::SpectralWeights(const SpectralPlan& plan, std::size_t sets, std::size_t terms)
    : plan_(plan), sets_(sets) {
  const std::size_t blocks = (terms + kSpectralTerms - 1) / kSpectralTerms;
  words_ = LaneBuffer(offset(blocks * kSpectralTerms, 0));
}

std::size_t SpectralWeights::offset(std::size_t term, std::size_t prime) const {
  const std::size_t of_prime = plan_.points() * kSpectralTerms * weight_words(sets_);
  return (term / kSpectralTerms * three_primes::kPrimes + prime) * of_prime;
}

void SpectralWeights::set(std::span<const DenseWeights> batch, std::size_t first,
                          std::size_t terms) {
  constexpr std::size_t kSpan = 4;  // terms in one step of the parallel loop
  parallel_for((terms + kSpan - 1) / kSpan, [&](std::size_t span) {
    LaneBuffer words(plan_.weight_rows * kLanes);
    LaneBuffer points(plan_.points() * kLanes);
    const std::size_t end = std::min((span + 1) * kSpan, terms);
    for (std::size_t term = span * kSpan; term < end; ++term) {
      for (std::size_t set = 0; set < sets_; set += kLanes) {
        gather(batch.subspan(set, std::min(kLanes, sets_ - set)), first + term, words);
        for (std::size_t prime = 0; prime < three_primes::kPrimes; ++prime) {
          plan_.transform->forward(prime, words.data(), plan_.weight_rows, points.data());
          store(points, prime, term, set);
        }
      }
    }
  });
}

void SpectralWeights::gather(std::span<const DenseWeights> sets, std::size_t index,
                             LaneBuffer& words) {
  std::fill_n(words.data(), words.size(), 0);
  for (std::size_t lane = 0; lane < sets.size(); ++lane) {
    const auto limbs = limbs_of(sets[lane][index]);
    for (std::size_t row = 0; row < limbs.size(); ++row) {
      words.data()[row * kLanes + lane] = limbs[row];
    }
  }
}

void SpectralWeights::store(const LaneBuffer& points, std::size_t prime, std::size_t term,
                            std::size_t set) {
  const std::size_t step = weight_words(sets_);
  std::uint64_t* to = words_.data() + offset(term, prime) + term % kSpectralTerms * step + set;
  for (std::size_t n = 0; n < plan_.points(); ++n) {
    std::copy_n(points.data() + n * kLanes, kLanes, to + n * kSpectralTerms * step);
  }
}

// What one thread needs for kSpectralTerms terms of kSpectralGroups groups: the generated words,
// and their spectra modulo one prime. These are public. Spectra are a row more than their length
// apart, so that what they hold for one point does not fall into one set of the cache.
class Workspace {
 public:
  explicit Workspace(const SpectralPlan& plan)
      : chunk_words_(plan.chunk_rows * kLanes),
        spectrum_words_((plan.points() + 1) * kLanes),
        words_(kSpectralGroups * kSpectralTerms * chunk_words_),
        spectra_(kSpectralGroups * kSpectralTerms * spectrum_words_) {}

  [[nodiscard]] std::uint64_t* words(std::size_t group, std::size_t term) {
    return words_.data() + (group * kSpectralTerms + term) * chunk_words_;
  }
  [[nodiscard]] std::uint64_t* spectrum(std::size_t group, std::size_t term) {
    return spectra_.data() + group * group_stride() + term * term_stride();
  }
  [[nodiscard]] std::size_t group_stride() const { return kSpectralTerms * spectrum_words_; }
  [[nodiscard]] std::size_t term_stride() const { return spectrum_words_; }

 private:
  std::size_t chunk_words_;
  std::size_t spectrum_words_;
  LaneBuffer words_;
  LaneBuffer spectra_;
};

// Lends workspaces to the threads, each again and again.
class Workspaces {
 public:
  explicit Workspaces(const SpectralPlan& plan) : plan_(plan) {}

  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace>(plan_);
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  const SpectralPlan& plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

struct Range {
  std::size_t first;
  std::size_t count;
};

// Part `which` of `parts` parts, as equal as can be.
Range part_of(std::size_t count, std::size_t which, std::size_t parts) {
  const std::size_t first = which * count / parts;
  return {first, (which + 1) * count / parts - first};
}

// In how many parts groups are worked on: as many for each thread, of kSpectralGroups at most.
std::size_t part_count(std::size_t groups) {
  const std::size_t threads = std::min(thread_count(), groups);
  const std::size_t most = threads * kSpectralGroups;
  return (groups + most - 1) / most * threads;
}

// One call of spectral_lane_sums. The sums of a group are, for one prime after the other, rows in
// the order of PointProducts.
class SpectralPass {
 public:
  SpectralPass(const LaneStream& stream, std::span<const DenseWeights> batch,
               const SpectralPlan& plan, const Backend& backend, const Monitor& monitor)
      : stream_(stream),
        batch_(batch),
        plan_(plan),
        backend_(backend),
        monitor_(monitor),
        chunk_bits_(plan.chunk_rows * kLimbBits),
        prime_words_(plan.points() * batch.size() * kLanes),
        workspaces_(plan),
        results_(batch.size(), plan.groups, kLanes * plan.chunk_rows,
                 (kLanes - 1) * plan.chunk_rows + plan.points() + kSpillLimbs) {}

  std::vector<Integer> run() {
    const std::size_t terms = std::min(stream_.count(), kTermsAtOnce);
    const std::size_t groups = plan_.groups_at_once;
    const std::size_t steps = (stream_.count() + terms - 1) / terms;
    Progress progress(monitor_, "weighted sums", steps * plan_.groups);
    SpectralWeights weights(plan_, batch_.size(), terms);
    for (std::size_t group = 0; group < plan_.groups; group += groups) {
      const Range columns{group, std::min(groups, plan_.groups - group)};
      LaneBuffer sums(columns.count * group_words());
      for (std::size_t term = 0; term < stream_.count(); term += terms) {
        const Range rows{term, std::min(terms, stream_.count() - term)};
        weights.set(batch_, rows.first, rows.count);
        add_terms(columns, rows, weights, sums, progress);
      }
      parallel_for(columns.count, [&](std::size_t g) {
        add_to_results(group + g, sums.data() + g * group_words());
      });
    }
    return results_.join();
  }

 private:
  static constexpr std::size_t kSpillLimbs = 2;

  [[nodiscard]] std::size_t group_words() const { return kPrimes * prime_words_; }

  // Adds the terms of `rows`, whose weights are set, to the sums of all groups of `columns`.
  void add_terms(Range columns, Range rows, const SpectralWeights& weights, LaneBuffer& sums,
                 Progress& progress) {
    const std::size_t parts = part_count(columns.count);
    parallel_for(parts, [&](std::size_t which) {
      const Range part = part_of(columns.count, which, parts);
      auto workspace = workspaces_.take();
      for (std::size_t done = 0; done < rows.count; done += kSpectralTerms) {
        monitor_.throw_if_stopped();
        const Range terms{rows.first + done, std::min(kSpectralTerms, rows.count - done)};
        generate({columns.first + part.first, part.count}, terms, *workspace);
        for (std::size_t prime = 0; prime < kPrimes; ++prime) {
          transform(prime, part.count, terms.count, *workspace);
          plan_.transform->kernel().add_point_products(
              plan_.transform->field(prime),
              {.points = plan_.points(),
               .groups = part.count,
               .terms = terms.count,
               .sets = batch_.size(),
               .x = workspace->spectrum(0, 0),
               .x_group = workspace->group_stride(),
               .x_term = workspace->term_stride(),
               .weights = weights.at(done, prime),
               .sums = sums.data() + part.first * group_words() + prime * prime_words_,
               .sums_group = group_words()});
        }
      }
      workspaces_.give_back(std::move(workspace));
      progress.advance(part.count);
    });
  }

  void generate(Range groups, Range terms, Workspace& workspace) const {
    const std::size_t blocks = plan_.chunk_rows / 2;
    for (std::size_t g = 0; g < groups.count; ++g) {
      const std::size_t chunk = (groups.first + g) * kLanes;
      const std::size_t first_bit = chunk * chunk_bits_;
      const LaneBuffer mask = stream_.end_mask(first_bit, chunk_bits_, plan_.chunk_rows);
      for (std::size_t i = 0; i < terms.count; ++i) {
        std::uint64_t* words = workspace.words(g, i);
        stream_.kernels().generator.generate_lanes(
            stream_.key(), stream_.chunks(terms.first + i, chunk, blocks), blocks, words);
        apply_mask(words, mask);
      }
      backend_.counters().count_stream_bytes(terms.count *
                                             stream_.bytes_in(first_bit, kLanes * chunk_bits_));
    }
  }

  void transform(std::size_t prime, std::size_t groups, std::size_t terms,
                 Workspace& workspace) const {
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::size_t i = 0; i < terms; ++i) {
        plan_.transform->forward(prime, workspace.words(g, i), plan_.chunk_rows,
                                 workspace.spectrum(g, i));
      }
    }
  }

  // Back from the sums of one group to words, which are added to the results.
  void add_to_results(std::size_t group, const std::uint64_t* sums) {
    const std::size_t points = plan_.points();
    constexpr std::size_t kDigitUnit = 32;  // of three_primes::recombine
    const std::size_t digits = (points + kDigitUnit - 1) / kDigitUnit * kDigitUnit;
    LaneBuffer values(points * kLanes);
    LaneBuffer residues(kPrimes * kLanes * digits);  // of one lane after the other
    std::vector<Limb> limbs(digits + kSpillLimbs);
    for (std::size_t set = 0; set < batch_.size(); ++set) {
      for (std::size_t prime = 0; prime < kPrimes; ++prime) {
        const std::uint64_t* of_prime = sums + prime * prime_words_;
        for (std::size_t n = 0; n < points; ++n) {
          std::copy_n(of_prime + (n * batch_.size() + set) * kLanes, kLanes,
                      values.data() + n * kLanes);
        }
        plan_.transform->inverse(prime, values.data());
        plan_.transform->kernel().separate_lanes(values.data(), points,
                                                 residues.data() + prime * kLanes * digits, digits);
      }
      const std::span<Limb> part = results_.part(set, group);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t* of_lane = residues.data() + lane * digits;
        const std::uint64_t* of_primes[kPrimes] = {of_lane, of_lane + kLanes * digits,
                                                   of_lane + 2 * kLanes * digits};
        const three_primes::Spill spill =
            plan_.transform->recombine(of_primes, digits, limbs.data());
        limbs[digits] = spill.low;
        limbs[digits + 1] = spill.high;
        add_into(part.subspan(lane * plan_.chunk_rows),
                 std::span<const Limb>(limbs).first(points + kSpillLimbs));
      }
    }
  }

  const LaneStream& stream_;
  std::span<const DenseWeights> batch_;
  const SpectralPlan& plan_;
  const Backend& backend_;
  const Monitor& monitor_;
  std::size_t chunk_bits_;
  std::size_t prime_words_;  // sums of one group modulo one prime
  Workspaces workspaces_;
  OverlappingSums results_;
};

}  // namespace

std::vector<Integer> spectral_lane_sums(const LaneStream& stream,
                                        std::span<const DenseWeights> batch,
                                        const SpectralPlan& plan, const Backend& backend,
                                        const Monitor& monitor) {
  return SpectralPass(stream, batch, plan, backend, monitor).run();
}

}  // namespace fhe::cpu
