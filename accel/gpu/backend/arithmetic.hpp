// SPDX-License-Identifier: Apache-2.0
// Long numbers on a device, many at a time: transforms, products, sums, differences.
//
// Calls start kernels and return; what they work on must live until the results are fetched, or be
// given back in the order of the thread's calls (Buffer does).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "accel/gpu/device/device.hpp"
#include "accel/gpu/kernels/transform.hpp"

namespace fhe::gpu {

// How long numbers are multiplied: the length of the transforms and the size of digits.

// Numbers x and y of d_x and d_y digits of b bits: the coefficients of their product are sums of
// at most min(d_x, d_y) products of digits, and must stay below p; there are d_x + d_y of them,
// which must not exceed the length n of the transforms.
struct Plan {
  unsigned log_length;  // n = 2^log_length
  unsigned digit_bits;  // b
  std::size_t terms;    // products that may be added up before they are transformed back

  [[nodiscard]] std::size_t length() const { return std::size_t{1} << log_length; }
  [[nodiscard]] std::size_t digits(std::size_t bits) const {
    return (bits + digit_bits - 1) / digit_bits;
  }
};

// The plan of the shortest transforms, and for that of the smallest digits; none for numbers that
// are too long.
[[nodiscard]] std::optional<Plan> plan_for(std::size_t x_bits, std::size_t y_bits);

// The longest numbers of equal length that there is a plan for.
inline constexpr std::size_t kMostOperandBits = std::size_t{21} << (kMostLogLength - 1);

class Arithmetic {
 public:
  explicit Arithmetic(DevicePtr device);

  [[nodiscard]] const DevicePtr& device() const { return device_; }
  // Memory: as it is, or of zeros.
  [[nodiscard]] Buffer room(std::size_t words) const { return {device_, words}; }
  [[nodiscard]] Buffer zeros(std::size_t words) const;
  // The words of a number, as many as there is room for.
  void get(Number number, std::span<Word> words) const;

  // The spectra of some numbers, one behind the other from `spectra` on.
  void forward(const Plan& plan, std::span<const Number> numbers, Word* spectra) const;

  // One of many sums of products of spectra.
  struct Term {
    Word* sum;
    const Word* a;
    const Word* b;
    bool is_first;  // else added to what is there
  };
  void multiply(const Plan& plan, std::span<const Term> terms) const;

  // The numbers of the spectra that stand one behind the other from `spectra` on, modulo 2^(64
  // words): numbers[i] is where number i goes. Uses the spectra up.
  void inverse(const Plan& plan, Word* spectra, std::span<Word* const> numbers,
               std::size_t words) const;

  // sums[i] = x[i] + y[i] or x[i] - y[i] modulo 2^(64 words); carries[i] is 1 where the sum was
  // longer, or the difference not negative. A sum may stand in the place of its x or y.
  struct Addition {
    Number x;
    Number y;
    Word* sum;
  };
  void add(std::span<const Addition> additions, std::size_t words, Word* carries) const;
  void subtract(std::span<const Addition> additions, std::size_t words, Word* carries) const;

  // sums[i] = x[i] - y[i] where that is not negative, else x[i], of `words` words.
  void subtract_where_possible(std::span<const Addition> additions, std::size_t words) const;

 private:
  void transform(const Plan& plan, Word* spectra, std::size_t count, bool is_inverse) const;
  void add_or_subtract(std::span<const Addition> additions, std::size_t words, Word* carries,
                       bool is_difference) const;
  // Brings the carries of chunks to their places; flags stand one behind the other.
  void carry(std::span<Word* const> numbers, std::size_t words, const Buffer& flags, Word carry_in,
             Word* carries) const;

  DevicePtr device_;
  Buffer roots_;  // the tables of Roots
};

}  // namespace fhe::gpu
