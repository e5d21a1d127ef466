// SPDX-License-Identifier: Apache-2.0
// Calls exit() while an encryptor prepares zeros on a thread of its own. With an argument, waits
// for some of them first, so that the thread is in the middle of its work.
#include <cstdlib>
#include <thread>

#include "libfhe/scheme/keys.hpp"

int main(int argc, char** /*argv*/) {
  const auto keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  encryptor.prepare(fhe::Encryptor::kMostPrepared);
  while (argc > 1 && encryptor.prepared() < 3) std::this_thread::yield();
  std::exit(0);  // which destroys nothing here
}
