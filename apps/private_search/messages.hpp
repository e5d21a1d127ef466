// SPDX-License-Identifier: Apache-2.0
// What travels between client and server.
#pragma once

#include <vector>

#include "apps/support/sent_bits.hpp"
#include "libfhe/scheme/ciphertext.hpp"

namespace fhe::private_search {

// The encrypted bits of a keyword, or of one in each slot.
using EncryptedKeyword = apps::SentBits;

// Of the keywords that were compared in each slot, one after the other.
struct Answer {
  Ciphertext found;                  // whether there is a match
  std::vector<Ciphertext> position;  // where, counted from 0, the lowest bit first; 0 without one
};

}  // namespace fhe::private_search
