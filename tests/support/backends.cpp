// SPDX-License-Identifier: Apache-2.0
#include "tests/support/backends.hpp"

#include <cstdlib>
#include <sstream>

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

// A list with commas between its names.
std::vector<std::string> names_in_variable(const char* variable) {
  const char* const list = std::getenv(variable);
  std::istringstream names(list == nullptr ? "" : list);
  std::vector<std::string> result;
  for (std::string name; std::getline(names, name, ',');) result.push_back(name);
  return result;
}

std::vector<BackendPtr> open_all() {
  std::vector<BackendPtr> backends{std::make_shared<const MinimalBackend>()};
  for (const BackendFactory& factory : registered_backends()) {
    open_if_usable(factory.name, backends);
    for (const std::string& variant : factory.variants) {
      open_if_usable(factory.name + ":" + variant, backends);
    }
  }
  for (const std::string& name : names_in_variable("FHE_TEST_BACKENDS"))
    backends.push_back(open_backend(name));
  return backends;
}

std::vector<BackendPtr> open_wanted() {
  const std::vector<std::string> only = names_in_variable("FHE_TEST_ONLY_BACKENDS");
  if (only.empty()) return open_all();
  std::vector<BackendPtr> backends;
  for (const std::string& name : only) backends.push_back(open_backend(name));
  return backends;
}

}  // namespace

std::vector<BackendPtr> backends_under_test() {
  static const std::vector<BackendPtr> backends = open_wanted();
  return backends;
}

}  // namespace fhe::test
