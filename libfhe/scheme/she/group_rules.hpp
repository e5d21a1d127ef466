// SPDX-License-Identifier: Apache-2.0
// The groups of slots with a secret key, as the rest of the library sees them. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::she {

const GroupRules& group_rules();

}  // namespace fhe::she
