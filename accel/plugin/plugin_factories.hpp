// SPDX-License-Identifier: Apache-2.0
// The plug-ins that a user can name.
#pragma once

#include <vector>

#include "libfhe/arith/registry.hpp"

namespace fhe::plugin {

// Adds the kind "plugin", whose options are the path of a plug-in with a '/' in it, and, behind a
// colon, the plug-in's own options; and a kind NAME for every file NAME.so, where NAME is of the
// letters a-z, digits, '_' and
// '-', in the folders that FHE_BACKEND_PATH names (absolute paths with colons between them;
// a relative one is left out, and added by its name so that it says so when it is opened) and in
// the folder fhe/backends of the installed libraries. A file whose name is there already is added
// so that it says so when it is opened. A kind is loaded when it is opened. Programs that run with
// other rights than their user's ignore FHE_BACKEND_PATH.
void add_factories(std::vector<BackendFactory>& backends);

}  // namespace fhe::plugin
