// SPDX-License-Identifier: Apache-2.0
#include "tests/support/backends.hpp"

#include "libfhe/error.hpp"

namespace fhe::test {

namespace {

// A kind that needs options or a device says so by one of these; all else is a defect.
bool is_unusable_here(const Error& error) {
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::unsupported ||
         error.code() == ErrorCode::io;
}

void open_if_usable(const std::string& name, std::vector<BackendPtr>& backends) {
  try {
    backends.push_back(open_backend(name));
  } catch (const Error& error) {
    if (!is_unusable_here(error)) throw;
  }
}

std::vector<BackendPtr> open_all() {
  std::vector<BackendPtr> backends{std::make_shared<const MinimalBackend>()};
  for (const BackendFactory& factory : registered_backends()) {
    open_if_usable(factory.name, backends);
    for (const std::string& variant : factory.variants) {
      open_if_usable(factory.name + ":" + variant, backends);
    }
  }
  return backends;
}

}  // namespace

std::vector<BackendPtr> backends_under_test() {
  static const std::vector<BackendPtr> backends = open_all();
  return backends;
}

}  // namespace fhe::test
