// SPDX-License-Identifier: Apache-2.0
// Long numbers on a device, many at a time: transforms, products, sums, differences.
//
// Calls start kernels and return; what they work on must live until the results are fetched, or be
// given back in the order of the thread's calls (Buffer does).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "accel/gpu/backend/plan.hpp"
#include "accel/gpu/device/buffer.hpp"

namespace fhe::gpu {

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
