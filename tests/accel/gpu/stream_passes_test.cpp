// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/stream_passes.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "accel/gpu/backend/gpu_backend.hpp"
#include "apps/conformance/key_streams.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/accel/gpu/counting_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::gpu {

namespace {

constexpr std::size_t kCount = 24;
constexpr std::size_t kBits = 1000;
constexpr std::size_t kBytes = kCount * limbs_for_bits(kBits) * sizeof(Word);

PublicStream stream_of(std::uint32_t first_index) {
  return {StreamSeed{std::byte{3}}, StreamPurpose::squash, first_index, kCount, kBits};
}

}  // namespace

TEST_CASE("passes in pieces give what one pass over the whole stream gives") {
  const BackendPtr reference = open_backend("ntl");
  const Arithmetic arithmetic(host_device());
  test::Operands operands(8);
  const PublicStream stream = stream_of(5);
  const std::vector<DenseWeights> dense{DenseWeights(operands.list(kCount, 300)),
                                        DenseWeights(operands.list(kCount, 60))};
  const std::vector<SparseWeights> sparse{conformance::sparse(operands, kCount, 5, 400)};
  const BlockSelection selection = conformance::selection(operands, kCount, 7, 5);
  const Integer c = operands.exactly(kBits);
  const WindowSpec spec{kBits, 9};
  for (const std::size_t room : {std::size_t{0}, kBytes / 5, kBytes / 2, 2 * kBytes}) {
    CAPTURE(room);
    const StreamPasses passes(arithmetic, room);
    CHECK(passes.weighted_sums(stream, dense, {}) == reference->weighted_sums(stream, dense, {}));
    CHECK(passes.weighted_sums(stream, sparse, {}) == reference->weighted_sums(stream, sparse, {}));
    CHECK(passes.selected_sums(stream, selection, {}) ==
          reference->selected_sums(stream, selection, {}));
    CHECK(passes.product_windows(c, stream, spec, *reference, {}) ==
          reference->product_windows(c, stream, spec, {}));
  }
}

TEST_CASE("elements that fit are generated once") {
  const auto device = std::make_shared<CountingDevice>();
  const Arithmetic arithmetic(device);
  test::Operands operands(9);
  const std::vector<DenseWeights> weights{DenseWeights(operands.list(kCount, 60))};
  {
    const StreamPasses passes(arithmetic, 2 * kBytes);
    const auto sum = [&](std::uint32_t first_index) {
      return passes.weighted_sums(stream_of(first_index), weights, {}).front();
    };
    const Integer first = sum(0);
    CHECK(sum(0) == first);
    CHECK(device->launches("ExpandStream") == 1);
    CHECK(sum(1) != first);
    CHECK(sum(0) == first);
    CHECK(device->launches("ExpandStream") == 2);
    CHECK(sum(2) != first);  // in the place of that which was not used for longest: 1
    CHECK(sum(0) == first);
    CHECK(device->launches("ExpandStream") == 3);
    CHECK(sum(1) != first);
    CHECK(device->launches("ExpandStream") == 4);
    CHECK(device->words_held() >= static_cast<long>(2 * kBytes / sizeof(Word)));
  }
  CHECK(device->words_held() == kTableWords);
}

TEST_CASE("sums of an encryption are corrected and reduced on the device, all at once") {
  const auto device = std::make_shared<CountingDevice>();
  test::Operands operands(10);
  const Integer modulus = operands.exactly(kBits);
  const auto ring = open_on("watched", device)->ring(modulus);
  const auto reference = open_backend("ntl")->ring(modulus);
  const PublicStream stream = stream_of(7);
  for (const std::size_t correction_bits : {std::size_t{200}, kBits}) {
    CAPTURE(correction_bits);
    const std::vector<Integer> corrections = operands.list(kCount, correction_bits);
    const CorrectedStream x{stream, corrections};
    const auto sums_of = [&](std::size_t sets) {
      std::vector<DenseWeights> batch;
      for (std::size_t s = 0; s < sets; ++s) batch.emplace_back(operands.list(kCount, 300));
      CHECK(ring->weighted_sums(x, batch, {}) == reference->weighted_sums(x, batch, {}));
    };
    sums_of(1);  // makes the elements and keeps them
    const std::size_t out = device->bytes_out();
    const std::size_t launches = device->launches("DenseSums");
    sums_of(6);
    CHECK(device->launches("DenseSums") == launches + 2);  // of elements, and of corrections
    CHECK(device->bytes_out() - out == 6 * limbs_for_bits(kBits) * sizeof(Word));
  }
}

}  // namespace fhe::gpu
