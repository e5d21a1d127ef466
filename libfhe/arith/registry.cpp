// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/registry.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

struct Registry {
  std::mutex guard;
  std::vector<BackendFactory> factories = builtin_backends();
};

Registry& registry() {
  static auto* const instance = new Registry;  // used until the end
  return *instance;
}

BackendPtr open_registered(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view options =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  std::vector<std::string> known;
  for (const BackendFactory& factory : registered_backends()) {
    if (factory.name == kind) return factory.open(options);
    known.push_back(factory.name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("no backend named '{}'; this program has: {}",
                                                   kind, fmt::join(known, ", ")));
}

}  // namespace

void register_backend(BackendFactory factory) {
  Registry& all = registry();
  const std::lock_guard lock(all.guard);
  const auto same_name = [&](const BackendFactory& other) { return other.name == factory.name; };
  const auto found = std::ranges::find_if(all.factories, same_name);
  if (found != all.factories.end()) {
    *found = std::move(factory);
  } else {
    all.factories.push_back(std::move(factory));
  }
}

std::vector<BackendFactory> registered_backends() {
  Registry& all = registry();
  const std::lock_guard lock(all.guard);
  return all.factories;
}

std::string default_backend_name() {
  return registered_backends().front().name;
}

BackendPtr open_backend() {
  return reporting_memory([] { return open_registered(default_backend_name()); });
}

BackendPtr open_backend(std::string_view name) {
  return reporting_memory([&] { return open_registered(name); });
}

}  // namespace fhe
