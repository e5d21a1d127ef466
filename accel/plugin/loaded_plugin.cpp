// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/loaded_plugin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accel/plugin/exit_guard.hpp"
#include "libfhe/error.hpp"

namespace fhe::plugin {

namespace {

namespace fs = std::filesystem;

bool is_allowed_by_user() {
  const char* const variable = secure_getenv("FHE_BACKEND_UNSAFE");
  return variable != nullptr && std::string_view(variable) == "1";
}

bool group_may_write(const struct stat& facts) {
  const bool is_own = facts.st_gid == 0 || facts.st_gid == facts.st_uid;
  return (facts.st_mode & S_IWGRP) != 0 && !is_own;
}

// Of the file and its folder: who owns a folder further up is not looked at.
bool belongs_to_another_user(const struct stat& facts) {
  return facts.st_uid != 0 && facts.st_uid != ::geteuid();
}

// What cannot be looked at cannot be loaded, and loading says why.
void require_closed(const fs::path& file, const fs::path& place, bool is_above) {
  struct stat facts {};
  if (::stat(place.c_str(), &facts) != 0) return;
  if (is_above && (facts.st_mode & S_ISVTX) != 0) return;
  if (!is_above && belongs_to_another_user(facts)) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the plug-in {}: {} belongs to another user (number {}), who so decides "
                    "what is loaded: chown it, or set FHE_BACKEND_UNSAFE=1 if you trust "
                    "them with your keys",
                    file.string(), place.string(), facts.st_uid));
  }
  const bool is_open = (facts.st_mode & S_IWOTH) != 0;
  if (!is_open && !group_may_write(facts)) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the plug-in {}: {} may write to {} (mode {:o}), and so decide what is loaded: "
                  "chmod go-w it, or set FHE_BACKEND_UNSAFE=1 if you trust them with your keys",
                  file.string(), is_open ? "everybody" : "a group", place.string(),
                  facts.st_mode & 07777U));
}

// Throws Error(unsupported), which says what to change, where anybody but the owner may put another
// plug-in in the place of this one: where the file, its folder or a folder above may be written to
// by everybody, or by a group, or where the file or its folder belongs to a user who is neither
// root nor the one who runs this program. Groups that do not count are root's and the owner's own,
// which has the number of the owner. Folders above with the sticky bit, such as /tmp, do not count
// either: only owners move what is in them. The variable FHE_BACKEND_UNSAFE=1 allows it all;
// programs that run with other rights than their user's ignore it.
//
// By the names that were given, and by those that links lead to.
void require_closed(const fs::path& file) {
  if (is_allowed_by_user()) return;
  for (const fs::path& path : {fs::absolute(file), fs::canonical(file)}) {
    require_closed(file, path, false);
    require_closed(file, path.parent_path(), false);
    for (fs::path folder = path.parent_path(); folder.has_relative_path();) {
      folder = folder.parent_path();
      require_closed(file, folder, true);
    }
  }
}

using EntryFunction = decltype(&fhe_backend_plugin);

// The part of the table that every plug-in has.
constexpr std::size_t kLeastTableSize = offsetof(fhe_backend_table, weighted_sums);

Error unusable(const fs::path& path, std::string_view reason) {
  return {ErrorCode::unsupported, fmt::format("the plug-in {}: {}", path.string(), reason)};
}

std::string_view loader_message(const fs::path& path) {
  const char* const message = dlerror();
  std::string_view text = message == nullptr ? "it cannot be loaded" : message;
  const std::string prefix = path.string() + ": ";  // which the caller says as well
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

EntryFunction entry_of(const fs::path& path) {
  // Never closed: threads and exit handlers of the plug-in may live as long as the process.
  const ExitGuard guard(path);
  void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw unusable(path, loader_message(path));
  void* const entry = dlsym(object, FHE_BACKEND_PLUGIN_SYMBOL);
  if (entry == nullptr) {
    throw unusable(path, "it is no backend of fhe: it has no function " FHE_BACKEND_PLUGIN_SYMBOL);
  }
  return reinterpret_cast<EntryFunction>(entry);
}

const fhe_backend_table* ask_for_table(const fs::path& path, EntryFunction entry) {
  const ExitGuard guard(path);
  try {
    return entry(FHE_BACKEND_ABI_VERSION);
  } catch (...) {
    throw unusable(path, "it threw an exception across the interface, which is of C");
  }
}

// What this host knows of the table of a plug-in, which may know less or more.
fhe_backend_table known_part(const fs::path& path, const fhe_backend_table* table) {
  if (table == nullptr) throw unusable(path, "this machine cannot have its backend");
  if (table->abi_version != FHE_BACKEND_ABI_VERSION) {
    throw unusable(path, fmt::format("it speaks version {} of the interface, and this program "
                                     "version {}: build it again with the header of this one",
                                     table->abi_version, FHE_BACKEND_ABI_VERSION));
  }
  if (table->size < kLeastTableSize) {
    throw unusable(path, fmt::format("its table has {} bytes, where {} are needed", table->size,
                                     kLeastTableSize));
  }
  fhe_backend_table known{};
  std::memcpy(&known, table, std::min<std::size_t>(table->size, sizeof known));
  return known;
}

bool is_whole(const fhe_backend_table& table) {
  return table.open != nullptr && table.close != nullptr && table.facts != nullptr &&
         table.multiply != nullptr;
}

bool has_whole_ring(const fhe_backend_table& table) {
  const bool has_ring = table.ring_open != nullptr;
  return (table.ring_close != nullptr) == has_ring && (table.ring_reduce != nullptr) == has_ring &&
         (table.ring_multiply != nullptr) == has_ring &&
         (has_ring || (table.operand_close == nullptr && table.ring_dot == nullptr &&
                       table.ring_weighted_sums == nullptr && table.ring_sparse_sums == nullptr &&
                       table.ring_recrypt == nullptr));
}

// Operands are made by ring_prepare, and by the functions that leave results where they are.
bool has_whole_operands(const fhe_backend_table& table) {
  const bool keeps_results = table.operand_value != nullptr;
  return (table.ring_prepare_all != nullptr) == keeps_results &&
         (table.ring_compute_all != nullptr) == keeps_results &&
         (table.ring_dot_all != nullptr) == keeps_results &&
         (table.ring_selected_sums != nullptr) == keeps_results &&
         (table.ring_selected_factors != nullptr) == (table.ring_keep_all != nullptr) &&
         (keeps_results || table.ring_keep_all == nullptr) &&
         (table.operand_close != nullptr) == (keeps_results || table.ring_prepare != nullptr);
}

LoadedPlugin load(const fs::path& path) {
  const fhe_backend_table functions = known_part(path, ask_for_table(path, entry_of(path)));
  if (!is_whole(functions)) {
    throw unusable(path, "its table lacks open, close, facts or multiply");
  }
  if (!has_whole_ring(functions) || !has_whole_operands(functions)) {
    throw unusable(path, "its table has only some of the functions of a ring");
  }
  return {path, functions};
}

// The file itself: a name without a folder would be looked for in the system's folders.
fs::path resolved(const fs::path& file) {
  std::error_code error;
  fs::path path = fs::canonical(file, error);
  if (!error && !fs::is_regular_file(path, error) && !error) {
    error = std::make_error_code(std::errc::invalid_argument);
  }
  if (error) {
    throw Error(ErrorCode::io,
                fmt::format("there is no plug-in at {}: {}", file.string(), error.message()));
  }
  return path;
}

}  // namespace

const LoadedPlugin& load_plugin(const fs::path& file) {
  static std::mutex guard;
  static auto* const loaded = new std::map<fs::path, LoadedPlugin>;  // used until the end
  const fs::path path = resolved(file);
  const std::lock_guard lock(guard);
  const auto known = loaded->find(path);
  if (known != loaded->end()) return known->second;
  require_closed(file);
  return loaded->emplace(path, load(path)).first->second;
}

}  // namespace fhe::plugin
