// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <set>

#include "accel/fpga/backend/device_operand.hpp"
#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/backend/device_windows.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kMostWindowBits = parameter::selection_sums;
constexpr std::size_t kMostStep = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;
constexpr std::size_t kMostOfCommand =
    std::numeric_limits<std::uint16_t>::max();  // elements; words
constexpr std::uint64_t kMostBits = std::numeric_limits<std::uint32_t>::max();

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

std::size_t last_window(const WindowGroup& group) {
  return group.first_window + (group.count - 1) * group.window_step;
}

ResidueShape shape_of(const ResidueWindows& residues, std::uint64_t modulus_bits) {
  return {modulus_bits, std::max<std::size_t>(residues.count, 1), residues.step};
}

// Elements `first`, `first` + 1, ..., as their stream counts them.
struct InStream {
  std::size_t stream;
  std::size_t first;
};

// Requires an element of a stream.
InStream in_stream(const RingProgram& task, std::size_t element) {
  std::size_t stream = 0;
  while (element >= task.elements[stream].elements.count())
    element -= task.elements[stream++].elements.count();
  return {stream, element};
}

// Whether a device takes the tasks of a key.
class Taken {
 public:
  Taken(const Device& device, const Integer& modulus, const RingProgram& task)
      : device_(device), modulus_(modulus), bits_(bit_length(modulus)), task_(task) {}

  [[nodiscard]] bool all() const {
    const DeviceInfo& info = device_.info();
    return info.has(feature::run) && info.has(feature::elements) &&
           task_.windows.window_bits <= kMostWindowBits && are_factors() && are_residues() &&
           std::ranges::all_of(task_.elements, [&](const auto& x) { return is_stream(x); }) &&
           (task_.kept.empty() || words_of_sum(bits_) <= kMostOfCommand) &&
           std::ranges::all_of(task_.groups, [&](const auto& group) { return is_group(group); });
  }

 private:
  [[nodiscard]] bool are_factors() const {
    return (task_.other_factors == nullptr || generates(device_, *task_.other_factors)) &&
           padded_bytes(task_.windows.modulus_bits) * 8 <= kMostBits;
  }

  [[nodiscard]] bool are_residues() const {
    if (task_.residues.factors.empty()) return true;
    return mpz_odd_p(modulus_.get_mpz_t()) != 0 &&
           bits_ + task_.residues.windows() * task_.residues.step + 2 * kWordBits <= kMostBits / 2;
  }

  [[nodiscard]] bool is_stream(const CorrectedStream& x) const {
    const auto is_short = [&](const Integer& correction) {
      return sgn(correction) >= 0 && bit_length(correction) <= x.elements.bits();
    };
    return generates(device_, x.elements) && words_of_sum(x.elements.bits()) <= kMostOfCommand &&
           std::ranges::all_of(x.corrections, is_short);
  }

  [[nodiscard]] bool is_group(const WindowGroup& group) const {
    return group.count <= kMostOfCommand &&
           (group.plus == 0 || task_.windows.window_bits < kMostWindowBits) && has_windows(group) &&
           has_elements(group);
  }

  [[nodiscard]] bool has_windows(const WindowGroup& group) const {
    const std::size_t of_products = task_.product_windows();
    if (group.first_window >= of_products) return has_residues(group, of_products);
    const std::size_t stored = stored_windows(group, task_.first_factors.size());
    return last_window(group) < of_products && group.window_step <= kMostStep &&
           (group.window_step == 1 || stored <= 1) &&
           can_be_stored(stored, task_.windows.modulus_bits);
  }

  // Neighbours, all of one factor.
  [[nodiscard]] bool has_residues(const WindowGroup& group, std::size_t before) const {
    const std::size_t each = task_.residues.count;
    const std::size_t first = group.first_window - before;
    const ResidueShape::Slice slice =
        shape_of(task_.residues, bits_).slice(first % each, group.count);
    return (group.window_step == 1 || group.count == 1) &&
           first / each == (last_window(group) - before) / each &&
           can_be_stored(group.count, slice.element_bits);
  }

  [[nodiscard]] bool has_elements(const WindowGroup& group) const {
    const std::size_t streamed = task_.streamed();
    const std::size_t last = group.first + group.count - 1;
    if (group.first >= streamed) return can_be_stored(group.count, bits_);
    return last < streamed && in_stream(task_, group.first).stream == in_stream(task_, last).stream;
  }

  [[nodiscard]] static bool can_be_stored(std::uint64_t count, std::uint64_t bits) {
    return count * words_for_bits(bits) <= parameter::most_stored_words;
  }

  const Device& device_;
  const Integer& modulus_;
  std::size_t bits_;
  const RingProgram& task_;
};

// One more than the last sum that is wanted.
std::size_t width_of(std::span<const WantedSum> wanted) {
  std::size_t width = wanted.size();
  while (width > 1 && !wanted[width - 1].is_wanted) --width;
  return width;
}

// The sums of a selection of `count` elements, one after the other.
struct SumLengths {
  std::uint32_t element_bits;
  std::size_t count;

  [[nodiscard]] DeviceInteger sum(DeviceInteger sums, std::size_t which) const {
    const auto growth = static_cast<std::uint32_t>(std::bit_width(count));
    return {sums.address + which * words_of_sum(element_bits) * kWordBytes, element_bits + growth};
  }
};

// What is written there, the bits above the value included.
DeviceInteger all_bits(const ValuePlace& value) {
  return {value.place.address, value.written};
}

// The sums where they lie.
std::vector<ValuePlace> in_one_room(DeviceInteger sums, const SumLengths& lengths,
                                    std::span<const WantedSum> wanted) {
  std::vector<ValuePlace> results(wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (!wanted[j].is_wanted) continue;
    const DeviceInteger place = lengths.sum(sums, j);
    results[j] = {.place = place, .written = place.bits, .room = sums.address};
  }
  return results;
}

}  // namespace

RecryptionMemory::RecryptionMemory(DeviceSession& session, const Integer& modulus,
                                   const RingProgram& task)
    : modulus_bits_(static_cast<std::uint32_t>(bit_length(modulus))), windows_(task.windows) {
  Device& device = session.device;
  if (task.other_factors != nullptr)
    factors_.emplace(device, *task.other_factors, 0, task.other_factors->count());
  for (const CorrectedStream& x : task.elements)
    streams_.emplace_back(device, x.elements, 0, x.elements.count());
  if (!task.kept.empty()) keep(session, task.kept);
  if (task.product_windows() != 0) number_ = device.allocate(padded_bytes(windows_.modulus_bits));
  if (!task.residues.factors.empty()) c_ = device.allocate(padded_bytes(modulus_bits_));
}

// One copy of what lies here and there.
void RecryptionMemory::keep(DeviceSession& session, std::span<const Operand> elements) {
  Device& device = session.device;
  const std::uint64_t stride = padded_bytes(modulus_bits_);
  kept_ = device.allocate(elements.size() * stride);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const DeviceOperand element(device, elements[i], modulus_bits_);
    const DeviceInteger place{kept_.address() + i * stride, modulus_bits_};
    static_cast<void>(device.wait(device.submit(copy(place, element.place()))));
  }
}

void RecryptionMemory::put(Device& device, const Integer& c) const {
  if (number_.size() != 0) device.put(number_.address(), number_of_windows(c, windows_));
  if (c_.size() != 0) device.store(c_, c, modulus_bits_);
}

std::uint64_t RecryptionMemory::generated_bytes() const {
  std::uint64_t bytes = factors_ ? factors_->bytes() : 0;
  for (const GeneratedElements& stream : streams_) bytes += stream.bytes();
  return bytes;
}

DeviceInteger RecryptionMemory::number() const {
  return {number_.address(),
          static_cast<std::uint32_t>(padded_bytes(windows_.modulus_bits) / kWordBytes * kWordBits)};
}

bool RecryptionInputs::takes(const Device& device, const Integer& modulus,
                             const RingProgram& task) {
  return Taken(device, modulus, task).all();
}

RecryptionInputs::RecryptionInputs(DeviceSession& session, const Integer& modulus,
                                   const RingProgram& task, const RecryptionMemory& memory,
                                   DeviceProgram& program)
    : session_(session),
      task_(task),
      memory_(memory),
      program_(program),
      modulus_bits_(static_cast<std::uint32_t>(bit_length(modulus))),
      streamed_(task.streamed()),
      residues_(shape_of(task.residues, modulus_bits_)) {
  if (!task.first_factors.empty())
    first_factors_ = constant(task.first_factors, task.windows.modulus_bits);
  for (const CorrectedStream& x : task.elements) {
    Corrections& stored = corrections_.emplace_back();
    if (x.corrections.empty()) continue;
    stored.bits = static_cast<std::uint32_t>(longest(x.corrections));
    stored.address = constant(x.corrections, stored.bits);
  }
  if (!task.residues.factors.empty()) store_residue_factors(modulus);
}

std::uint64_t RecryptionInputs::constant(std::span<const Integer> list, std::uint64_t bits) {
  return program_.constant(
      listed_bytes(list.size(), bits, [&](std::size_t i) -> const Integer& { return list[i]; }));
}

void RecryptionInputs::store_residue_factors(const Integer& modulus) {
  std::vector<Integer> factors;
  for (const Operand& y : task_.residues.factors)
    factors.push_back(residues_.factor(y.value(), modulus));
  residue_factors_ = constant(factors, residues_.factor_bits());
}

std::vector<ValuePlace> RecryptionInputs::add_group(const WindowGroup& group, Sums wanted) {
  const std::vector<Part> parts = parts_of(group);
  if (parts.size() == 1) return selected(parts.front(), wanted);
  std::vector<WantedSum> terms(wanted.begin(), wanted.end());
  for (WantedSum& term : terms) term.least_bits = 0;
  const std::vector<ValuePlace> first = selected(parts[0], terms);
  return added(first, selected(parts[1], terms), wanted);
}

// The elements whose windows are of factors that are stored, and the others.
std::vector<RecryptionInputs::Part> RecryptionInputs::parts_of(const WindowGroup& group) {
  const std::size_t stored = stored_windows(group, task_.first_factors.size());
  std::vector<Part> parts;
  for (const auto& [begin, end] : {std::pair{std::size_t{0}, stored}, {stored, group.count}}) {
    if (begin == end) continue;
    const std::uint64_t masks =
        masks_of(group.first_window + begin * group.window_step, end - begin, group.window_step);
    parts.push_back({increased(masks, end - begin, group.plus), group.first + begin, end - begin});
  }
  return parts;
}

// The windows first, first + step, ..., each in a byte.
std::uint64_t RecryptionInputs::masks_of(std::size_t first, std::size_t count, std::size_t step) {
  const auto [found, is_new] = masks_.try_emplace({first, count, step});
  if (is_new) {
    const DeviceInteger masks = program_.room(count * parameter::selection_sums);
    found->second = masks.address;
    const std::size_t of_products = task_.product_windows();
    if (first < of_products) {
      add_product_windows(masks, first, count, step);
    } else {
      add_residue_windows(masks, first - of_products, count);
    }
  }
  return found->second;
}

void RecryptionInputs::add_product_windows(DeviceInteger masks, std::size_t first,
                                           std::size_t count, std::size_t step) {
  const std::size_t stored = task_.first_factors.size();
  Windows windows{.destination = masks.address,
                  .masks = true,
                  .width = static_cast<std::uint8_t>(task_.windows.window_bits),
                  .elements = static_cast<std::uint16_t>(count),
                  .number = memory_.number()};
  if (first < stored) {
    windows.stored = true;
    windows.address = first_factors_ + first * padded_bytes(task_.windows.modulus_bits);
    windows.element_bits = static_cast<std::uint32_t>(task_.windows.modulus_bits);
  } else {
    windows.stream = memory_.factors().record();
    windows.first = memory_.factors().index_of(first - stored);
    windows.skip = static_cast<std::uint8_t>(step - 1);
    windows.element_bits = memory_.factors().bits();
  }
  program_.add(multiply_windows(windows));
}

void RecryptionInputs::add_residue_windows(DeviceInteger masks, std::size_t first,
                                           std::size_t count) {
  const std::size_t each = task_.residues.count;
  const ResidueShape::Slice slice = residues_.slice(first % each, count);
  const std::uint64_t number = leading_words_of(first / each) + slice.first_word * kWordBytes;
  program_.add(
      multiply_windows({.destination = masks.address,
                        .masks = true,
                        .width = static_cast<std::uint8_t>(task_.windows.window_bits),
                        .stored = true,
                        .address = single_bits(slice, first % each, count),
                        .elements = static_cast<std::uint16_t>(count),
                        .element_bits = slice.element_bits,
                        .number = {number, static_cast<std::uint32_t>(slice.words * kWordBits)}}));
}

// Those of c W for the W of a factor, the highest one first.
std::uint64_t RecryptionInputs::leading_words_of(std::size_t factor) {
  const auto [found, is_new] = leading_words_.try_emplace(factor);
  if (is_new) {
    const auto bits = static_cast<std::uint32_t>(residues_.factor_bits());
    const DeviceInteger w{residue_factors_ + factor * residues_.factor_words() * kWordBytes, bits};
    const DeviceInteger product = program_.room(modulus_bits_ + bits);
    const DeviceInteger leading = program_.room(residues_.leading_words() * kWordBits);
    program_.add(
        session_.four_steps.faster(session_.device, multiply(product, memory_.ciphertext(), w)));
    ++products_;
    const std::uint64_t highest = product.address + (residues_.factor_words() - 1) * kWordBytes;
    for (std::uint64_t at = 0; at < leading.bits / 8; at += kWordBytes)
      program_.add(copy({leading.address + at, kWordBits}, {highest - at, kWordBits}));
    program_.release(product);
    found->second = leading.address;
  }
  return found->second;
}

// What the engine multiplies the number of a slice by: the same for all factors.
std::uint64_t RecryptionInputs::single_bits(const ResidueShape::Slice& slice, std::size_t first,
                                            std::size_t count) {
  const auto [found, is_new] = single_bits_.try_emplace({first, count});
  if (is_new) {
    std::vector<Integer> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(residues_.element(slice, first + i));
    found->second = constant(elements, slice.element_bits);
  }
  return found->second;
}

// Masks with a number added to each, which takes at most a bit more.
std::uint64_t RecryptionInputs::increased(std::uint64_t masks, std::size_t count,
                                          std::uint32_t plus) {
  if (plus == 0) return masks;
  const std::vector<std::byte> numbers(count, static_cast<std::byte>(plus));
  const auto bits = static_cast<std::uint32_t>(count * parameter::selection_sums);
  const DeviceInteger results = program_.room(bits);
  program_.add(add(results, {masks, bits}, {program_.constant(numbers), bits}));
  return results.address;
}

ValuePlace RecryptionInputs::add_single(std::size_t element, const WantedSum& wanted) {
  if (is_kept(element)) return {.place = kept_at(element), .written = modulus_bits_};
  constexpr std::array kOne{std::byte{1}};
  if (!one_) one_ = program_.constant(kOne);
  return selected({*one_, element, 1}, std::span(&wanted, 1)).front();
}

DeviceInteger RecryptionInputs::kept_at(std::size_t element) const {
  return {memory_.kept() + (element - streamed_) * padded_bytes(modulus_bits_), modulus_bits_};
}

std::vector<ValuePlace> RecryptionInputs::selected(const Part& part, Sums wanted) {
  if (!is_kept(part.first)) return selected_of_stream(part, wanted);
  const DeviceInteger sums = add_selection({.stored = true,
                                            .address = kept_at(part.first).address,
                                            .elements = static_cast<std::uint16_t>(part.count),
                                            .element_bits = modulus_bits_,
                                            .masks = part.masks},
                                           width_of(wanted));
  return in_one_room(sums, {modulus_bits_, part.count}, wanted);
}

std::vector<ValuePlace> RecryptionInputs::selected_of_stream(const Part& part, Sums wanted) {
  const auto [which, first] = in_stream(task_, part.first);
  const GeneratedElements& stream = memory_.stream(which);
  const Corrections& corrections = corrections_[which];
  Selection chosen{.stream = stream.record(),
                   .first = stream.index_of(first),
                   .elements = static_cast<std::uint16_t>(part.count),
                   .element_bits = stream.bits(),
                   .masks = part.masks};
  const DeviceInteger sums = add_selection(chosen, width_of(wanted));
  const std::vector<ValuePlace> whole = in_one_room(sums, {stream.bits(), part.count}, wanted);
  if (corrections.bits == 0) return whole;
  chosen.stored = true;
  chosen.address = corrections.address + first * padded_bytes(corrections.bits);
  chosen.element_bits = corrections.bits;
  const DeviceInteger less = add_selection(chosen, width_of(wanted));
  const SumLengths lengths{corrections.bits, part.count};
  std::vector<ValuePlace> results(wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (!wanted[j].is_wanted) continue;
    results[j] = room_for(whole[j].place.bits, wanted[j]);
    program_.add(subtract(all_bits(results[j]), whole[j].place, lengths.sum(less, j)));
  }
  program_.release(sums);
  program_.release(less);
  return results;
}

// All sums of a selection, one after the other.
DeviceInteger RecryptionInputs::add_selection(Selection selection, std::size_t width) {
  const std::uint64_t words = words_of_sum(selection.element_bits);
  const DeviceInteger sums = program_.room(width * words * kWordBits);
  selection.destination = sums.address;
  selection.sums = static_cast<std::uint8_t>(width);
  selection.sum_words = static_cast<std::uint16_t>(words);
  program_.add(select(selection));
  return sums;
}

std::vector<ValuePlace> RecryptionInputs::added(std::span<const ValuePlace> a,
                                                std::span<const ValuePlace> b, Sums wanted) {
  std::vector<ValuePlace> results(wanted.size());
  std::set<std::uint64_t> rooms;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (!wanted[j].is_wanted) continue;
    results[j] = room_for(std::max(a[j].place.bits, b[j].place.bits) + 1, wanted[j]);
    program_.add(add(all_bits(results[j]), a[j].place, b[j].place));
    rooms.insert({*a[j].room, *b[j].room});
  }
  for (const std::uint64_t room : rooms) program_.release({room, 0});
  return results;
}

// For a value of so many bits.
ValuePlace RecryptionInputs::room_for(std::uint32_t bits, const WantedSum& wanted) {
  const DeviceInteger room = program_.room(std::max(bits, wanted.least_bits));
  return {.place = {room.address, bits}, .written = room.bits, .room = room.address};
}

}  // namespace fhe::fpga
