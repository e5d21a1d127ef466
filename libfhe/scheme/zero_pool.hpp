// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero made ahead, by a thread of its own: with one of them, an encryption under a
// public key is one addition. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe {

// A pool of encryptions of zero. Whoever has seen one knows the bit that is encrypted with it, so
// each is given away once and wiped here; one that is not used is wiped too. A copy of the process
// (fork) finds the pool empty, since its original uses the same zeros; a machine that is saved and
// restored must drop what it has prepared. Any thread may use it. exit() waits for the thread of
// every pool, since it ends what the thread works with.
class ZeroPool {
 public:
  // Draws from a split of `random`, hedged (random/hedged_random.hpp).
  ZeroPool(std::shared_ptr<const KeyContext> key, const SecretRandom& random);
  // Ends the thread, as end() does.
  ~ZeroPool();
  ZeroPool(const ZeroPool&) = delete;
  ZeroPool& operator=(const ZeroPool&) = delete;

  // Has the thread make as many as there are missing to `count`. An error ends its work, and the
  // next call of this starts it anew, but in a process that ends.
  void fill(std::size_t count);

  // Ends the thread within one batch, and starts no other: at the end of the process.
  void end();

  // Those that are there.
  [[nodiscard]] std::size_t ready() const;

  // As many values as there are, `most` at most.
  [[nodiscard]] std::vector<SecretInteger> take(std::size_t most);

 private:
  void work(const std::stop_token& stop);
  [[nodiscard]] std::size_t missing();
  [[nodiscard]] bool is_copy() const;

  std::shared_ptr<const KeyContext> key_;
  std::unique_ptr<SecretRandom> random_;
  pid_t process_;
  mutable std::mutex guard_;
  std::vector<SecretInteger> zeros_;
  std::size_t wanted_ = 0;
  bool is_working_ = false;
  bool is_ended_ = false;
  std::unique_ptr<std::jthread> worker_;
};

}  // namespace fhe
