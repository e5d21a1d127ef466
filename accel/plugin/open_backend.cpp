// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/open_backend.hpp"

#include <utility>

namespace fhe::plugin {

OpenBackend::OpenBackend(const LoadedPlugin& plugin, const std::string& options) : calls_(plugin) {
  calls_.make(backend_, [&](fhe_backend_error* error) {
    return functions().open(options.c_str(), &backend_, error);
  });
}

OpenBackend::~OpenBackend() {
  calls_.close([&] { functions().close(backend_); });
}

fhe_backend_facts OpenBackend::facts() const {
  fhe_backend_facts facts{};
  facts.size = sizeof facts;
  calls_.guarded([&] { functions().facts(backend_, &facts); });
  return facts;
}

void OpenBackend::add_counts(OperationCounters& counters) const {
  const std::lock_guard lock(guard_);
  fhe_backend_counts now{};
  now.size = sizeof now;
  calls_.guarded([&] { functions().counts(backend_, &now); });
  const OperationCounts all{now.multiplications, now.limb_products, now.reductions,
                            now.stream_bytes, now.device_clocks};
  counters.add(all - std::exchange(counted_, all));
}

}  // namespace fhe::plugin
