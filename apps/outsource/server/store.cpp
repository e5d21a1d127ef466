#include "apps/outsource/server/store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "apps/outsource/server/refusal.hpp"
#include "libfhe/circuit/files.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 2 * sizeof(Digest);
constexpr const char* kKeyFile = "key.fhe";
constexpr const char* kSuffix = ".fhe";

// Keys, ciphertexts and uploaded circuits are called by their digests.
bool is_id(std::string_view text) {
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kIdDigits && std::ranges::all_of(text, fits);
}

bool is_circuit_name(const fs::path& name) {
  return name.extension() == ".blif" || name.extension() == ".txt";
}

std::string random_name() {
  std::array<std::byte, 16> random;
  fill_public(random);
  return to_hex(random, random.size());
}

void make_private_folder(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (!failure) fs::permissions(path, fs::perms::owner_all, failure);
  if (!failure) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot make the folder '{}': {}", path.string(), failure.message()));
}

int locked(const fs::path& folder) {
  make_private_folder(folder);
  const fs::path path = folder / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int reason = errno;
  if (file >= 0) ::close(file);
  throw Error(ErrorCode::io,
              reason == EWOULDBLOCK
                  ? fmt::format("another server uses '{}': stop it, or choose another --data",
                                folder.string())
                  : fmt::format("cannot use '{}': {}", path.string(), std::strerror(reason)));
}

// What the readers of libfhe say about an upload, without its passing name.
template <class Read>
auto checked(const Upload& upload, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string name = upload.path().string();
    for (std::size_t at = 0; (at = message.find(name, at)) != std::string::npos;) {
      message.replace(at, name.size(), "upload");
    }
    throw Error(error.code(), message);
  }
}

void require_known_group(const ParameterSet& parameters) {
  const std::vector<std::string> names = ParameterSet::names();
  if (std::ranges::find(names, parameters.name()) != names.end()) return;
  throw Refusal(422, "invalid_parameters",
                fmt::format("keys of the group '{}' are not taken: only those of the groups that "
                            "`fhe params list` shows",
                            parameters.name()));
}

ReadLimits read_limits(const StoreLimits& limits) {
  return {.max_file_bytes = limits.upload_bytes};
}

CiphertextsEntry ciphertexts_entry(const fs::path& path) {
  const FileSummary summary = summarize(path);
  return {path.stem().string(), summary.noise.size(), summary.file_bytes};
}

KeyEntry key_entry(const fs::path& folder) {
  const ContainerReader reader(folder / kKeyFile);
  KeyEntry entry{folder.filename().string(), reader.header().parameters, reader.file_bytes(), {}};
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (is_id(file.path().stem().string())) {
      entry.ciphertexts.push_back(ciphertexts_entry(file.path()));
    }
  }
  return entry;
}

struct Usage {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};

// What is on the disk: counted anew each time, so that it cannot be wrong. Files come and go
// meanwhile.
Usage usage_of(const fs::path& folder) {
  Usage usage;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code gone;
    if (entry->path().filename() == "incoming") entry.disable_recursion_pending();
    if (!entry->is_regular_file(gone)) continue;
    const std::uintmax_t bytes = entry->file_size(gone);
    usage.bytes += gone ? 0 : bytes;
    ++usage.files;
  }
  return usage;
}

void remove_file(const fs::path& path) {
  std::error_code failure;
  fs::remove(path, failure);
  if (failure)
    throw Error(ErrorCode::io, fmt::format("cannot remove a file: {}", failure.message()));
}

}  // namespace

Upload::Upload(Store& store, std::string client, std::uint64_t bytes, fs::path path)
    : store_(store),
      client_(std::move(client)),
      reserved_bytes_(bytes),
      path_(std::move(path)),
      file_(path_, FileAccess::owner_only) {}

Upload::~Upload() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  store_.release(client_, reserved_bytes_);
}

void Upload::write(std::span<const std::byte> bytes) {
  hasher_.update(bytes);
  if (started_) return file_.write(bytes);
  start_.insert(start_.end(), bytes.begin(), bytes.end());
  if (start_.size() >= kAnnouncingBytes) write_start();
}

void Upload::write_start() {
  if (announced_kind(start_) == ObjectKind::secret_key) {
    wipe(start_);
    throw Refusal(
        422, "secret_key",
        "this is a secret key: it was refused and nothing of it was stored. A server must "
        "never see it, so make a new key if others could read what you sent");
  }
  file_.write(start_);
  start_.clear();
  started_ = true;
}

void Upload::finish() {
  if (!started_) write_start();
  digest_ = to_hex(hasher_.finish());
  file_.commit();
}

FolderLock::FolderLock(const fs::path& folder) : file_(locked(folder)) {}

FolderLock::~FolderLock() {
  ::close(file_);
}

Store::Store(fs::path data, const fs::path& circuits, const std::vector<std::string>& clients,
             const StoreLimits& limits)
    : data_(std::move(data)), limits_(limits), lock_(data_) {
  if (!circuits.empty()) load_shipped(circuits);
  for (const std::string& client : clients) {
    std::error_code ignored;
    fs::remove_all(folder(client) / "incoming", ignored);
    for (const char* const name : {"incoming", "keys", "circuits", "jobs"}) {
      make_private_folder(folder(client) / name);
    }
  }
}

fs::path Store::folder(const std::string& client) const {
  return data_ / "clients" / client;
}

void Store::load_shipped(const fs::path& circuits) {
  std::error_code failure;
  for (const fs::directory_entry& file : fs::directory_iterator(circuits, failure)) {
    if (!is_circuit_name(file.path())) continue;
    static_cast<void>(load_netlist(file.path()));
    shipped_[file.path().filename().string()] = file.path();
  }
  if (!failure) return;
  throw Error(ErrorCode::io, fmt::format("cannot read the circuits in '{}': {}", circuits.string(),
                                         failure.message()));
}

void Store::require_quota(const std::string& client, std::uint64_t bytes) const {
  const std::lock_guard lock(guard_);
  require_quota_locked(client, bytes);
}

void Store::require_quota_locked(const std::string& client, std::uint64_t bytes) const {
  const Usage usage = usage_of(folder(client));
  const auto entry = reserved_.find(client);
  const std::uint64_t taken = usage.bytes + (entry == reserved_.end() ? 0 : entry->second);
  if (taken + bytes > limits_.quota_bytes) {
    throw Refusal(507, "quota",
                  fmt::format("{} bytes more than the {} that you have here would be above your "
                              "quota of {}: remove keys or jobs",
                              bytes, taken, limits_.quota_bytes));
  }
  if (usage.files < limits_.quota_files) return;
  throw Refusal(507, "quota",
                fmt::format("you have {} files here already: remove keys or jobs", usage.files));
}

Upload Store::upload(const std::string& client, std::uint64_t bytes, const std::string& suffix) {
  const std::lock_guard lock(guard_);
  require_quota_locked(client, bytes);
  reserved_[client] += bytes;
  try {
    return {*this, client, bytes, folder(client) / "incoming" / (random_name() + suffix)};
  } catch (...) {
    reserved_[client] -= bytes;
    throw;
  }
}

void Store::release(const std::string& client, std::uint64_t bytes) {
  const std::lock_guard lock(guard_);
  reserved_[client] -= bytes;
}

void Store::keep(const Upload& upload, const fs::path& target) {
  if (fs::exists(target)) return;
  std::error_code failure;
  fs::create_directory(target.parent_path(), failure);
  if (!failure) fs::rename(upload.path(), target, failure);
  if (failure)
    throw Error(ErrorCode::io, fmt::format("cannot keep the upload: {}", failure.message()));
}

KeyEntry Store::add_key(const std::string& client, const Upload& upload) {
  const std::lock_guard lock(changing_);
  const PublicKey key =
      checked(upload, [&] { return load_public_key(upload.path(), read_limits(limits_)); });
  require_known_group(key.parameters());
  const fs::path home = folder(client) / "keys" / to_hex(key.id().digest);
  keep(upload, home / kKeyFile);
  return key_entry(home);
}

CiphertextsEntry Store::add_ciphertexts(const std::string& client, const std::string& key,
                                        const Upload& upload) {
  const std::lock_guard lock(changing_);
  const fs::path key_path = key_file(client, key);
  static_cast<void>(checked(upload, [&] {
    return load_ciphertexts(upload.path(), load_public_key(key_path), read_limits(limits_));
  }));
  const fs::path target = key_path.parent_path() / (upload.digest() + kSuffix);
  keep(upload, target);
  return ciphertexts_entry(target);
}

CircuitEntry Store::add_circuit(const std::string& client, const Upload& upload) {
  const std::lock_guard lock(changing_);
  static_cast<void>(checked(upload, [&] {
    return load_netlist(upload.path(), {.max_file_bytes = limits_.circuit_bytes});
  }));
  const std::string name = upload.digest() + upload.path().extension().string();
  const fs::path target = folder(client) / "circuits" / name;
  keep(upload, target);
  return {name, fs::file_size(target), false};
}

std::vector<KeyEntry> Store::keys(const std::string& client) const {
  std::vector<KeyEntry> entries;
  for (const fs::directory_entry& key : fs::directory_iterator(folder(client) / "keys")) {
    if (fs::exists(key.path() / kKeyFile)) entries.push_back(key_entry(key.path()));
  }
  std::ranges::sort(entries, {}, &KeyEntry::id);
  return entries;
}

std::vector<CircuitEntry> Store::circuits(const std::string& client) const {
  std::vector<CircuitEntry> entries;
  for (const auto& [name, path] : shipped_) entries.push_back({name, fs::file_size(path), true});
  for (const fs::directory_entry& file : fs::directory_iterator(folder(client) / "circuits")) {
    entries.push_back({file.path().filename().string(), file.file_size(), false});
  }
  return entries;
}

fs::path Store::key_file(const std::string& client, const std::string& key) const {
  const fs::path path = folder(client) / "keys" / key / kKeyFile;
  if (is_id(key) && fs::exists(path)) return path;
  throw not_found("such key: upload it first");
}

fs::path Store::ciphertexts_file(const std::string& client, const std::string& key,
                                 const std::string& id) const {
  const fs::path home = key_file(client, key).parent_path();
  if (!is_id(id)) throw not_found("such file of ciphertexts");
  const fs::path path = home / (id + kSuffix);
  if (fs::exists(path)) return path;
  for (const fs::directory_entry& other : fs::directory_iterator(home.parent_path())) {
    if (fs::exists(other.path() / (id + kSuffix))) {
      throw Refusal(409, "wrong_key",
                    fmt::format("the ciphertexts {} belong to the key {}, not to {}", id,
                                other.path().filename().string(), key));
    }
  }
  throw not_found("such file of ciphertexts: upload it first");
}

CiphertextsEntry Store::ciphertexts(const std::string& client, const std::string& key,
                                    const std::string& id) const {
  return ciphertexts_entry(ciphertexts_file(client, key, id));
}

fs::path Store::circuit_file(const std::string& client, const std::string& name) const {
  if (const auto entry = shipped_.find(name); entry != shipped_.end()) return entry->second;
  const fs::path path = folder(client) / "circuits" / name;
  if (is_id(fs::path(name).stem().string()) && is_circuit_name(name) && path.filename() == name &&
      fs::exists(path)) {
    return path;
  }
  throw not_found("such circuit");
}

fs::path Store::jobs_folder(const std::string& client) const {
  return folder(client) / "jobs";
}

Netlist Store::circuit(const std::string& client, const std::string& name) const {
  return load_netlist(circuit_file(client, name));
}

void Store::remove_key(const std::string& client, const std::string& key) {
  const std::lock_guard lock(changing_);
  const fs::path home = key_file(client, key).parent_path();
  remove_file(home / kKeyFile);  // first: without it the rest is nothing
  std::error_code ignored;
  fs::remove_all(home, ignored);
}

void Store::remove_ciphertexts(const std::string& client, const std::string& key,
                               const std::string& id) {
  const std::lock_guard lock(changing_);
  remove_file(ciphertexts_file(client, key, id));
}

void Store::remove_circuit(const std::string& client, const std::string& name) {
  const std::lock_guard lock(changing_);
  if (shipped_.contains(name)) {
    throw Refusal(403, "forbidden", "this circuit is everybody's and stays");
  }
  remove_file(circuit_file(client, name));
}

}  // namespace fhe::outsource
