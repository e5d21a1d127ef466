// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/program_files.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/storage/writable_object.hpp"

namespace fhe {

namespace {

constexpr std::size_t kProgramSections = 4;
constexpr std::size_t kNumberBytes = sizeof(std::uint32_t);
constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMaxNameBytes = 1U << 16;

using Numbers = std::vector<std::uint32_t>;

std::uint32_t number(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

// A word of inputs or outputs begins with its name and its width.
void write_word(SectionWriter& out, const std::string& name, std::size_t width) {
  out.write_u32(number(name.size()));
  out.write_text(name);
  out.write_u32(number(width));
}

void write_words(SectionWriter& out, const Netlist& circuit) {
  out.begin_section("words");
  out.write_u32(number(circuit.inputs().size()));
  for (const InputWord& word : circuit.inputs()) write_word(out, word.name, word.width);
  out.write_u32(number(circuit.outputs().size()));
  for (const OutputWord& word : circuit.outputs()) {
    write_word(out, word.name, word.wires.size());
    out.write_u32s(word.wires);
  }
}

void write_gates(SectionWriter& out, const Netlist& circuit) {
  Numbers numbers;
  for (const Gate& gate : circuit.gates()) {
    numbers.push_back(static_cast<std::uint32_t>(gate.kind));
    for (std::size_t k = 0; k < gate_inputs(gate.kind); ++k) numbers.push_back(gate.inputs.at(k));
  }
  out.begin_section("gates");
  out.write_u32s(numbers);
}

void write_noise(SectionWriter& out, const CircuitProgram& program) {
  const NoiseModel& noise = program.keys().noise;
  Numbers units;
  for (const NoiseBound bound : {noise.rule.decrypt_limit, noise.rule.refresh_limit,
                                 noise.rule.product_growth, noise.fresh, noise.refreshed}) {
    units.push_back(bound.units());
  }
  for (const NoiseBound bound : program.inputs()) units.push_back(bound.units());
  out.begin_section("noise");
  out.write_u32s(units);
}

void write_plan(SectionWriter& out, const RefreshPlan& plan) {
  Numbers wires;
  for (std::size_t wire = 0; wire < plan.refreshed.size(); ++wire) {
    if (plan.refreshed[wire]) wires.push_back(number(wire));
  }
  out.begin_section("plan");
  out.write_u64(plan.lower_bound);
  out.write_u64(plan.gate_by_gate);
  out.write_u32s(wires);
}

WritableObject writable(const CircuitProgram& program, const ReadLimits& limits) {
  const ProgramKeys& keys = program.keys();
  return {.header = {.kind = ObjectKind::program,
                     .scheme = keys.scheme,
                     .parameters = keys.parameters,
                     .parameters_digest = keys.parameters_digest},
          .write =
              [&program](SectionWriter& out) {
                write_words(out, program.circuit());
                write_gates(out, program.circuit());
                write_noise(out, program);
                write_plan(out, program.plan());
              },
          .limits = limits};
}

// All numbers that are left in a section of so many bytes. In pieces, since a stream may end long
// before the length that it states.
Numbers read_numbers(ContainerReader& in, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = 1U << 16;
  if (bytes % kNumberBytes != 0) throw in.malformed("its length is broken");
  Numbers numbers;
  for (std::uint64_t left = bytes / kNumberBytes; left > 0;) {
    const SecretIndices piece = in.read_u32s(std::min(left, kPiece));
    numbers.insert(numbers.end(), piece.begin(), piece.end());
    left -= piece.size();
  }
  return numbers;
}

// Counts that are larger than the section end at its end, before memory is taken for them.
class WordsReader {
 public:
  explicit WordsReader(ContainerReader& in) : in_(in) {
    in_.open_section("words", 2 * kNumberBytes, kAnyLength);
  }

  std::vector<InputWord> inputs() {
    std::vector<InputWord> words;
    for (std::uint32_t left = in_.read_u32(); left > 0; --left) {
      std::string name = read_name();
      words.push_back({std::move(name), in_.read_u32()});
    }
    return words;
  }

  std::vector<OutputWord> outputs() {
    std::vector<OutputWord> words;
    for (std::uint32_t left = in_.read_u32(); left > 0; --left) {
      std::string name = read_name();
      const std::uint64_t width = in_.read_u32();
      words.push_back({std::move(name), read_numbers(in_, width * kNumberBytes)});
    }
    in_.close_section();
    return words;
  }

 private:
  std::string read_name() {
    const std::uint32_t bytes = in_.read_u32();
    if (bytes > kMaxNameBytes) throw in_.malformed(fmt::format("a name has {} bytes", bytes));
    return in_.read_text(bytes);
  }

  ContainerReader& in_;
};

std::vector<Gate> read_gates(ContainerReader& in) {
  in.open_section("gates", 0, kAnyLength);
  const Numbers numbers = read_numbers(in, in.section_bytes());
  in.close_section();
  std::vector<Gate> gates;
  for (std::size_t next = 0; next < numbers.size();) {
    if (numbers[next] >= kGateKinds) {
      throw in.malformed(fmt::format("gate {} is of kind {}", gates.size(), numbers[next]));
    }
    Gate gate{static_cast<GateKind>(numbers[next++])};
    const std::size_t inputs = gate_inputs(gate.kind);
    if (numbers.size() - next < inputs) throw in.malformed("the last gate is cut");
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(next), inputs, gate.inputs.begin());
    next += inputs;
    gates.push_back(gate);
  }
  return gates;
}

// The noise of the input bits; that of keys goes into `model`.
std::vector<NoiseBound> read_noise(ContainerReader& in, NoiseModel& model) {
  constexpr std::size_t kOfKeys = 5;
  in.open_section("noise", kOfKeys * kNumberBytes, kAnyLength);
  std::vector<NoiseBound> bounds;
  for (const std::uint32_t units : read_numbers(in, in.section_bytes())) {
    if (units > NoiseBound::kMaxUnits) throw in.malformed("a noise bound is above 2^31 units");
    bounds.push_back(NoiseBound::from_units(units));
  }
  in.close_section();
  model = {{bounds[0], bounds[1], bounds[2]}, bounds[3], bounds[4]};
  return {bounds.begin() + kOfKeys, bounds.end()};
}

struct ReadPlan {
  std::vector<bool> refreshed;
  std::size_t lower_bound;
  std::size_t gate_by_gate;
};

ReadPlan read_plan(ContainerReader& in, std::size_t wires) {
  constexpr std::uint64_t kCounts = 2 * sizeof(std::uint64_t);
  in.open_section("plan", kCounts, kAnyLength);
  ReadPlan plan{std::vector<bool>(wires), in.read_u64(), in.read_u64()};
  std::size_t end = 0;  // of the wires so far
  for (const std::uint32_t wire : read_numbers(in, in.section_bytes() - kCounts)) {
    if (wire < end || wire >= wires) {
      throw in.malformed("its wires are not in order, or not in the circuit");
    }
    plan.refreshed[wire] = true;
    end = wire + std::size_t{1};
  }
  in.close_section();
  return plan;
}

// What `make` makes, whose refusals are those of the file.
template <class Make>
auto made_of_file(const ContainerReader& in, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::noise_exceeded) {
      throw;
    }
    throw in.malformed(error.what());
  }
}

CircuitProgram read_program(ContainerReader in) {
  require_object(in, ObjectKind::program, GroupPurpose::scheme);
  in.require_sections({"words", "gates", "noise", "plan"});
  const ObjectHeader& header = in.header();
  WordsReader words(in);
  std::vector<InputWord> inputs = words.inputs();
  std::vector<OutputWord> outputs = words.outputs();
  std::vector<Gate> gates = read_gates(in);
  Netlist circuit = made_of_file(
      in, [&] { return Netlist(std::move(inputs), std::move(gates), std::move(outputs)); });
  ProgramKeys keys{header.scheme, header.parameters, header.parameters_digest, {}};
  std::vector<NoiseBound> noise = read_noise(in, keys.noise);
  if (noise.size() != circuit.input_bits()) {
    throw in.malformed(
        fmt::format("{} noise bounds of {} input bits", noise.size(), circuit.input_bits()));
  }
  ReadPlan plan = read_plan(in, circuit.wires());
  return made_of_file(in, [&] {
    return CircuitProgram::planned(std::move(circuit), std::move(keys), std::move(noise),
                                   std::move(plan.refreshed), plan.lower_bound, plan.gate_by_gate);
  });
}

}  // namespace

void save(const std::filesystem::path& path, const CircuitProgram& program,
          const ReadLimits& limits) {
  reporting_memory([&] { to_file(path, writable(program, limits), kProgramSections); });
}

void save(std::ostream& out, const CircuitProgram& program, const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable(program, limits)); });
}

std::vector<std::byte> to_bytes(const CircuitProgram& program, const ReadLimits& limits) {
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable(program, limits)); });
}

CircuitProgram load_program(const Source& source, const ReadLimits& limits) {
  return reporting_memory([&] { return read_program(ContainerReader(source, limits)); });
}

}  // namespace fhe
