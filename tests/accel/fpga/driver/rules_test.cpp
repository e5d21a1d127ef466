// SPDX-License-Identifier: Apache-2.0
// The table of opcodes, check by check: what command_rules says of a command is the status that the
// model and the simulated RTL end it with, on all equipments.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "accel/fpga/contract/command_rules.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::Operands;

constexpr std::size_t kSamples = 400'000;  // until a rare command is found, such as one of `karat`
constexpr std::uint32_t kPhi = 1000;
constexpr std::uint32_t kGamma = 1200;

// The fields of a command that conditions are about.
constexpr std::size_t kNumbers = 5;
std::uint32_t number(const Command& command, std::size_t index) {
  const std::array numbers = {command.source0.bits, command.source1.bits, command.destination.bits,
                              std::uint32_t{command.aux}, command.aux2};
  return numbers.at(index);
}

std::uint32_t largest(std::size_t index) {
  return index == 3 ? 0xffff : 0xffff'ffff;
}

Command with(Command command, std::size_t index, std::uint32_t value) {
  switch (index) {
    case 0:
      command.source0.bits = value;
      break;
    case 1:
      command.source1.bits = value;
      break;
    case 2:
      command.destination.bits = value;
      break;
    case 3:
      command.aux = static_cast<std::uint16_t>(value);
      break;
    default:
      command.aux2 = value;
  }
  return command;
}

// Lengths that fit together more often than random ones do.
std::uint32_t some_length(Operands& operands) {
  const auto pick = operands.between(0, 31);
  if (pick == 0) return 0;
  if (pick < 4) return static_cast<std::uint32_t>(operands.between(1, 5000));
  return std::uint32_t{operands.coin() ? 1U : 3U} << operands.between(0, 14);
}

// Of few sums and elements, whose numbers would almost never fit together by chance; now and then
// with a length that is off.
Command some_command_on_stream(Opcode opcode, Operands& operands) {
  const auto most = [&](std::uint64_t limit) {
    return static_cast<std::uint32_t>(operands.between(0, limit));
  };
  const auto off = [&] { return operands.between(0, 7) == 0 ? most(1000) : 0; };
  const std::uint32_t sums = most(15), elements = most(3), words = most(3);
  Command command{.opcode = opcode};
  command.aux = static_cast<std::uint16_t>(sums | most(1) << 4);
  command.source0.bits = operands.between(0, 7) == 0 ? 0 : most(1600);
  command.source1.bits = 8 * elements + off();
  command.destination.bits = 512 * sums * words + off();
  command.aux2 = elements | words << 16;
  if (opcode == Opcode::windows) {
    const std::uint32_t masks = most(1);
    const std::uint32_t skip = operands.between(0, 3) == 0 ? most(255) : 0;
    command.aux = static_cast<std::uint16_t>(masks | most(1) << 1 | most(9) << 4 | skip << 8);
    command.source1.bits = operands.coin() ? command.source0.bits : most(1600);
    command.destination.bits = (masks == 1 ? 8 : 128) * elements + off();
  }
  if (opcode == Opcode::weighted) {
    command.source1.bits = operands.coin() ? parameter::weighted_bits + most(1) : most(1600);
    command.destination.bits = command.source0.bits + command.source1.bits + most(20);
  }
  return command;
}

// With about as many words of elements that are stored as there may be.
Command some_command_on_many_words(Opcode opcode, Operands& operands) {
  Command command = some_command_on_stream(opcode, operands);
  const std::uint32_t elements = 300 + static_cast<std::uint32_t>(operands.between(0, 1));
  command.source0.bits = 512 * static_cast<std::uint32_t>(operands.between(0xd900, 0xda80));
  if (opcode == Opcode::windows) {
    command.source1.bits = command.source0.bits;
    command.destination.bits = (command.aux % 2 == 1 ? 8 : 128) * elements;
    command.aux2 = elements;
  } else {
    command.aux = static_cast<std::uint16_t>((command.aux & 0x10U) | 1U);
    command.source1.bits = 8 * elements;
    command.destination.bits = 512 * 0xffff;
    command.aux2 = elements | 0xffffU << 16;
  }
  return command;
}

// A product of about as many words as one in four steps may have.
Command some_long_product(Opcode opcode, Operands& operands) {
  const auto steps = static_cast<std::uint32_t>(operands.between(1, 4));
  const std::uint32_t words = parameter::four_step_words << (steps - 1);
  const auto words_of_x = static_cast<std::uint32_t>(operands.between(1, words));
  Command command{.opcode = opcode};
  command.aux = static_cast<std::uint16_t>(field::mul::four_step.put(steps));
  command.source0.bits = 512 * (opcode == Opcode::sqr ? words / 2 : words_of_x);
  command.source1.bits = 512 * (words - words_of_x);
  const auto more = static_cast<std::uint32_t>(operands.between(0, 2));
  (opcode == Opcode::sqr || operands.coin() ? command.source0 : command.source1).bits += more;
  command.destination.bits = 512 * words + 512;
  return command;
}

bool is_product(Opcode opcode) {
  return opcode == Opcode::mul || opcode == Opcode::sqr;
}

Command some_command(Opcode opcode, Operands& operands) {
  if (is_product(opcode) && operands.between(0, 7) == 0) return some_long_product(opcode, operands);
  if (opcode == Opcode::weighted) return some_command_on_stream(opcode, operands);
  if (opcode == Opcode::selection || opcode == Opcode::windows)
    return operands.between(0, 7) == 0 ? some_command_on_many_words(opcode, operands)
                                       : some_command_on_stream(opcode, operands);
  Command command{.opcode = opcode};
  command.aux = static_cast<std::uint16_t>(operands.between(0, operands.coin() ? 15 : 0xffff));
  command.aux2 = static_cast<std::uint32_t>(operands.between(0, operands.coin() ? 3 : 10'000));
  command.source0.bits = some_length(operands);
  command.source1.bits = operands.coin() ? command.source0.bits : some_length(operands);
  command.destination.bits = operands.coin() ? 2 * command.source0.bits : some_length(operands);
  return command;
}

// Each device of this process in turn, on each equipment, with context 0 set where it reduces.
class Rules {
 public:
  Rules() {
    device.enable();
    if (equipment.has(feature::modred)) set_context();
  }

  [[nodiscard]] CommandRules rules(const Command& command) const {
    return rules_of(command, equipment, shape);
  }
  [[nodiscard]] bool passes(const Command& command) const {
    const CommandRules found = rules(command);
    return found.is_known && found.conditions.unmet() == 0;
  }
  Status of(const Command& command) { return device.status_of(command); }

  // A command like `command` that passes, and one that differs by 1 in this field and does not.
  [[nodiscard]] std::optional<std::pair<Command, Command>> edge(const Command& command,
                                                                std::size_t index,
                                                                std::uint32_t end) const {
    std::uint32_t inside = number(command, index), outside = end;
    if (passes(with(command, index, outside))) return {};
    while (std::max(inside, outside) - std::min(inside, outside) > 1) {
      const std::uint32_t middle = inside / 2 + outside / 2 + (inside % 2 + outside % 2) / 2;
      (passes(with(command, index, middle)) ? inside : outside) = middle;
    }
    return std::pair(with(command, index, inside), with(command, index, outside));
  }

  std::string name = GENERATE(as<std::string>{}, "", "=super_size", "=super_size_128", "=karatsuba",
                              "=throughput");
  RawDevice device{any_local_device(name)};
  Equipment equipment{.features = device.read(reg::features),
                      .fft_param = device.read(reg::fft_param),
                      .lhw_param = device.read(reg::lhw_param),
                      .ss_param = device.read(reg::ss_param),
                      .karat_param = device.read(reg::karat_param),
                      .throughput_param = device.read(reg::throughput_param),
                      .elements_param = device.read(reg::elements_param)};
  BarrettShape shape;
  Operands operands{77};

 private:
  void set_context() {
    shape = barrett_shape(kPhi, kGamma, equipment.reduction_bits());
    const Context context = place_modulus(device, shape, power_of_two(kPhi - 1) + 12345);
    device.put_record(device.at(1100, 0).address, context);
    CHECK(of({.opcode = Opcode::set_ctx, .parameter = device.at(1100, 0).address}) == Status::ok);
  }
};

// With addresses that are wrong: what passes ends there, and nothing is computed.
Command misplaced(Command command) {
  command.source0.address = command.source1.address = command.destination.address = 8;
  command.parameter = 8;
  return command;
}

}  // namespace

TEST_CASE_METHOD(Rules, "rules: what the device has to have") {
  for (const Opcode opcode : kOpcodes) {
    for (int trial = 0; trial < 40; ++trial) {
      Command command{.opcode = opcode, .context = 9};
      command.aux = static_cast<std::uint16_t>(operands.between(0, 0x7ff));
      CAPTURE(fpga::name(opcode), command.aux);
      CHECK((of(command) == Status::bad_opcode) == !rules(command).is_known);
    }
  }
}

TEST_CASE_METHOD(Rules, "rules: contexts that are named, and that are set") {
  for (const Opcode opcode : kOpcodes) {
    for (std::uint32_t aux = 0; aux < 8; ++aux) {
      const CommandRules found = rules({.opcode = opcode, .aux = static_cast<std::uint16_t>(aux)});
      if (!found.is_known) continue;
      const auto is_missing = [&](std::uint16_t context) {
        return of(misplaced({.opcode = opcode,
                             .context = context,
                             .aux = static_cast<std::uint16_t>(aux)})) == Status::no_ctx;
      };
      CAPTURE(fpga::name(opcode), aux);
      CHECK_FALSE(is_missing(0));
      CHECK(is_missing(1) == found.needs_context);
      CHECK(is_missing(3) == found.needs_context);
      CHECK(is_missing(4) == (found.names_context || found.needs_context));
      CHECK(is_missing(0xffff) == (found.names_context || found.needs_context));
    }
  }
}

// Each condition is the only one that is not met, in some commands. What a condition is about may
// be unknown to a device, but not to the standard one, or to that with the throughput multiplier
// where it is about products in four steps.
TEST_CASE_METHOD(Rules, "rules: each condition by itself") {
  constexpr int kTimes = 3;
  for (const Opcode opcode : kOpcodes) {
    std::vector<int> times;  // for each condition, of which what is not known has none
    std::uint32_t ever_unmet = 0;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const Command command = misplaced(some_command(opcode, operands));
      const CommandRules found = rules(command);
      if (!found.is_known) continue;
      times.resize(found.conditions.count());
      ever_unmet |= found.conditions.unmet();
      if (std::ranges::all_of(times, [](int n) { return n == kTimes; })) break;
      for (std::size_t condition = 0; condition < times.size(); ++condition) {
        if (found.conditions.unmet() != bit(static_cast<std::uint32_t>(condition)) ||
            times[condition] == kTimes)
          continue;
        ++times[condition];
        CAPTURE(fpga::name(opcode), condition);
        CHECK(of(command) == Status::length);
      }
    }
    CAPTURE(fpga::name(opcode), times);
    for (std::size_t condition = 0; condition < times.size(); ++condition) {
      const bool is_reduction = opcode == Opcode::modred;
      if (is_reduction && (condition == 3 || condition == 4)) continue;  // in a test of their own
      const bool of_four_steps =
          (is_product(opcode) && condition != 0) || (is_reduction && condition == 2);
      const bool concerns = name == (of_four_steps ? "=throughput" : "") ||
                            has_bit(ever_unmet, static_cast<std::uint32_t>(condition));
      CHECK((times[condition] != 0 || !concerns));
    }
  }
}

// How long the modulus and q may be, to the bit.
TEST_CASE_METHOD(Rules, "rules: reductions in four steps") {
  if (!equipment.has(feature::four_step)) return;
  constexpr std::uint32_t kBits = parameter::four_step_words * parameter::word_bits;
  for (const auto& [phi, gamma] :
       {std::pair{kBits - 1, 10U}, {kBits, 10U}, {1000U, kBits - 2}, {1000U, kBits - 1}}) {
    CAPTURE(phi, gamma);
    shape = barrett_shape(phi, gamma);
    device.put_record(device.at(1100, 0).address,
                      {.shape = shape,
                       .modulus = device.at(2000, 0).address,
                       .reciprocal = device.at(20'000, 0).address,
                       .scratch = device.at(40'000, 0).address,
                       .scratch_words = static_cast<std::uint32_t>(shape.scratch_words())});
    CHECK(of({.opcode = Opcode::set_ctx, .parameter = device.at(1100, 0).address}) == Status::ok);
    const bool fits = phi < kBits && gamma + 2 <= kBits;
    for (unsigned size = 0; size <= kLongestFourSteps; ++size) {
      const Command command = misplaced(in_four_steps(reduce(0, {8, phi}, {8, phi}), size, 8));
      const bool passed = size <= kLongestCyclicFourSteps && (fits || size > 0);
      CAPTURE(size);
      CHECK(passes(command) == passed);
      CHECK(of(command) == (passed ? Status::bad_align : Status::length));
    }
  }
}

// Where a condition begins to be met, to the bit.
TEST_CASE_METHOD(Rules, "rules: the edges of all conditions") {
  constexpr int kTimes = 3;
  for (const Opcode opcode : kOpcodes) {
    int passed = 0;
    for (std::size_t i = 0; i < kSamples && passed < kTimes; ++i) {
      const Command command = misplaced(some_command(opcode, operands));
      if (!passes(command)) continue;
      ++passed;
      for (std::size_t index = 0; index < kNumbers; ++index) {
        for (const std::uint32_t end : {0U, largest(index)}) {
          const auto found = edge(command, index, end);
          if (!found) continue;
          CAPTURE(fpga::name(opcode), index, number(found->first, index));
          const Status inside = of(found->first);
          CHECK((inside == Status::ok || inside == Status::bad_align));
          CHECK(of(found->second) ==
                (rules(found->second).is_known ? Status::length : Status::bad_opcode));
        }
      }
    }
    CAPTURE(fpga::name(opcode));
    CHECK((passed == kTimes || !rules({.opcode = opcode}).is_known));
  }
}

namespace {

// The addresses of a command and what lies there, in the order of their checks.
struct Place {
  std::uint64_t bits;
  bool may_be_destination;
};
using Places = std::array<Place, 4>;

Places places(const CommandRules& rules) {
  return {{{rules.destination_bits, true},
           {rules.source0.bits, rules.source0.may_be_destination},
           {rules.source1.bits, rules.source1.may_be_destination},
           {rules.parameter_bits, false}}};
}

std::uint64_t& address(Command& command, std::size_t place) {
  switch (place) {
    case 0:
      return command.destination.address;
    case 1:
      return command.source0.address;
    case 2:
      return command.source1.address;
    default:
      return command.parameter;
  }
}

constexpr std::uint64_t kApart = 4096;  // words between places

// None where one of them would reach the next.
std::size_t used_places(const CommandRules& rules) {
  const Places all = places(rules);
  if (std::ranges::any_of(all, [](const Place& p) { return p.bits > kApart * kWordBits; }))
    return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const Place& place) { return place.bits != 0; }));
}

// Of many commands with this opcode that pass, one that uses the most places.
std::optional<Command> busiest(Rules& on, Opcode opcode) {
  std::optional<Command> best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < kSamples / 4; ++i) {
    const Command command = some_command(opcode, on.operands);
    if (!on.passes(command)) continue;
    const std::size_t used = used_places(on.rules(command));
    if (used > most) best = command;
    most = std::max(most, used);
  }
  return best;
}

// Each operand far from the others, and addresses that are wrong where nothing lies.
Command placed(Command command, const Places& all, const RawDevice& device) {
  for (std::size_t place = 0; place < all.size(); ++place)
    address(command, place) =
        all.at(place).bits == 0 ? 3 : device.at((place + 1) * kApart, 0).address;
  return command;
}

}  // namespace

TEST_CASE_METHOD(Rules, "rules: places in memory") {
  for (const Opcode opcode : kOpcodes) {
    const std::optional<Command> found = busiest(*this, opcode);
    if (!found) continue;
    const Places all = places(rules(*found));
    const Command command = placed(*found, all, device);
    const std::uint64_t room = padded_bytes(all.front().bits);
    for (std::size_t place = 0; place < all.size(); ++place) {
      const std::uint64_t size = padded_bytes(all.at(place).bits);
      if (size == 0) continue;
      const auto at = [&](std::uint64_t there) {
        Command moved = command;
        address(moved, place) = there;
        return of(moved);
      };
      CAPTURE(fpga::name(opcode), place, size);
      CHECK(at(device.base() + 8) == Status::bad_align);
      CHECK(at(device.base() - kWordBytes) == Status::range);
      CHECK(at(device.end() - size + kWordBytes) == Status::range);
      if (place == 0 || room == 0) continue;
      const std::uint64_t first = command.destination.address;
      CHECK((at(first) == Status::overlap) == !all.at(place).may_be_destination);
      CHECK(at(first + room) != Status::overlap);
      if (room > kWordBytes) CHECK(at(first + room - kWordBytes) == Status::overlap);
    }
  }
}

TEST_CASE("rules: every opcode is known to some device") {
  for (const Opcode opcode : kOpcodes) {
    const auto knows = [&](const Equipment& equipment) {
      return rules_of({.opcode = opcode}, equipment, {}).is_known;
    };
    CAPTURE(fpga::name(opcode));
    CHECK((knows(kStandardEquipment) || knows(kSuperSizeEquipment) || knows(kThroughputEquipment) ||
           knows(kKaratsubaEquipment)));
  }
}

}  // namespace fhe::fpga::test
