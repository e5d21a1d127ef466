// SPDX-License-Identifier: Apache-2.0
// The memory that this process took.
#pragma once

#include <cstdint>

namespace fhe::apps {

// Forgets the peak of resident memory so far, where the system can (Linux); see peak_memory_bytes.
void reset_peak_memory();

// Largest resident memory of this process since the last reset, or since its start; 0 where the
// system does not tell.
std::uint64_t peak_memory_bytes();

}  // namespace fhe::apps
