// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/model/model_machine.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "accel/fpga/contract/words.hpp"
#include "accel/polynomials/hardware_format.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint64_t kTermBytes = 16;
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

Extent extent(const DeviceInteger& operand) {
  return {operand.address, padded_bytes(operand.bits)};
}

struct Source {
  Extent extent;
  bool may_be_destination = false;  // beginning at the same address
};

// What a descriptor makes the device read and write, and what the table in PROGRAMMING.md requires.
struct Demands {
  std::vector<Source> sources = {};
  Extent destination = {};
  bool lengths_fit = true;  // those that no context has a part in
  bool names_context = false;
  bool needs_context = false;  // and it is set
};

bool is_known(const Command& command, const Equipment& equipment) {
  switch (command.opcode) {
    case Opcode::mul:
    case Opcode::sqr:
      return equipment.has(engine_of(command));
    case Opcode::lhwmul:
      return equipment.has(feature::lhw);
    case Opcode::modred:
      return equipment.has(feature::modred);
    case Opcode::enc_cnt: {
      const EncryptionSum sum = decode_encryption_sum(command);
      return sum.sparse
                 ? equipment.has(feature::lhw) && (!sum.reduce || equipment.has(feature::modred))
                 : equipment.has(sum.engine);
    }
    case Opcode::enc_cmnt:
      return equipment.has(feature::enc_cmnt);
    case Opcode::karat:
      return equipment.has(feature::karat);
    default:
      return name(command.opcode) != "unknown";
  }
}

std::uint64_t sum_bits(const Command& command) {
  return std::uint64_t{command.source0.bits} + command.source1.bits;
}

Demands encryption_demands(const Command& command) {
  const EncryptionSum sum = decode_encryption_sum(command);
  const std::uint64_t product_bits =
      std::uint64_t{sum.element_bits} + (sum.sparse ? kSparseBits : sum.weight_bits);
  return {.sources = {{{sum.addend, sum.affine ? kWordBytes : 0}},
                      {{sum.list, sum.terms * kTermBytes}}},
          .destination = extent(sum.destination),
          .lengths_fit = sum.reduce || sum.destination.bits >= product_bits + parameter::sum_margin,
          .names_context = sum.reduce,
          .needs_context = sum.reduce};
}

Demands nested_demands(const Command& command) {
  const NestedSum sum = decode_nested_sum(command);
  return {.sources = {{{sum.addend, sum.affine ? kWordBytes : 0}},
                      {{sum.list, sum.entries() * kTermBytes}}},
          .destination = extent(sum.destination),
          .lengths_fit = sum.rows <= parameter::most_rows,
          .names_context = true,
          .needs_context = true};
}

// Operands of 8 coefficients to those that the equipment takes, as many as the command says.
bool polynomials_fit(const Command& command, const Equipment& equipment) {
  const unsigned log2_size = log2_size_of(command);
  const std::uint64_t x = command.source0.bits;
  const Integer all = Integer(command.aux2) * equipment.coefficient_bits() << log2_size;
  return log2_size >= 3 && std::uint32_t{1} << log2_size <= equipment.most_coefficients() &&
         x != 0 && command.source1.bits == x && command.destination.bits == 2 * x && all == x;
}

Demands demands_of(const Command& command, const Equipment& equipment) {
  const Extent x = extent(command.source0);
  const Extent y = extent(command.source1);
  const Extent z = extent(command.destination);
  const std::uint64_t room = command.destination.bits;
  switch (command.opcode) {
    case Opcode::set_ctx:
      return {.sources = {{{command.parameter, kWordBytes}}}, .names_context = true};
    case Opcode::mul:
      return {.sources = {{x}, {y}}, .destination = z, .lengths_fit = room >= sum_bits(command)};
    case Opcode::sqr:
      return {.sources = {{x}},
              .destination = z,
              .lengths_fit = room >= 2 * std::uint64_t{command.source0.bits}};
    case Opcode::lhwmul:
      return {.sources = {{x}, {{command.source1.address, command.aux == 0 ? 0 : kWordBytes}}},
              .destination = z,
              .lengths_fit = command.aux <= parameter::sparse_weight &&
                             room >= command.source0.bits + kSparseBits};
    case Opcode::modred:
      return {
          .sources = {{x, true}}, .destination = z, .names_context = true, .needs_context = true};
    case Opcode::acc:
    case Opcode::sub:
    case Opcode::csub:
      return {.sources = {{x, true}, {y, true}},
              .destination = z,
              .lengths_fit = room >= std::max(command.source0.bits, command.source1.bits)};
    case Opcode::affine:
      return {.sources = {{x, true}, {{command.source1.address, kWordBytes}}},
              .destination = z,
              .lengths_fit = room >= command.source0.bits};
    case Opcode::enc_cnt:
      return encryption_demands(command);
    case Opcode::copy:
      return {.sources = {{x}}, .destination = z, .lengths_fit = room >= command.source0.bits};
    case Opcode::clear:
      return {.destination = z};
    case Opcode::enc_cmnt:
      return nested_demands(command);
    case Opcode::karat:
      return {.sources = {{x}, {y}, {{command.parameter, 2 * kWordBytes}}},
              .destination = z,
              .lengths_fit = polynomials_fit(command, equipment)};
    case Opcode::nop:
    case Opcode::fence:
      break;
  }
  return {};
}

// The lengths that a reduction requires.
bool fits(const Command& command, const BarrettShape& shape) {
  const std::uint64_t row_bits =
      command.opcode == Opcode::enc_cmnt ? sum_bits(command) + parameter::sum_margin : 0;
  return std::max<std::uint64_t>(command.source0.bits, row_bits) <=
             std::uint64_t{shape.phi} + shape.gamma &&
         command.destination.bits >= shape.phi;
}

bool overlaps(const Source& source, const Extent& destination) {
  const bool is_destination =
      source.may_be_destination && source.extent.address == destination.address;
  return !is_destination && source.extent.overlaps(destination);
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

Status check_place(const Extent& place, const DeviceMemory& memory) {
  if (place.size == 0) return Status::ok;
  if (place.address % kWordBytes != 0) return Status::bad_align;
  return memory.contains(place.address, place.size) ? Status::ok : Status::range;
}

Status check_places(const Demands& demands, const DeviceMemory& memory) {
  const Status status = check_place(demands.destination, memory);
  if (status != Status::ok) return status;
  for (const Source& source : demands.sources) {
    const Status found = check_place(source.extent, memory);
    if (found != Status::ok) return found;
    if (overlaps(source, demands.destination)) return Status::overlap;
  }
  return Status::ok;
}

}  // namespace

Status ModelMachine::check(const DescriptorWords& words) const {
  const Command command = decode(words);
  if (command.has(flag::crc) && words[descriptor::crc] != descriptor_crc(words)) return Status::crc;
  if (!is_known(command, equipment_)) return Status::bad_opcode;
  const Demands demands = demands_of(command, equipment_);
  if (demands.names_context && command.context >= parameter::contexts) return Status::no_ctx;
  if (demands.needs_context && !contexts_[command.context]) return Status::no_ctx;
  if (!demands.lengths_fit) return Status::length;
  if (demands.needs_context && !fits(command, contexts_[command.context]->shape))
    return Status::length;
  return check_places(demands, memory_);
}

ModelWork ModelMachine::work(const Command& command) const {
  const bool known = command.context < parameter::contexts && contexts_[command.context];
  return model_work(command, known ? *contexts_[command.context] : Context{}, equipment_);
}

ModelOutcome ModelMachine::run(const Command& command) {
  try {
    return execute(command);
  } catch (const Failure& failure) {
    return {.status = failure.status, .error_address = failure.address};
  }
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

// Of what was found in memory, and not in the descriptor; to be apart from `destination`.
void ModelMachine::check_access(const DeviceInteger& operand,
                                const DeviceInteger& destination) const {
  const Extent found = extent(operand);
  const Status status = check_place(found, memory_);
  if (status != Status::ok) throw Failure{status};
  if (found.overlaps(extent(destination))) throw Failure{Status::overlap};
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
  const std::uint64_t at = number * kTermBytes;
  const Integer word = read_words(list + at / kWordBytes * kWordBytes, 1);
  const Integer entry = low_bits(word >> (at % kWordBytes * 8), kTermBytes * 8);
  return {Integer(low_bits(entry, 64)).get_ui(), Integer(entry >> 64).get_ui()};
}

Integer ModelMachine::sum_of_terms(const EncryptionSum& request, bool check_pad) {
  Integer sum;
  for (std::uint64_t i = 0; i < request.terms; ++i) {
    const auto [element, weight] = read_entry(request.list, i);
    const std::uint32_t weight_bits = request.sparse ? request.sparse_weight : request.weight_bits;
    check_access({element, request.element_bits}, request.destination);
    check_access({weight, weight_bits}, request.destination);
    const Integer a = read_operand({element, request.element_bits}, check_pad);
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

ModelOutcome ModelMachine::encrypt(const Command& command) {
  const EncryptionSum request = decode_encryption_sum(command);
  Integer sum = sum_of_terms(request, command.has(flag::check_pad));
  if (request.affine) sum = 2 * sum + read_signed_word(request.addend);
  if (request.reduce) return store_reduced(command, sum);
  store(command.destination, sum);
  return {};
}

ModelOutcome ModelMachine::encrypt_nested(const Command& command) {
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
  for (std::uint64_t i = 0; i < command.aux2; ++i)
    multiply_beats(x.subspan(i * bytes, bytes), y.subspan(i * bytes, bytes),
                   std::size_t{1} << log2_size_of(command), q, z.subspan(2 * i * bytes, 2 * bytes));
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
    case Opcode::enc_cnt:
      return encrypt(command);
    case Opcode::karat:
      return multiply_polynomials(command);
    case Opcode::clear:
      store(command.destination, 0);
      return {};
    case Opcode::copy:
      store(command.destination, source0());
      return {};
    case Opcode::enc_cmnt:
      return encrypt_nested(command);
  }
  return {.status = Status::bad_opcode};
}

}  // namespace fhe::fpga
