// SPDX-License-Identifier: Apache-2.0
// The groups of slots with a secret key, as the rest of the library sees them; and whose a
// ciphertext is. Not installed.
#pragma once

#include <string_view>

#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe::she {

const GroupRules& group_rules();

// Throws Error(wrong_key) unless the key is one of this group.
void require_group(const KeyId& key, std::string_view group);

}  // namespace fhe::she
