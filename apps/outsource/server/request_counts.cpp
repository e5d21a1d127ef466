// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/refusal.hpp"

namespace fhe::outsource {

std::shared_ptr<void> RequestCounts::add(const std::string& client, const ClientLimits& limits) {
  const std::lock_guard lock(guard_);
  Account& account = accounts_[client];
  if (account.answered >= limits.requests) {
    throw Refusal(
        429, "too_many_requests",
        fmt::format("{} of your requests are being answered: wait for one", account.answered));
  }
  if (limits.rate > 0) require_pace(account, limits.rate);
  ++account.answered;
  return {nullptr, [this, &account](std::nullptr_t) {
            const std::lock_guard end(guard_);
            --account.answered;
          }};
}

void RequestCounts::require_pace(Account& account, std::uint64_t rate) {
  constexpr std::chrono::minutes kAhead(1);
  const Clock::time_point now = Clock::now();
  const auto step = std::chrono::duration_cast<Clock::duration>(kAhead) / rate;
  const Clock::time_point next = std::max(account.even, now) + step;
  if (next <= now + kAhead) {
    account.even = next;
    return;
  }
  const auto wait = std::chrono::ceil<std::chrono::seconds>(next - now - kAhead);
  throw Refusal(429, "too_many_requests",
                fmt::format("you may send {} requests a minute: wait {} s before the next one, and "
                            "watch jobs by /v1/events instead of asking again and again",
                            rate, wait.count()),
                wait);
}

}  // namespace fhe::outsource
