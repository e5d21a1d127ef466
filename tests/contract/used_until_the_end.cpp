// SPDX-License-Identifier: Apache-2.0
// Uses the library until the very end of a process: in a handler of exit(), in a thread_local, and
// in destructors of objects that are older than all that the library has made, while zeros are
// prepared. Ends with 0 if all of it is right, and the older objects were the last to say so.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "libfhe/gate/evaluator.hpp"

namespace {

using fhe::Decryptor;
using fhe::Encryptor;
using fhe::Evaluator;

[[noreturn]] void fail(const char* when, const char* what) {
  std::fprintf(stderr, "%s: %s\n", when, what);
  std::_Exit(1);
}

bool is_right(const Encryptor& encryptor, const Evaluator& evaluator, const Decryptor& decryptor) {
  const fhe::Ciphertext a = encryptor.encrypt(true);
  const fhe::Ciphertext b = encryptor.encrypt(true);
  return decryptor.decrypt(evaluator.and_gate(evaluator.recrypt(a), b));
}

template <class Work>
void require(const char* when, const Work& work) {
  try {
    if (!work()) fail(when, "a wrong bit");
  } catch (const std::exception& error) {
    fail(when, error.what());
  }
}

// Older than the keys, so destroyed after them.
class Oldest {
 public:
  Oldest() = default;
  ~Oldest() {
    require("after the keys", [] {
      const auto keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-mini")).generate();
      const Encryptor encryptor(keys.public_key);
      encryptor.prepare(20);  // in vain: no more threads are started
      return is_right(encryptor, Evaluator(keys.public_key), Decryptor(keys.secret_key));
    });
    require("an unknown backend", [] {
      try {
        fhe::open_backend("none");
        return false;
      } catch (const fhe::Error& error) {
        return error.code() == fhe::ErrorCode::unknown_name;
      }
    });
    std::puts("used until the end");
  }
  Oldest(const Oldest&) = delete;
  Oldest& operator=(const Oldest&) = delete;
};
const Oldest oldest;

const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-mini")).generate();
const Encryptor encryptor(keys.public_key);
const Evaluator evaluator(keys.public_key);
const Decryptor decryptor(keys.secret_key);

bool globals_are_right() {
  return is_right(encryptor, evaluator, decryptor);
}

// Destroyed before the keys.
struct Youngest {
  Youngest() = default;
  ~Youngest() { require("before the keys", globals_are_right); }
  Youngest(const Youngest&) = delete;
  Youngest& operator=(const Youngest&) = delete;
};
const Youngest youngest;

struct OfThread {
  OfThread() = default;
  ~OfThread() { require("at the end of a thread", globals_are_right); }
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;
  void touch() {}
};
thread_local OfThread of_thread;

}  // namespace

int main() {
  std::atexit([] { require("in a handler of exit()", globals_are_right); });
  of_thread.touch();
  std::thread([] {
    of_thread.touch();
    require("in a thread", globals_are_right);
  }).join();
  encryptor.prepare(Encryptor::kMostPrepared);
  return 0;
}
