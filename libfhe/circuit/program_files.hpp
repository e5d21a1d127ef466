// SPDX-License-Identifier: Apache-2.0
// Compiled circuits in files, in streams and as bytes in memory (libfhe/storage/FORMAT.md), as
// scheme/files.hpp has it for keys and ciphertexts. A file holds the circuit, the plan and the
// noise that it was planned for; who loads one checks the plan against that noise, so that a run
// never exceeds it, whoever wrote the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <vector>

#include "libfhe/circuit/program.hpp"
#include "libfhe/export.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

// Saves a program: whole or not at all; to a stream, which is flushed; as bytes. Throws Error(io),
// and Error(invalid_argument) beyond the limits.
FHE_EXPORT void save(const std::filesystem::path& path, const CircuitProgram& program,
                     const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const CircuitProgram& program,
                     const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const CircuitProgram& program,
                                                         const ReadLimits& limits = {});

// The program of a file, of bytes in memory or of a stream (see Source). Throws Error(io),
// Error(wrong_key) for an object of another kind or family, Error(malformed_file), also for a
// circuit that cannot be and for a plan under which noise would exceed what can be refreshed, and
// Error(invalid_argument) beyond the limits.
[[nodiscard]] FHE_EXPORT CircuitProgram load_program(const Source& source,
                                                     const ReadLimits& limits = {});

}  // namespace fhe
