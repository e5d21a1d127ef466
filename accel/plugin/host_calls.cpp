// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/host_calls.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <span>
#include <stop_token>

namespace fhe::plugin {

namespace {

struct CallStopped {
  void (*stopped)(void*);
  void* argument;
  void operator()() const { stopped(argument); }
};
using Watch = std::stop_callback<CallStopped>;

}  // namespace

// A reader and the object that keeps what it throws.
class StreamForPlugin::Reader {
 public:
  explicit Reader(StreamForPlugin& stream) : stream_(stream), reader_(stream.stream_.reader()) {}

  int read(std::size_t element, std::size_t first_limb, std::span<Limb> limbs) noexcept {
    try {
      reader_->read(element, first_limb, limbs);
      return 0;
    } catch (...) {
      stream_.keep_failure();
      return 1;
    }
  }

 private:
  StreamForPlugin& stream_;
  std::unique_ptr<IntegerStream::Reader> reader_;
};

StreamForPlugin::StreamForPlugin(const IntegerStream& stream) : stream_(stream) {
  view_.size = sizeof view_;
  view_.context = this;
  view_.elements = stream.count();
  view_.bits = stream.bits();
  view_.open_reader = open_reader;
  view_.close_reader = close_reader;
  view_.read = read;
  if (const auto source = stream.source()) {
    generator_ = source->generator;
    view_.generator = generator_.c_str();
    std::ranges::transform(source->seed, view_.seed, std::to_integer<std::uint8_t>);
    view_.purpose = source->purpose;
    view_.first_index = source->first_index;
  }
}

void StreamForPlugin::keep_failure() noexcept {
  const std::lock_guard lock(guard_);
  if (!failure_) failure_ = std::current_exception();
}

void StreamForPlugin::rethrow_failure() const {
  const std::lock_guard lock(guard_);
  if (failure_) std::rethrow_exception(failure_);
}

void* StreamForPlugin::open_reader(void* context) noexcept {
  auto* const stream = static_cast<StreamForPlugin*>(context);
  try {
    return new Reader(*stream);
  } catch (...) {
    stream->keep_failure();
    return nullptr;
  }
}

void StreamForPlugin::close_reader(void* reader) noexcept {
  delete static_cast<Reader*>(reader);
}

int StreamForPlugin::read(void* reader, std::size_t element, std::size_t first_limb,
                          std::uint64_t* limbs, std::size_t count) noexcept {
  return static_cast<Reader*>(reader)->read(element, first_limb, {limbs, count});
}

MonitorForPlugin::MonitorForPlugin(const Monitor& monitor)
    : monitor_(monitor),
      view_{.size = sizeof view_,
            .context = this,
            .is_stopped = is_stopped,
            .watch = watch,
            .unwatch = unwatch,
            .progress = progress} {}

int MonitorForPlugin::is_stopped(void* context) noexcept {
  return static_cast<MonitorForPlugin*>(context)->monitor_.stop.stop_requested() ? 1 : 0;
}

void* MonitorForPlugin::watch(void* context, void (*stopped)(void*), void* argument) noexcept {
  const std::stop_token& stop = static_cast<MonitorForPlugin*>(context)->monitor_.stop;
  return new (std::nothrow) Watch(stop, CallStopped{stopped, argument});
}

void MonitorForPlugin::unwatch(void* watch) noexcept {
  delete static_cast<Watch*>(watch);
}

void MonitorForPlugin::progress(void* context, const char* phase, double fraction) noexcept {
  const auto& report = static_cast<MonitorForPlugin*>(context)->monitor_.progress;
  if (report && phase != nullptr) report(phase, std::clamp(fraction, 0.0, 1.0));
}

}  // namespace fhe::plugin
