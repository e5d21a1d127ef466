// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/program_schedule.hpp"

#include <algorithm>
#include <utility>

namespace fhe {

bool ProgramSum::is_plain() const {
  return divisor == 1 &&
         std::ranges::all_of(multiples, [](const Multiple& one) { return one.times == 1; });
}

// Makes one schedule.
class ProgramSchedule::Maker {
 public:
  Maker(const RingProgram& program, std::size_t most_sums, ProgramSchedule& made)
      : program_(program),
        most_sums_(most_sums),
        first_constant_(program.inputs() - program.constants.size()),
        first_step_(program.inputs()),
        made_(made),
        usage_(made.usage_) {
    usage_.resize(first_step_ + program.steps.size());
    stage_.resize(usage_.size());
    round_.resize(usage_.size());
    user_.resize(usage_.size());
  }

  void make() {
    count_uses();
    make_stages();
    find_stages();
    place_sums();
    set_last_rounds();
    load_others();
  }

 private:
  // What a step is, when its constants are looked at.
  enum class Kind { product, sum, multiple, quotient };
  struct Meaning {
    Kind kind;
    std::size_t x;
    std::size_t y = 0;          // of a product or a sum
    unsigned long divisor = 1;  // of a quotient
    long times = 1;             // of a multiple
  };

  [[nodiscard]] bool is_constant(std::size_t value) const {
    return value >= first_constant_ && value < first_step_;
  }

  [[nodiscard]] Meaning meaning(const RingStep& step) const {
    if (step.operation == RingOperationKind::add) {
      return {.kind = Kind::sum, .x = step.left, .y = step.right};
    }
    std::size_t x = step.left;
    std::size_t y = step.right;
    if (!is_constant(y)) std::swap(x, y);
    if (is_constant(y)) {
      const RingConstant& factor = program_.constants[y - first_constant_];
      if (factor.inverse_of != 0) {
        return {.kind = Kind::quotient, .x = x, .divisor = factor.inverse_of};
      }
      if (factor.value.fits_sint_p()) {
        return {.kind = Kind::multiple, .x = x, .times = factor.value.get_si()};
      }
    }
    return {.kind = Kind::product, .x = x, .y = y};
  }
  [[nodiscard]] Meaning meaning_of(std::size_t value) const {
    return meaning(program_.steps[value - first_step_]);
  }

  [[nodiscard]] bool is_needed(std::size_t value) const {
    return usage_[value].times > 0 || usage_[value].is_own;
  }

  void count_uses() {
    usage_[program_.output].is_own = true;
    for (std::size_t value = usage_.size(); value-- > first_step_;) {
      if (!is_needed(value)) continue;
      const Meaning step = meaning_of(value);
      ++usage_[step.x].times;
      switch (step.kind) {
        case Kind::product:
          ++usage_[step.x].factors;
          ++usage_[step.y].factors;
          [[fallthrough]];
        case Kind::sum:
          ++usage_[step.y].times;
          break;
        case Kind::multiple:
          usage_[step.x].is_own = true;
          break;
        case Kind::quotient:
          break;
      }
    }
  }

  // In which stage each step's value can be computed, and which step uses it.
  void find_stages() {
    for (std::size_t value = first_step_; value < usage_.size(); ++value) {
      if (!is_needed(value)) continue;
      const RingStep& step = program_.steps[value - first_step_];
      stage_[value] = std::max(stage_[step.left], stage_[step.right]);
      user_[step.left] = user_[step.right] = value;
    }
  }

  // Whether a value is nothing but a term of one sum. A term of a later stage's sum is computed by
  // itself, so that what it is made of can be dropped.
  [[nodiscard]] bool is_part(std::size_t value) const {
    const Usage& usage = usage_[value];
    return value >= first_step_ && !usage.is_own && usage.times == 1 && usage.factors == 0 &&
           meaning_of(value).kind != Kind::quotient && stage_[value] == stage_[user_[value]];
  }

  [[nodiscard]] ProgramSum sum_of(std::size_t value) const {
    ProgramSum sum{.value = value, .products = {}, .multiples = {}};
    std::vector<std::size_t> waiting{value};
    const auto take = [&](std::size_t term) {
      if (is_part(term)) {
        waiting.push_back(term);
      } else {
        sum.multiples.push_back({.value = term, .times = 1});
      }
    };
    for (; !waiting.empty(); ++sum.steps) {
      const Meaning step = meaning_of(waiting.back());
      waiting.pop_back();
      switch (step.kind) {
        case Kind::product:
          sum.products.emplace_back(step.x, step.y);
          break;
        case Kind::multiple:
          sum.multiples.push_back({.value = step.x, .times = step.times});
          break;
        case Kind::quotient:
          sum.divisor = step.divisor;
          take(step.x);
          break;
        case Kind::sum:
          take(step.x);
          take(step.y);
          break;
      }
    }
    return sum;
  }

  // Calls body(value) for every value that the sum is made of.
  template <class Body>
  static void for_operands(const ProgramSum& sum, const Body& body) {
    for (const auto& [x, y] : sum.products) {
      body(x);
      body(y);
    }
    for (const ProgramSum::Multiple& one : sum.multiples) body(one.value);
  }

  // The end of the elements of a stream, or of those that are kept, in which an element is; and
  // which of them that is.
  struct Place {
    std::optional<std::size_t> stream;
    std::size_t end;
  };
  [[nodiscard]] Place place_of(std::size_t element) const {
    std::size_t end = 0;
    for (std::size_t stream = 0; stream < program_.elements.size(); ++stream) {
      end += program_.elements[stream].elements.count();
      if (element < end) return {stream, end};
    }
    return {std::nullopt, end + program_.kept.size()};
  }

  [[nodiscard]] std::vector<ProgramPass::Column> columns_of(std::size_t group) const {
    std::vector<ProgramPass::Column> columns;
    for (unsigned bit = 0; bit < program_.windows.window_bits; ++bit) {
      const std::size_t value = group * program_.windows.window_bits + bit;
      if (is_needed(value)) columns.push_back({.group = group, .bit = bit, .value = value});
    }
    return columns;
  }

  // The groups that are needed, in parts that are of one stream each, as blocks. Groups of the same
  // elements that follow each other share a block.
  struct PlacedBlock {
    std::optional<std::size_t> stream;
    ProgramPass::Block block;
  };
  [[nodiscard]] std::vector<PlacedBlock> blocks() const {
    constexpr std::size_t kMaskBits = 32;
    std::vector<PlacedBlock> made;
    for (std::size_t g = 0; g < program_.groups.size(); ++g) {
      const std::vector<ProgramPass::Column> columns = columns_of(g);
      if (columns.empty()) continue;
      const std::size_t end = program_.groups[g].first + program_.groups[g].count;
      for (std::size_t first = program_.groups[g].first; first < end;) {
        const Place place = place_of(first);
        const std::size_t count = std::min(end, place.end) - first;
        ProgramPass::Block* const last = made.empty() ? nullptr : &made.back().block;
        if (last != nullptr && last->first == first && last->count == count &&
            last->columns.size() + columns.size() <= kMaskBits) {
          last->columns.insert(last->columns.end(), columns.begin(), columns.end());
        } else {
          made.push_back({place.stream, {.first = first, .count = count, .columns = columns}});
        }
        first += count;
      }
    }
    return made;
  }

  // Whether a block can be the next one of a pass.
  [[nodiscard]] bool continues(const ProgramPass& pass, const PlacedBlock& next) const {
    const ProgramPass::Block& last = pass.blocks.back();
    if (pass.stream != next.stream || pass.width() != next.block.columns.size()) return false;
    if (!pass.stream) return (pass.blocks.size() + 1) * pass.width() <= most_sums_;
    return last.count == pass.block_size && next.block.count <= pass.block_size &&
           next.block.first == last.first + last.count;
  }

  [[nodiscard]] std::vector<ProgramPass> passes() const {
    std::vector<ProgramPass> made;
    for (PlacedBlock& next : blocks()) {
      if (made.empty() || !continues(made.back(), next)) {
        made.push_back({.stream = next.stream, .block_size = next.block.count, .blocks = {}});
      }
      made.back().block_size = std::max(made.back().block_size, next.block.count);
      made.back().blocks.push_back(std::move(next.block));
    }
    return made;
  }

  void make_stages() {
    made_.stages_.resize(1);
    std::size_t sums = 0;  // of the stage
    for (ProgramPass& pass : passes()) {
      const std::size_t more = pass.blocks.size() * pass.width();
      if (sums > 0 && sums + more > most_sums_) {
        made_.stages_.emplace_back();
        sums = 0;
      }
      sums += more;
      for (const ProgramPass::Block& block : pass.blocks) {
        for (const auto& column : block.columns) stage_[column.value] = made_.stages_.size() - 1;
      }
      made_.group_sums_ += more;
      made_.stages_.back().passes.push_back(std::move(pass));
    }
  }

  // Each sum as early as what it is made of is there.
  void place_sums() {
    for (std::size_t value = first_step_; value < usage_.size(); ++value) {
      if (!is_needed(value) || is_part(value)) continue;
      ProgramSum sum = sum_of(value);
      for_operands(sum, [&](std::size_t used) {
        if (used < first_step_ || stage_[used] != stage_[value]) return;
        round_[value] = std::max(round_[value], round_[used] + 1);
      });
      made_.steps_ += sum.steps;
      auto& rounds = made_.stages_[stage_[value]].rounds;
      if (rounds.size() <= round_[value]) rounds.resize(round_[value] + 1);
      rounds[round_[value]].push_back(std::move(sum));
    }
  }

  void set_last_rounds() {
    std::size_t round = 0;
    for (const ProgramStage& stage : made_.stages_) {
      for (const std::vector<ProgramSum>& sums : stage.rounds) {
        for (const ProgramSum& sum : sums) {
          for_operands(sum, [&](std::size_t used) { usage_[used].last_round = round; });
        }
        ++round;
      }
    }
    usage_[program_.output].last_round = round;
  }

  // Singles and constants come in the first stage that uses them.
  void load_others() {
    const std::size_t first = program_.groups.size() * program_.windows.window_bits;
    std::vector<bool> is_there(first_step_);
    for (ProgramStage& stage : made_.stages_) {
      const auto load = [&](std::size_t value) {
        if (value < first || value >= first_step_ || is_there[value]) return;
        is_there[value] = true;
        stage.others.push_back(value);
      };
      for (const std::vector<ProgramSum>& sums : stage.rounds) {
        for (const ProgramSum& sum : sums) for_operands(sum, load);
      }
      if (&stage == &made_.stages_.back()) load(program_.output);
    }
  }

  const RingProgram& program_;
  std::size_t most_sums_;
  std::size_t first_constant_;
  std::size_t first_step_;
  ProgramSchedule& made_;
  std::vector<Usage>& usage_;
  std::vector<std::size_t> stage_;  // in which a value is there; 0 for singles and constants
  std::vector<std::size_t> round_;  // of the stage, in which a step's value is computed
  std::vector<std::size_t> user_;   // the last step that uses a value
};

ProgramSchedule::ProgramSchedule(const RingProgram& program, std::size_t most_sums) {
  Maker(program, most_sums, *this).make();
}

bool ProgramSchedule::shares_passes() const {
  constexpr unsigned kMaskBits = 32;
  return std::ranges::all_of(stages_, [](const ProgramStage& stage) {
    return std::ranges::all_of(stage.passes, [](const ProgramPass& pass) {
      return pass.stream && 2 * pass.width() <= kMaskBits;
    });
  });
}

std::size_t ProgramSchedule::most_integers(std::size_t prepared) const {
  std::vector<std::size_t> sizes(values());  // 0 for what is not held
  std::size_t held = 0;
  const auto store = [&](std::size_t value) {
    sizes[value] = is_factor(value) ? prepared : 1;
    held += sizes[value];
  };
  std::size_t most = 0;
  std::size_t rounds = 0;
  for (const ProgramStage& stage : stages_) {
    for (const ProgramPass& pass : stage.passes) {
      for (const ProgramPass::Block& block : pass.blocks) {
        for (const ProgramPass::Column& column : block.columns) store(column.value);
      }
    }
    for (const std::size_t value : stage.others) store(value);
    most = std::max(most, held);
    for (const std::vector<ProgramSum>& sums : stage.rounds) {
      for (const ProgramSum& sum : sums) store(sum.value);
      most = std::max(most, held);
      ++rounds;
      for (std::size_t value = 0; value < sizes.size(); ++value) {
        if (is_done(value, rounds)) held -= std::exchange(sizes[value], 0);
      }
    }
  }
  return most;
}

}  // namespace fhe
