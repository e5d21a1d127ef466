// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/public_stream.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/random/aes_ctr.hpp"

namespace fhe {

static_assert(std::endian::native == std::endian::little,
              "streams are read as little-endian limbs");

namespace {

constexpr std::size_t kBlockLimbs = 2;

class PublicReader final : public IntegerStream::Reader {
 public:
  PublicReader(const StreamSeed& seed, StreamPurpose purpose, std::uint32_t first_index,
               std::size_t bits)
      : cipher_(seed), purpose_(purpose), first_index_(first_index), bits_(bits) {}

  void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) override {
    const std::size_t total = limbs_for_bits(bits_);
    const std::size_t begin = std::min(first_limb, total);
    const auto wanted = out.first(std::min(out.size(), total - begin));
    std::ranges::fill(out.subspan(wanted.size()), Limb{0});
    if (wanted.empty()) return;
    generate(first_index_ + static_cast<std::uint32_t>(element), begin, wanted);
    const std::size_t excess = total * kLimbBits - bits_;
    if (begin + wanted.size() == total) wanted.back() &= ~Limb{0} >> excess;
  }

 private:
  void generate(std::uint32_t index, std::size_t first_limb, std::span<Limb> out) {
    const std::uint64_t high = std::uint64_t{static_cast<std::uint32_t>(purpose_)} << 32 | index;
    if (first_limb % kBlockLimbs == 0) {
      cipher_.generate(high, first_limb / kBlockLimbs, std::as_writable_bytes(out));
      return;
    }
    std::array<Limb, kBlockLimbs> block;
    cipher_.generate(high, first_limb / kBlockLimbs, std::as_writable_bytes(std::span(block)));
    out[0] = block[1];
    cipher_.generate(high, first_limb / kBlockLimbs + 1, std::as_writable_bytes(out.subspan(1)));
  }

  AesCtr cipher_;
  StreamPurpose purpose_;
  std::uint32_t first_index_;
  std::size_t bits_;
};

}  // namespace

PublicStream::PublicStream(const StreamSeed& seed, StreamPurpose purpose, std::uint32_t first_index,
                           std::size_t count, std::size_t bits)
    : seed_(seed), purpose_(purpose), first_index_(first_index), count_(count), bits_(bits) {
  if (bits == 0 || count > (std::uint64_t{1} << 32) - first_index) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a public stream of {} elements of {} bits from index {} on does not "
                            "exist: indices have 32 bits and elements at least one bit",
                            count, bits, first_index));
  }
}

PublicStream PublicStream::part(std::size_t first, std::size_t count) const {
  return {seed_, purpose_, first_index_ + static_cast<std::uint32_t>(first), count, bits_};
}

std::unique_ptr<IntegerStream::Reader> PublicStream::reader() const {
  return std::make_unique<PublicReader>(seed_, purpose_, first_index_, bits_);
}

std::optional<StreamSource> PublicStream::source() const {
  return StreamSource{kAesCtrGenerator, seed_, static_cast<std::uint32_t>(purpose_), first_index_};
}

}  // namespace fhe
