// The edge of the program: which backends are linked into it, in the order they are listed.
#include "accel/ntl/ntl_backend.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe {

std::vector<BackendFactory> builtin_backends() {
  return {ntl::factory()};
}

}  // namespace fhe
