// SPDX-License-Identifier: Apache-2.0
// What is said about circuits, and numbers as words of bits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/cli/object_input.hpp"
#include "apps/cli/output.hpp"
#include "apps/cli/session.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe::cli {

// "x[32], y[32]": names and widths of the words.
std::string words_text(std::span<const InputWord> words);
std::string words_text(std::span<const OutputWord> words);

// {"name", "width"} for each.
Json words_json(std::span<const InputWord> words);
Json words_json(std::span<const OutputWord> words);

// Which circuits can be read, for the help of commands.
inline constexpr const char* kCircuitFormats =
    "Circuit, - for standard input: BLIF when its name ends in .blif, JSON of Yosys in .json, "
    "AIGER "
    "in .aag or .aig; otherwise one of these or Bristol Fashion, as it begins";

// The bits, bit 0 first, of a number written in decimal, or in hexadecimal after 0x. Throws
// Error(invalid_argument), naming the word, for anything else and for numbers that do not fit.
std::vector<bool> parse_number(const std::string& text, const InputWord& word);

// The number of `width` bits from bits[first] on, bit 0 first; in hexadecimal with all its digits.
std::string hex_text(const std::vector<bool>& bits, std::size_t first, std::size_t width);

// What a compiled circuit holds and what it costs.
Report program_report(const CircuitProgram& program);

// Adds to what names the outputs how many and how noisy they are, and what the run took, in all and
// for each slot.
void add_run(Report& report, const CircuitResult& result, const Evaluator& evaluator,
             const Session& session);

// What a command runs or describes, compiled or not. Throws as KeptObject.
KeptObject open_circuit(const std::string& path, const Session& session);

// Whether the source holds a compiled circuit (`fhe circuit compile`). Throws Error(io).
bool holds_program(const Source& source);

}  // namespace fhe::cli
