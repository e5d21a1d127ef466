// SPDX-License-Identifier: Apache-2.0
// What a recryption moves between the host and the device, commands included.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/equipment.hpp"
#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "apps/conformance/recryptions.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

std::atomic<std::size_t> bytes_in = 0;
std::atomic<std::size_t> bytes_out = 0;
std::atomic<std::size_t> commands_given = 0;

constexpr Equipment without_elements() {
  Equipment equipment = kStandardEquipment;
  equipment.features &= ~bit(feature::elements);
  return equipment;
}
constexpr Equipment kWithoutElements = without_elements();

constexpr Equipment without_programs() {
  Equipment equipment = kStandardEquipment;
  equipment.features &= ~bit(feature::run);
  return equipment;
}
constexpr Equipment kWithoutPrograms = without_programs();

// The model, watched.
class CountingTransport final : public LocalTransport {
 public:
  CountingTransport(DeviceMemory memory, const Equipment& equipment)
      : model_(std::move(memory), equipment) {}

  [[nodiscard]] std::string description() const override { return "watched"; }
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override {
    return model_.read_register(offset);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    if (offset == reg::cmd_doorbell) ++commands_given;
    model_.write_register(offset, value);
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes) override {
    bytes_in += bytes.size();
    model_.put(address, bytes);
  }
  void get(std::uint64_t address, std::span<std::byte> bytes) override {
    bytes_out += bytes.size();
    model_.get(address, bytes);
  }
  [[nodiscard]] Interrupt wait_interrupt(std::chrono::milliseconds timeout) override {
    return model_.wait_interrupt(timeout);
  }
  void reset() override { model_.reset(); }
  void step(std::uint64_t clocks) override { model_.step(clocks); }

 private:
  ModelTransport model_;
};

template <const Equipment& kEquipment>
std::unique_ptr<LocalTransport> open_counting(DeviceMemory memory) {
  return std::make_unique<CountingTransport>(std::move(memory), kEquipment);
}

// Has room for what a recryption at Toy works on, and not for the elements of its key.
template <const Equipment& kEquipment>
std::unique_ptr<LocalTransport> open_narrow(DeviceMemory memory) {
  return open_counting<kEquipment>(DeviceMemory(memory.base(), 5U << 20));
}

std::unique_ptr<LocalTransport> open_small(DeviceMemory memory) {
  return std::make_unique<ModelTransport>(DeviceMemory(memory.base(), 1U << 17),
                                          kStandardEquipment);
}

constexpr std::array kDevices = {
    LocalDevice{"watched", open_counting<kStandardEquipment>},
    LocalDevice{"watched_throughput", open_counting<kThroughputEquipment>},
    LocalDevice{"watched_led", open_counting<kWithoutPrograms>},
    LocalDevice{"watched_keeping", open_counting<kWithoutElements>},
    LocalDevice{"watched_narrow", open_narrow<kStandardEquipment>},
    LocalDevice{"watched_full", open_narrow<kWithoutElements>},
    LocalDevice{"small", open_small}};
[[maybe_unused]] const bool kAdded = (add_local_devices(kDevices), true);

std::vector<Integer> values(const std::vector<Operand>& operands) {
  std::vector<Integer> values;
  for (const Operand& operand : operands) values.push_back(operand.value());
  return values;
}

struct Traffic {
  double in;  // in ciphertexts
  double out;
  std::size_t commands;
};

// Of a recryption that is not the first one with its key.
Traffic traffic_of(const std::string& group, const std::string& backend = "fpga:watched") {
  const KeyPair& keys = fhe::test::test_keys(group);
  const BackendPtr device = open_backend(backend);
  const Evaluator evaluator(keys.public_key, device);
  const Evaluator reference(keys.public_key, open_backend("auto"));
  const Ciphertext c = fhe::test::test_encryptor(keys).encrypt(true);
  static_cast<void>(evaluator.recrypt(c));
  const std::size_t in = bytes_in;
  const std::size_t out = bytes_out;
  const std::size_t commands = commands_given;
  CHECK(evaluator.recrypt(c).value() == reference.recrypt(c).value());
  const auto bytes = static_cast<double>(limbs_of(keys.public_key.modulus()).size_bytes());
  return {.in = static_cast<double>(bytes_in - in) / bytes,
          .out = static_cast<double>(bytes_out - out) / bytes,
          .commands = commands_given - commands};
}

// Of a recryption that is not the first one with its key, by the law of the model.
std::uint64_t clocks_of(const std::string& group, const std::string& backend) {
  const KeyPair& keys = fhe::test::test_keys(group);
  const BackendPtr device = open_backend(backend);
  const Evaluator evaluator(keys.public_key, device);
  const Ciphertext c = fhe::test::test_encryptor(keys).encrypt(true);
  static_cast<void>(evaluator.recrypt(c));
  const std::uint64_t before = device->counts().device_clocks;
  static_cast<void>(evaluator.recrypt(c));
  return device->counts().device_clocks - before;
}

}  // namespace

// Though the windows are among them.
TEST_CASE("a recryption takes fewer clocks on elements that the device generates") {
  for (const std::string group : {"cnt-toy", "cnt-small"})
    CHECK(clocks_of(group, "fpga:watched_led") < clocks_of(group, "fpga:watched_keeping"));
}

// The windows are the host's.
TEST_CASE("a recryption brings one ciphertext to the host, and less than one to the device") {
  for (const std::string group : {"cnt-toy", "cnt-small"}) {
    const Traffic moved = traffic_of(group, "fpga:watched_keeping");
    CAPTURE(group, moved.in, moved.out);
    CHECK(moved.in < 1);
    CHECK(moved.out < 1.001);
  }
}

// And the leading bits of the products, from which the host chooses what is added up.
TEST_CASE("a recryption on generated elements, led by the host, is one ciphertext each way") {
  for (const std::string group : {"cnt-toy", "cnt-small"}) {
    const Traffic moved = traffic_of(group, "fpga:watched_led");
    CAPTURE(group, moved.in, moved.out);
    CHECK(moved.in > 1);
    CHECK(moved.in < 2);
    CHECK(moved.out < 1.2);
  }
}

// CNT and CMNT with an adder, in both forms of the key; by digits, with both kinds of keys; GH.
constexpr std::array kRecryptedAlone{"cnt-toy",        "cnt-small",      "cmnt-toy",
                                     "cmnt-toy-paper", "cnt-toy-digits", "cmnt-toy-digits",
                                     "gh-512"};

void check_alone(const std::string& group, const std::string& backend = "fpga:watched") {
  const Traffic moved = traffic_of(group, backend);
  CAPTURE(group, moved.in, moved.out, moved.commands);
  CHECK(moved.in < 1.01);
  CHECK(moved.out < 1.01);
  CHECK(moved.commands == 1);
}

TEST_CASE("a device recrypts alone: one ciphertext comes, one command, one ciphertext goes") {
  for (const std::string group : kRecryptedAlone) check_alone(group);
}

// It adds products to what they are added to, and so writes fewer sums.
TEST_CASE("a device whose products are sums recrypts alone") {
  for (const std::string group : kRecryptedAlone) check_alone(group, "fpga:watched_throughput");
}

TEST_CASE("a device recrypts alone at Medium and gh-2048", "[long]") {
  for (const std::string device : {"fpga:watched", "fpga:watched_throughput"})
    for (const std::string group : {"cnt-medium", "cnt-medium-digits", "gh-2048"})
      check_alone(group, device);
}

// Nearly between two windows: the leading bits of the product do not tell on which side.
TEST_CASE("a residue that leading bits do not decide is left to the host") {
  fhe::test::Operands operands(24);
  const Integer modulus = operands.exactly(1500) | 1;
  constexpr unsigned kBits = 5;
  conformance::Recryption made = conformance::random_recryption(operands, modulus, 1, kBits);
  const Integer& y = made.residue_factors[1].value();
  const auto group = std::ranges::find_if(made.groups, [&](const WindowGroup& of) {
    return of.first_window == 17 + made.residue_count;
  });
  REQUIRE(group != made.groups.end());
  made.output = static_cast<std::size_t>(group - made.groups.begin()) * kBits;
  Integer inverse;
  REQUIRE(mpz_invert(inverse.get_mpz_t(), y.get_mpz_t(), modulus.get_mpz_t()) != 0);

  const auto ring = open_backend("fpga:watched")->ring(modulus);
  const auto check = [&](const Integer& residue, bool is_decided) {
    made.c = residue * inverse % modulus;
    const Integer result = made.with_program([&](const RingProgram& program) {
      DeviceSession session(std::make_unique<ModelTransport>(
          DeviceMemory(std::uint64_t{4} << 30, std::uint64_t{8} << 20), kStandardEquipment));
      OperationCounters counters;
      const auto alone = DeviceRecryption(session, modulus, program).run(session, made.c, counters);
      CHECK(alone.has_value() == is_decided);
      return ring->run(program, {&made.c, 1}, Monitor{}).front();
    });
    CHECK(result == made.result(modulus));
  };
  check(modulus / 3, true);
  check(modulus >> kBits, false);
  check(modulus >> (kBits + 1), true);
}

TEST_CASE("a recryption by a program takes hardly more clocks than one that the host leads") {
  for (const std::string group : {"cnt-toy", "cnt-small", "cmnt-toy-paper", "gh-512"}) {
    const std::uint64_t alone = clocks_of(group, "fpga:watched");
    CAPTURE(group, alone);
    const std::uint64_t led = clocks_of(group, "fpga:watched_led");
    // The device reduces each bit of a block; the host, once, the highest bits of all blocks.
    const bool is_about_as_many = group == "cmnt-toy-paper" && alone - led < led / 100;
    CHECK((alone < led || is_about_as_many));
  }
}

TEST_CASE("a recryption takes no memory for elements that the device generates") {
  const Traffic moved = traffic_of("cnt-toy", "fpga:watched_narrow");
  CAPTURE(moved.in, moved.out);
  CHECK(moved.in < 2);
  CHECK(moved.out < 1.2);
}

// The host adds the elements, as it does at Large: they come to the device as 75 sums.
TEST_CASE("a recryption whose key does not fit brings its sums to the device once") {
  const Traffic moved = traffic_of("cnt-toy", "fpga:watched_full");
  CAPTURE(moved.in, moved.out);
  CHECK(moved.in > 74);
  CHECK(moved.in < 78);
  CHECK(moved.out < 1.01);
}

// The divisions of digits are done on the host: the values of its formula come and go.
TEST_CASE("a recryption by digits, led by the host, moves less than twenty ciphertexts each way") {
  const Traffic moved = traffic_of("cnt-toy-digits", "fpga:watched_led");
  CAPTURE(moved.in, moved.out);
  CHECK(moved.in < 20);
  CHECK(moved.out < 20);
}

TEST_CASE("many recryptions on the device are those of software") {
  for (const std::string group : {"cnt-mini", "cnt-mini-special", "cmnt-mini-digits"}) {
    CAPTURE(group);
    const KeyPair& keys = fhe::test::test_keys(group);
    const std::vector<Ciphertext> cs =
        fhe::test::test_encryptor(keys).encrypt({true, false, true, true, false});
    const auto on_device = Evaluator(keys.public_key, open_backend("fpga:watched")).recrypt(cs);
    const auto expected = Evaluator(keys.public_key, open_backend("auto")).recrypt(cs);
    REQUIRE(on_device.size() == cs.size());
    for (std::size_t i = 0; i < cs.size(); ++i) {
      CHECK(on_device[i].value() == expected[i].value());
    }
  }
}

// The results of one stage take more than the memory of this device.
TEST_CASE("where the memory of a device is full, operations are done one by one") {
  fhe::test::Operands operands(11);
  const Integer modulus = operands.exactly(20'000);
  const auto ring = open_backend("fpga:small")->ring(modulus);
  std::vector<RingOperation> operations;
  std::vector<std::vector<OperandPair>> sums;
  std::vector<Integer> expected, expected_sums;
  for (int i = 0; i < 120; ++i) {
    const Integer a = operands.below(modulus);
    const Integer b = operands.below(modulus);
    const bool is_product = i % 2 == 0;
    const auto kind = is_product ? RingOperation::Kind::multiply : RingOperation::Kind::add;
    operations.push_back({.kind = kind, .a = a, .b = b, .is_factor = i % 3 == 0});
    expected.push_back((is_product ? Integer(a * b) : Integer(a + b)) % modulus);
    sums.push_back({{a, b}, {b, b}});
    expected_sums.push_back((a * b + b * b) % modulus);
  }
  const Monitor monitor;
  Progress progress(monitor, "operations", operations.size() + sums.size());
  CHECK(values(ring->compute_all(operations, progress)) == expected);
  CHECK(values(ring->dot_all(sums, progress)) == expected_sums);
}

}  // namespace fhe::fpga::test
