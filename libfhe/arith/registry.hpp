// The backends of this program by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/backend.hpp"

namespace fhe {

// A kind of backend. `open` gets what follows the first ':' of the requested name ("" when there
// is none) and returns a usable backend or throws Error saying why this machine has none.
struct BackendFactory {
  std::string name;
  std::string summary;  // one line, printed by `fhe backends`, options included
  std::function<BackendPtr(std::string_view options)> open;
  // Options that give backends of their own which tests must cover, such as "kernel=avx2". Opening
  // one that this machine lacks throws Error(unsupported).
  std::vector<std::string> variants = {};
};

// Adds a kind of backend, or replaces the one of the same name. Guarded; callable at any time.
void register_backend(BackendFactory factory);

// All registered kinds, in the order of registration: the built-in ones first.
std::vector<BackendFactory> registered_backends();

// The name that `open_backend()` opens when none is given: the first built-in backend.
std::string default_backend_name();

// Opens "name" or "name:options". Throws Error(unknown_name), listing what there is, when no such
// kind is registered; an unusable backend throws from its own factory. Never falls back silently.
BackendPtr open_backend(std::string_view name);
BackendPtr open_backend();

// Defined by the program's edge (accel/builtin_backends.cpp), called once before the registry is
// first used. libfhe itself knows no backend.
std::vector<BackendFactory> builtin_backends();

}  // namespace fhe
