// Whether keys are sound, and whether a public and a secret key belong together: what readers check
// of every key, and what takes the secret key or a trial to find out.
//
// A public key that was altered, with digests that fit, encrypts and recrypts without an error, to
// wrong bits; a pair of other keys' halves, or one that was damaged before it was written, is
// noticed at the first decryption. These functions find it at once. They say what they looked at,
// one finding for each, and never a secret. Any number of threads may call them.
#pragma once

#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// A public key without the secret one: one recryption of a 0 and of a 1, of whose results only the
// form can be judged. Values that no key generation makes, as a list of zeros, were refused when
// the key was read. Takes two encryptions and two recryptions.
[[nodiscard]] std::vector<KeyFinding> check_key(const PublicKey& key,
                                                const BackendPtr& backend = open_backend(),
                                                const Monitor& monitor = {});

// A secret key without the public one: what must be prime, and the decryption of constants.
[[nodiscard]] std::vector<KeyFinding> check_key(const SecretKey& key);

// Two keys that are sound by themselves: whether they are of one pair, every value of the public
// key that the secret one opens (public elements, squashed key, encrypted key bits: their bits and
// their noise), and whether a 0 and a 1 come back from encryption and from recryption within the
// noise that is claimed of them. Takes about the time of a key generation and what check_key takes.
// Keys of two pairs give just that finding.
[[nodiscard]] std::vector<KeyFinding> check_key_pair(const PublicKey& public_key,
                                                     const SecretKey& secret_key,
                                                     const BackendPtr& backend = open_backend(),
                                                     const Monitor& monitor = {});

// Whether nothing was found to be wrong.
[[nodiscard]] bool all_passed(const std::vector<KeyFinding>& findings);

}  // namespace fhe
