// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/failed_logins.hpp"

#include <spdlog/spdlog.h>

namespace fhe::outsource {

void FailedLogins::add(const std::string& address) {
  constexpr std::chrono::seconds kInterval(10);
  const std::lock_guard lock(guard_);
  ++count_;
  if (logged_ > 0 && Clock::now() - logged_at_ < kInterval) return;
  spdlog::warn(
      "requests without a valid token: {} since the last such line, {} in all, the last "
      "one from {}",
      count_ - logged_, count_, address);
  logged_ = count_;
  logged_at_ = Clock::now();
}

std::uint64_t FailedLogins::count() const {
  const std::lock_guard lock(guard_);
  return count_;
}

}  // namespace fhe::outsource
