// SPDX-License-Identifier: Apache-2.0
// What travels between client and server.
#pragma once

#include <vector>

#include "apps/support/sent_bits.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_search {

// The encrypted bits of a keyword, or of one in each slot.
using EncryptedKeyword = apps::SentBits;

// Of the keywords that were compared in each slot, one after the other.
struct Answer {
  Ciphertext found;                  // whether there is a match
  std::vector<Ciphertext> position;  // where, counted from 0, the lowest bit first; 0 without one
};

// With numbers in slots: for each comparison what is 0 in the slots where it holds.
using NumberAnswer = std::vector<std::vector<she::Slots>>;

}  // namespace fhe::private_search
