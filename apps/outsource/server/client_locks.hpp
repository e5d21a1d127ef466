// SPDX-License-Identifier: Apache-2.0
// A mutex for each client, so that none waits for what is done for another.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace fhe::outsource {

// Any number of threads.
class ClientLocks {
 public:
  [[nodiscard]] std::unique_lock<std::mutex> lock(const std::string& client) {
    return std::unique_lock(mutex_of(client));
  }

 private:
  std::mutex& mutex_of(const std::string& client) {
    const std::lock_guard lock(guard_);
    return mutexes_[client];
  }

  std::mutex guard_;
  std::map<std::string, std::mutex> mutexes_;
};

}  // namespace fhe::outsource
