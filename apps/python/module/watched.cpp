// SPDX-License-Identifier: Apache-2.0
#include "apps/python/module/watched.hpp"

#include <chrono>
#include <exception>
#include <future>
#include <stop_token>
#include <string_view>
#include <thread>

#include "apps/python/module/parts.hpp"

namespace fhe::python {

namespace {

namespace py = pybind11;

// How long a signal may wait for its handler.
constexpr std::chrono::milliseconds kPatience{50};

// The variable of the callback, by contexts: threads and coroutines may have their own.
PyObject* progress_variable() {
  static PyObject* const variable = PyContextVar_New("fhe.progress", Py_None);  // for ever
  return variable;
}

// The callback of this context; None where there is none.
py::object progress_callback() {
  PyObject* value = nullptr;
  if (PyContextVar_Get(progress_variable(), nullptr, &value) != 0) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(value);
}

// A call that is watched. Made, destroyed and rethrown from with the interpreter's lock.
class WatchedCall {
 public:
  WatchedCall() : callback_(progress_callback()) {}

  [[nodiscard]] Monitor monitor() {
    Monitor monitor{stop_.get_token(), {}};
    if (!callback_.is_none()) {
      monitor.progress = [this](std::string_view phase, double fraction) { tell(phase, fraction); };
    }
    return monitor;
  }

  // Waits for the end of the work, without the lock but for a look at what signals have come.
  void wait_for(const std::future<void>& done) {
    const py::gil_scoped_release released;
    while (done.wait_for(kPatience) != std::future_status::ready) {
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) stop_with_raised();
    }
  }

  // Throws what a handler or the callback has raised.
  void throw_raised() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  // Tells the callback; on any thread, never on two at a time.
  void tell(std::string_view phase, double fraction) {
    const py::gil_scoped_acquire lock;
    if (raised_) return;
    try {
      callback_(phase, fraction);
    } catch (const py::error_already_set&) {
      stop_with(std::current_exception());
    }
  }

  void stop_with_raised() {
    try {
      throw py::error_already_set();
    } catch (const py::error_already_set&) {
      stop_with(std::current_exception());
    }
  }

  // The first one counts. Requires the lock.
  void stop_with(std::exception_ptr raised) {
    if (!raised_) raised_ = std::move(raised);
    stop_.request_stop();
  }

  py::object callback_;
  std::stop_source stop_;
  std::exception_ptr raised_;
};

}  // namespace

void run_watched(const std::function<void(const Monitor&)>& work) {
  WatchedCall call;
  std::packaged_task<void()> task([&work, monitor = call.monitor()] { work(monitor); });
  std::future<void> done = task.get_future();
  std::jthread worker(std::move(task));
  call.wait_for(done);
  worker.join();
  call.throw_raised();
  done.get();
}

void add_watched_calls(py::module_& module) {
  module.attr("progress") = py::reinterpret_borrow<py::object>(progress_variable());
}

}  // namespace fhe::python
