// SPDX-License-Identifier: Apache-2.0
// What commands say of circuits, groups and ciphertexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/object_input.hpp"
#include "apps/cli/output.hpp"
#include "apps/cli/session.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/program.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe::cli {

// What is said about circuits, and numbers as words of bits.

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

// What is said about a parameter group wherever one is named.

// Bytes in the largest unit, of a power of 1000, that leaves at least 1: "2.25 GB".
std::string bytes_text(double bytes);

// "scheme", "slots" or "benchmark".
std::string purpose(const ParameterSet& group);

// The estimate of a group (libfhe/scheme/security.hpp) in words: "58 bits, weak: orthogonal lattice
// at block size 2, ...", and on a quantum computer "119", or "-" where that opens everything. Both
// are "-" for a group that makes no keys. As fields that are added to an object: numbers and words
// or null, and the core cost of each attack that suffices and of each bound.
std::string security_text(const std::optional<security::Estimate>& estimate);
std::string quantum_text(const std::optional<security::Estimate>& estimate);
void add_security(Json& json, const std::optional<security::Estimate>& estimate);

// The sizes of a group of bits, as sizes_of(), or of one of numbers in slots: there a new
// ciphertext, without what a file has beside it, and 0 for what there is not.
std::optional<KeySizes> sizes_of_any(const ParameterSet& group);

// A compressed ciphertext, rounded up to bytes; "-" where there are none.
std::string compressed_text(const std::optional<KeySizes>& sizes);

// What each slot takes of a ciphertext; "-" where there are none.
std::string size_per_slot_text(const std::optional<KeySizes>& sizes);

// One of the sizes of a group: as bytes_text, or "-" for what there is not; as JSON the bytes or
// null.
std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);
Json size_json(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size);

// All of them, as fields that are added to an object.
void add_sizes(Json& json, const std::optional<KeySizes>& sizes);

// What is said about ciphertexts wherever some were made.

// The largest of their noise bounds.
NoiseBound largest_noise(const std::vector<Ciphertext>& ciphertexts);

// "1 bit", "3 bits".
std::string counted(std::size_t count, std::string_view thing);

// ", 12 ms in each of 10 slots": what that many seconds of work are for one of the instances that
// are worked on side by side. Nothing for one slot.
std::string seconds_by_slot(double seconds, std::size_t slots);

}  // namespace fhe::cli
