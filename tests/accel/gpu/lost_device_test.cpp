// SPDX-License-Identifier: Apache-2.0
// A device that is lost, or has no more memory, at every call: an error of the right kind, nothing
// left in its memory, and the same call works afterwards on another backend.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "accel/gpu/backend/gpu_backend.hpp"
#include "accel/gpu/device/device.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::gpu {

namespace {

// The device of the host, which fails at one call and from then on.
class FailingDevice final : public Device {
 public:
  FailingDevice(std::size_t calls, ErrorCode code) : calls_left_(calls), code_(code) {}

  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] long words_held() const { return words_held_; }

  [[nodiscard]] std::string description() const override { return "fails"; }
  [[nodiscard]] std::size_t memory_bytes() const override { return host_->memory_bytes(); }
  [[nodiscard]] Word allocate(std::size_t words) override {
    count();
    words_held_ += static_cast<long>(words);
    return host_->allocate(words);
  }
  void free(Word address, std::size_t words) noexcept override {
    words_held_ -= static_cast<long>(words);
    host_->free(address, words);
  }
  void put(Word address, std::span<const Word> words) override {
    count();
    host_->put(address, words);
  }
  void get(std::span<Word> words, Word address) override {
    count();
    host_->get(words, address);
  }
  void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) override {
    count();
    host_->launch(kernel, blocks, arguments);
  }

 private:
  void count() {
    if (calls_left_ == 0) {
      has_failed_ = true;
      throw Error(code_, "the card has failed");
    }
    --calls_left_;
  }

  DevicePtr host_ = host_device();
  std::size_t calls_left_;
  ErrorCode code_;
  bool has_failed_ = false;
  long words_held_ = 0;
};

// Everything that a ring does on a device.
std::vector<Integer> work(const Backend& backend) {
  test::Operands operands(9);
  const Integer n = operands.exactly(700);
  const auto ring = backend.ring(n);
  const Operand a = ring->prepare(operands.below(n));
  const Operand b(operands.below(n));
  const std::vector<RingOperation> operations{{RingOperation::Kind::multiply, a, b, true},
                                              {RingOperation::Kind::add, a, b, false}};
  Progress progress({}, "operations", operations.size());
  const std::vector<Operand> results = ring->compute_all(operations, progress);
  const std::vector<std::vector<OperandPair>> sums{{{results[0], results[1]}, {a, b}}};
  Progress more({}, "sums", sums.size());
  const std::vector<Operand> dots = ring->dot_all(sums, more);
  return {results[0].value(), results[1].value(), dots[0].value(),
          backend.multiply(a.value(), b.value())};
}

}  // namespace

TEST_CASE("a device that fails at any call says so and leaves nothing") {
  const std::vector<Integer> expected = work(*open_backend("ntl"));
  for (const ErrorCode code : {ErrorCode::io, ErrorCode::out_of_memory}) {
    bool has_failed = true;
    std::size_t calls = 0;
    for (; has_failed; ++calls) {
      const auto device = std::make_shared<FailingDevice>(calls, code);
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
