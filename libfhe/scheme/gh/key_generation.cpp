#include "libfhe/scheme/gh/key_generation.hpp"

#include <utility>

#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/scheme/gh/public_key.hpp"
#include "libfhe/scheme/gh/secret_key.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

KeyMaterial generate_keys(const Parameters& parameters, const BackendPtr& backend,
                          const StreamSeed& seed, SecretRandom& random, const Monitor& monitor) {
  Lattice lattice = generate_lattice(parameters, backend, random, monitor);
  const std::shared_ptr<const Ring> ring = backend->ring(lattice.d);
  const ChosenElements chosen = ChosenElements::draw(parameters, random);
  SquashedKey squashed;
  squashed.x = solve_elements(parameters, *ring, lattice.w, chosen, seed);
  {
    const PowerTable powers(ring, lattice.r, parameters.n, monitor);
    squashed.eta = encrypt_choice(parameters, powers, chosen, random, monitor);
  }
  auto public_part = std::make_shared<const PublicKey>(parameters, lattice.d, std::move(lattice.r),
                                                       std::move(squashed));
  auto secret_part =
      std::make_unique<const SecretKey>(parameters, std::move(lattice.w), std::move(lattice.d));
  return {std::move(public_part), std::move(secret_part)};
}

}  // namespace fhe::gh
