// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "apps/outsource/server/api.hpp"
#include "apps/outsource/server/log.hpp"

namespace fhe::outsource {

void FailedLogins::add(const std::string& address) {
  constexpr std::chrono::seconds kInterval(10);
  const std::lock_guard lock(guard_);
  ++count_;
  if (logged_ > 0 && Clock::now() - logged_at_ < kInterval) return;
  log_event(spdlog::level::warn, "failed_logins", [&] {
    return Said{
        {{"count", count_ - logged_}, {"total", count_}, {"address", address}},
        fmt::format("requests without a valid token: {} since the last such line, {} in all, "
                    "the last one from {}",
                    count_ - logged_, count_, address)};
  });
  logged_ = count_;
  logged_at_ = Clock::now();
}

std::uint64_t FailedLogins::count() const {
  const std::lock_guard lock(guard_);
  return count_;
}

}  // namespace fhe::outsource
