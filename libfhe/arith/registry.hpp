// SPDX-License-Identifier: Apache-2.0
// The backends of this program, by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// A kind of backend.
struct FHE_EXPORT BackendFactory {
  std::string name;     // the part of a requested name before the first ':'
  std::string summary;  // one line, options included, printed by `fhe backends`
  // Gets what follows the first ':' of the requested name ("" without one) and returns a usable
  // backend, or throws an Error that says why this machine has none.
  std::function<BackendPtr(std::string_view options)> open;
  // Options that lead to different backends, each of which tests must cover, such as "kernel=avx2".
  // Opening one that this machine lacks throws Error(unsupported).
  std::vector<std::string> variants = {};
};

// Adds a kind of backend, or replaces the one of the same name. Any thread may call it at any time.
FHE_EXPORT void register_backend(BackendFactory factory);

// All registered kinds, in the order of registration: the built-in ones first.
FHE_EXPORT std::vector<BackendFactory> registered_backends();

// The name that `open_backend()` opens when none is given: the first built-in backend.
FHE_EXPORT std::string default_backend_name();

// Opens "name" or "name:options"; without a name, default_backend_name(). Throws
// Error(unknown_name), listing what there is, when no such kind is registered; the factory throws
// when its backend is unusable. Never falls back to another backend.
FHE_EXPORT BackendPtr open_backend(std::string_view name);
FHE_EXPORT BackendPtr open_backend();

// The backends that are registered from the start. Defined in accel/builtin_backends.cpp, and
// called once, before the registry is first used; libfhe itself knows no backend.
FHE_EXPORT std::vector<BackendFactory> builtin_backends();

}  // namespace fhe
