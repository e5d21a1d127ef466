// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/compute.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// Without the number, which may be secret.
[[noreturn]] void refuse_number(std::string_view type, std::size_t bits) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the number does not fit into {}<{}>: take a wider one", type, bits));
}

}  // namespace

void require_representable(std::uint64_t value, std::size_t bits) {
  if (bits < 64 && value >> bits != 0) refuse_number("Uint", bits);
}

void require_representable(std::int64_t value, std::size_t bits) {
  const std::int64_t above = value >> (bits - 1);  // copies of the sign
  if (above != 0 && above != -1) refuse_number("Int", bits);
}

void require_whole_elements(std::size_t bits, std::size_t element_bits) {
  if (bits % element_bits == 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} bits are no whole number of elements of {}", bits, element_bits));
}

void require_ciphertexts(std::size_t given, std::size_t bits) {
  if (given == bits) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a value of {} bits is as many ciphertexts, not {}", bits, given));
}

Encrypted<Bytes> encrypt_text(const Encryptor& encryptor, std::string_view text) {
  return reporting_memory([&] {
    PlainOf<Bytes> bytes;
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return encrypt<Bytes>(encryptor, bytes);
  });
}

std::string decrypt_text(const Decryptor& decryptor, const Encrypted<Bytes>& text) {
  return reporting_memory([&] {
    std::string result;
    for (const std::uint64_t byte : decrypt(decryptor, text)) {
      result.push_back(static_cast<char>(byte));
    }
    return result;
  });
}

Netlist traced_circuit(const std::function<void(Trace&)>& build) {
  return reporting_memory([&] {
    Trace trace;
    build(trace);
    return trace.builder().build();
  });
}

}  // namespace fhe
