// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/integer_stream.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

// Limbs first_limb, first_limb + 1, ... of x into `out`; limbs past the end are 0.
void read_limbs(const Integer& x, std::size_t first_limb, std::span<Limb> out) {
  const auto limbs = limbs_of(x);
  const std::size_t begin = std::min(first_limb, limbs.size());
  const auto piece = limbs.subspan(begin, std::min(out.size(), limbs.size() - begin));
  const auto rest = std::ranges::copy(piece, out.begin()).out;
  std::fill(rest, out.end(), Limb{0});
}

class StoredReader final : public IntegerStream::Reader {
 public:
  explicit StoredReader(const std::vector<Integer>& elements) : elements_(elements) {}

  void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) override {
    read_limbs(elements_[element], first_limb, out);
  }

 private:
  const std::vector<Integer>& elements_;
};

class ViewReader final : public IntegerStream::Reader {
 public:
  explicit ViewReader(const std::vector<const Integer*>& elements) : elements_(elements) {}

  void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) override {
    read_limbs(*elements_[element], first_limb, out);
  }

 private:
  const std::vector<const Integer*>& elements_;
};

}  // namespace

Integer IntegerStream::element(std::size_t index) const {
  std::vector<Limb> buffer(limbs());
  reader()->read(index, 0, buffer);
  return from_limbs(buffer);
}

StoredStream::StoredStream(std::vector<Integer> elements, std::size_t bits)
    : elements_(std::move(elements)), bits_(bits) {
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (elements_[i] < 0 || bit_length(elements_[i]) > bits_) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("stream element {} is outside [0, 2^{})", i, bits_));
    }
  }
}

std::unique_ptr<IntegerStream::Reader> StoredStream::reader() const {
  return std::make_unique<StoredReader>(elements_);
}

std::unique_ptr<IntegerStream::Reader> ViewStream::reader() const {
  return std::make_unique<ViewReader>(elements_);
}

}  // namespace fhe
