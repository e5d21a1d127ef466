// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_recryption.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "accel/fpga/backend/device_operand.hpp"
#include "accel/fpga/backend/device_windows.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/driver/engine_choice.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kMostWindowBits = parameter::selection_sums;
constexpr std::size_t kMostStep = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;
constexpr std::size_t kNoValue = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostInGroup = std::numeric_limits<std::uint16_t>::max();
// Bits that a factor may be longer than the modulus, and those that sums of products may grow by.
constexpr std::uint32_t kFactorMargin = 32;
constexpr std::uint32_t kSumMargin = 32;

// A product in four steps is not added to anything.
bool takes_four_steps(const Device& device, std::uint32_t factor_bits) {
  const DeviceInteger factor{.bits = factor_bits};
  return choose_four_steps(device.info().equipment,
                           multiply({.bits = 2 * factor_bits}, factor, factor))
      .has_value();
}

std::size_t longest(std::span<const Integer> list) {
  std::size_t bits = 1;
  for (const Integer& x : list) bits = std::max(bits, bit_length(x));
  return bits;
}

std::uint64_t words_of_sum(std::uint64_t element_bits) {
  return words_for_bits(element_bits + parameter::sum_margin);
}

// How many of the windows of a group, which are the first ones, are of factors that are stored.
std::size_t stored_windows(const WindowGroup& group, std::size_t stored) {
  if (group.first_window >= stored) return 0;
  const std::size_t beyond = stored - group.first_window - 1;
  return std::min(group.count, beyond / group.window_step + 1);
}

}  // namespace

DeviceRecryption::Origin::Origin(const RecryptionTask& task)
    : first_factors(task.first_factors.begin(), task.first_factors.end()),
      other_factors(*task.other_factors.source()),
      other_count(task.other_factors.count()),
      windows(task.windows),
      elements(*task.elements.elements.source()),
      element_bits(task.elements.elements.bits()),
      corrections(task.elements.corrections.begin(), task.elements.corrections.end()),
      groups(task.groups.begin(), task.groups.end()),
      singles(task.singles.begin(), task.singles.end()),
      steps(task.steps.begin(), task.steps.end()),
      output(task.output) {}

// Adds the commands of a program, in the order in which the task says what to compute.
class DeviceRecryption::Writer {
 public:
  Writer(DeviceRecryption& recryption, DeviceSession& session)
      : recryption_(recryption),
        session_(session),
        origin_(recryption.origin_),
        program_(recryption.program_),
        modulus_bits_(recryption.reduction_.context().shape.phi),
        window_words_(words_for_bits(origin_.windows.modulus_bits)),
        correction_bits_(static_cast<std::uint32_t>(longest(origin_.corrections))) {
    store_constants();
    count_uses();
    if (recryption.adds_in_products_) find_addends();
  }

  void write() {
    program_.set_context(recryption_.reduction_.context());
    for (const WindowGroup& group : origin_.groups) add_group(group);
    for (const std::size_t single : origin_.singles) {
      for (const DeviceInteger& sum : selected({one_, single, 1}, 1, values_.size()))
        add_value(sum);
    }
    for (std::size_t i = 0; i < origin_.steps.size();) i += add_steps(i);
    recryption_.result_ = reduced(values_[origin_.output].place, modulus_bits_);
  }

 private:
  // Where a value is, how many steps will still read it, and the bits that were written there,
  // zeros above the value.
  struct Value {
    DeviceInteger place;
    std::size_t uses = 0;
    std::uint32_t written = 0;
  };

  // Elements of the key with the masks that choose among them.
  struct Part {
    std::uint64_t masks;  // address
    std::size_t first;
    std::size_t count;
  };

  void store_constants() {
    first_factors_ = constant(origin_.first_factors, origin_.windows.modulus_bits);
    corrections_ = constant(origin_.corrections, correction_bits_);
    constexpr std::array kOne{std::byte{1}};
    if (!origin_.singles.empty()) one_ = program_.constant(kOne);
  }

  std::uint64_t constant(std::span<const Integer> list, std::uint64_t bits) {
    return program_.constant(
        listed_bytes(list.size(), bits, [&](std::size_t i) -> const Integer& { return list[i]; }));
  }

  // Only what the output takes is computed.
  void count_uses() {
    uses_.resize(inputs() + origin_.steps.size());
    last_uses_.resize(uses_.size());
    becomes_factor_.resize(uses_.size());
    uses_[origin_.output] = 1;
    for (std::size_t i = origin_.steps.size(); i-- > 0;) {
      if (uses_[inputs() + i] == 0) continue;
      const bool in_factor = becomes_factor_[inputs() + i] ||
                             origin_.steps[i].operation == RingOperationKind::multiply;
      for (const std::size_t operand : {origin_.steps[i].left, origin_.steps[i].right}) {
        if (uses_[operand]++ == 0) last_uses_[operand] = i;
        if (in_factor) becomes_factor_[operand] = true;
      }
    }
  }

  [[nodiscard]] std::size_t inputs() const {
    return origin_.groups.size() * origin_.windows.window_bits + origin_.singles.size();
  }

  // Values that nobody reads after a product was added to them, which is read by nobody else: it is
  // added where they lie.
  void find_addends() {
    is_addend_.resize(uses_.size());
    for (std::size_t i = 0; i + 1 < origin_.steps.size(); ++i) {
      const std::size_t addend = addend_of(i);
      if (addend != kNoValue) is_addend_[addend] = true;
    }
  }

  // That of a product, which the next step adds.
  [[nodiscard]] std::size_t addend_of(std::size_t i) const {
    const std::size_t product = inputs() + i;
    const RingStep& step = origin_.steps[i];
    if (step.operation != RingOperationKind::multiply || uses_[product] != 1 ||
        last_uses_[product] != i + 1)
      return kNoValue;
    const RingStep& next = origin_.steps[i + 1];
    if (next.operation != RingOperationKind::add) return kNoValue;
    const std::size_t addend = next.left == product ? next.right : next.left;
    const bool is_last = addend != product && addend != origin_.output &&
                         last_uses_[addend] == i + 1 && addend != step.left && addend != step.right;
    return is_last ? addend : kNoValue;
  }

  // Of a value of so many bits and a product.
  [[nodiscard]] std::uint32_t sum_bits(std::uint32_t bits) const {
    return std::max(bits, 2 * (modulus_bits_ + kFactorMargin)) + 1;
  }
  // A value that a product is added to has room for the sum.
  [[nodiscard]] std::uint32_t written_bits(std::size_t value, std::uint32_t bits) const {
    return value < is_addend_.size() && is_addend_[value] ? sum_bits(bits) : bits;
  }

  void add_value(DeviceInteger place) {
    const std::size_t value = values_.size();
    values_.push_back({place, uses_[value], written_bits(value, place.bits)});
    if (values_.back().uses == 0)
      program_.release(place);
    else
      shorten(value);
  }

  // What becomes a factor, or a part of sums that do, is reduced once for all of them.
  void shorten(std::size_t value) {
    if (becomes_factor_[value]) static_cast<void>(value_of(value, modulus_bits_ + kFactorMargin));
  }

  // The same place for what is written there.
  [[nodiscard]] DeviceInteger room(std::size_t value, std::uint64_t bits) {
    return program_.room(written_bits(value, static_cast<std::uint32_t>(bits)));
  }

  // The masks that say which of some elements go into which sums: the windows of factors first,
  // first + step ..
  std::uint64_t add_windows(std::size_t first, std::size_t count, std::size_t step) {
    const std::size_t stored = origin_.first_factors.size();
    const bool is_stored = first < stored;
    const DeviceInteger masks = program_.room(count * parameter::selection_sums);
    Windows windows{.destination = masks.address,
                    .masks = true,
                    .width = static_cast<std::uint8_t>(origin_.windows.window_bits),
                    .elements = static_cast<std::uint16_t>(count),
                    .element_bits = static_cast<std::uint32_t>(recryption_.factors_.bits()),
                    .number = {recryption_.number_.address(),
                               static_cast<std::uint32_t>(window_words_ * kWordBits)}};
    if (is_stored) {
      windows.stored = true;
      windows.address = first_factors_ + first * window_words_ * kWordBytes;
    } else {
      windows.stream = recryption_.factors_.record();
      windows.first = recryption_.factors_.index_of(first - stored);
      windows.skip = static_cast<std::uint8_t>(step - 1);
    }
    program_.add(multiply_windows(windows));
    return masks.address;
  }

  // The sums of a group, whose first windows may be of factors that are stored.
  void add_group(const WindowGroup& group) {
    const std::size_t stored = stored_windows(group, origin_.first_factors.size());
    const bool is_split = stored != 0 && stored != group.count;
    std::vector<DeviceInteger> sums;
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, stored}, {stored, group.count}}) {
      if (begin == end) continue;
      const std::size_t window = group.first_window + begin * group.window_step;
      const std::uint64_t masks = add_windows(window, end - begin, group.window_step);
      std::vector<DeviceInteger> part =
          selected({masks, group.first + begin, end - begin}, origin_.windows.window_bits,
                   is_split ? kNoValue : values_.size());
      program_.release({masks, 0});
      sums = sums.empty() ? std::move(part) : added(sums, part);
    }
    for (const DeviceInteger& sum : sums) add_value(sum);
  }

  std::vector<DeviceInteger> added(std::span<const DeviceInteger> a,
                                   std::span<const DeviceInteger> b) {
    std::vector<DeviceInteger> sums;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sums.push_back(sum(a[i], b[i], values_.size() + i));
      program_.release(a[i]);
      program_.release(b[i]);
    }
    return sums;
  }

  // Sums of the elements less their corrections: values from `first` on, or none themselves.
  std::vector<DeviceInteger> selected(const Part& part, std::size_t width, std::size_t first) {
    const auto growth = static_cast<std::uint32_t>(std::bit_width(part.count));
    const std::uint32_t element_bits = recryption_.elements_.bits();
    const DeviceInteger sums = add_selection(part, width, element_bits, std::nullopt);
    const bool corrected = !origin_.corrections.empty();
    const DeviceInteger less =
        corrected ? add_selection(part, width, correction_bits_,
                                  corrections_ + part.first * padded_bytes(correction_bits_))
                  : DeviceInteger{};
    std::vector<DeviceInteger> results;
    for (std::size_t j = 0; j < width; ++j) {
      const DeviceInteger result =
          room(first == kNoValue ? kNoValue : first + j, element_bits + growth);
      const DeviceInteger whole = sum_of(sums, j, element_bits, growth);
      program_.add(corrected ? subtract(result, whole, sum_of(less, j, correction_bits_, growth))
                             : copy(result, whole));
      results.push_back({result.address, element_bits + growth});
    }
    program_.release(sums);
    if (corrected) program_.release(less);
    return results;
  }

  // All sums of a selection, one after the other: of elements that are generated, or stored.
  DeviceInteger add_selection(const Part& part, std::size_t width, std::uint32_t element_bits,
                              std::optional<std::uint64_t> stored) {
    const std::uint64_t sum_words = words_of_sum(element_bits);
    const DeviceInteger sums = program_.room(width * sum_words * kWordBits);
    Selection selection{.destination = sums.address,
                        .elements = static_cast<std::uint16_t>(part.count),
                        .element_bits = element_bits,
                        .masks = part.masks,
                        .sums = static_cast<std::uint8_t>(width),
                        .sum_words = static_cast<std::uint16_t>(sum_words)};
    if (stored) {
      selection.stored = true;
      selection.address = *stored;
    } else {
      selection.stream = recryption_.elements_.record();
      selection.first = recryption_.elements_.index_of(part.first);
    }
    program_.add(select(selection));
    return sums;
  }

  [[nodiscard]] static DeviceInteger sum_of(DeviceInteger sums, std::size_t which,
                                            std::uint32_t element_bits, std::uint32_t growth) {
    return {sums.address + which * words_of_sum(element_bits) * kWordBytes, element_bits + growth};
  }

  // The next step, or a product with the step that adds it: how many.
  std::size_t add_steps(std::size_t i) {
    const RingStep& step = origin_.steps[i];
    if (uses_[values_.size()] == 0) {
      values_.push_back({});
      return 1;
    }
    if (i + 1 < origin_.steps.size() && recryption_.adds_in_products_) {
      const std::size_t addend = addend_of(i);
      if (addend != kNoValue && has_room_for_product(addend)) {
        add_to(addend, step);
        return 2;
      }
    }
    const bool is_product = step.operation == RingOperationKind::multiply;
    const DeviceInteger place = is_product ? product(step) : sum(step);
    release_operands(step);
    add_value(place);
    return 1;
  }

  void release_operands(const RingStep& step) {
    for (const std::size_t operand : {step.left, step.right}) {
      if (--values_[operand].uses == 0) program_.release(values_[operand].place);
    }
  }

  // Whether it was not reduced meanwhile, and is not too long for a sum.
  [[nodiscard]] bool has_room_for_product(std::size_t addend) const {
    const Value& value = values_[addend];
    return words_for_bits(value.written) >= words_for_bits(sum_bits(value.place.bits)) &&
           value.place.bits < recryption_.reduction_.argument_bits();
  }

  // The product is no value of its own.
  void add_to(std::size_t addend, const RingStep& step) {
    const DeviceInteger a = value_of(step.left, modulus_bits_ + kFactorMargin);
    const DeviceInteger b = value_of(step.right, modulus_bits_ + kFactorMargin);
    const Value value = values_[addend];
    const DeviceInteger sum{value.place.address, std::max(value.place.bits, a.bits + b.bits) + 1};
    add_product(sum, step, a, b, true);
    release_operands(step);
    values_.push_back({});
    values_.push_back({sum, uses_[values_.size()], value.written});
    shorten(values_.size() - 1);
  }

  void add_product(DeviceInteger result, const RingStep& step, DeviceInteger a, DeviceInteger b,
                   bool accumulates) {
    const Command command = step.left == step.right ? square(result, a) : multiply(result, a, b);
    program_.add(accumulates ? command.with(flag::accumulate)
                             : session_.four_steps.faster(session_.device, command));
    ++recryption_.products_;
  }

  DeviceInteger product(const RingStep& step) {
    const DeviceInteger a = value_of(step.left, modulus_bits_ + kFactorMargin);
    const DeviceInteger b = value_of(step.right, modulus_bits_ + kFactorMargin);
    const std::uint32_t bits = a.bits + b.bits;
    const DeviceInteger result = room(values_.size(), bits);
    add_product(result, step, a, b, false);
    return {result.address, bits};
  }

  DeviceInteger sum(const RingStep& step) {
    const std::uint32_t most = recryption_.reduction_.argument_bits() - 1;
    return sum(value_of(step.left, most), value_of(step.right, most), values_.size());
  }

  DeviceInteger sum(DeviceInteger a, DeviceInteger b, std::size_t value) {
    const std::uint32_t bits = std::max(a.bits, b.bits) + 1;
    const DeviceInteger result = room(value, bits);
    program_.add(add(result, a, b));
    return {result.address, bits};
  }

  // A value of at most `most` bits: it is reduced where it is longer, once for all its readers.
  DeviceInteger value_of(std::size_t index, std::uint32_t most) {
    Value& value = values_[index];
    if (value.place.bits > most) {
      const DeviceInteger residue = reduced(value.place, written_bits(index, modulus_bits_));
      program_.release(value.place);
      value.place = {residue.address, modulus_bits_};
      value.written = residue.bits;
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
  const Origin& origin_;
  DeviceProgram& program_;
  std::uint32_t modulus_bits_;
  std::uint64_t window_words_;
  std::uint32_t correction_bits_;
  std::uint64_t first_factors_ = 0;  // addresses
  std::uint64_t corrections_ = 0;
  std::uint64_t one_ = 0;
  std::vector<std::size_t> uses_, last_uses_;  // by the step, where there are any
  std::vector<bool> becomes_factor_;           // by itself, or in a sum
  std::vector<bool> is_addend_;
  std::vector<Value> values_;
  KeptTransforms transforms_;
};

bool DeviceRecryption::takes(const Device& device, const RecryptionTask& task) {
  const IntegerStream& elements = task.elements.elements;
  const auto is_short = [&](const Integer& x) {
    return sgn(x) >= 0 && bit_length(x) <= elements.bits();
  };
  const auto is_possible = [&](const WindowGroup& group) {
    return group.count <= kMostInGroup && group.window_step <= kMostStep &&
           (group.window_step == 1 || stored_windows(group, task.first_factors.size()) <= 1);
  };
  return device.info().has(feature::run) && generates(device, elements) &&
         generates(device, task.other_factors) && task.windows.window_bits <= kMostWindowBits &&
         words_for_bits(task.windows.modulus_bits) * kWordBits <=
             std::numeric_limits<std::uint32_t>::max() &&
         words_of_sum(elements.bits()) <= std::numeric_limits<std::uint16_t>::max() &&
         std::ranges::all_of(task.elements.corrections, is_short) &&
         std::ranges::all_of(task.groups, is_possible);
}

DeviceRecryption::DeviceRecryption(DeviceSession& session, const Integer& modulus,
                                   const RecryptionTask& task)
    : origin_(task),
      reduction_(session.device, modulus,
                 static_cast<std::uint32_t>(bit_length(modulus)) + 2 * kFactorMargin + kSumMargin),
      factors_(session.device, task.other_factors, 0, task.other_factors.count()),
      elements_(session.device, task.elements.elements, 0, task.elements.elements.count()),
      number_(session.device.allocate(padded_bytes(task.windows.modulus_bits))),
      program_(session.device),
      adds_in_products_(session.device.info().has(feature::throughput) &&
                        !takes_four_steps(session.device, reduction_.argument_bits() / 2)) {
  Writer(*this, session).write();
  command_ = program_.finish();
}

bool DeviceRecryption::is_of(const RecryptionTask& task) const {
  return origin_.other_factors == task.other_factors.source() &&
         origin_.elements == task.elements.elements.source() &&
         origin_.other_count == task.other_factors.count() &&
         origin_.element_bits == task.elements.elements.bits() && origin_.windows == task.windows &&
         origin_.output == task.output &&
         std::ranges::equal(origin_.first_factors, task.first_factors) &&
         std::ranges::equal(origin_.corrections, task.elements.corrections) &&
         std::ranges::equal(origin_.groups, task.groups) &&
         std::ranges::equal(origin_.singles, task.singles) &&
         std::ranges::equal(origin_.steps, task.steps);
}

std::optional<Integer> DeviceRecryption::run(DeviceSession& session, const Integer& c,
                                             OperationCounters& counters) const {
  Device& device = session.device;
  device.put(number_.address(), number_of_windows(c, origin_.windows));
  const Completion completion = session.wait(device.submit(command_), counters);
  const std::size_t limbs = limbs_for_bits(result_.bits);
  counters.count_multiplication(limbs, limbs, products_);
  counters.count_reduction(reductions_);
  counters.count_stream_bytes(factors_.bytes() + elements_.bytes());
  if (completion.carry || completion.undecided) return std::nullopt;
  std::vector<std::byte> bytes(padded_bytes(result_.bits));
  device.get(result_.address, bytes);
  return from_bytes(bytes);
}

}  // namespace fhe::fpga
