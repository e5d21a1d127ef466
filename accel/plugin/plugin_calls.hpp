// SPDX-License-Identifier: Apache-2.0
// Calls to the functions of a plug-in, and the room for what they return. Errors of the plug-in
// become exceptions, and exceptions that it lets through become errors.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "accel/plugin/backend_abi.h"
#include "accel/plugin/exit_guard.hpp"
#include "accel/plugin/loaded_plugin.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::plugin {

// The limbs of |x|, valid as long as x does not change.
[[nodiscard]] fhe_number number(const Integer& x);

// The calls to one plug-in.
class PluginCalls {
 public:
  // The plug-in is loaded until the process ends.
  explicit PluginCalls(const LoadedPlugin& plugin) : plugin_(plugin) {}

  [[nodiscard]] const fhe_backend_table& functions() const { return plugin_.functions; }
  [[nodiscard]] std::string path() const { return plugin_.path.string(); }

  // call(fhe_backend_error*) with one function of the table; throws the Error that it reports. A
  // stop that the monitor did not ask for is Error(wrong_result).
  template <class Call>
  void run(const Call& call, const Monitor& monitor = {}) const {
    fhe_backend_error error{};
    if (const int status = guarded([&] { return call(&error); }); status != FHE_BACKEND_OK) {
      throw reported(status, error, monitor);
    }
  }

  // The same for a function that cannot fail.
  template <class Call>
  auto guarded(const Call& call) const {
    const ExitGuard guard(plugin_.path);
    try {
      return call();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      throw wrong("it threw an exception across the interface, which is of C");
    }
  }

  // The same for a function that makes `object`.
  template <class Object, class Call>
  void make(Object* const& object, const Call& call) const {
    run(call);
    if (object == nullptr) throw made_nothing();
  }

  // The same for a function that ends an object: what has no use any more has no errors.
  template <class Call>
  void close(const Call& call) const noexcept {
    const ExitGuard guard(plugin_.path);
    try {
      call();
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

  // Error(wrong_result) with the file of the plug-in.
  [[nodiscard]] Error wrong(std::string_view what) const;
  [[nodiscard]] Error made_nothing() const { return wrong("it made nothing and gave no error"); }

 private:
  [[nodiscard]] Error reported(int status, const fhe_backend_error& error,
                               const Monitor& monitor) const;

  const LoadedPlugin& plugin_;
};

// Room for results of a plug-in. Until it is written a limb has all its bits, which puts a result
// out of range.
class Results {
 public:
  Results(std::size_t count, std::size_t limbs);

  [[nodiscard]] fhe_result* views() { return views_.data(); }

  // The results, which must be below `end`, or have at most `bits` bits: else throws
  // Error(wrong_result). To be called once.
  [[nodiscard]] std::vector<Integer> below(const Integer& end, const PluginCalls& calls);
  [[nodiscard]] std::vector<Integer> of_bits(std::size_t bits, const PluginCalls& calls);

 private:
  template <class IsInRange>
  std::vector<Integer> checked(const PluginCalls& calls, const IsInRange& is_in_range);

  std::size_t limbs_;
  std::vector<Integer> values_;
  std::vector<fhe_result> views_;
};

}  // namespace fhe::plugin
