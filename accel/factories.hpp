// SPDX-License-Identifier: Apache-2.0
// The kinds of backends that the library has, for builtin_backends.cpp.
#pragma once

#include <vector>

#include "libfhe/arith/registry.hpp"

namespace fhe::cpu {

// The software engine as backends:
//
//   auto      the fastest field and kernel of this processor
//   solinas   the field of p = 2^64 - 2^32 + 1, the software twin of the hardware multipliers
//
// Both take "kernel=portable|avx2|avx512|avxifma|ifma|neon" as an option ("solinas:kernel=avx2"),
// to force the instructions that are used; a kernel that the processor lacks throws
// Error(unsupported).
BackendFactory auto_factory();
BackendFactory solinas_factory();

}  // namespace fhe::cpu

namespace fhe::ntl {

// The NTL backend, of the kind "ntl": big-integer products by NTL's ZZ (which calls GMP's mpn_mul),
// everything else by the defaults of libfhe/arith. It is the reference that every accelerator is
// compared with.
//
// It takes no options: anything after "ntl:" throws
// Error(invalid_argument).
BackendFactory factory();

}  // namespace fhe::ntl

namespace fhe::plugin {

// Adds the plug-ins that a user can name: the kind "plugin", whose options are the path of a
// plug-in with a '/' in it, and, behind a colon, the plug-in's own options; and a kind NAME for
// every file NAME.so, where NAME is of the letters a-z, digits, '_' and '-', in the folders that
// FHE_BACKEND_PATH names (absolute paths with colons between them; a relative one is left out, and
// added by its name so that it says so when it is opened) and in the folder fhe/backends of the
// installed libraries. A file whose name is there already is added so that it says so when it is
// opened. A kind is loaded when it is opened. Programs that run with other rights than their user's
// ignore FHE_BACKEND_PATH.
void add_factories(std::vector<BackendFactory>& backends);

}  // namespace fhe::plugin
