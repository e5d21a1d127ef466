// SPDX-License-Identifier: Apache-2.0
// Whatever fails on the way to a device, at whatever moment: the results are right or there is a
// typed error, and there is an end.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "tests/accel/fpga/driver/fault_transport.hpp"
#include "tests/accel/fpga/driver/has_status.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using std::chrono::milliseconds;

const DeviceOptions kImpatient{.deadline = milliseconds(4)};

// How a scenario went.
enum class Ending { right, wrong, failed, lost };

// A reduction of a sum of products, a sum in place and a program, in one run of the queue.
Ending play(Device& device) {
  fhe::test::Operands operands(4);
  const PlacedContext context = place_context(device, operands.exactly(700), 400);
  device.set_context(2, context.context);
  const Placed x = place(device, operands.bits(500), 500);
  const Placed y = place(device, operands.bits(500), 500);
  const Placed sum = room(device, 1010);
  const Placed remainder = room(device, 700);
  // In place within the program, which is repeated from its beginning.
  const Placed doubled = room(device, 1020);
  const Placed reduced = room(device, 700);
  const DeviceBuffer list =
      place_program(device, {add(doubled.where(), sum.where(), x.where()),
                             add(doubled.where(), doubled.where(), doubled.where()),
                             reduce(2, reduced.where(), doubled.where())});
  std::vector<Ticket> tickets;
  tickets.push_back(device.submit(by(Engine::mul768, multiply(sum.where(), x.where(), y.where()))));
  tickets.push_back(
      device.submit(by(Engine::mul768, multiply_add(sum.where(), y.where(), y.where()))));
  tickets.push_back(device.submit(add(sum.where(), sum.where(), x.where())));
  tickets.push_back(device.submit(reduce(2, remainder.where(), sum.where())));
  tickets.push_back(device.submit(run_program(list)));
  for (const Ticket& ticket : tickets) device.wait(ticket);
  const Integer expected = x.value * y.value + y.value * y.value + x.value;
  const bool right =
      device.load(sum.buffer, 1010) == expected &&
      device.load(remainder.buffer, 700) == expected % context.modulus.value &&
      device.load(doubled.buffer, 1020) == 2 * (expected + x.value) &&
      device.load(reduced.buffer, 700) == 2 * (expected + x.value) % context.modulus.value;
  return right ? Ending::right : Ending::wrong;
}

struct Play {
  Ending ending;
  std::uint64_t occasions;  // of the fault in question
  std::uint64_t happened;
};

// The scenario from opening to closing, with these faults.
Play play(const FaultPlan& plan, Fault fault, const DeviceOptions& options = kImpatient) {
  auto made =
      std::make_unique<FaultTransport>(std::make_unique<ModelTransport>(test_memory()), plan);
  const FaultTransport& transport = *made;
  Ending ending = Ending::right;
  std::unique_ptr<Device> device;
  std::uint64_t occasions = 0;
  std::uint64_t happened = 0;
  try {
    device = std::make_unique<Device>(std::move(made), options);
    ending = play(*device);
    occasions = transport.occasions(fault);
    happened = transport.happened(fault);
  } catch (const DeviceLost&) {
    ending = Ending::lost;
  } catch (const Error& error) {
    INFO(error.what());
    CHECK((error.code() == ErrorCode::io || error.code() == ErrorCode::unsupported));
    ending = Ending::failed;
  }
  return {ending, occasions, happened};
}

std::uint64_t occasions_without_faults(Fault fault) {
  const Play calm = play(faults_at({}), fault);
  REQUIRE(calm.ending == Ending::right);
  REQUIRE(calm.occasions > 0);
  return calm.occasions;
}

// How often each ending came when the fault comes `count` times from each occasion on.
std::vector<int> endings(Fault fault, std::uint64_t count) {
  std::vector<int> counts(4);
  const std::uint64_t occasions = occasions_without_faults(fault);
  for (std::uint64_t first = 0; first < occasions; ++first) {
    CAPTURE(first, count);
    const Play result = play(faults_at({{fault, first, count}}), fault);
    CHECK(result.ending != Ending::wrong);
    ++counts[static_cast<std::size_t>(result.ending)];
  }
  return counts;
}

int number(const std::vector<int>& counts, Ending ending) {
  return counts[static_cast<std::size_t>(ending)];
}

constexpr std::uint64_t kForEver = ~std::uint64_t{0};

}  // namespace

TEST_CASE("one wrong register read, at every moment") {
  for (const Fault fault : {Fault::all_ones, Fault::flipped_bit, Fault::failed_read}) {
    CAPTURE(static_cast<int>(fault));
    const std::vector<int> counts = endings(fault, 1);
    CHECK(number(counts, Ending::lost) == 0);
    CHECK(number(counts, Ending::right) > 20 * number(counts, Ending::failed));
  }
}

TEST_CASE("one register write that does not arrive, at every moment") {
  for (const Fault fault : {Fault::lost_write, Fault::failed_write}) {
    CAPTURE(static_cast<int>(fault));
    const std::vector<int> counts = endings(fault, 1);
    CHECK(number(counts, Ending::lost) == 0);
    CHECK(number(counts, Ending::right) > 2 * number(counts, Ending::failed));
  }
}

TEST_CASE("a transfer that fails is tried again, and not for ever") {
  for (const Fault fault : {Fault::failed_put, Fault::failed_get}) {
    CAPTURE(static_cast<int>(fault));
    const std::vector<int> twice = endings(fault, kImpatient.repeats);
    CHECK(number(twice, Ending::failed) == 0);
    const std::vector<int> more = endings(fault, kImpatient.repeats + 1);
    CHECK(number(more, Ending::right) == 0);
    CHECK(number(more, Ending::lost) == 0);
  }
}

TEST_CASE("a card that vanishes is lost, at every moment") {
  const std::vector<int> counts = endings(Fault::vanished, 1);
  CHECK(number(counts, Ending::right) == 0);
  CHECK(number(counts, Ending::failed) == 0);
}

TEST_CASE("registers that answer nonsense for ever end in an error") {
  for (const Fault fault : {Fault::all_ones, Fault::flipped_bit, Fault::failed_read,
                            Fault::lost_write, Fault::failed_write}) {
    const std::uint64_t occasions = occasions_without_faults(fault);
    for (std::uint64_t first = 0; first < occasions; first += 1 + occasions / 17) {
      CAPTURE(static_cast<int>(fault), first);
      const Ending ending = play(faults_at({{fault, first, kForEver}}), fault).ending;
      CHECK(ending != Ending::wrong);
      // Where nothing but the end of the last command remained, it may be right.
      if (first < occasions / 2) CHECK(ending != Ending::right);
    }
  }
}

TEST_CASE("lost interrupts and delays change nothing") {
  const Play lost = play(faults_at({{Fault::lost_interrupt, 0, kForEver}}), Fault::lost_interrupt,
                         {.deadline = milliseconds(200)});
  CHECK(lost.ending == Ending::right);
  CHECK(lost.happened > 0);
  const Play late = play(faults_at({{Fault::delay, 10, 20}}), Fault::delay, {});
  CHECK(late.ending == Ending::right);
  CHECK(late.happened == 20);
}

TEST_CASE("random faults of all kinds never give a wrong result") {
  const std::vector<Fault> kinds = {Fault::all_ones,   Fault::flipped_bit,   Fault::failed_read,
                                    Fault::lost_write, Fault::failed_write,  Fault::failed_put,
                                    Fault::failed_get, Fault::lost_interrupt};
  std::vector<int> counts(4);
  for (const std::uint64_t one_in : {30U, 300U}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      CAPTURE(one_in, seed);
      const Ending ending = play(random_faults(seed, one_in, kinds), Fault::all_ones).ending;
      CHECK(ending != Ending::wrong);
      ++counts[static_cast<std::size_t>(ending)];
    }
  }
  CHECK(number(counts, Ending::right) > 0);
  CHECK(number(counts, Ending::failed) + number(counts, Ending::lost) > 0);
}

TEST_CASE("a lost device stays lost, for everything that is asked of it") {
  auto made = std::make_unique<FaultTransport>(std::make_unique<ModelTransport>(test_memory()),
                                               faults_at({{Fault::vanished, 400}}));
  Device device(std::move(made), kImpatient);
  const DeviceBuffer buffer = device.allocate(kWordBytes);
  const DeviceInteger z{buffer.address(), 512};
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 1000; ++i) device.run(clear(z));
      }(),
      DeviceLost);
  std::array<std::byte, kWordBytes> bytes{};
  CHECK_THROWS_AS(device.run(clear(z)), DeviceLost);
  CHECK_THROWS_AS(device.finish(), DeviceLost);
  CHECK_THROWS_AS(device.reset(), DeviceLost);
  CHECK_THROWS_AS(device.counter(counter::cmds), DeviceLost);
  CHECK_THROWS_AS(device.put(z.address, bytes), DeviceLost);
  CHECK_THROWS_AS(device.get(z.address, bytes), DeviceLost);
  CHECK_THROWS_AS(device.set_context(0, {}), DeviceLost);
}

TEST_CASE("a card that vanishes is lost for every thread that waits for it") {
  for (const std::uint64_t moment : {300U, 1000U, 3000U}) {
    Device device(std::make_unique<FaultTransport>(std::make_unique<ModelTransport>(test_memory()),
                                                   faults_at({{Fault::vanished, moment}})),
                  kImpatient);
    std::array<bool, 4> lost{};
    {
      std::vector<std::jthread> threads;
      for (bool& mine : lost) {
        threads.emplace_back([&device, &mine] {
          try {
            const DeviceBuffer buffer = device.allocate(kWordBytes);
            for (int i = 0; i < 10'000; ++i) device.run(clear({buffer.address(), 512}));
          } catch (const DeviceLost&) {
            mine = true;
          }
        });
      }
    }
    CHECK(lost == std::array{true, true, true, true});
  }
}

TEST_CASE("the same faults come in every run, where they were said to come") {
  const FaultPlan script = faults_at({{Fault::delay, 2, 3}, {Fault::vanished, 7}});
  std::string happened;
  for (std::uint64_t i = 0; i < 9; ++i) happened += script(Fault::delay, i) ? 'x' : '.';
  CHECK(happened == "..xxx....");
  CHECK(script(Fault::vanished, 7));
  CHECK_FALSE(script(Fault::lost_write, 2));
  const FaultPlan one = random_faults(5, 3, {Fault::delay});
  const FaultPlan two = random_faults(5, 3, {Fault::delay});
  int count = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const bool first = one(Fault::delay, i);
    CHECK(first == two(Fault::delay, i));
    CHECK_FALSE(one(Fault::lost_write, i));
    count += first ? 1 : 0;
  }
  CHECK(count > 60);
  CHECK(count < 140);
}

}  // namespace fhe::fpga::test
