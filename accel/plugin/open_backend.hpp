// SPDX-License-Identifier: Apache-2.0
// A backend that a plug-in has opened.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "accel/plugin/loaded_plugin.hpp"
#include "accel/plugin/plugin_calls.hpp"
#include "libfhe/arith/counters.hpp"

namespace fhe::plugin {

// The plug-in's object, closed with its last user. Any number of threads may use it.
class OpenBackend {
 public:
  // Throws what the plug-in reports, and Error(wrong_result) if it opens nothing.
  OpenBackend(const LoadedPlugin& plugin, const std::string& options);
  ~OpenBackend();
  OpenBackend(const OpenBackend&) = delete;
  OpenBackend& operator=(const OpenBackend&) = delete;

  [[nodiscard]] const PluginCalls& calls() const { return calls_; }
  [[nodiscard]] const fhe_backend_table& functions() const { return calls_.functions(); }
  [[nodiscard]] const fhe_backend* get() const { return backend_; }

  // What the backend says of itself.
  [[nodiscard]] fhe_backend_facts facts() const;

  // Brings `counters` up to date after a call: from the plug-in's own counters where it has some,
  // else by own(counters).
  template <class Count>
  void count(OperationCounters& counters, const Count& own) const {
    if (functions().counts == nullptr) {
      own(counters);
    } else {
      add_counts(counters);
    }
  }

 private:
  void add_counts(OperationCounters& counters) const;

  PluginCalls calls_;
  fhe_backend* backend_ = nullptr;
  mutable std::mutex guard_;
  mutable OperationCounts counted_;  // of the plug-in's, what is in the host's counters
};
using OpenBackendPtr = std::shared_ptr<const OpenBackend>;

}  // namespace fhe::plugin
