// SPDX-License-Identifier: Apache-2.0
// Long lists of big integers that are read piece by piece and never held in memory at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Everything that a backend needs to generate the elements of a pseudo-random stream by itself (in
// vector registers, on a device) instead of reading them.
struct FHE_EXPORT StreamSource {
  std::string_view generator;      // its name, which lives as long as the process; specified in
                                   // libfhe/random/public_stream.hpp
  std::array<std::byte, 16> seed;  // public
  std::uint32_t purpose;           // a StreamPurpose as a number
  std::uint32_t first_index;       // index of element 0 within the purpose

  // Whether both give the same elements.
  friend bool operator==(const StreamSource&, const StreamSource&) = default;
};

// `count()` non-negative integers of at most `bits()` bits. Immutable; may be shared by threads.
class FHE_EXPORT IntegerStream {
 public:
  // Reads elements in any order, with working memory of its own. One thread at a time.
  class Reader {
   public:
    virtual ~Reader() = default;

    // Puts limbs first_limb, first_limb + 1, ... of an element into `out`, and 0 for those past the
    // end. Requires element < count().
    virtual void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) = 0;
  };

  virtual ~IntegerStream() = default;

  // Number of elements.
  [[nodiscard]] virtual std::size_t count() const = 0;
  // Upper bound on the bit length of an element.
  [[nodiscard]] virtual std::size_t bits() const = 0;
  // A new reader. The stream must outlive it.
  [[nodiscard]] virtual std::unique_ptr<Reader> reader() const = 0;

  // How to generate the same elements elsewhere; nothing unless they come from a public generator.
  [[nodiscard]] virtual std::optional<StreamSource> source() const { return std::nullopt; }

  // Number of limbs that hold any element.
  [[nodiscard]] std::size_t limbs() const { return limbs_for_bits(bits()); }

  // One whole element. Requires index < count(). In loops, prefer a Reader.
  [[nodiscard]] Integer element(std::size_t index) const;
};

// A stream over integers that are in memory.
class FHE_EXPORT StoredStream final : public IntegerStream {
 public:
  // Every element must be in [0, 2^bits); throws Error(invalid_argument) otherwise.
  StoredStream(std::vector<Integer> elements, std::size_t bits);

  [[nodiscard]] std::size_t count() const override { return elements_.size(); }
  [[nodiscard]] std::size_t bits() const override { return bits_; }
  [[nodiscard]] std::unique_ptr<Reader> reader() const override;
  // All elements. Valid as long as the stream lives.
  [[nodiscard]] std::span<const Integer> elements() const { return elements_; }

 private:
  std::vector<Integer> elements_;
  std::size_t bits_;
};

// A stream over integers that are kept elsewhere, in any order; an integer may occur several times.
class FHE_EXPORT ViewStream final : public IntegerStream {
 public:
  // Every element must be in [0, 2^bits), and live and stay unchanged while the stream is used.
  ViewStream(std::vector<const Integer*> elements, std::size_t bits)
      : elements_(std::move(elements)), bits_(bits) {}

  [[nodiscard]] std::size_t count() const override { return elements_.size(); }
  [[nodiscard]] std::size_t bits() const override { return bits_; }
  [[nodiscard]] std::unique_ptr<Reader> reader() const override;
  // All elements.
  [[nodiscard]] std::span<const Integer* const> elements() const { return elements_; }

 private:
  std::vector<const Integer*> elements_;
  std::size_t bits_;
};

// The integers x_i = elements_i - corrections_i of a compressed key. `corrections` is empty (all
// zero) or holds one entry per element. A view: what it refers to must outlive it.
struct FHE_EXPORT CorrectedStream {
  const IntegerStream& elements;         // before the correction
  std::span<const Integer> corrections;  // subtracted from them
};

}  // namespace fhe
