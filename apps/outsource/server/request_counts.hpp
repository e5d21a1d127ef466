// SPDX-License-Identifier: Apache-2.0
// The requests of each client: how many are being answered, and how fast they come.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "apps/outsource/client_limits.hpp"

namespace fhe::outsource {

// Any number of threads.
class RequestCounts {
 public:
  // A request, which is being answered until what this returns is dropped; the counts must outlive
  // it. Throws Refusal(429) when there are as many already as the client may have, or as many came
  // within the last minute.
  [[nodiscard]] std::shared_ptr<void> add(const std::string& client, const ClientLimits& limits);

 private:
  using Clock = std::chrono::steady_clock;
  struct Account {
    std::uint64_t answered = 0;  // at this time
    // When all that came would have come, had it come evenly: whoever is at most a minute ahead of
    // time may ask (the generic cell rate algorithm, ITU-T I.371).
    Clock::time_point even = {};
  };

  static void require_pace(Account& account, std::uint64_t rate);

  std::mutex guard_;
  std::map<std::string, Account> accounts_;
};

}  // namespace fhe::outsource
