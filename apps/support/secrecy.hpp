// SPDX-License-Identifier: Apache-2.0
// Keeping secret keys where they are: in the memory of the process.
#pragma once

namespace fhe::apps {

// From now on this process leaves no core dump, and no other process of the same user may read its
// memory; debuggers cannot attach. Call it before a secret key is made or loaded. What the system
// does not allow is left as it is.
void keep_memory_private();

}  // namespace fhe::apps
