// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_recryption.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/engine_choice.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kNoValue = std::numeric_limits<std::size_t>::max();
// Bits that a factor may be longer than the modulus, and those that sums of products may grow by.
constexpr std::uint32_t kFactorMargin = 32;
constexpr std::uint32_t kSumMargin = 32;
// Bits of constants that count as short.
constexpr std::uint32_t kScaleBits = 16;

// A product in four steps is not added to anything.
bool takes_four_steps(const Device& device, std::uint32_t factor_bits) {
  const DeviceInteger factor{.bits = factor_bits};
  return choose_four_steps(device.info().equipment,
                           multiply({.bits = 2 * factor_bits}, factor, factor))
      .has_value();
}

}  // namespace

DeviceRecryption::Origin::Stream::Stream(const IntegerStream& stream)
    : source(*stream.source()), count(stream.count()), bits(stream.bits()) {}

DeviceRecryption::Origin::Origin(const RingProgram& task)
    : first_factors(task.first_factors.begin(), task.first_factors.end()),
      windows(task.windows),
      residue_factors(task.residues.factors.begin(), task.residues.factors.end()),
      residue_count(task.residues.count),
      residue_step(task.residues.step),
      kept(task.kept.begin(), task.kept.end()),
      groups(task.groups.begin(), task.groups.end()),
      singles(task.singles.begin(), task.singles.end()),
      constants(task.constants.begin(), task.constants.end()),
      steps(task.steps.begin(), task.steps.end()),
      output(task.output) {
  if (task.other_factors != nullptr) other_factors.emplace(*task.other_factors);
  for (const CorrectedStream& x : task.elements) {
    elements.emplace_back(x.elements);
    corrections.emplace_back(x.corrections.begin(), x.corrections.end());
  }
}

// Adds the commands of a program, in the order in which the task says what to compute; inputs just
// before the first step that takes them.
class DeviceRecryption::Writer {
 public:
  Writer(DeviceRecryption& recryption, DeviceSession& session, const Integer& modulus,
         const RingProgram& task)
      : recryption_(recryption),
        session_(session),
        modulus_(modulus),
        task_(task),
        program_(recryption.program_),
        inputs_(session, modulus, task, recryption.memory_, program_),
        modulus_bits_(recryption.reduction_.context().shape.phi),
        values_(task.inputs() + task.steps.size()) {
    count_uses();
    find_terms();
    if (recryption.adds_in_products_) find_addends();
  }

  void write() {
    program_.set_context(recryption_.reduction_.context());
    for (std::size_t i = 0; i < task_.steps.size();) i += add_steps(i);
    make(task_.output);
    recryption_.result_ = reduced(values_[task_.output].is.place, modulus_bits_);
    recryption_.products_ += inputs_.products();
  }

 private:
  // A value, as far as the commands that were added make it.
  struct Value {
    ValuePlace is;
    bool is_there = false;
    std::size_t uses = 0;  // steps that will still read it
    std::size_t last_use = 0;
    bool becomes_factor = false;  // by itself, or in a sum
    bool is_part_of_sum = false;  // and nothing else
    bool is_addend = false;       // a product is added to it where it lies
  };

  // Only what the output takes is computed.
  void count_uses() {
    values_[task_.output].uses = 1;
    for (std::size_t i = task_.steps.size(); i-- > 0;) {
      const Value& value = values_[task_.inputs() + i];
      if (value.uses == 0) continue;
      const RingStep& step = task_.steps[i];
      const bool in_factor = value.becomes_factor ||
                             (step.operation == RingOperationKind::multiply && !is_scaling(step));
      for (const std::size_t operand : {step.left, step.right}) {
        if (values_[operand].uses++ == 0) values_[operand].last_use = i;
        if (in_factor) values_[operand].becomes_factor = true;
      }
    }
  }

  // Products of which nothing but one sum is made, and sums of these, are terms: the sum of two is
  // reduced, and they are not.
  void find_terms() {
    std::vector<bool> is_term(values_.size());
    for (std::size_t i = 0; i < task_.steps.size(); ++i) {
      const RingStep& step = task_.steps[i];
      const std::size_t value = task_.inputs() + i;
      const bool is_sum = step.operation == RingOperationKind::add;
      const bool is_of_terms = is_sum && is_term[step.left] && is_term[step.right];
      if (is_of_terms)
        values_[step.left].is_part_of_sum = values_[step.right].is_part_of_sum = true;
      is_term[value] = (is_sum ? is_of_terms : !is_scaling(step)) && values_[value].uses == 1 &&
                       value != task_.output;
    }
  }

  // Values that nobody reads after a product was added to them, which is read by nobody else: it is
  // added where they lie.
  void find_addends() {
    for (std::size_t i = 0; i + 1 < task_.steps.size(); ++i) {
      const std::size_t addend = addend_of(i);
      if (addend != kNoValue) values_[addend].is_addend = true;
    }
  }

  // That of a product, which the next step adds.
  [[nodiscard]] std::size_t addend_of(std::size_t i) const {
    const std::size_t product = task_.inputs() + i;
    const RingStep& step = task_.steps[i];
    if (step.operation != RingOperationKind::multiply || values_[product].uses != 1 ||
        values_[product].last_use != i + 1 || is_below_zero(step.left) ||
        is_below_zero(step.right) || is_scaling(step))
      return kNoValue;
    const RingStep& next = task_.steps[i + 1];
    if (next.operation != RingOperationKind::add) return kNoValue;
    const std::size_t addend = next.left == product ? next.right : next.left;
    const bool is_last = addend != product && addend != task_.output &&
                         values_[addend].last_use == i + 1 && addend != step.left &&
                         addend != step.right && !is_fixed(addend);
    return is_last ? addend : kNoValue;
  }

  // The inputs: sums of groups, singles, constants.
  [[nodiscard]] std::size_t first_single() const {
    return task_.groups.size() * task_.windows.window_bits;
  }
  [[nodiscard]] std::size_t first_constant() const { return first_single() + task_.singles.size(); }
  [[nodiscard]] bool is_constant(std::size_t value) const {
    return value >= first_constant() && value < task_.inputs();
  }
  [[nodiscard]] const Integer& constant(std::size_t value) const {
    return task_.constants[value - first_constant()].value;
  }
  // Whether it lies where no program may write.
  [[nodiscard]] bool is_fixed(std::size_t value) const {
    if (value < first_single()) return false;
    return value < first_constant() ? inputs_.is_kept(task_.singles[value - first_single()])
                                    : is_constant(value);
  }

  // Of a value of so many bits and a product.
  [[nodiscard]] std::uint32_t sum_bits(std::uint32_t bits) const {
    return std::max(bits, 2 * (modulus_bits_ + kFactorMargin)) + 1;
  }
  // A value that a product is added to has room for the sum.
  [[nodiscard]] std::uint32_t written_bits(std::size_t value, std::uint32_t bits) const {
    return values_[value].is_addend ? sum_bits(bits) : bits;
  }
  [[nodiscard]] WantedSum wanted(std::size_t value) const {
    return {.is_wanted = values_[value].uses != 0, .least_bits = written_bits(value, 0)};
  }

  void set(std::size_t value, const ValuePlace& place) {
    values_[value].is = place;
    values_[value].is_there = true;
    shorten(value);
  }

  // What becomes a factor, or a part of sums that do, is reduced once for all of them.
  void shorten(std::size_t value) {
    if (values_[value].becomes_factor && !values_[value].is_part_of_sum)
      static_cast<void>(value_of(value, modulus_bits_ + kFactorMargin));
  }

  // An input that is not there yet, with the others of its group.
  void make(std::size_t value) {
    if (values_[value].is_there) return;
    if (value < first_single()) {
      make_group(value / task_.windows.window_bits);
    } else if (value < first_constant()) {
      set(value, inputs_.add_single(task_.singles[value - first_single()], wanted(value)));
    } else {
      set(value, stored(residue(constant(value))));
    }
  }

  void make_group(std::size_t group) {
    const std::size_t width = task_.windows.window_bits;
    std::vector<WantedSum> sums;
    for (std::size_t j = 0; j < width; ++j) sums.push_back(wanted(group * width + j));
    const std::vector<ValuePlace> places = inputs_.add_group(task_.groups[group], sums);
    for (std::size_t j = 0; j < width; ++j) {
      if (!sums[j].is_wanted) continue;
      if (places[j].room) ++values_in_[*places[j].room];
    }
    for (std::size_t j = 0; j < width; ++j)
      if (sums[j].is_wanted) set(group * width + j, places[j]);
  }

  [[nodiscard]] Integer residue(const Integer& x) const {
    return sgn(x) < 0 ? Integer(x + modulus_) : x;
  }
  // A number that every run finds there.
  [[nodiscard]] ValuePlace stored(const Integer& x) {
    const auto bits = static_cast<std::uint32_t>(std::max<std::size_t>(bit_length(x), 1));
    std::vector<std::byte> bytes(padded_bytes(bits));
    to_bytes(x, bytes);
    return {.place = {program_.constant(bytes), bits}, .written = bits};
  }

  // The next step, or a product with the step that adds it: how many.
  std::size_t add_steps(std::size_t i) {
    const RingStep& step = task_.steps[i];
    const std::size_t value = task_.inputs() + i;
    if (values_[value].uses == 0) return 1;
    if (i + 1 < task_.steps.size() && recryption_.adds_in_products_) {
      const std::size_t addend = addend_of(i);
      if (addend != kNoValue && has_room_for_product(addend)) {
        add_to(addend, step, value + 1);
        return 2;
      }
    }
    const bool is_product = step.operation == RingOperationKind::multiply;
    const ValuePlace place = is_product ? product(step, value) : sum(step, value);
    release_operands(step);
    set(value, place);
    return 1;
  }

  void release_operands(const RingStep& step) {
    for (const std::size_t operand : {step.left, step.right})
      if (--values_[operand].uses == 0) release(values_[operand].is);
  }

  // A room may hold several values.
  void release(const ValuePlace& value) {
    if (!value.room) return;
    const auto others = values_in_.find(*value.room);
    if (others != values_in_.end() && --others->second != 0) return;
    if (others != values_in_.end()) values_in_.erase(others);
    program_.release({*value.room, 0});
  }

  // Whether it was not reduced meanwhile, and is not too long for a sum.
  [[nodiscard]] bool has_room_for_product(std::size_t addend) {
    make(addend);
    const ValuePlace& value = values_[addend].is;
    return words_for_bits(value.written) >= words_for_bits(sum_bits(value.place.bits)) &&
           value.place.bits < recryption_.reduction_.argument_bits();
  }

  // The product is no value of its own.
  void add_to(std::size_t addend, const RingStep& step, std::size_t value) {
    const DeviceInteger a = factor(step.left, step);
    const DeviceInteger b = factor(step.right, step);
    ValuePlace sum = values_[addend].is;
    sum.place.bits = std::max(sum.place.bits, a.bits + b.bits) + 1;
    add_product(sum.place, step, a, b, true);
    release_operands(step);
    set(value, sum);
  }

  void add_product(DeviceInteger result, const RingStep& step, DeviceInteger a, DeviceInteger b,
                   bool accumulates) {
    const Command command = step.left == step.right ? square(result, a) : multiply(result, a, b);
    program_.add(accumulates ? command.with(flag::accumulate)
                             : session_.four_steps.faster(session_.device, command));
    ++recryption_.products_;
  }

  ValuePlace product(const RingStep& step, std::size_t value) {
    if (const std::optional<std::size_t> opposite = opposite_of(step))
      return negated(value_of(*opposite, longest_factor(step)), value);
    const DeviceInteger a = factor(step.left, step);
    const DeviceInteger b = factor(step.right, step);
    const std::uint32_t bits = a.bits + b.bits;
    const bool negative = is_below_zero(step.left) != is_below_zero(step.right);
    const ValuePlace result = room(bits, negative ? bits : written_bits(value, bits));
    add_product({result.place.address, result.written}, step, a, b, false);
    if (!negative) return result;
    const ValuePlace opposite = negated(result.place, value);
    program_.release(result.place);
    return opposite;
  }

  // Of a constant the absolute value: where one of two is negative, so is the product.
  DeviceInteger factor(std::size_t value, const RingStep& step) {
    if (!is_below_zero(value)) return value_of(value, longest_factor(step));
    const auto [found, is_new] = absolute_values_.try_emplace(value);
    if (is_new) found->second = stored(abs(constant(value))).place;
    return found->second;
  }
  [[nodiscard]] std::uint32_t longest_factor(const RingStep& step) const {
    return is_scaling(step) ? recryption_.reduction_.argument_bits() - kScaleBits - 2
                            : modulus_bits_ + kFactorMargin;
  }

  [[nodiscard]] bool is_below_zero(std::size_t value) const {
    return is_constant(value) && sgn(constant(value)) < 0;
  }
  // Whether a step multiplies by a short constant: its product is not much longer, and takes no
  // reduction.
  [[nodiscard]] bool is_scaling(const RingStep& step) const {
    const auto is_short = [&](std::size_t value) {
      return is_constant(value) && bit_length(constant(value)) <= kScaleBits;
    };
    return step.operation == RingOperationKind::multiply &&
           (is_short(step.left) || is_short(step.right));
  }
  // What a step multiplies by -1.
  [[nodiscard]] std::optional<std::size_t> opposite_of(const RingStep& step) const {
    if (is_constant(step.right) && constant(step.right) == -1) return step.left;
    if (is_constant(step.left) && constant(step.left) == -1) return step.right;
    return std::nullopt;
  }

  // A multiple of the modulus, not less than x, minus x.
  ValuePlace negated(DeviceInteger x, std::size_t value) {
    const std::uint32_t shift = x.bits >= modulus_bits_ ? x.bits - modulus_bits_ + 1 : 0;
    const auto [found, is_new] = multiples_.try_emplace(shift);
    if (is_new) found->second = stored(modulus_ << shift).place;
    const std::uint32_t bits = found->second.bits;
    const ValuePlace result = room(bits, written_bits(value, bits));
    program_.add(subtract({result.place.address, result.written}, found->second, x));
    return result;
  }

  ValuePlace sum(const RingStep& step, std::size_t value) {
    const std::uint32_t most = recryption_.reduction_.argument_bits() - 1;
    const DeviceInteger a = value_of(step.left, most);
    const DeviceInteger b = value_of(step.right, most);
    const std::uint32_t bits = std::max(a.bits, b.bits) + 1;
    const ValuePlace result = room(bits, written_bits(value, bits));
    program_.add(add({result.place.address, result.written}, a, b));
    return result;
  }

  ValuePlace room(std::uint32_t bits, std::uint32_t written) {
    const DeviceInteger place = program_.room(written);
    return {.place = {place.address, bits}, .written = written, .room = place.address};
  }

  // A value of at most `most` bits: it is reduced where it is longer, once for all its readers.
  DeviceInteger value_of(std::size_t index, std::uint32_t most) {
    make(index);
    ValuePlace& value = values_[index].is;
    if (value.place.bits > most) {
      const DeviceInteger residue = reduced(value.place, written_bits(index, modulus_bits_));
      release(value);
      value = {.place = {residue.address, modulus_bits_},
               .written = residue.bits,
               .room = residue.address};
    }
    return value.place;
  }

  DeviceInteger reduced(DeviceInteger x, std::uint32_t bits) {
    const DeviceInteger residue = program_.room(bits);
    const Command command =
        session_.four_steps.faster(session_.device, reduce(kProgramContext, residue, x), shape());
    program_.add(transforms_.kept_for(command, shape(), session_.device, [&](std::uint64_t bytes) {
      return program_.room(8 * bytes).address;
    }));
    ++recryption_.reductions_;
    return residue;
  }

  [[nodiscard]] const BarrettShape& shape() const { return recryption_.reduction_.context().shape; }

  DeviceRecryption& recryption_;
  DeviceSession& session_;
  const Integer& modulus_;
  const RingProgram& task_;
  DeviceProgram& program_;
  RecryptionInputs inputs_;
  std::uint32_t modulus_bits_;
  std::vector<Value> values_;
  std::map<std::uint64_t, std::size_t> values_in_;        // rooms of several values: how many
  std::map<std::size_t, DeviceInteger> absolute_values_;  // of constants
  std::map<std::uint32_t, DeviceInteger> multiples_;      // of the modulus, by 2^shift
  KeptTransforms transforms_;
};

DeviceRecryption::DeviceRecryption(DeviceSession& session, const Integer& modulus,
                                   const RingProgram& task)
    : origin_(task),
      reduction_(session.device, modulus,
                 static_cast<std::uint32_t>(bit_length(modulus)) + 2 * kFactorMargin + kSumMargin),
      memory_(session, modulus, task),
      program_(session.device),
      adds_in_products_(session.device.info().has(feature::throughput) &&
                        !takes_four_steps(session.device, reduction_.argument_bits() / 2)) {
  Writer(*this, session, modulus, task).write();
  command_ = program_.finish();
}

bool DeviceRecryption::is_of(const RingProgram& task) const {
  const auto is_stream = [](const Origin::Stream& a, const IntegerStream& b) {
    return a.source == b.source() && a.count == b.count() && a.bits == b.bits();
  };
  const auto are_corrections = [](const std::vector<Integer>& a, const CorrectedStream& b) {
    return std::ranges::equal(a, b.corrections);
  };
  const auto are_same = [](const Operand& a, const Operand& b) {
    return a.is_same(b) || a.value() == b.value();
  };
  const bool has_others = origin_.other_factors.has_value();
  return has_others == (task.other_factors != nullptr) &&
         (!has_others || is_stream(*origin_.other_factors, *task.other_factors)) &&
         origin_.windows == task.windows && origin_.residue_count == task.residues.count &&
         origin_.residue_step == task.residues.step && origin_.output == task.output &&
         std::ranges::equal(origin_.first_factors, task.first_factors) &&
         std::ranges::equal(
             origin_.elements, task.elements, is_stream, {},
             [](const CorrectedStream& x) -> const IntegerStream& { return x.elements; }) &&
         std::ranges::equal(origin_.corrections, task.elements, are_corrections) &&
         std::ranges::equal(origin_.groups, task.groups) &&
         std::ranges::equal(origin_.singles, task.singles) &&
         std::ranges::equal(origin_.constants, task.constants) &&
         std::ranges::equal(origin_.steps, task.steps) &&
         std::ranges::equal(origin_.residue_factors, task.residues.factors, are_same) &&
         std::ranges::equal(origin_.kept, task.kept, are_same);
}

std::optional<Integer> DeviceRecryption::run(DeviceSession& session, const Integer& c,
                                             OperationCounters& counters) const {
  Device& device = session.device;
  memory_.put(device, c);
  const Completion completion = session.wait(device.submit(command_), counters);
  const std::size_t limbs = limbs_for_bits(result_.bits);
  counters.count_multiplication(limbs, limbs, products_);
  counters.count_reduction(reductions_);
  counters.count_stream_bytes(memory_.generated_bytes());
  if (completion.carry || completion.undecided) return std::nullopt;
  std::vector<std::byte> bytes(padded_bytes(result_.bits));
  device.get(result_.address, bytes);
  return from_bytes(bytes);
}

}  // namespace fhe::fpga
