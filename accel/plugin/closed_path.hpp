// SPDX-License-Identifier: Apache-2.0
// Who can change what is loaded.
#pragma once

#include <filesystem>

namespace fhe::plugin {

// Throws Error(unsupported), which says what to change, where anybody but the owner may put another
// plug-in in the place of this one: where the file, its folder or a folder above may be written to
// by everybody, or by a group, or where the file or its folder belongs to a user who is neither
// root nor the one who runs this program. Groups that do not count are root's and the owner's own,
// which has the number of the owner. Folders above with the sticky bit, such as /tmp, do not count
// either: only owners move what is in them. The variable FHE_BACKEND_UNSAFE=1 allows it all;
// programs that run with other rights than their user's ignore it.
void require_closed(const std::filesystem::path& file);

}  // namespace fhe::plugin
