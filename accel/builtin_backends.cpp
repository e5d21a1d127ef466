// The edge of the program: which backends are linked into it, in the order they are listed; the
// first one is the default.
#include "accel/fpga/backend/fpga_backend.hpp"
#include "accel/ntl/ntl_backend.hpp"
#include "accel/solinas/solinas_backend.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe {

std::vector<BackendFactory> builtin_backends() {
  return {solinas::auto_factory(), solinas::solinas_factory(), ntl::factory(), fpga::factory()};
}

}  // namespace fhe
