// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/lane_stream.hpp"

#include <algorithm>

namespace fhe::cpu {

namespace {

constexpr std::string_view kGenerator = "aes128ctr-v1";

}  // namespace

std::optional<LaneStream> LaneStream::open(const IntegerStream& stream,
                                           const StreamKernels& kernels) {
  const auto source = stream.source();
  if (!source || source->generator != kGenerator) return std::nullopt;
  return LaneStream(*source, stream, kernels);
}

LaneStream::LaneStream(const StreamSource& source, const IntegerStream& stream,
                       const StreamKernels& kernels)
    : kernels_(&kernels),
      high_(std::uint64_t{source.purpose} << 32 | source.first_index),
      count_(stream.count()),
      bits_(stream.bits()) {
  kernels.generator.expand_key(source.seed.data(), key_);
}

LaneStart LaneStream::chunks(std::size_t element, std::size_t first_chunk,
                             std::size_t chunk_blocks) const {
  return {high_ + element, 0, first_chunk * chunk_blocks, chunk_blocks};
}

LaneStart LaneStream::elements(std::size_t first_element, std::size_t block) const {
  return {high_ + first_element, 1, block, 0};
}

LaneBuffer LaneStream::end_mask(std::size_t first_bit, std::size_t lane_bits,
                                std::size_t rows) const {
  if (first_bit + (kLanes - 1) * lane_bits + rows * kLimbBits <= bits_) return {};
  LaneBuffer mask(rows * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t bit = first_bit + lane * lane_bits + row * kLimbBits;
      const std::size_t left = bits_ > bit ? bits_ - bit : 0;
      mask.data()[row * kLanes + lane] =
          left >= kLimbBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
  }
  return mask;
}

std::size_t LaneStream::bytes_in(std::size_t first_bit, std::size_t bits) const {
  const std::size_t total = limbs_for_bits(bits_) * kLimbBits;
  return first_bit < total ? std::min(bits, total - first_bit) / 8 : 0;
}

void apply_mask(std::uint64_t* words, const LaneBuffer& mask) {
  for (std::size_t i = 0; i < mask.size(); ++i) words[i] &= mask.data()[i];
}

}  // namespace fhe::cpu
