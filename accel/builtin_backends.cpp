// SPDX-License-Identifier: Apache-2.0
// The edge of the program: which backends are linked into it, in the order they are listed, and
// then those that are loaded; the first one is the default.
#include "accel/factories.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe {

std::vector<BackendFactory> builtin_backends() {
  std::vector<BackendFactory> backends{
      cpu::auto_factory(),
      cpu::solinas_factory(),
      ntl::factory(),
  };
  plugin::add_factories(backends);
  return backends;
}

}  // namespace fhe
