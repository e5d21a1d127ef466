// SPDX-License-Identifier: Apache-2.0
// How the values of traced functions (circuit/number.hpp) are laid out in bits, and the plain
// values that belong to them. Part of compute.hpp; programs have no need of it.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/number.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Throw Error(invalid_argument) unless a plain number fits into so many bits; unless so many bits
// are a whole number of elements of so many bits.
FHE_EXPORT void require_representable(std::uint64_t value, std::size_t bits);
FHE_EXPORT void require_representable(std::int64_t value, std::size_t bits);
FHE_EXPORT void require_whole_elements(std::size_t bits, std::size_t element_bits);

// The layout of a type T: Bool, Uint<N>, Int<N>, std::array<T, n>, std::vector<T>. It has
//   Plain                            the plain values
//   kBits                            number of bits, where all values of T have as many
//   append_bits(plain, bits)         appends those of a plain value; throws Error(invalid_argument)
//                                    for a number that N bits do not hold
//   append_wires(value, wires)       appends those of a value of the current trace
//   plain_of(bits, first, count)     the plain value of `count` bits
//   value_of(wires, first, count)    the value of `count` wires of the current trace
template <class T>
struct BitLayout;

template <>
struct BitLayout<Bool> {
  using Plain = bool;
  static constexpr std::size_t kBits = 1;

  static void append_bits(bool plain, std::vector<bool>& bits) { bits.push_back(plain); }
  static void append_wires(const Bool& value, std::vector<Wire>& wires) {
    wires.push_back(value.bit().value());
  }
  static bool plain_of(const std::vector<bool>& bits, std::size_t first, std::size_t) {
    return bits[first];
  }
  static Bool value_of(const std::vector<Wire>& wires, std::size_t first, std::size_t) {
    return Bool(Bit<NetlistBuilder>(Trace::current().builder(), wires[first]));
  }
};

template <std::size_t N, Sign S>
struct BitLayout<Number<N, S>> {
  // Wide numbers, of more than 64 bits, are plain sets of bits.
  static constexpr bool kWide = N > 64;
  using Plain =
      std::conditional_t<kWide, std::bitset<N>,
                         std::conditional_t<S == Sign::last, std::int64_t, std::uint64_t>>;
  static constexpr std::size_t kBits = N;

  static void append_bits(const Plain& plain, std::vector<bool>& bits) {
    if constexpr (kWide) {
      for (std::size_t i = 0; i < N; ++i) bits.push_back(plain[i]);
    } else {
      require_representable(plain, N);
      const std::vector<bool> number = bits_of(static_cast<std::uint64_t>(plain), N);
      bits.insert(bits.end(), number.begin(), number.end());
    }
  }

  static void append_wires(const Number<N, S>& value, std::vector<Wire>& wires) {
    const std::vector<Wire> more = value.word().values();
    wires.insert(wires.end(), more.begin(), more.end());
  }

  static Plain plain_of(const std::vector<bool>& bits, std::size_t first, std::size_t) {
    if constexpr (kWide) {
      Plain plain;
      for (std::size_t i = 0; i < N; ++i) plain[i] = bits[first + i];
      return plain;
    } else {
      const std::uint64_t number = number_of(bits, first, N);
      if constexpr (S == Sign::none) {
        return number;
      } else {
        constexpr std::uint64_t kSign = std::uint64_t{1} << (N - 1);
        return static_cast<std::int64_t>((number ^ kSign) - kSign);
      }
    }
  }

  static Number<N, S> value_of(const std::vector<Wire>& wires, std::size_t first, std::size_t) {
    const auto from = wires.begin() + static_cast<std::ptrdiff_t>(first);
    return Number<N, S>(
        Word<NetlistBuilder>(Trace::current().builder(),
                             std::vector<Wire>(from, from + static_cast<std::ptrdiff_t>(N))));
  }
};

// Elements one after the other. `Plains` and `Values` are containers of one kind.
template <class Element, class Plains, class Values>
struct ElementsLayout {
  using Plain = Plains;

  static void append_bits(const Plains& plain, std::vector<bool>& bits) {
    for (const auto& element : plain) BitLayout<Element>::append_bits(element, bits);
  }
  static void append_wires(const Values& value, std::vector<Wire>& wires) {
    for (const Element& element : value) BitLayout<Element>::append_wires(element, wires);
  }
  static Plains plain_of(const std::vector<bool>& bits, std::size_t first, std::size_t count) {
    return split<Plains>(first, count, [&](std::size_t at) {
      return BitLayout<Element>::plain_of(bits, at, kElementBits);
    });
  }
  static Values value_of(const std::vector<Wire>& wires, std::size_t first, std::size_t count) {
    return split<Values>(first, count, [&](std::size_t at) {
      return BitLayout<Element>::value_of(wires, at, kElementBits);
    });
  }

 private:
  static constexpr std::size_t kElementBits = BitLayout<Element>::kBits;

  template <class Container, class Make>
  static Container split(std::size_t first, std::size_t count, const Make& make) {
    require_whole_elements(count, kElementBits);
    Container elements;
    if constexpr (requires { elements.resize(count); }) elements.resize(count / kElementBits);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = make(first + i * kElementBits);
    return elements;
  }
};

template <class Element, std::size_t N>
struct BitLayout<std::array<Element, N>>
    : ElementsLayout<Element, std::array<typename BitLayout<Element>::Plain, N>,
                     std::array<Element, N>> {
  static constexpr std::size_t kBits = N * BitLayout<Element>::kBits;
};

template <class Element>
struct BitLayout<std::vector<Element>>
    : ElementsLayout<Element, std::vector<typename BitLayout<Element>::Plain>,
                     std::vector<Element>> {};

// The plain values of T: bool of Bool, std::uint64_t of Uint<N>, std::int64_t of Int<N> (both
// std::bitset<N> where N > 64), containers of these of containers.
template <class T>
using PlainOf = typename BitLayout<T>::Plain;

// A type that a traced function may take and give.
template <class T>
concept Traced = requires { typename BitLayout<T>::Plain; };

// One whose values all have the same number of bits.
template <class T>
concept TracedOfFixedSize = Traced<T> && requires { BitLayout<T>::kBits; };

}  // namespace fhe
