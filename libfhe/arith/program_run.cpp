// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/program_run.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/program_schedule.hpp"
#include "libfhe/arith/side_by_side.hpp"
#include "libfhe/arith/small_quotient.hpp"

namespace fhe {

namespace {

constexpr std::size_t kMaskBits = 32;

using Windows = std::vector<std::vector<std::uint32_t>>;

// ---- Windows ----

// Bits of a quotient below the last one that is looked at.
constexpr std::size_t kQuotientGuardBits = 64;
// How much longer than the quotient the leading part of the divisor is.
constexpr std::size_t kDivisorExcess = 64;

// floor(y 2^bits / d) for 0 <= y < d.
Integer exact_quotient(const Integer& y, const Integer& d, std::size_t bits) {
  return (y << bits) / d;
}

// The same, possibly 1 too small: from Y = floor(y / 2^t) and D = floor(d / 2^t) of
// bits + kDivisorExcess bits as floor(Y 2^bits / (D + 1)), because
//
//   Y 2^bits / (D + 1)  <=  y 2^bits / d  <  (Y + 1) 2^bits / D  <=  Y 2^bits / (D + 1) + 2^(2 -
//   excess).
Integer leading_quotient(const Integer& y, const Integer& d, std::size_t bits) {
  const std::size_t kept = bits + kDivisorExcess;
  if (bit_length(d) <= kept) return exact_quotient(y, d, bits);
  const std::size_t cut = bit_length(d) - kept;
  const Integer divisor = (d >> cut) + 1;
  return ((y >> cut) << bits) / divisor;
}

// floor(y 2^bits / d) for 0 <= y < d, nearly always from the leading bits alone.
Integer quotient(const Integer& y, const Integer& d, std::size_t bits) {
  const Integer low = leading_quotient(y, d, bits + kQuotientGuardBits);
  const Integer high = low + 1;
  const Integer result = low >> kQuotientGuardBits;
  return result == high >> kQuotientGuardBits ? result : exact_quotient(y, d, bits);
}

// Bits [first, first + count) of x >= 0; count <= 33.
std::uint64_t bits_at(const Integer& x, std::size_t first, std::size_t count) {
  const auto limbs = limbs_of(x);
  const std::size_t at = first / kLimbBits;
  const std::size_t shift = first % kLimbBits;
  Limb window = at < limbs.size() ? limbs[at] >> shift : 0;
  if (shift != 0 && at + 1 < limbs.size()) window |= limbs[at + 1] << (kLimbBits - shift);
  return window & ((Limb{1} << count) - 1);
}

// Behind those that are there, for one number.
void add_residue_windows(const Ring& ring, const RingProgram& program, const Integer& c,
                         std::vector<std::uint32_t>& windows, Progress& progress) {
  const ResidueWindows& wanted = program.residues;
  const Operand factor = ring.prepare(c);
  std::vector<RingOperation> operations;
  operations.reserve(wanted.factors.size());
  for (const Operand& y : wanted.factors) {
    operations.push_back({.kind = RingOperation::Kind::multiply, .a = factor, .b = y});
  }
  const std::vector<Operand> residues = ring.compute_all(operations, progress);
  const std::size_t first = windows.size();
  windows.resize(first + wanted.windows());
  parallel_for(residues.size(), [&](std::size_t k) {
    std::ranges::copy(windows_of_residue(residues[k].value(), ring.modulus(), wanted.count,
                                         wanted.step, program.windows.window_bits),
                      windows.begin() + static_cast<std::ptrdiff_t>(first + k * wanted.count));
  });
}

// ---- Elements ----

// Some elements of a stream, one after the other.
class StreamPart final : public IntegerStream {
 public:
  StreamPart(const IntegerStream& whole, std::size_t first, std::size_t count)
      : whole_(whole), first_(first), count_(count) {}

  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] std::size_t bits() const override { return whole_.bits(); }
  [[nodiscard]] std::unique_ptr<Reader> reader() const override {
    return std::make_unique<PartReader>(whole_.reader(), first_);
  }
  [[nodiscard]] std::optional<StreamSource> source() const override {
    std::optional<StreamSource> source = whole_.source();
    if (source) source->first_index += static_cast<std::uint32_t>(first_);
    return source;
  }

 private:
  class PartReader final : public Reader {
   public:
    PartReader(std::unique_ptr<Reader> whole, std::size_t first)
        : whole_(std::move(whole)), first_(first) {}
    void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) override {
      whole_->read(first_ + element, first_limb, out);
    }

   private:
    std::unique_ptr<Reader> whole_;
    std::size_t first_;
  };

  const IntegerStream& whole_;
  std::size_t first_;
  std::size_t count_;
};

// ---- One round ----

using Values = std::vector<std::optional<Operand>>;

// The terms of a sum that is under way.
using Terms = std::vector<Operand>;

void add_multiple(Integer& sum, long times, const Integer& x) {
  if (times >= 0) {
    mpz_addmul_ui(sum.get_mpz_t(), x.get_mpz_t(), static_cast<unsigned long>(times));
  } else {
    mpz_submul_ui(sum.get_mpz_t(), x.get_mpz_t(), static_cast<unsigned long>(-times));
  }
}

// Computes the sums of one round for one number.
class Round {
 public:
  Round(const ProgramSchedule& schedule, const Ring& ring, const std::vector<ProgramSum>& sums,
        Progress& progress)
      : schedule_(schedule), ring_(ring), sums_(sums), progress_(progress) {}

  // Adds the sums to the values.
  void compute(Values& values) const {
    std::vector<Terms> terms(sums_.size());
    multiply(values, terms);
    add_dots(values, terms);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (!sums_[i].is_plain()) continue;
      for (const auto& one : sums_[i].multiples) terms[i].push_back(*values[one.value]);
    }
    add_up(terms);
    combine(values, terms);
    prepare(terms);
    for (std::size_t i = 0; i < sums_.size(); ++i) values[sums_[i].value] = std::move(terms[i][0]);
  }

 private:
  // Whether the products of a sum are all of it.
  [[nodiscard]] static bool is_of_products(const ProgramSum& sum) {
    return sum.multiples.empty() && sum.divisor == 1;
  }

  // Whether a sum is the factor of several products.
  [[nodiscard]] bool is_factor(const ProgramSum& sum) const {
    return schedule_.is_factor(sum.value);
  }

  // Single products.
  void multiply(const Values& values, std::vector<Terms>& terms) const {
    std::vector<std::size_t> chosen;
    std::vector<RingOperation> operations;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].products.size() != 1) continue;
      const auto& [x, y] = sums_[i].products.front();
      chosen.push_back(i);
      operations.push_back({.kind = RingOperation::Kind::multiply,
                            .a = *values[x],
                            .b = *values[y],
                            .is_factor = is_of_products(sums_[i]) && is_factor(sums_[i])});
    }
    std::vector<Operand> products = ring_.compute_all(operations, progress_);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      terms[chosen[k]].push_back(std::move(products[k]));
    }
  }

  // Sums of products. A sum that is alone in its round is parted for all threads, but not into
  // parts of less than four products.
  void add_dots(const Values& values, std::vector<Terms>& terms) const {
    constexpr std::size_t kFewestProducts = 4;
    std::vector<std::size_t> chosen;
    std::vector<std::vector<OperandPair>> dots;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::size_t count = sums_[i].products.size();
      if (count < 2) continue;
      const std::size_t threads = sums_.size() == 1 ? thread_count() : 1;
      const std::size_t parts = std::clamp<std::size_t>(count / kFewestProducts, 1, threads);
      const std::size_t first = dots.size();
      dots.resize(first + parts);
      chosen.insert(chosen.end(), parts, i);
      for (std::size_t k = 0; k < count; ++k) {
        const auto& [x, y] = sums_[i].products[k];
        dots[first + k % parts].emplace_back(*values[x], *values[y]);
      }
      // Of each product but one in a dot: itself and an addition.
      progress_.advance(2 * (count - parts));
    }
    std::vector<Operand> results = ring_.dot_all(dots, progress_);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      terms[chosen[k]].push_back(std::move(results[k]));
    }
  }

  // All sums in rounds of additions, until each has one term at most.
  void add_up(std::vector<Terms>& terms) const {
    for (;;) {
      std::vector<RingOperation> additions;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool is_last = terms[i].size() == 2 && sums_[i].is_plain();
        for (std::size_t k = 0; k + 2 <= terms[i].size(); k += 2) {
          additions.push_back({.kind = RingOperation::Kind::add,
                               .a = terms[i][k],
                               .b = terms[i][k + 1],
                               .is_factor = is_last && is_factor(sums_[i])});
        }
      }
      if (additions.empty()) return;
      std::vector<Operand> results = ring_.compute_all(additions, progress_);
      auto next = results.begin();
      for (Terms& sum : terms) {
        const std::size_t pairs = sum.size() / 2;
        if (sum.size() % 2 != 0) std::swap(sum[pairs], sum.back());
        std::move(next, next + static_cast<std::ptrdiff_t>(pairs), sum.begin());
        next += static_cast<std::ptrdiff_t>(pairs);
        sum.resize(sum.size() - pairs, Operand(Integer()));
      }
    }
  }

  // Multiples and divisions, which take linear time: the quotient of a sum by the modulus is a
  // limb.
  void combine(const Values& values, std::vector<Terms>& terms) const {
    parallel_for(sums_.size(), [&](std::size_t i) {
      const ProgramSum& sum = sums_[i];
      if (sum.is_plain()) return;
      Integer total = terms[i].empty() ? Integer() : terms[i].front().value();
      for (const auto& one : sum.multiples)
        add_multiple(total, one.times, values[one.value]->value());
      mpz_fdiv_r(total.get_mpz_t(), total.get_mpz_t(), ring_.modulus().get_mpz_t());
      if (sum.divisor != 1) total = divided(std::move(total), sum.divisor, ring_.modulus());
      terms[i].assign(1, Operand(std::move(total)));
    });
    for (const ProgramSum& sum : sums_) {
      if (sum.is_plain()) continue;
      const std::size_t of_products = sum.products.empty() ? 0 : 2 * sum.products.size() - 1;
      progress_.advance(sum.steps - of_products);
    }
  }

  // Sums that no operation has prepared.
  void prepare(std::vector<Terms>& terms) const {
    std::vector<std::size_t> chosen;
    std::vector<Operand> elements;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const bool is_dot = is_of_products(sums_[i]) && sums_[i].products.size() > 1;
      if ((sums_[i].is_plain() && !is_dot) || !is_factor(sums_[i])) continue;
      chosen.push_back(i);
      elements.push_back(terms[i][0]);
    }
    std::vector<Operand> prepared = ring_.prepare_all(elements);
    for (std::size_t k = 0; k < chosen.size(); ++k) terms[chosen[k]][0] = std::move(prepared[k]);
  }

  const ProgramSchedule& schedule_;
  const Ring& ring_;
  const std::vector<ProgramSum>& sums_;
  Progress& progress_;
};

// ---- One run ----

// For a few numbers, which share the passes.
class Run {
 public:
  Run(const Ring& ring, const RingProgram& program, const ProgramSchedule& schedule,
      std::span<const Integer> cs, const Monitor& monitor)
      : ring_(ring),
        program_(program),
        schedule_(schedule),
        monitor_(monitor),
        windows_(windows_of(ring, program, cs, monitor)),
        values_(cs.size(), Values(schedule.values())) {}

  [[nodiscard]] std::vector<Integer> results() {
    for (const ProgramStage& stage : schedule_.stages()) {
      for (const ProgramPass& pass : stage.passes) select(pass);
      load(stage.others);
      if (!stage.rounds.empty()) compute(stage);
    }
    std::vector<Integer> results;
    for (const Values& values : values_) results.push_back(values[program_.output]->value());
    return results;
  }

 private:
  static constexpr const char* kPhase = "adder";

  // ---- Sums over groups

  void select(const ProgramPass& pass) {
    const std::size_t most = std::max<std::size_t>(kMaskBits / pass.width(), 1);
    const std::size_t parts = (values_.size() + most - 1) / most;
    for (std::size_t part = 0; part < parts; ++part) {
      // As many in each, but for one.
      const std::size_t first = part * values_.size() / parts;
      select(pass, first, (part + 1) * values_.size() / parts - first);
    }
    prepare(pass);
  }

  // For `count` numbers from `first` on, whose masks stand side by side.
  void select(const ProgramPass& pass, std::size_t first, std::size_t count) {
    const BlockSelection selection = selection_of(pass, first, count);
    std::vector<Operand> sums =
        pass.stream ? of_stream(pass, selection)
                    : ring_.selected_elements(kept_elements(pass), selection, monitor_);
    auto next = sums.begin();
    for (const ProgramPass::Block& block : pass.blocks) {
      for (std::size_t k = first; k < first + count; ++k) {
        for (const auto& column : block.columns) add(values_[k][column.value], std::move(*next++));
      }
    }
  }

  // The sum of a group that is of several blocks is that of their sums.
  void add(std::optional<Operand>& value, Operand more) const {
    value = value ? Operand(ring_.add(value->value(), more.value())) : std::move(more);
  }

  [[nodiscard]] BlockSelection selection_of(const ProgramPass& pass, std::size_t first,
                                            std::size_t count) const {
    BlockSelection selection{.block_size = pass.block_size,
                             .width = static_cast<unsigned>(count) * pass.width(),
                             .masks = std::vector<std::uint32_t>(elements_of(pass))};
    parallel_for(pass.blocks.size(), [&](std::size_t b) {
      const ProgramPass::Block& block = pass.blocks[b];
      for (std::size_t i = 0; i < block.count; ++i) {
        std::uint32_t& mask = selection.masks[b * pass.block_size + i];
        unsigned at = 0;
        for (std::size_t k = first; k < first + count; ++k) {
          for (const auto& column : block.columns) {
            mask |= (window_of(k, column.group, block.first + i) >> column.bit & 1) << at++;
          }
        }
      }
    });
    return selection;
  }

  // Of a stream only the last block may be shorter; what is kept is repeated to fill up blocks.
  [[nodiscard]] static std::size_t elements_of(const ProgramPass& pass) {
    const std::size_t whole = pass.blocks.size() * pass.block_size;
    return pass.stream ? whole - pass.block_size + pass.blocks.back().count : whole;
  }

  [[nodiscard]] std::uint32_t window_of(std::size_t k, std::size_t group,
                                        std::size_t element) const {
    const WindowGroup& of = program_.groups[group];
    return windows_[k][of.first_window + (element - of.first) * of.window_step] + of.plus;
  }

  [[nodiscard]] std::vector<Operand> of_stream(const ProgramPass& pass,
                                               const BlockSelection& selection) const {
    const CorrectedStream& whole = program_.elements[*pass.stream];
    const std::size_t first = pass.blocks.front().first - first_of(*pass.stream);
    const std::size_t count = selection.masks.size();
    const StreamPart part(whole.elements, first, count);
    const bool is_whole = count == whole.elements.count();
    return ring_.selected_elements(
        {is_whole ? whole.elements : part,
         whole.corrections.empty() ? whole.corrections : whole.corrections.subspan(first, count)},
        selection, monitor_);
  }

  [[nodiscard]] std::size_t first_of(std::size_t stream) const {
    std::size_t first = 0;
    for (std::size_t i = 0; i < stream; ++i) first += program_.elements[i].elements.count();
    return first;
  }

  [[nodiscard]] std::vector<Operand> kept_elements(const ProgramPass& pass) const {
    std::vector<Operand> elements;
    elements.reserve(elements_of(pass));
    for (const ProgramPass::Block& block : pass.blocks) {
      const auto from = program_.kept.subspan(block.first - program_.streamed(), block.count);
      for (std::size_t i = 0; i < pass.block_size; ++i) elements.push_back(from[i % from.size()]);
    }
    return elements;
  }

  // Those of a pass that several products use.
  void prepare(const ProgramPass& pass) {
    std::vector<std::optional<Operand>*> chosen;
    for (Values& values : values_) {
      for (const ProgramPass::Block& block : pass.blocks) {
        for (const auto& column : block.columns) {
          if (schedule_.is_factor(column.value)) chosen.push_back(&values[column.value]);
        }
      }
    }
    std::vector<Operand> factors;
    for (std::optional<Operand>* const value : chosen)
      factors.push_back(*std::exchange(*value, {}));
    factors = ring_.prepare_all(factors);
    for (std::size_t i = 0; i < chosen.size(); ++i) *chosen[i] = std::move(factors[i]);
  }

  // ---- Singles and constants

  void load(const std::vector<std::size_t>& others) {
    std::vector<Operand> elements(others.size(), Operand(Integer()));
    parallel_for(others.size(), [&](std::size_t i) { elements[i] = element_of(others[i]); });
    std::vector<std::size_t> chosen;
    std::vector<Operand> factors;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (!schedule_.is_factor(others[i])) continue;
      chosen.push_back(i);
      factors.push_back(elements[i]);
    }
    factors = ring_.prepare_all(factors);
    for (std::size_t i = 0; i < chosen.size(); ++i) elements[chosen[i]] = std::move(factors[i]);
    for (Values& values : values_) {
      for (std::size_t i = 0; i < others.size(); ++i) values[others[i]] = elements[i];
    }
  }

  [[nodiscard]] Operand element_of(std::size_t value) const {
    const std::size_t index = value - program_.groups.size() * program_.windows.window_bits;
    if (index >= program_.singles.size()) {
      const Integer& constant = program_.constants[index - program_.singles.size()].value;
      return Operand(sgn(constant) < 0 ? Integer(constant + ring_.modulus()) : constant);
    }
    std::size_t element = program_.singles[index];
    for (const auto& [stream, corrections] : program_.elements) {
      if (element >= stream.count()) {
        element -= stream.count();
        continue;
      }
      const Integer whole = stream.element(element);
      return Operand(ring_.reduce(corrections.empty() ? whole : whole - corrections[element]));
    }
    return program_.kept[element];
  }

  // ---- Rounds

  void compute(const ProgramStage& stage) {
    const std::size_t before = rounds_;
    const auto compute_for = [&](std::size_t k, Progress& progress) {
      for (std::size_t r = 0; r < stage.rounds.size(); ++r) {
        Round(schedule_, ring_, stage.rounds[r], progress).compute(values_[k]);
        for (std::size_t value = 0; value < values_[k].size(); ++value) {
          if (schedule_.is_done(value, before + r + 1)) values_[k][value].reset();
        }
      }
    };
    if (values_.size() == 1) {
      if (!progress_) progress_.emplace(monitor_, kPhase, schedule_.steps());
      compute_for(0, *progress_);
    } else {
      side_by_side(values_.size(), kPhase, monitor_, [&](std::size_t k, const Monitor& quiet) {
        Progress own(quiet, kPhase, schedule_.steps());
        compute_for(k, own);
      });
    }
    rounds_ += stage.rounds.size();
  }

  const Ring& ring_;
  const RingProgram& program_;
  const ProgramSchedule& schedule_;
  const Monitor& monitor_;
  Windows windows_;
  std::vector<Values> values_;
  std::size_t rounds_ = 0;            // that are done
  std::optional<Progress> progress_;  // of a single number; begins with its first round
};

ProgramSchedule schedule_of(const RingProgram& program, std::size_t modulus_bits,
                            std::size_t bytes) {
  // Beside the sums of a stage their factors are held, which are prepared.
  constexpr std::size_t kBesideSums = 4;
  return {program, std::max<std::size_t>(bytes / bytes_for_bits(modulus_bits) / kBesideSums, 1)};
}

// How many numbers share a run, where passes can be shared.
std::size_t together(const ProgramSchedule& schedule, std::size_t modulus_bits, std::size_t bytes) {
  const std::size_t sums = std::max<std::size_t>(schedule.group_sums(), 1);
  return std::clamp<std::size_t>(bytes / (sums * bytes_for_bits(modulus_bits)), 1, kRunTogether);
}

}  // namespace

std::vector<std::uint32_t> windows_of_residue(const Integer& residue, const Integer& modulus,
                                              std::size_t count, std::size_t step,
                                              unsigned window_bits) {
  const Integer expansion = quotient(residue, modulus, step * (count - 1) + window_bits);
  std::vector<std::uint32_t> windows(count);
  for (std::size_t j = 0; j < count; ++j) {
    const std::uint64_t window = bits_at(expansion, step * (count - 1 - j), window_bits + 1);
    const std::uint64_t leading = window & ((std::uint64_t{1} << window_bits) - 1);
    const std::uint64_t parity =
        j == 0 ? (mpz_odd_p(residue.get_mpz_t()) != 0 ? 1 : 0) : window >> window_bits;
    windows[j] = static_cast<std::uint32_t>((leading + 1) >> 1 ^ parity << (window_bits - 1));
  }
  return windows;
}

Windows windows_of(const Ring& ring, const RingProgram& program, std::span<const Integer> cs,
                   const Monitor& monitor) {
  Windows windows(cs.size());
  const auto add_products = [&](const IntegerStream& factors, const Monitor& watching) {
    const Windows more = ring.backend().product_windows_all(cs, factors, program.windows, watching);
    for (std::size_t k = 0; k < cs.size(); ++k) {
      windows[k].insert(windows[k].end(), more[k].begin(), more[k].end());
    }
  };
  if (!program.first_factors.empty()) {
    std::vector<const Integer*> factors;
    for (const Integer& y : program.first_factors) factors.push_back(&y);
    add_products(ViewStream(std::move(factors), program.windows.modulus_bits), {});
  }
  if (program.other_factors != nullptr) add_products(*program.other_factors, monitor);
  if (!program.residues.factors.empty()) {
    Progress progress(monitor, "expand", cs.size() * program.residues.factors.size());
    for (std::size_t k = 0; k < cs.size(); ++k) {
      add_residue_windows(ring, program, cs[k], windows[k], progress);
    }
  }
  return windows;
}

std::vector<Integer> run_step_by_step(const Ring& ring, const RingProgram& program,
                                      std::span<const Integer> cs, const Monitor& monitor,
                                      std::size_t bytes) {
  const std::size_t modulus_bits = bit_length(ring.modulus());
  const ProgramSchedule schedule = schedule_of(program, modulus_bits, bytes);
  std::vector<Integer> results(cs.size());
  const auto run = [&](std::size_t first, std::size_t count, const Monitor& watching) {
    std::ranges::move(Run(ring, program, schedule, cs.subspan(first, count), watching).results(),
                      results.begin() + static_cast<std::ptrdiff_t>(first));
  };
  if (!schedule.shares_passes()) {
    side_by_side(cs.size(), "recryptions", monitor,
                 [&](std::size_t k, const Monitor& watching) { run(k, 1, watching); });
    return results;
  }
  const std::size_t most = together(schedule, modulus_bits, bytes);
  for (std::size_t first = 0; first < cs.size(); first += most) {
    run(first, std::min(most, cs.size() - first), monitor);
  }
  return results;
}

std::size_t integers_of_run(const RingProgram& program, std::size_t modulus_bits,
                            std::size_t prepared) {
  return schedule_of(program, modulus_bits, kBytesOfRun).most_integers(prepared);
}

}  // namespace fhe
