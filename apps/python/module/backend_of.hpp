// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "libfhe/arith/registry.hpp"

namespace fhe::python {

// The backend of a name; the default one where there is none.
inline BackendPtr backend_of(const std::optional<std::string>& name) {
  return name ? open_backend(*name) : open_backend();
}

}  // namespace fhe::python
