// SPDX-License-Identifier: Apache-2.0
// What the host hands to a plug-in beside numbers: a stream to read and a monitor to report to, as
// the structures of backend_abi.h. Both last as long as one call.
#pragma once

#include <exception>
#include <mutex>
#include <string>

#include "accel/plugin/backend_abi.h"
#include "accel/plugin/plugin_calls.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/error.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::plugin {

// A stream for a plug-in. It must outlive the object.
class StreamForPlugin {
 public:
  explicit StreamForPlugin(const IntegerStream& stream);
  StreamForPlugin(const StreamForPlugin&) = delete;
  StreamForPlugin& operator=(const StreamForPlugin&) = delete;

  [[nodiscard]] const fhe_stream* view() const { return &view_; }

  // Throws what the stream threw when the plug-in read it, if anything.
  void rethrow_failure() const;

 private:
  class Reader;

  static void* open_reader(void* context) noexcept;
  static void close_reader(void* reader) noexcept;
  static int read(void* reader, std::size_t element, std::size_t first_limb, std::uint64_t* limbs,
                  std::size_t count) noexcept;
  void keep_failure() noexcept;

  const IntegerStream& stream_;
  std::string generator_;
  fhe_stream view_{};
  mutable std::mutex guard_;
  std::exception_ptr failure_;
};

// A monitor for a plug-in. It must outlive the object.
class MonitorForPlugin {
 public:
  explicit MonitorForPlugin(const Monitor& monitor);
  MonitorForPlugin(const MonitorForPlugin&) = delete;
  MonitorForPlugin& operator=(const MonitorForPlugin&) = delete;

  [[nodiscard]] const fhe_monitor* view() const { return &view_; }

 private:
  static int is_stopped(void* context) noexcept;
  static void* watch(void* context, void (*stopped)(void*), void* argument) noexcept;
  static void unwatch(void* watch) noexcept;
  static void progress(void* context, const char* phase, double fraction) noexcept;

  const Monitor& monitor_;
  fhe_monitor view_{};
};

// What `call` returns, which is one long call to a plug-in. What the streams throw, if there are
// any, comes before what the plug-in says of it.
template <class Streams, class Call>
auto stoppable(const Monitor& monitor, const Streams* streams, const Call& call) {
  monitor.throw_if_stopped();
  try {
    return call();
  } catch (const Error&) {
    if (streams != nullptr) streams->rethrow_failure();
    throw;
  }
}

}  // namespace fhe::plugin
