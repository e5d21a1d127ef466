// SPDX-License-Identifier: Apache-2.0
// A device that is lost, or has no more memory, at every call: an error of the right kind, nothing
// left in its memory, and the same call works afterwards on another backend.
#include <memory>
#include <utility>
#include <vector>

#include "accel/gpu/backend/gpu_backend.hpp"
#include "apps/conformance/key_streams.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/accel/gpu/counting_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::gpu {

namespace {

// Everything that is done on a device.
std::vector<Integer> work(const Backend& backend) {
  test::Operands operands(9);
  const Integer n = operands.exactly(700);
  const auto ring = backend.ring(n);
  const Operand a = ring->prepare(operands.below(n));
  const Operand b(operands.below(n));
  const std::vector<RingOperation> operations{{RingOperation::Kind::multiply, a, b, true},
                                              {RingOperation::Kind::add, a, b, false}};
  const Monitor monitor;
  Progress progress(monitor, "operations", operations.size());
  const std::vector<Operand> results = ring->compute_all(operations, progress);
  const std::vector<std::vector<OperandPair>> sums{{{results[0], results[1]}, {a, b}}};
  Progress more(monitor, "sums", sums.size());
  const std::vector<Operand> dots = ring->dot_all(sums, more);
  const PublicStream stream({}, StreamPurpose::public_elements, 0, 6, 700);
  const std::vector<DenseWeights> dense{DenseWeights(operands.list(6, 100))};
  const std::vector<SparseWeights> sparse{conformance::sparse(operands, 6, 3, 90)};
  const BlockSelection selection = conformance::selection(operands, 6, 3, 2);
  return {results[0].value(),
          results[1].value(),
          dots[0].value(),
          backend.multiply(a.value(), b.value()),
          backend.weighted_sums(stream, dense, {}).front(),
          backend.weighted_sums(stream, sparse, {}).front(),
          backend.selected_sums(stream, selection, {}).back(),
          backend.product_windows(a.value(), stream, {700, 8}, {}).back()};
}

}  // namespace

TEST_CASE("a device that fails at any call says so and leaves nothing") {
  const std::vector<Integer> expected = work(*open_backend("ntl"));
  for (const ErrorCode code : {ErrorCode::io, ErrorCode::out_of_memory}) {
    bool has_failed = true;
    std::size_t calls = 0;
    for (; has_failed; ++calls) {
      const auto device = std::make_shared<CountingDevice>(calls, code);
      try {
        const std::vector<Integer> results = work(*open_on("failing", device));
        CHECK(results == expected);
        CHECK_FALSE(device->has_failed());
      } catch (const Error& error) {
        CHECK(error.code() == code);
        CHECK(device->has_failed());
      }
      CAPTURE(calls);
      CHECK(device->words_held() == 0);
      has_failed = device->has_failed();
    }
    CHECK(calls > 100);
    CHECK(work(*open("host")) == expected);
  }
}

}  // namespace fhe::gpu
