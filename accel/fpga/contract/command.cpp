// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/contract/command.hpp"

#include <span>

#include "accel/fpga/contract/address_words.hpp"
#include "accel/fpga/contract/crc32.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint32_t kWeightShift = 4;  // in aux of ENC_CNT
constexpr std::uint32_t kWeightMask = 0xf;
constexpr std::uint32_t kEngineShift = 8;
constexpr std::uint32_t kEngineMask = 7;  // and in that of products
constexpr std::uint32_t kSizeMask = 0xf;  // in aux of KARAT

Command accumulating(const Command& command) {
  return command.with(flag::accumulate);
}

}  // namespace

Command Command::with(std::uint32_t flag_bit) const {
  Command changed = *this;
  changed.flags = static_cast<std::uint8_t>(flags | bit(flag_bit));
  return changed;
}

bool Command::is_repeatable() const {
  const auto is_source = [this](const DeviceInteger& source) {
    return source.bits != 0 && source.address == destination.address;
  };
  return !has(flag::accumulate) && !is_source(source0) && !is_source(source1);
}

DescriptorWords encode(const Command& command) {
  DescriptorWords words{};
  words[descriptor::command] = static_cast<std::uint32_t>(command.opcode) |
                               std::uint32_t{command.flags} << 8 | std::uint32_t{command.tag} << 16;
  words[descriptor::context] = command.context | std::uint32_t{command.aux} << 16;
  put_address(words, descriptor::src0, command.source0.address);
  put_address(words, descriptor::src1, command.source1.address);
  put_address(words, descriptor::dst, command.destination.address);
  words[descriptor::len0] = command.source0.bits;
  words[descriptor::len1] = command.source1.bits;
  words[descriptor::lend] = command.destination.bits;
  words[descriptor::aux2] = command.aux2;
  put_address(words, descriptor::param, command.parameter);
  words[descriptor::crc] = descriptor_crc(words);
  return words;
}

Command decode(const DescriptorWords& words) {
  const std::uint32_t first = words[descriptor::command];
  const std::uint32_t second = words[descriptor::context];
  return {
      .opcode = static_cast<Opcode>(first & 0xff),
      .flags = static_cast<std::uint8_t>(first >> 8),
      .tag = static_cast<std::uint16_t>(first >> 16),
      .context = static_cast<std::uint16_t>(second),
      .aux = static_cast<std::uint16_t>(second >> 16),
      .source0 = {get_address(words, descriptor::src0), words[descriptor::len0]},
      .source1 = {get_address(words, descriptor::src1), words[descriptor::len1]},
      .destination = {get_address(words, descriptor::dst), words[descriptor::lend]},
      .aux2 = words[descriptor::aux2],
      .parameter = get_address(words, descriptor::param),
  };
}

std::uint32_t descriptor_crc(const DescriptorWords& words) {
  return crc32(std::as_bytes(std::span(words).first<descriptor::crc>()));
}

Command multiply(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return {.opcode = Opcode::mul, .source0 = x, .source1 = y, .destination = destination};
}

Command square(DeviceInteger destination, DeviceInteger x) {
  return {.opcode = Opcode::sqr, .source0 = x, .destination = destination};
}

Command multiply_add(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return accumulating(multiply(destination, x, y));
}

Command square_add(DeviceInteger destination, DeviceInteger x) {
  return accumulating(square(destination, x));
}

Command by(Engine engine, const Command& product) {
  Command chosen = product;
  chosen.aux = static_cast<std::uint16_t>(engine);
  return chosen;
}

Engine engine_of(const Command& product) {
  return static_cast<Engine>(product.aux & kEngineMask);
}

Command sparse_multiply(DeviceInteger destination, DeviceInteger x, std::uint64_t indices,
                        std::uint16_t weight) {
  return {.opcode = Opcode::lhwmul,
          .aux = weight,
          .source0 = x,
          .source1 = {indices, 0},
          .destination = destination};
}

Command sparse_multiply_add(DeviceInteger destination, DeviceInteger x, std::uint64_t indices,
                            std::uint16_t weight) {
  return accumulating(sparse_multiply(destination, x, indices, weight));
}

Command reduce(std::uint16_t context, DeviceInteger destination, DeviceInteger x) {
  return {.opcode = Opcode::modred, .context = context, .source0 = x, .destination = destination};
}

Command add(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return {.opcode = Opcode::acc, .source0 = x, .source1 = y, .destination = destination};
}

Command subtract(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return {.opcode = Opcode::sub, .source0 = x, .source1 = y, .destination = destination};
}

Command subtract_if_not_less(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return {.opcode = Opcode::csub, .source0 = x, .source1 = y, .destination = destination};
}

Command affine(DeviceInteger destination, DeviceInteger x, std::uint64_t addend) {
  return {
      .opcode = Opcode::affine, .source0 = x, .source1 = {addend, 0}, .destination = destination};
}

Command multiply_polynomials(DeviceInteger destination, DeviceInteger x, DeviceInteger y,
                             std::uint64_t record, unsigned log2_size, std::uint32_t count) {
  return {.opcode = Opcode::karat,
          .aux = static_cast<std::uint16_t>(log2_size & kSizeMask),
          .source0 = x,
          .source1 = y,
          .destination = destination,
          .aux2 = count,
          .parameter = record};
}

unsigned log2_size_of(const Command& polynomials) {
  return polynomials.aux & kSizeMask;
}

Command clear(DeviceInteger destination) {
  return {.opcode = Opcode::clear, .destination = destination};
}

Command copy(DeviceInteger destination, DeviceInteger x) {
  return {.opcode = Opcode::copy, .source0 = x, .destination = destination};
}

Command encryption_sum(const EncryptionSum& sum) {
  const std::uint32_t modes = std::uint32_t{sum.sparse} << encryption::sparse |
                              std::uint32_t{sum.affine} << encryption::affine |
                              std::uint32_t{sum.reduce} << encryption::reduce |
                              (sum.sparse_weight & kWeightMask) << kWeightShift |
                              static_cast<std::uint32_t>(sum.engine) << kEngineShift;
  return {.opcode = Opcode::enc_cnt,
          .context = sum.context,
          .aux = static_cast<std::uint16_t>(modes),
          .source0 = {0, sum.element_bits},
          .source1 = {sum.addend, sum.weight_bits},
          .destination = sum.destination,
          .aux2 = sum.terms,
          .parameter = sum.list};
}

EncryptionSum decode_encryption_sum(const Command& command) {
  const auto mode = [&](std::uint32_t number) { return has_bit(command.aux, number); };
  return {.destination = command.destination,
          .list = command.parameter,
          .terms = static_cast<std::uint16_t>(command.aux2),
          .element_bits = command.source0.bits,
          .weight_bits = command.source1.bits,
          .sparse = mode(encryption::sparse),
          .sparse_weight = static_cast<std::uint8_t>(command.aux >> kWeightShift & kWeightMask),
          .engine = static_cast<Engine>(command.aux >> kEngineShift & kEngineMask),
          .affine = mode(encryption::affine),
          .addend = command.source1.address,
          .reduce = mode(encryption::reduce),
          .context = command.context};
}

Command nested_sum(const NestedSum& sum) {
  return {.opcode = Opcode::enc_cmnt,
          .context = sum.context,
          .aux = static_cast<std::uint16_t>(std::uint32_t{sum.affine} << encryption::affine),
          .source0 = {0, sum.element_bits},
          .source1 = {sum.addend, sum.weight_bits},
          .destination = sum.destination,
          .aux2 = sum.rows,
          .parameter = sum.list};
}

NestedSum decode_nested_sum(const Command& command) {
  return {.destination = command.destination,
          .list = command.parameter,
          .rows = static_cast<std::uint16_t>(command.aux2),
          .element_bits = command.source0.bits,
          .weight_bits = command.source1.bits,
          .affine = has_bit(command.aux, encryption::affine),
          .addend = command.source1.address,
          .context = command.context};
}

}  // namespace fhe::fpga
