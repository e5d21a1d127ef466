// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "apps/outsource/input_file.hpp"
#include "apps/outsource/server/json_file.hpp"
#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/random_name.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/support/new_directories.hpp"
#include "libfhe/error.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 2 * sizeof(Digest);
constexpr const char* kKeyFile = "key.fhe";
constexpr const char* kSuffix = ".fhe";
constexpr const char* kFactsSuffix = ".json";
constexpr const char* kLabelSuffix = ".label";
constexpr const char* kShownAs = "upload";  // in messages: what it is called on the way in
constexpr std::size_t kUploadNameBytes = 16;
constexpr std::uint64_t kMostShippedBytes = std::uint64_t{1} << 30;
constexpr std::chrono::milliseconds kLockPatience(1000);
constexpr std::chrono::milliseconds kLockLook(10);

// Keys, ciphertexts and uploaded circuits are called by their digests.
bool is_id(std::string_view text) {
  return text.size() == kIdDigits && is_hex(text);
}

bool is_circuit_name(const fs::path& name) {
  return name.extension() == ".blif" || name.extension() == ".txt";
}

void make_private_folder(const fs::path& path) {
  apps::make_directories(path);
  std::error_code failure;
  fs::permissions(path, fs::perms::owner_all, failure);
  if (!failure) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot make the folder '{}': {}", path.string(), failure.message()));
}

// 0, or the system's error number. A server that was killed just now may not be gone yet.
int lock_patiently(int file) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + kLockPatience;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno;
    if (Clock::now() >= deadline) return EWOULDBLOCK;
    std::this_thread::sleep_for(kLockLook);
  }
  return 0;
}

int locked(const fs::path& folder) {
  make_private_folder(folder);
  const fs::path path = fs::absolute(folder / "lock").lexically_normal();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const int reason = file < 0 ? errno : lock_patiently(file);
  if (reason == 0) return file;
  if (file >= 0) ::close(file);
  throw Error(ErrorCode::io,
              reason == EWOULDBLOCK
                  ? fmt::format("another server uses '{}': stop it, or choose another --data",
                                path.parent_path().string())
                  : fmt::format("cannot use '{}': {}", path.string(), std::strerror(reason)));
}

fs::path facts_path(const fs::path& file) {
  return file.string() + kFactsSuffix;
}

// Whether it is what is known about another file, or how that is called.
bool is_beside_another(const fs::path& file) {
  return file.extension() == kFactsSuffix || file.extension() == kLabelSuffix;
}

// Whether a file is there, and known.
bool is_kept(const fs::path& file) {
  return fs::exists(file) && fs::exists(facts_path(file));
}

// Whether these are all the facts of such a file that are used (checks.hpp).
bool are_facts(CheckedKind kind, const Json& facts) {
  const auto has_number = [&](const char* name) {
    return facts.contains(name) && facts[name].is_number_unsigned();
  };
  const auto has_words = [&](const char* name) {
    return facts.contains(name) && facts[name].is_array() &&
           std::ranges::all_of(facts[name], [](const Json& word) {
             return word.is_object() && word.contains("name") && word["name"].is_string() &&
                    word.contains("width") && word["width"].is_number_unsigned();
           });
  };
  if (!facts.is_object()) return false;
  switch (kind) {
    case CheckedKind::key:
      return facts.contains("parameters") && facts["parameters"].is_string() &&
             (!facts.contains("slots") || has_number("slots"));
    case CheckedKind::ciphertexts:
      return has_number("bits");
    case CheckedKind::circuit:
      return has_words("inputs") && has_words("outputs");
  }
  return false;
}

// Nothing where there are none, or damaged ones. Throws Error(io).
std::optional<Json> facts_if_any(CheckedKind kind, const fs::path& file) {
  try {
    std::optional<Json> facts = load_json_if_any(facts_path(file), {});
    if (facts && are_facts(kind, *facts)) return facts;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::malformed_file) throw;
  }
  return std::nullopt;
}

Json load_facts(CheckedKind kind, const fs::path& file) {
  if (std::optional<Json> facts = facts_if_any(kind, file)) return *std::move(facts);
  throw Refusal(500, "internal",
                fmt::format("what the server knows about {} is damaged: it looks at the file anew "
                            "when it is started again",
                            file.filename().string()));
}

// The label of a circuit is in a file of its own: facts can be long, and lists show labels only.
fs::path label_path(const fs::path& circuit) {
  return circuit.string() + kLabelSuffix;
}

std::string label_of(const fs::path& circuit) {
  const std::string label = contents_if_any(label_path(circuit)).value_or("");
  return is_label(label) ? label : std::string();
}

void save_label(const fs::path& circuit, const std::string& label) {
  AtomicFile file(label_path(circuit), FileAccess::owner_only);
  file.write(std::as_bytes(std::span(label)));
  file.commit();
}

CircuitEntry circuit_entry(const fs::path& path) {
  return {.name = path.filename().string(), .label = label_of(path), .bytes = fs::file_size(path)};
}

CiphertextsEntry ciphertexts_entry(const fs::path& path) {
  const Json facts = load_facts(CheckedKind::ciphertexts, path);
  return {path.stem().string(), number_of(facts, "bits", "the facts of ciphertexts"),
          fs::file_size(path)};
}

bool is_ciphertexts(const fs::path& path) {
  return path.extension() == kSuffix && is_id(path.stem().string()) && is_kept(path);
}

KeyEntry key_entry(const fs::path& folder) {
  constexpr std::uint64_t kSlotsOfOlderFacts = 1;
  const fs::path path = folder / kKeyFile;
  const Json facts = load_facts(CheckedKind::key, path);
  KeyEntry entry{folder.filename().string(),
                 text_of(facts, "parameters", "the facts of a key"),
                 facts.value("slots", kSlotsOfOlderFacts),
                 fs::file_size(path),
                 {}};
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (is_ciphertexts(file.path())) entry.ciphertexts.push_back(ciphertexts_entry(file.path()));
  }
  return entry;
}

// Gives an upload its name for good, under which it is seen when its facts are there already.
void keep(const Upload& upload, const fs::path& target, const Json& facts) {
  if (fs::exists(target)) {
    if (!fs::exists(facts_path(target))) save_json(facts_path(target), facts);
    return;
  }
  apps::NewDirectories home;
  home.make(target.parent_path());
  save_json(facts_path(target), facts);
  std::error_code failure;
  fs::rename(upload.path(), target, failure);
  for (const fs::path& folder : {target.parent_path(), upload.path().parent_path()}) {
    if (!failure) failure = {sync_directory(folder), std::system_category()};
  }
  if (!failure) return home.keep();
  std::error_code ignored;
  fs::remove(target, ignored);
  fs::remove(facts_path(target), ignored);
  throw Error(ErrorCode::io, fmt::format("cannot keep the upload: {}", failure.message()));
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
    if (!is_beside_another(entry->path())) ++usage.files;
  }
  return usage;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    entries.push_back(entry.path());
  }
  return entries;
}

void remove_what_is_beside_nothing(const fs::path& folder) {
  for (const fs::path& file : entries_of(folder)) {
    const fs::path owner = file.parent_path() / file.stem();
    std::error_code ignored;
    if (is_beside_another(file) && !fs::exists(owner)) fs::remove(file, ignored);
  }
}

std::uint64_t free_bytes(const fs::path& folder) {
  std::error_code failure;
  const fs::space_info space = fs::space(folder, failure);
  return failure ? 0 : space.available;
}

// The file first: without it its facts are nothing.
void remove_file(const fs::path& path) {
  std::error_code failure;
  fs::remove(path, failure);
  if (failure)
    throw Error(ErrorCode::io, fmt::format("cannot remove a file: {}", failure.message()));
  fs::remove(facts_path(path), failure);
  fs::remove(label_path(path), failure);
}

}  // namespace

void remove_temporaries(const fs::path& folder) {
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path file = entry->path();
    std::error_code ignored;
    if (!file.filename().string().starts_with('.') || !fs::remove(file, ignored)) continue;
    log_event(spdlog::level::warn, "file_removed", [&] {
      return Said{{{"file", file.string()}},
                  fmt::format("removed what a killed process had left: {}", file.string())};
    });
  }
}

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

Store::Store(fs::path data, const fs::path& circuits, const StoreLimits& limits,
             const Clients& clients, Checks& checks)
    : data_(std::move(data)), limits_(limits), lock_(data_), clients_(clients), checks_(checks) {
  if (!circuits.empty()) load_shipped(circuits);
}

void Store::open(const std::string& client) {
  if (open_.contains(client)) return;
  std::error_code ignored;
  fs::remove_all(folder(client) / "incoming", ignored);
  for (const char* const name : {"incoming", "keys", "circuits", "jobs"}) {
    make_private_folder(folder(client) / name);
  }
  restore(client);
  open_.insert(client);
}

// Facts without their file are what is left of one that was on its way in or out; files without
// facts come from an older server, or had damaged ones. What cannot be read now ends the start.
void Store::restore(const std::string& client) {
  remove_temporaries(folder(client) / "circuits");
  remove_what_is_beside_nothing(folder(client) / "circuits");
  for (const fs::path& home : entries_of(folder(client) / "keys")) restore_key(client, home);
  for (const fs::path& file : entries_of(folder(client) / "circuits")) {
    if (is_circuit_name(file)) {
      restore_facts(client, {CheckedKind::circuit, file, {}, limits_.circuit_bytes});
    }
  }
}

void Store::restore_key(const std::string& client, const fs::path& home) {
  const fs::path key = home / kKeyFile;
  std::error_code ignored;
  if (!fs::exists(key)) {
    fs::remove_all(home, ignored);
    return;
  }
  remove_temporaries(home);
  remove_what_is_beside_nothing(home);
  restore_facts(client, {CheckedKind::key, key, {}, limits_.upload_bytes});
  for (const fs::path& file : entries_of(home)) {
    if (file.extension() == kSuffix && is_id(file.stem().string())) {
      restore_facts(client, {CheckedKind::ciphertexts, file, key, limits_.upload_bytes});
    }
  }
}

void Store::restore_facts(const std::string& client, const Check& check) {
  if (facts_if_any(check.kind, check.file)) return;
  try {
    save_json(facts_path(check.file), checks_.facts(client, check, check.file.string()));
  } catch (const std::exception& error) {
    const Refusal refusal = refusal_of(std::current_exception());
    if (refusal.code() == kStopping) return;
    if (is_passing(refusal)) throw Error(ErrorCode::io, refusal.what());
    log_event(spdlog::level::err, "file_unusable", [&] {
      return Said{{{"client", client}, {"reason", error.what()}},
                  fmt::format("a file of {} cannot be used: {}", client, error.what())};
    });
  }
}

fs::path Store::folder(const std::string& client) const {
  return data_ / "clients" / client;
}

Json Store::facts_of_shipped(const fs::path& circuit) const {
  try {
    return checks_.facts("the server", {CheckedKind::circuit, circuit, {}, kMostShippedBytes},
                         circuit.string());
  } catch (const Refusal& refusal) {
    throw Error(error_code_named(refusal.code()).value_or(ErrorCode::unsupported), refusal.what());
  }
}

void Store::load_shipped(const fs::path& circuits) {
  std::error_code failure;
  for (const fs::directory_entry& file : fs::directory_iterator(circuits, failure)) {
    if (!is_circuit_name(file.path())) continue;
    shipped_[file.path().filename().string()] = {file.path(), facts_of_shipped(file.path())};
  }
  if (!failure) return;
  throw Error(ErrorCode::io, fmt::format("cannot read the circuits in '{}': {}", circuits.string(),
                                         failure.message()));
}

std::uint64_t Store::used_bytes(const std::string& client) const {
  return usage_of(folder(client)).bytes;
}

void Store::require_room(const std::string& client, std::uint64_t bytes) const {
  const std::lock_guard lock(guard_);
  require_room_locked(client, bytes);
}

void Store::require_room_locked(const std::string& client, std::uint64_t bytes) const {
  const Usage usage = usage_of(folder(client));
  const auto entry = reserved_.find(client);
  const std::uint64_t taken = usage.bytes + (entry == reserved_.end() ? 0 : entry->second);
  const std::uint64_t quota = clients_.limits(client).quota_mib << 20;
  if (taken + bytes > quota) {
    throw Refusal(507, "quota",
                  fmt::format("{} bytes more than the {} that you have here would be above your "
                              "quota of {}: remove keys or jobs",
                              bytes, taken, quota));
  }
  if (usage.files >= limits_.quota_files) {
    throw Refusal(507, "quota",
                  fmt::format("you have {} files here already: remove keys or jobs", usage.files));
  }
  require_disk_locked(bytes);
}

// What is on its way in counts whole, whatever of it is there already.
void Store::require_disk_locked(std::uint64_t bytes) const {
  std::uint64_t coming = bytes;
  for (const auto& [client, reserved] : reserved_) coming += reserved;
  if (free_bytes(data_) >= limits_.reserve_bytes + coming) return;
  throw Refusal(507, "disk_full",
                "the server's disk is nearly full: try again later, and remove what you do not "
                "need any more");
}

bool Store::disk_is_low() const {
  return free_bytes(data_) < limits_.reserve_bytes;
}

Upload Store::upload(const std::string& client, std::uint64_t bytes, const std::string& suffix) {
  const std::lock_guard lock(guard_);
  require_room_locked(client, bytes);
  reserved_[client] += bytes;
  try {
    return {*this, client, bytes,
            folder(client) / "incoming" / (random_name(kUploadNameBytes) + suffix)};
  } catch (...) {
    reserved_[client] -= bytes;
    throw;
  }
}

void Store::release(const std::string& client, std::uint64_t bytes) {
  const std::lock_guard lock(guard_);
  reserved_[client] -= bytes;
}

KeyEntry Store::add_key(const std::string& client, const Upload& upload) {
  const Json facts =
      checks_.facts(client, {CheckedKind::key, upload.path(), {}, limits_.upload_bytes}, kShownAs);
  const std::string id = text_of(facts, "id", "the check of a key");
  if (!is_id(id)) throw Refusal(500, "internal", "the check of the key found no id");
  const fs::path home = folder(client) / "keys" / id;
  const auto lock = changing_.lock(client);
  keep(upload, home / kKeyFile, facts);
  return key_entry(home);
}

CiphertextsEntry Store::add_ciphertexts(const std::string& client, const std::string& key,
                                        const Upload& upload) {
  const Json facts = checks_.facts(
      client,
      {CheckedKind::ciphertexts, upload.path(), key_file(client, key), limits_.upload_bytes},
      kShownAs);
  const auto lock = changing_.lock(client);
  const fs::path home = key_file(client, key).parent_path();  // it may have been removed meanwhile
  const fs::path target = home / (upload.digest() + kSuffix);
  keep(upload, target, facts);
  return ciphertexts_entry(target);
}

CircuitEntry Store::add_circuit(const std::string& client, const Upload& upload,
                                const std::string& label) {
  const Json facts = checks_.facts(
      client, {CheckedKind::circuit, upload.path(), {}, limits_.circuit_bytes}, kShownAs);
  const std::string name = upload.digest() + upload.path().extension().string();
  const fs::path target = folder(client) / "circuits" / name;
  const auto lock = changing_.lock(client);
  if (!label.empty()) save_label(target, label);
  keep(upload, target, facts);
  return circuit_entry(target);
}

std::vector<KeyEntry> Store::keys(const std::string& client) const {
  const auto lock = changing_.lock(client);
  std::vector<KeyEntry> entries;
  for (const fs::directory_entry& key : fs::directory_iterator(folder(client) / "keys")) {
    if (is_kept(key.path() / kKeyFile)) entries.push_back(key_entry(key.path()));
  }
  std::ranges::sort(entries, {}, &KeyEntry::id);
  return entries;
}

std::vector<CircuitEntry> Store::circuits(const std::string& client) const {
  const auto lock = changing_.lock(client);
  std::vector<CircuitEntry> entries;
  entries.reserve(shipped_.size());
  for (const auto& [name, circuit] : shipped_) {
    entries.push_back({.name = name, .bytes = fs::file_size(circuit.path), .shipped = true});
  }
  for (const fs::directory_entry& file : fs::directory_iterator(folder(client) / "circuits")) {
    if (!is_circuit_name(file.path()) || !is_kept(file.path())) continue;
    entries.push_back(circuit_entry(file.path()));
  }
  return entries;
}

fs::path Store::key_file(const std::string& client, const std::string& key) const {
  fs::path path = folder(client) / "keys" / key / kKeyFile;
  if (is_id(key) && is_kept(path)) return path;
  throw not_found("such key: upload it first");
}

fs::path Store::ciphertexts_file(const std::string& client, const std::string& key,
                                 const std::string& id) const {
  const fs::path home = key_file(client, key).parent_path();
  if (!is_id(id)) throw not_found("such file of ciphertexts");
  fs::path path = home / (id + kSuffix);
  if (is_kept(path)) return path;
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
  if (const auto entry = shipped_.find(name); entry != shipped_.end()) return entry->second.path;
  fs::path path = folder(client) / "circuits" / name;
  if (is_id(fs::path(name).stem().string()) && is_circuit_name(name) && path.filename() == name &&
      is_kept(path)) {
    return path;
  }
  throw not_found("such circuit");
}

fs::path Store::jobs_folder(const std::string& client) const {
  return folder(client) / "jobs";
}

Json Store::circuit_facts(const std::string& client, const std::string& name) const {
  const fs::path file = circuit_file(client, name);
  const auto shipped = shipped_.find(name);
  Json facts{{"label", shipped == shipped_.end() ? label_of(file) : std::string()}};
  facts.update(shipped == shipped_.end() ? load_facts(CheckedKind::circuit, file)
                                         : shipped->second.facts);
  return facts;
}

void Store::remove_key(const std::string& client, const std::string& key) {
  const auto lock = changing_.lock(client);
  const fs::path home = key_file(client, key).parent_path();
  remove_file(home / kKeyFile);  // first: without it the rest is nothing
  std::error_code ignored;
  fs::remove_all(home, ignored);
}

void Store::remove_ciphertexts(const std::string& client, const std::string& key,
                               const std::string& id) {
  const auto lock = changing_.lock(client);
  remove_file(ciphertexts_file(client, key, id));
}

void Store::remove_circuit(const std::string& client, const std::string& name) {
  const auto lock = changing_.lock(client);
  if (shipped_.contains(name)) {
    throw Refusal(403, "forbidden", "this circuit is everybody's and stays");
  }
  remove_file(circuit_file(client, name));
}

}  // namespace fhe::outsource
