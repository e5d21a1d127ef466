// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "accel/fpga/contract/command_rules.hpp"
#include "accel/fpga/contract/words.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/polynomials/hardware_format.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kEntryBytes = parameter::entry_bits / 8;
constexpr std::uint64_t kIndexBytes = 2;
constexpr std::uint64_t kSparseBits = std::uint64_t{1} << parameter::sparse_index_bits;

// A piece of memory, in bytes. One of size 0 is nowhere.
struct Extent {
  std::uint64_t address = 0;
  std::uint64_t size = 0;

  bool overlaps(const Extent& other) const {
    return size != 0 && other.size != 0 && address < other.address + other.size &&
           other.address < address + size;
  }
};

// So many bits at an address.
Extent extent(std::uint64_t address, std::uint64_t bits) {
  return {address, padded_bytes(bits)};
}

// The product of two operands of n coefficients in beats, by definition.
void multiply_beats(std::span<const std::byte> x_beats, std::span<const std::byte> y_beats,
                    std::size_t n, const Integer& modulus, std::span<std::byte> product_beats) {
  const Polynomial x = karatsuba::from_beats(x_beats, n, karatsuba::kOperandLanes);
  const Polynomial y = karatsuba::from_beats(y_beats, n, karatsuba::kOperandLanes);
  Polynomial product(2 * n - 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) product[i + j] += x[i] * y[j];
  }
  for (Integer& coefficient : product) coefficient %= modulus;
  karatsuba::to_beats(product, n, karatsuba::kResultLanes, product_beats);
}

Integer element_of(const GeneratedStream& stream, std::uint32_t index, std::uint32_t bits) {
  const auto purpose = static_cast<StreamPurpose>(stream.purpose);
  return PublicStream(stream.seed, purpose, index, 1, bits).element(0);
}

// The lowest digits of 32 bits of x, the lowest first.
std::vector<std::uint64_t> digits_of(const Integer& x, std::size_t count) {
  std::vector<std::byte> bytes(4 * count);
  to_bytes(x, bytes);
  std::vector<std::uint64_t> digits(count);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    digits[i / 4] |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * (i % 4);
  return digits;
}

// rtl/elements/window_engine.sv: the sum over k of y_k floor(c / 2^(N - 32 k - window_bits)) modulo
// 2^window_bits, for c of N bits, over as many digits y_k as c has.
Integer leading_bits(const std::vector<std::uint64_t>& c, const Integer& y) {
  constexpr std::size_t kParts = parameter::window_bits / 32;
  const std::vector<std::uint64_t> y_digits = digits_of(y, c.size());
  Integer sum;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::uint64_t low = 0, high = 0;  // of the products, 32 bits of each
    for (std::size_t k = 0; k + kParts - part <= c.size(); ++k) {
      const std::uint64_t product = y_digits[k] * c[c.size() - k - kParts + part];
      low += product & 0xffff'ffff;
      high += product >> 32;
    }
    sum += ((Integer(high) << 32) + low) << (32 * part);
  }
  return low_bits(sum, parameter::window_bits);
}

// An entry of a product with `digits` digits as a mask of `width` bits: rounded to the nearest
// integer, ties up. Undecided where the product, which is less than entry + 2^32 digits, may not
// be rounded to the same.
struct Mask {
  Integer value;
  bool is_undecided;
};
Mask mask_of(const Integer& entry, std::uint64_t digits, unsigned width) {
  const unsigned below = parameter::window_bits - width;
  const auto rounded = [below](const Integer& x) {
    return Integer((x + power_of_two(below - 1)) >> below);
  };
  const Integer value = rounded(entry);
  return {low_bits(value, width), value != rounded(entry + (Integer(digits) << 32))};
}

Status check_place(const Extent& place, const DeviceMemory& memory) {
  if (place.size == 0) return Status::ok;
  if (place.address % kWordBytes != 0) return Status::bad_align;
  return memory.contains(place.address, place.size) ? Status::ok : Status::range;
}

// A source, which lies apart from the destination unless it is that.
Status check_source(const Extent& source, bool may_be_destination, const Extent& destination,
                    const DeviceMemory& memory) {
  const Status status = check_place(source, memory);
  if (status != Status::ok) return status;
  const bool is_destination = may_be_destination && source.address == destination.address;
  return !is_destination && source.overlaps(destination) ? Status::overlap : Status::ok;
}

Status check_places(const Command& command, const CommandRules& rules, const DeviceMemory& memory) {
  const Extent destination = extent(command.destination.address, rules.destination_bits);
  const Extent source0 = extent(command.source0.address, rules.source0.bits);
  const Extent source1 = extent(command.source1.address, rules.source1.bits);
  const Extent parameter = extent(command.parameter, rules.parameter_bits);
  Status status = check_place(destination, memory);
  if (status == Status::ok)
    status = check_source(source0, rules.source0.may_be_destination, destination, memory);
  if (status == Status::ok)
    status = check_source(source1, rules.source1.may_be_destination, destination, memory);
  if (status == Status::ok) status = check_source(parameter, false, destination, memory);
  return status;
}

}  // namespace

Status ModelMachine::check(const DescriptorWords& words, bool in_program) const {
  const Command command = decode(words);
  if (command.has(flag::crc) && words[descriptor::crc] != descriptor_crc(words)) return Status::crc;
  const Context* context = context_of(command);
  const CommandRules rules =
      rules_of(command, equipment_, context == nullptr ? BarrettShape{} : context->shape);
  if (!rules.is_known || (in_program && rules.procedure == Procedure::program))
    return Status::bad_opcode;
  if (rules.names_context && command.context >= parameter::contexts) return Status::no_ctx;
  if (rules.needs_context && context == nullptr) return Status::no_ctx;
  if (rules.conditions.unmet() != 0) return Status::length;
  return check_places(command, rules, memory_);
}

ModelOutcome ModelMachine::fetch(std::uint64_t address, DescriptorWords& words) {
  try {
    std::ranges::copy(access(address, 1), std::as_writable_bytes(std::span(words)).begin());
    return {};
  } catch (const Failure& failure) {
    return {.status = failure.status, .error_address = failure.address};
  }
}

ModelWork ModelMachine::work(const Command& command) const {
  const Context* context = context_of(command);
  return model_work(command, context == nullptr ? Context{} : *context, equipment_);
}

ModelOutcome ModelMachine::run(const Command& command) {
  try {
    return execute(command);
  } catch (const Failure& failure) {
    return {.status = failure.status, .error_address = failure.address};
  }
}

const Context* ModelMachine::context_of(const Command& command) const {
  const bool is_set = command.context < parameter::contexts && contexts_[command.context];
  return is_set ? &*contexts_[command.context] : nullptr;
}

void ModelMachine::break_word(std::uint64_t address, unsigned times) {
  broken_word_ = address;
  broken_times_ = times;
}

std::span<std::byte> ModelMachine::access(std::uint64_t address, std::uint64_t words) {
  const std::uint64_t size = words * kWordBytes;
  if (broken_times_ > 0 && broken_word_ >= address && broken_word_ - address < size) {
    --broken_times_;
    throw Failure{Status::bus_error, broken_word_};
  }
  return memory_.at(address, size);
}

Integer ModelMachine::read_words(std::uint64_t address, std::uint64_t words) {
  return words == 0 ? Integer() : from_bytes(access(address, words));
}

void ModelMachine::write_words(std::uint64_t address, std::uint64_t words, const Integer& value) {
  if (words != 0) to_bytes(value, access(address, words));
}

Integer ModelMachine::read_operand(const DeviceInteger& operand, bool check_pad) {
  Integer value = read_words(operand.address, words_for_bits(operand.bits));
  if (check_pad && bit_length(value) > operand.bits) throw Failure{Status::pad_not_zero};
  return value;
}

// The sum of 2^index over `count` indices.
Integer ModelMachine::read_indices(std::uint64_t address, std::uint64_t count) {
  Integer sum;
  if (count == 0) return sum;
  const std::span<const std::byte> word = access(address, 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t index = std::to_integer<std::uint32_t>(word[kIndexBytes * i]) |
                                std::to_integer<std::uint32_t>(word[kIndexBytes * i + 1]) << 8;
    if (index >= kSparseBits) throw Failure{Status::length};
    sum += power_of_two(index);
  }
  return sum;
}

Integer ModelMachine::read_signed_word(std::uint64_t address) {
  const Integer word = read_words(address, 1);
  return bit_length(word) == kWordBits ? Integer(word - power_of_two(kWordBits)) : word;
}

GeneratedStream ModelMachine::read_stream(std::uint64_t address) {
  StreamRecord record;
  std::ranges::copy(access(address, 1), std::as_writable_bytes(std::span(record)).begin());
  return decode_stream(record);
}

// Of what was found in memory, and not in the descriptor; to be apart from `destination`.
void ModelMachine::check_access(const DeviceInteger& operand,
                                const DeviceInteger& destination) const {
  const Extent found = extent(operand.address, operand.bits);
  const Status status = check_place(found, memory_);
  if (status != Status::ok) throw Failure{status};
  if (found.overlaps(extent(destination.address, destination.bits))) throw Failure{Status::overlap};
}

Integer ModelMachine::store(const DeviceInteger& destination, const Integer& value) {
  const std::uint64_t words = words_for_bits(destination.bits);
  write_words(destination.address, words, low_bits(value, words * kWordBits));
  return value >> (words * kWordBits);
}

ModelOutcome ModelMachine::store_product(const Command& command, const Integer& product) {
  if (!command.has(flag::accumulate)) {
    store(command.destination, product);
    return {};
  }
  const std::uint64_t words = words_for_bits(command.destination.bits);
  const Integer old = read_words(command.destination.address, words);
  return {.carry = store(command.destination, old + product) != 0};
}

ModelOutcome ModelMachine::store_difference(const Command& command) {
  const bool checked = command.has(flag::check_pad);
  const Integer x = read_operand(command.source0, checked);
  const Integer y = read_operand(command.source1, checked);
  if (command.opcode == Opcode::sub) return {.carry = store(command.destination, x - y) != 0};
  const bool subtracts = x >= y;
  store(command.destination, subtracts ? Integer(x - y) : x);
  return {.subtracted = subtracts};
}

// PROGRAMMING.md, "Contexts", word for word: what stands in scratch memory is q, then y.
Integer ModelMachine::reduce(const Context& context, const Integer& x, bool& subtracted) {
  const BarrettShape& shape = context.shape;
  const Integer modulus = read_words(context.modulus, shape.modulus_words());
  const Integer reciprocal = read_words(context.reciprocal, shape.reciprocal_words());
  const Integer argument = low_bits(x, shape.argument_words() * kWordBits);

  const Integer estimate = (argument >> shape.shift_low) * reciprocal;
  write_words(context.scratch + shape.estimate_at() * kWordBytes, shape.estimate_words(), estimate);
  const Integer quotient =
      low_bits(estimate >> shape.shift_high, shape.quotient_words() * kWordBits);
  const Integer remainder =
      low_bits(argument - quotient * modulus, shape.remainder_words() * kWordBits);
  write_words(context.scratch + shape.remainder_at() * kWordBytes, shape.remainder_words(),
              remainder);
  subtracted = remainder >= modulus;
  return subtracted ? Integer(remainder - modulus) : remainder;
}

// The addresses of A and B.
std::pair<std::uint64_t, std::uint64_t> ModelMachine::read_entry(std::uint64_t list,
                                                                 std::uint64_t number) {
  const std::uint64_t at = number * kEntryBytes;
  const Integer word = read_words(list + at / kWordBytes * kWordBytes, 1);
  const Integer entry = low_bits(word >> (at % kWordBytes * 8), kEntryBytes * 8);
  return {Integer(low_bits(entry, 64)).get_ui(), Integer(entry >> 64).get_ui()};
}

Integer ModelMachine::sum_of_terms(const ProductSum& request, bool check_pad) {
  const bool generates = request.generated && request.terms != 0;
  const GeneratedStream stream = generates ? read_stream(request.stream) : GeneratedStream{};
  Integer sum;
  for (std::uint64_t i = 0; i < request.terms; ++i) {
    const auto [element, weight] = read_entry(request.list, i);
    const std::uint32_t weight_bits = request.sparse ? request.sparse_weight : request.weight_bits;
    if (!generates) check_access({element, request.element_bits}, request.destination);
    check_access({weight, weight_bits}, request.destination);
    const Integer a = generates ? element_of(stream, element_index(element), request.element_bits)
                                : read_operand({element, request.element_bits}, check_pad);
    sum += a * (request.sparse ? read_indices(weight, request.sparse_weight)
                               : read_operand({weight, request.weight_bits}, check_pad));
  }
  return sum;
}

Integer ModelMachine::sum_of_rows(const NestedSum& request, bool check_pad) {
  const Context& context = *contexts_[request.context];
  const auto read_factor = [&](std::uint64_t address, std::uint32_t bits) {
    check_access({address, bits}, request.destination);
    return read_operand({address, bits}, check_pad);
  };
  Integer sum;
  std::uint64_t number = 0;
  for (std::uint64_t i = 0; i < request.rows; ++i) {
    Integer row;
    for (std::uint64_t j = 0; j < request.rows; ++j) {
      const auto [element, weight] = read_entry(request.list, number++);
      const Integer a = read_factor(element, request.element_bits);
      row += a * read_factor(weight, request.weight_bits);
    }
    const std::uint64_t factor = read_entry(request.list, number++).first;
    bool subtracted = false;
    const Integer remainder = reduce(context, row, subtracted);
    sum += read_factor(factor, request.element_bits) * remainder;
  }
  return sum;
}

// What gives element i of such a command.
template <class Request>
std::function<Integer(std::uint32_t)> ModelMachine::elements_of(const Request& request,
                                                                bool check_pad) {
  const std::uint32_t bits = request.element_bits;
  if (request.stored) {
    return [this, first = request.address, bits, check_pad](std::uint32_t i) {
      return read_operand({first + i * padded_bytes(bits), bits}, check_pad);
    };
  }
  return [stream = read_stream(request.stream), first = request.first, bits](std::uint32_t i) {
    return element_of(stream, first + i, bits);
  };
}

ModelOutcome ModelMachine::add_selected(const Command& command) {
  const Selection request = decode_selection(command);
  const auto element = elements_of(request, command.has(flag::check_pad));
  const Integer masks = read_operand(command.source1, command.has(flag::check_pad));
  std::vector<Integer> sums(request.sums);
  for (std::uint32_t i = 0; i < request.elements; ++i) {
    const Integer mask = low_bits(masks >> (parameter::selection_sums * i), request.sums);
    if (mask == 0 && !request.stored) continue;  // what is stored is read all the same
    const Integer x = element(i);
    for (std::size_t j = 0; j < sums.size(); ++j)
      if (mpz_tstbit(mask.get_mpz_t(), j) != 0) sums[j] += x;
  }
  for (std::size_t j = 0; j < sums.size(); ++j) {
    write_words(request.destination + j * request.sum_words * kWordBytes, request.sum_words,
                sums[j]);
  }
  return {};
}

ModelOutcome ModelMachine::multiply_windows(const Command& command) {
  const Windows request = decode_windows(command);
  const auto element = elements_of(request, command.has(flag::check_pad));
  const std::uint64_t words = words_for_bits(request.number.bits);
  Integer number;
  for (std::uint64_t i = 0; i < words; ++i)
    number = (number << kWordBits) + read_words(request.number.address + i * kWordBytes, 1);
  const std::vector<std::uint64_t> digits = digits_of(number, words * kWordBits / 32);
  const std::uint64_t result_bits =
      request.masks ? parameter::selection_sums : parameter::window_entry_bits;
  ModelOutcome outcome;
  Integer results;
  for (std::uint32_t i = 0; i < request.elements; ++i) {
    Integer result = leading_bits(digits, element(i * (std::uint32_t{request.skip} + 1)));
    if (request.masks) {
      Mask mask = mask_of(result, digits.size(), request.width);
      outcome.undecided = outcome.undecided || mask.is_undecided;
      result = std::move(mask.value);
    }
    results += result << (result_bits * i);
  }
  store(command.destination, results);
  return outcome;
}

ModelOutcome ModelMachine::add_weighted(const Command& command) {
  const WeightedSum request = decode_weighted_sum(command);
  const GeneratedStream stream = read_stream(request.stream);
  const std::uint64_t stride = padded_bytes(request.weight_bits);
  Integer sum;
  for (std::uint32_t i = 0; i < request.elements; ++i) {
    sum += element_of(stream, request.first + i, request.element_bits) *
           read_operand({request.weights + i * stride, request.weight_bits},
                        command.has(flag::check_pad));
  }
  store(command.destination, sum);
  return {};
}

ModelOutcome ModelMachine::add_products(const Command& command) {
  const ProductSum request = decode_product_sum(command);
  Integer sum = sum_of_terms(request, command.has(flag::check_pad));
  if (request.affine) sum = 2 * sum + read_signed_word(request.addend);
  if (request.reduce) return store_reduced(command, sum);
  store(command.destination, sum);
  return {};
}

ModelOutcome ModelMachine::add_rows(const Command& command) {
  const NestedSum request = decode_nested_sum(command);
  Integer sum = sum_of_rows(request, command.has(flag::check_pad));
  if (request.affine) sum = 2 * sum + read_signed_word(request.addend);
  return store_reduced(command, sum);
}

ModelOutcome ModelMachine::store_reduced(const Command& command, const Integer& sum) {
  const Context& context = *contexts_[command.context];
  const BarrettShape& shape = context.shape;
  const Integer kept = low_bits(sum, shape.sum_words() * kWordBits);
  write_words(context.scratch + shape.sum_at() * kWordBytes, shape.sum_words(), kept);
  ModelOutcome outcome;
  store(command.destination, reduce(context, kept, outcome.subtracted));
  return outcome;
}

ModelOutcome ModelMachine::set_context(const Command& command) {
  ContextRecord record;
  std::ranges::copy(access(command.parameter, 1),
                    std::as_writable_bytes(std::span(record)).begin());
  const Context context = decode_context(record, equipment_.reduction_bits());
  const BarrettShape& shape = context.shape;
  if (!shape.is_valid() || context.scratch_words < shape.scratch_words())
    throw Failure{Status::length};
  for (const auto& [address, words] : {std::pair{context.modulus, shape.modulus_words()},
                                       std::pair{context.reciprocal, shape.reciprocal_words()},
                                       std::pair{context.scratch, shape.scratch_words()}}) {
    const Status status = check_place({address, words * kWordBytes}, memory_);
    if (status != Status::ok) throw Failure{status};
  }
  contexts_[command.context] = context;
  return {};
}

ModelOutcome ModelMachine::multiply_polynomials(const Command& command) {
  const std::uint32_t bits = equipment_.coefficient_bits();
  const std::uint64_t bytes = std::uint64_t{bits} / 8 << log2_size_of(command);
  const Integer modulus = read_words(command.parameter, 1);
  const Integer constant = read_words(command.parameter + kWordBytes, 1);
  const Integer q = low_bits(modulus, bits);
  if (bit_length(q) < bits) throw Failure{Status::length};
  const auto all_of = [this](const DeviceInteger& operand) {
    return access(operand.address, words_for_bits(operand.bits));
  };
  const std::span<const std::byte> x = all_of(command.source0);
  const std::span<const std::byte> y = all_of(command.source1);
  const std::span<std::byte> z = all_of(command.destination);
  for (std::uint64_t i = 0; i < command.aux2; ++i) {
    multiply_beats(x.subspan(i * bytes, bytes), y.subspan(i * bytes, bytes),
                   std::size_t{1} << log2_size_of(command), q, z.subspan(2 * i * bytes, 2 * bytes));
  }
  if (command.has(flag::check_pad) && (modulus != q || bit_length(constant) > bits))
    throw Failure{Status::pad_not_zero};
  return {};
}

ModelOutcome ModelMachine::execute(const Command& command) {
  const auto source0 = [&] { return read_operand(command.source0, command.has(flag::check_pad)); };
  const auto source1 = [&] { return read_operand(command.source1, command.has(flag::check_pad)); };
  switch (command.opcode) {
    case Opcode::nop:
    case Opcode::fence:
    case Opcode::run:
      return {};
    case Opcode::set_ctx:
      return set_context(command);
    case Opcode::mul:
      return store_product(command, source0() * source1());
    case Opcode::sqr: {
      const Integer x = source0();
      return store_product(command, x * x);
    }
    case Opcode::lhwmul: {
      const Integer product = source0() * read_indices(command.source1.address, command.aux);
      const ModelOutcome outcome = store_product(command, product);
      const std::uint64_t room = words_for_bits(command.destination.bits) * kWordBits;
      return {.carry = outcome.carry || bit_length(product) > room};
    }
    case Opcode::modred: {
      ModelOutcome outcome;
      const Integer x = source0();
      store(command.destination, reduce(*contexts_[command.context], x, outcome.subtracted));
      return outcome;
    }
    case Opcode::acc:
      return {.carry = store(command.destination, source0() + source1()) != 0};
    case Opcode::sub:
    case Opcode::csub:
      return store_difference(command);
    case Opcode::affine:
      store(command.destination, 2 * source0() + read_signed_word(command.source1.address));
      return {};
    case Opcode::product_sum:
      return add_products(command);
    case Opcode::selection:
      return add_selected(command);
    case Opcode::windows:
      return multiply_windows(command);
    case Opcode::weighted:
      return add_weighted(command);
    case Opcode::karat:
      return multiply_polynomials(command);
    case Opcode::clear:
      store(command.destination, 0);
      return {};
    case Opcode::copy:
      store(command.destination, source0());
      return {};
    case Opcode::nested_sum:
      return add_rows(command);
  }
  return {.status = Status::bad_opcode};
}

}  // namespace fhe::fpga
