// SPDX-License-Identifier: Apache-2.0
// A backend whose arithmetic a plug-in does.
#pragma once

#include <string>
#include <string_view>

#include "accel/plugin/loaded_plugin.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::plugin {

// Opens a backend of the plug-in, with options as the user wrote them.
//
// A plug-in is trusted with the process, but not believed: a result that is not in its range, a
// product that is wrong modulo 2^61 - 1, an exception or a broken rule of the interface is
// Error(wrong_result) that names the plug-in. Products in rings and sums are compared with nothing:
// the conformance suite does that.
BackendPtr open_plugin(const LoadedPlugin& plugin, std::string name, std::string_view options);

}  // namespace fhe::plugin
