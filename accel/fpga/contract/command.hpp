// SPDX-License-Identifier: Apache-2.0
// Commands as values: what a descriptor says (PROGRAMMING.md), and its 16 words.
#pragma once

#include <array>
#include <cstdint>

#include "accel/fpga/contract/register_values.hpp"

namespace fhe::fpga {

// An integer in device memory: where it begins (a multiple of 64) and how many bits it has. As a
// destination: how many it has room for.
struct DeviceInteger {
  std::uint64_t address = 0;
  std::uint32_t bits = 0;

  bool operator==(const DeviceInteger&) const = default;
};

using DescriptorWords = std::array<std::uint32_t, 16>;

// The fields of a descriptor; those that an opcode does not use are 0. The functions below make
// them; the device checks everything.
struct Command {
  Opcode opcode = Opcode::nop;
  std::uint8_t flags = 0;  // bits of namespace flag
  std::uint16_t tag = 0;
  std::uint16_t context = 0;
  std::uint16_t aux = 0;
  DeviceInteger source0 = {};
  DeviceInteger source1 = {};
  DeviceInteger destination = {};
  std::uint32_t aux2 = 0;
  std::uint64_t parameter = 0;  // address

  bool operator==(const Command&) const = default;

  [[nodiscard]] bool has(std::uint32_t flag_bit) const { return has_bit(flags, flag_bit); }
  // This command with one more flag.
  [[nodiscard]] Command with(std::uint32_t flag_bit) const;

  // Whether it may run again after it was stopped half-way: it reads nothing that it writes.
  [[nodiscard]] bool is_repeatable() const;
};

// Word 15 is the CRC of the others, looked at with flag `crc`.
[[nodiscard]] DescriptorWords encode(const Command& command);
[[nodiscard]] Command decode(const DescriptorWords& words);
[[nodiscard]] std::uint32_t descriptor_crc(const DescriptorWords& words);

// DST = x y, x^2; DST.bits >= the bits of both factors.
[[nodiscard]] Command multiply(DeviceInteger destination, DeviceInteger x, DeviceInteger y);
[[nodiscard]] Command square(DeviceInteger destination, DeviceInteger x);
// DST += x y, x^2; Completion::carry is the carry out of the last word.
[[nodiscard]] Command multiply_add(DeviceInteger destination, DeviceInteger x, DeviceInteger y);
[[nodiscard]] Command square_add(DeviceInteger destination, DeviceInteger x);
// Any of these by one engine, not by the fastest that the device has.
[[nodiscard]] Command by(Engine engine, const Command& product);
[[nodiscard]] Engine engine_of(const Command& product);

// DST = x y and DST += x y where y = sum of 2^index over the first `weight` <= 15 indices in the
// word at `indices`, 16 bits each and below 4096; DST.bits >= x.bits + 4096.
[[nodiscard]] Command sparse_multiply(DeviceInteger destination, DeviceInteger x,
                                      std::uint64_t indices, std::uint16_t weight);
[[nodiscard]] Command sparse_multiply_add(DeviceInteger destination, DeviceInteger x,
                                          std::uint64_t indices, std::uint16_t weight);

// DST = x mod the modulus of the context, which x may exceed by gamma bits; in place where both
// have one address.
[[nodiscard]] Command reduce(std::uint16_t context, DeviceInteger destination, DeviceInteger x);

// DST = x + y, x - y; DST.bits >= those of both; in place where addresses are equal.
// Completion::carry is the carry or borrow.
[[nodiscard]] Command add(DeviceInteger destination, DeviceInteger x, DeviceInteger y);
[[nodiscard]] Command subtract(DeviceInteger destination, DeviceInteger x, DeviceInteger y);
// DST = x - y where x >= y (Completion::subtracted), else x.
[[nodiscard]] Command subtract_if_not_less(DeviceInteger destination, DeviceInteger x,
                                           DeviceInteger y);

// DST = 2 x + T modulo 2^(512 words of DST), T the signed word at `addend`.
[[nodiscard]] Command affine(DeviceInteger destination, DeviceInteger x, std::uint64_t addend);

// DST = the products of polynomials modulo q, one after the other: `count` of them, operands of
// n = 2^log2_size coefficients in the beats of accel/polynomials/hardware_format.hpp, one operand
// behind the other in x and in y. Both have count n coefficient_bits bits, DST twice as many. At
// `record` are two words: a normalized q, and its constant.
[[nodiscard]] Command multiply_polynomials(DeviceInteger destination, DeviceInteger x,
                                           DeviceInteger y, std::uint64_t record,
                                           unsigned log2_size, std::uint32_t count);
[[nodiscard]] unsigned log2_size_of(const Command& polynomials);

[[nodiscard]] Command clear(DeviceInteger destination);
[[nodiscard]] Command copy(DeviceInteger destination, DeviceInteger x);

// The sum of an encryption over a list of pairs of addresses {A_i, B_i} in device memory.
struct EncryptionSum {
  DeviceInteger destination = {};
  std::uint64_t list = 0;  // 16 bytes a term, at a multiple of 64
  std::uint16_t terms = 0;
  std::uint32_t element_bits = 0;  // of every A_i
  std::uint32_t weight_bits = 0;   // of every B_i, unless they are words of indices:
  bool sparse = false;
  std::uint8_t sparse_weight = 0;   // indices in each B_i, at most 15
  Engine engine = Engine::fastest;  // what multiplies dense terms
  bool affine = false;              // 2 S + T in place of the sum S
  std::uint64_t addend = 0;         // address of T
  bool reduce = false;              // modulo the modulus of the context
  std::uint16_t context = 0;

  bool operator==(const EncryptionSum&) const = default;
};
[[nodiscard]] Command encryption_sum(const EncryptionSum& sum);
// Its inverse, for commands with that opcode.
[[nodiscard]] EncryptionSum decode_encryption_sum(const Command& command);

// The sum over i of A_i1 (sum over j of B_ij A_j0 mod A_0) modulo A_0, i and j over `rows` each: by
// the super-size multiplier. The list has, for each i, {A_j0, B_ij} for all j, then {A_i1, 0}.
struct NestedSum {
  DeviceInteger destination = {};
  std::uint64_t list = 0;          // 16 bytes an entry, at a multiple of 64
  std::uint16_t rows = 0;          // at most parameter::most_rows
  std::uint32_t element_bits = 0;  // of every A_j0 and A_i1
  std::uint32_t weight_bits = 0;   // of every B_ij
  bool affine = false;             // 2 S + T in place of the sum S
  std::uint64_t addend = 0;        // address of T
  std::uint16_t context = 0;

  bool operator==(const NestedSum&) const = default;

  // Entries of the list.
  [[nodiscard]] std::uint64_t entries() const { return rows * (std::uint64_t{rows} + 1); }
};
[[nodiscard]] Command nested_sum(const NestedSum& sum);
[[nodiscard]] NestedSum decode_nested_sum(const Command& command);

}  // namespace fhe::fpga
