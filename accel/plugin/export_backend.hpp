// SPDX-License-Identifier: Apache-2.0
// A class derived from fhe::Backend as a plug-in, which any program with fhe can load:
//
//   fhe::BackendPtr open_card(std::string_view options) {
//     return std::make_shared<const Card>(options);
//   }
//
//   const fhe_backend_table* fhe_backend_plugin(std::uint32_t) {
//     static const auto table = fhe::plugin::exported_backend<open_card>("1.0", "a card: slot=N");
//     return &table;
//   }
//
// in one source of a shared object that is linked with libfhe and shows no other symbol; CMake's
// function fhe_add_backend of the installed package makes one. The compiler need not be that of the
// program, nor the version of libfhe, since only C goes between them.
#pragma once

#include <string_view>

#include "accel/plugin/backend_abi.h"
#include "libfhe/arith/backend.hpp"
#include "libfhe/export.hpp"

namespace fhe::plugin {

// A function that opens a backend, as BackendFactory::open does.
using OpenFunction = BackendPtr (*)(std::string_view options);

// For the table below: opens a backend and keeps what `open` throws as an error of the interface.
FHE_EXPORT int open_exported(OpenFunction open, const char* options, fhe_backend** backend,
                             fhe_backend_error* error) noexcept;

// All functions but `open`: each calls the member of fhe::Backend or fhe::Ring that it is named
// after. `version` and `summary` must live as long as the process.
FHE_EXPORT fhe_backend_table exported_functions(const char* version, const char* summary);

// The table of a plug-in whose backends kOpen opens.
template <OpenFunction kOpen>
fhe_backend_table exported_backend(const char* version, const char* summary) {
  fhe_backend_table table = exported_functions(version, summary);
  table.open = [](const char* options, fhe_backend** backend, fhe_backend_error* error) {
    return open_exported(kOpen, options, backend, error);
  };
  return table;
}

}  // namespace fhe::plugin
