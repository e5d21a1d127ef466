// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "accel/factories.hpp"
#include "accel/plugin/list_parts.hpp"
#include "accel/plugin/loaded_plugin.hpp"
#include "accel/plugin/plugin_backend.hpp"
#include "libfhe/error.hpp"

namespace fhe::plugin {

namespace {

namespace fs = std::filesystem;

// PATH or PATH:OPTIONS; a path has no colon.
BackendPtr open_path(std::string_view options) {
  const std::size_t colon = std::min(options.find(':'), options.size());
  const std::string path(options.substr(0, colon));
  if (path.find('/') == std::string::npos) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("which plug-in? '{}' is no path: plugin:/path/of/one.so, or "
                            "plugin:/path/of/one.so:its-options",
                            path));
  }
  return open_plugin(load_plugin(path), "plugin:" + path,
                     options.substr(std::min(colon + 1, options.size())));
}

BackendFactory factory_of(const fs::path& file) {
  const std::string name = file.stem();
  return {.name = name,
          .summary = fmt::format("plug-in {}", file.string()),
          .open = [file, name](std::string_view options) {
            return open_plugin(load_plugin(file), name, options);
          }};
}

// Goes by its path, under which nothing is opened, and says why.
BackendFactory refusing(const fs::path& path, std::string summary, std::string reason) {
  return {.name = path,
          .summary = std::move(summary),
          .open = [reason = std::move(reason)](std::string_view /*options*/) -> BackendPtr {
            throw Error(ErrorCode::unsupported, reason);
          }};
}

// For a file whose name is another backend's.
BackendFactory unreachable(const fs::path& file) {
  return refusing(file, fmt::format("plug-in {}", file.string()),
                  fmt::format("another backend has the name '{0}': use plugin:{1}, or give the "
                              "file another name",
                              file.stem().string(), file.string()));
}

// For a folder of FHE_BACKEND_PATH that is not looked into.
BackendFactory left_out(const fs::path& folder) {
  return refusing(folder, fmt::format("folder {} of FHE_BACKEND_PATH", folder.string()),
                  fmt::format("the folder '{}' of FHE_BACKEND_PATH is left out: write its absolute "
                              "path",
                              folder.string()));
}

bool is_plugin_name(const fs::path& file) {
  const std::string name = file.stem();
  return file.extension() == ".so" && !name.empty() && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// Where plug-ins are installed: a path from the program, or from a libfhe that is a shared object.
// The installed tree may be moved.
fs::path installed_folder() {
#ifdef FHE_PLUGINS_FROM_PROGRAM
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : (here.parent_path() / FHE_PLUGINS_FROM_PROGRAM).lexically_normal();
#else
  Dl_info facts{};
  if (dladdr(reinterpret_cast<const void*>(&add_factories), &facts) == 0) return {};
  std::error_code error;
  const fs::path here = fs::canonical(facts.dli_fname, error);
  return error ? fs::path() : here.parent_path() / "fhe/backends";
#endif
}

// Those of FHE_BACKEND_PATH, and the installed one behind them.
std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  const char* const variable = secure_getenv("FHE_BACKEND_PATH");
  for (const fs::path folder : parts_of(variable == nullptr ? "" : variable, ':')) {
    result.push_back(folder);
  }
  if (const fs::path installed = installed_folder(); installed.is_absolute()) {
    result.push_back(installed);
  }
  return result;
}

// Files by name; a folder that is not there or cannot be read has none.
std::vector<fs::path> plugins_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator file(folder, error); !error && file != fs::directory_iterator();
       file.increment(error)) {
    if (is_plugin_name(file->path())) files.push_back(file->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

void add_factories(std::vector<BackendFactory>& backends) {
  backends.push_back(
      {.name = "plugin",
       .summary = "a backend in a shared object: plugin:/path/of/one.so, with :options behind it",
       .open = open_path});
  for (const fs::path& folder : folders()) {
    if (!folder.is_absolute()) {
      backends.push_back(left_out(folder));
      continue;
    }
    for (const fs::path& file : plugins_in(folder)) {
      const auto has_name = [&](const BackendFactory& other) { return other.name == file.stem(); };
      const bool is_taken = std::ranges::any_of(backends, has_name);
      backends.push_back(is_taken ? unreachable(file) : factory_of(file));
    }
  }
}

}  // namespace fhe::plugin
