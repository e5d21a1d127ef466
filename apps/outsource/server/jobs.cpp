// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/jobs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apps/outsource/input_file.hpp"
#include "apps/outsource/server/json_file.hpp"
#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/random_name.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/support/new_directories.hpp"
#include "libfhe/error.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

// In the folder of a job.
constexpr const char* kJobFile = "job.json";
constexpr const char* kCheckpointFile = "checkpoint.fhe";
constexpr const char* kResultFile = "result.fhe";

// What the names of other folders begin with: of damaged jobs, and of those that are being removed.
constexpr const char* kBroken = "broken-";
constexpr const char* kRemoved = ".removed-";

constexpr std::size_t kIdBytes = 8;

// After what the machine could not do: each pause is twice as long as the one before it.
constexpr std::chrono::seconds kFirstPause(1);
constexpr std::chrono::seconds kLongestPause(60);

std::int64_t now() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
      .count();
}

// The message begins with the job and its client.
void log_job(spdlog::level::level_enum level, std::string_view event,
             const std::pair<std::string, std::string>& name, JobState state,
             const std::string& rest) {
  const auto& [client, job] = name;
  log_event(level, event, [&] {
    return Said{{{"client", client}, {"job", job}, {"state", to_string(state)}},
                fmt::format("job {} of {}{}", job, client, rest)};
  });
}

// The clock ends a job first, unless it hides from it.
apps::ProcessLimits limits_of(const JobSettings& settings, std::chrono::seconds most_time) {
  constexpr std::uint64_t kMoreSeconds = 60;
  const auto seconds = static_cast<std::uint64_t>(most_time.count());
  const std::uint64_t threads = std::max<std::size_t>(1, settings.threads);
  return {.memory_mib = settings.process_memory_mib,
          .cpu_seconds = seconds * threads + kMoreSeconds};
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

// A renaming that lasts. Throws Error(io).
void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::rename(from, to, failure);
  if (!failure) failure = {sync_directory(to.parent_path()), std::system_category()};
  if (!failure) return;
  throw Error(ErrorCode::io, fmt::format("cannot rename '{}' to '{}': {}", from.string(),
                                         to.filename().string(), failure.message()));
}

// The job that another server left in this folder; nothing where there is none. A folder that holds
// nothing is what is left of one that was killed while it made a job. Throws Error(io) when a job
// cannot be read now, Error(malformed_file) when it is damaged, or from a later version.
std::optional<Job> job_left_in(const fs::path& home) {
  std::error_code failure;
  if (home.filename().string().starts_with(kRemoved)) {
    fs::remove_all(home, failure);
    return std::nullopt;
  }
  remove_temporaries(home);
  const fs::path path = home / kJobFile;
  if (const std::optional<Json> json = load_json_if_any(path, path.string())) {
    Job job = job_from(*json, path.string());
    if (job.id == home.filename()) return job;
    throw Error(ErrorCode::malformed_file,
                fmt::format("{}: it is of another job, '{}'", path.string(), job.id));
  }
  if (fs::remove(home, failure) || failure != std::errc::directory_not_empty) return std::nullopt;
  throw Error(ErrorCode::malformed_file,
              fmt::format("{}: there are files of a job, and no {}", home.string(), kJobFile));
}

}  // namespace

Jobs::Jobs(const Clients& clients, Store& store, JobSettings settings)
    : accounts_(clients), store_(store), settings_(std::move(settings)) {
  for (std::size_t i = 0; i < settings_.workers; ++i) workers_.emplace_back([this] { work(); });
  saver_ = std::jthread([this] { save_ends(); });
}

Jobs::~Jobs() {
  stop();
}

void Jobs::stop() {
  const std::lock_guard lock(guard_);
  stopping_.request_stop();
  for (auto& [name, entry] : entries_) entry.stop.request_stop();
  changed_.notify_all();
}

void Jobs::set_clients(const std::vector<std::string>& clients) {
  const std::lock_guard lock(guard_);
  clients_ = {clients.begin(), clients.end()};
  for (auto& [name, entry] : entries_) {
    if (!clients_.contains(name.first)) entry.stop.request_stop();
  }
  changed_.notify_all();
}

void Jobs::open(const std::string& client) {
  const std::lock_guard lock(guard_);
  if (broken_.contains(client)) return;
  std::vector<Job> jobs;
  std::size_t broken = 0;
  for (const fs::path& home : folders_in(store_.jobs_folder(client))) {
    if (home.filename().string().starts_with(kBroken)) {
      ++broken;
      continue;
    }
    try {
      if (std::optional<Job> job = job_left_in(home)) jobs.push_back(*std::move(job));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::malformed_file) throw;
      put_aside(client, home, error.what());
      ++broken;
    }
  }
  broken_[client] = broken;
  std::ranges::sort(jobs, {}, &Job::created);
  for (Job& job : jobs) {
    if (job.state == JobState::running) job.state = JobState::queued;
    add(client, std::move(job));
  }
}

void Jobs::put_aside(const std::string& client, const fs::path& home,
                     const std::string& reason) const {
  const std::string name = kBroken + home.filename().string();
  fs::path place = home.parent_path() / name;
  for (int other = 2; fs::exists(place); ++other) {
    place.replace_filename(fmt::format("{}-{}", name, other));
  }
  rename_folder(home, place);
  log_event(spdlog::level::err, "job_broken", [&] {
    return Said{{{"client", client}, {"file", place.string()}, {"reason", reason}},
                fmt::format("a job of {} cannot be understood, and is kept in '{}': mend it and "
                            "rename its folder back, or remove it: {}",
                            client, place.string(), reason)};
  });
}

void Jobs::add(const std::string& client, Job job) {
  Entry& entry = entries_[{client, job.id}];
  entry.job = std::move(job);
  entry.number = ++last_number_;
  touch(entry);
}

void Jobs::touch(Entry& entry) {
  entry.version = ++version_;
  changed_.notify_all();
}

fs::path Jobs::folder(const Name& name) const {
  return store_.jobs_folder(name.first) / name.second;
}

void Jobs::save(const Name& name, const Job& job) const {
  save_json(folder(name) / kJobFile, to_json(job));
}

void Jobs::require_room_locked(const std::string& client) const {
  std::size_t kept = 0;
  std::size_t unfinished = 0;
  for (const auto& [name, entry] : entries_) {
    if (name.first != client) continue;
    ++kept;
    if (!is_finished(entry.job.state)) ++unfinished;
  }
  if (unfinished >= accounts_.limits(client).jobs) {
    throw Refusal(
        429, "too_many_jobs",
        fmt::format("{} of your jobs are not finished: wait for one, or cancel one", unfinished));
  }
  if (kept >= settings_.most_kept) {
    throw Refusal(429, "too_many_jobs",
                  fmt::format("{} of your jobs are kept here: remove finished ones", kept));
  }
}

// A new job, whose inputs are there, belong to the key and fit the circuit, and there is space for
// a result of ciphertexts like theirs.
Job Jobs::fitting_job(const std::string& client, const JobRequest& request) const {
  constexpr const char* kSource = "the facts of the circuit";
  static_cast<void>(store_.key_file(client, request.key));
  const Json circuit = store_.circuit_facts(client, request.circuit);
  const Json& words = member_of(circuit, "inputs", kSource);
  if (request.inputs.size() != words.size()) {
    throw Refusal(
        422, "wrong_inputs",
        fmt::format("the circuit takes {} inputs, not {}", words.size(), request.inputs.size()));
  }
  std::uint64_t bytes_of_bit = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CiphertextsEntry input = store_.ciphertexts(client, request.key, request.inputs[i]);
    const std::uint64_t width = number_of(words[i], "width", kSource);
    if (input.bits != width) {
      throw Refusal(422, "wrong_inputs",
                    fmt::format("input {} holds {} bits, and the circuit's '{}' takes {}", i + 1,
                                input.bits, text_of(words[i], "name", kSource), width));
    }
    bytes_of_bit = std::max(bytes_of_bit, input.bytes / input.bits);
  }
  std::uint64_t output_bits = 0;
  for (const Json& word : member_of(circuit, "outputs", kSource)) {
    output_bits += number_of(word, "width", kSource);
  }
  store_.require_room(client, bytes_of_bit * output_bits);
  return {.id = random_name(kIdBytes),
          .request = request,
          .created = now(),
          .output_bits = output_bits,
          .label = text_of(circuit, "label", kSource)};
}

Job Jobs::submit(const std::string& client, const JobRequest& request) {
  const auto one_at_a_time = changing_.lock(client);
  {
    const std::lock_guard lock(guard_);
    require_room_locked(client);
  }
  Job job = fitting_job(client, request);
  const Name name(client, job.id);
  try {
    apps::NewDirectories home;
    home.make(folder(name));
    save(name, job);
    home.keep();
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder(name), ignored);
    throw;
  }
  const std::lock_guard lock(guard_);
  add(client, job);
  return job;
}

Jobs::Entries::iterator Jobs::entry_of(const std::string& client, const std::string& id) {
  const auto entry = entries_.find({client, id});
  if (entry == entries_.end()) throw not_found("such job");
  return entry;
}

Job Jobs::find(const std::string& client, const std::string& id) const {
  const std::lock_guard lock(guard_);
  const auto entry = entries_.find({client, id});
  if (entry == entries_.end()) throw not_found("such job");
  return entry->second.job;
}

fs::path Jobs::result_file(const std::string& client, const std::string& id) const {
  const Job job = find(client, id);
  if (job.state == JobState::done) return folder({client, id}) / kResultFile;
  throw Refusal(409, "no_result",
                fmt::format("the job is {}{}{}", to_string(job.state),
                            job.error.empty() ? "" : ": ", job.error));
}

void Jobs::show(Entries::iterator entry, Job job) {
  entry->second.job = std::move(job);
  touch(entry->second);
}

// Throws Error(io), and nothing has changed.
void Jobs::save_and_show(Entries::iterator entry, Job job) {
  save(entry->first, job);
  show(entry, std::move(job));
}

// A job that runs or waits does so again with the next server, whatever is saved of that.
void Jobs::show_unfinished(Entries::iterator entry, Job job) {
  try {
    save(entry->first, job);
  } catch (const Error& error) {
    log_job(spdlog::level::err, "job_not_saved", entry->first, job.state,
            fmt::format(": {}", error.what()));
  }
  show(entry, std::move(job));
}

void Jobs::finish(Entries::iterator entry, Job job, JobState state) {
  job.state = state;
  job.finished = now();
  entry->second.end = std::move(job);
  save_end(entry);
}

// Until it is saved the job is shown as one that runs: a server that starts after this one would
// not know better.
void Jobs::save_end(Entries::iterator entry) {
  const JobState state = entry->second.end->state;
  try {
    save_and_show(entry, *entry->second.end);
  } catch (const Error& error) {
    Job job = entry->second.job;
    job.fraction = entry->second.end->fraction;
    job.note = fmt::format("it has ended, and is shown as {} when that can be saved: {}",
                           to_string(state), error.what());
    if (job.note == entry->second.job.note) return;
    log_job(spdlog::level::err, "job_not_saved", entry->first, state,
            fmt::format(": {}", job.note));
    return show(entry, std::move(job));
  }
  entry->second.end.reset();
  log_job(spdlog::level::debug, "job_ended", entry->first, state,
          fmt::format(": {}", to_string(state)));
  std::error_code ignored;
  if (state == JobState::failed) return;
  fs::remove(folder(entry->first) / kCheckpointFile, ignored);
}

bool Jobs::has_unsaved_end() const {
  return std::ranges::any_of(entries_,
                             [](const auto& named) { return named.second.end.has_value(); });
}

void Jobs::save_ends() {
  std::unique_lock lock(guard_);
  const auto stops = [&] { return stopping_.stop_requested(); };
  while (!stops()) {
    changed_.wait(lock, [&] { return stops() || has_unsaved_end(); });
    changed_.wait_for(lock, kFirstPause, stops);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->second.end) save_end(entry);
    }
  }
}

Job Jobs::cancel(const std::string& client, const std::string& id) {
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  if (entry->second.job.state == JobState::queued) {
    Job job = entry->second.job;
    job.state = JobState::cancelled;
    job.finished = now();
    save_and_show(entry, std::move(job));
  }
  entry->second.cancelled = true;
  entry->second.stop.request_stop();
  return entry->second.job;
}

Job Jobs::retry(const std::string& client, const std::string& id) {
  const auto one_at_a_time = changing_.lock(client);
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  Job job = entry->second.job;
  if (job.state != JobState::failed) {
    throw Refusal(
        409, "not_failed",
        fmt::format("the job is {}: only failed ones are tried again", to_string(job.state)));
  }
  require_room_locked(client);
  static_cast<void>(work_of(entry->first, job.request));  // what it needs is still there
  job.error.clear();
  job.note.clear();
  job.tries = 0;
  job.finished = 0;
  job.state = JobState::queued;
  save_and_show(entry, std::move(job));
  entry->second.number = ++last_number_;
  return entry->second.job;
}

// Renamed first: of a folder of which half is left nobody could tell what it was.
void Jobs::remove(const std::string& client, const std::string& id) {
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  if (!is_finished(entry->second.job.state)) {
    throw Refusal(409, "not_finished", "the job is not finished: cancel it first");
  }
  const fs::path home = folder(entry->first);
  const fs::path leaving = home.parent_path() / (kRemoved + id);
  if (fs::exists(home)) rename_folder(home, leaving);
  entries_.erase(entry);
  ++version_;
  changed_.notify_all();
  std::error_code ignored;  // the next start removes what is left
  fs::remove_all(leaving, ignored);
}

void Jobs::remove_unused(const std::string& client,
                         const std::function<bool(const JobRequest&)>& needs,
                         const std::function<void()>& action) {
  const auto one_at_a_time = changing_.lock(client);
  {
    const std::lock_guard lock(guard_);
    for (const auto& [name, entry] : entries_) {
      if (name.first == client && !is_finished(entry.job.state) && needs(entry.job.request)) {
        throw Refusal(409, "in_use",
                      fmt::format("job {} needs it: wait for it, or cancel it", name.second));
      }
    }
  }
  action();
}

JobChanges Jobs::wait(const std::string& client, std::uint64_t version,
                      std::chrono::milliseconds most_time) const {
  std::unique_lock lock(guard_);
  changed_.wait_for(lock, most_time,
                    [&] { return version_ > version || stopping_.stop_requested(); });
  JobChanges changes{.version = version_, .changed = {}, .all = {}};
  std::vector<const Entry*> entries;
  for (const auto& [name, entry] : entries_) {
    if (name.first == client) entries.push_back(&entry);
  }
  std::ranges::sort(entries, {}, &Entry::number);
  for (const Entry* const entry : entries) {
    changes.all.push_back(entry->job.id);
    if (entry->version > version) changes.changed.push_back(entry->job);
  }
  return changes;
}

JobCounts Jobs::counts() const {
  const std::lock_guard lock(guard_);
  JobCounts counts;
  for (const auto& [name, entry] : entries_) {
    const bool queued = entry.job.state == JobState::queued;
    if (queued) ++counts.queued;
    if (queued && entry.pause.count() > 0) ++counts.postponed;
    if (entry.job.state == JobState::running) ++counts.running;
    if (entry.end) ++counts.unsaved;
  }
  for (const auto& [client, broken] : broken_) counts.broken += broken;
  return counts;
}

// Of the clients for whom the fewest jobs run, and less than may, the job that waits longest.
Jobs::Entries::iterator Jobs::next_queued() {
  const Clock::time_point time = Clock::now();
  std::map<std::string, std::size_t> running;
  for (const auto& [name, entry] : entries_) {
    if (entry.job.state == JobState::running) ++running[name.first];
  }
  auto best = entries_.end();
  std::pair<std::size_t, std::uint64_t> best_rank;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->second.job.state != JobState::queued || entry->second.next_try > time) continue;
    if (!clients_.contains(entry->first.first)) continue;
    const std::size_t count = running[entry->first.first];
    if (count >= accounts_.limits(entry->first.first).running) continue;
    const std::pair rank(count, entry->second.number);
    if (best == entries_.end() || rank < best_rank) {
      best = entry;
      best_rank = rank;
    }
  }
  return best;
}

// When the next of the jobs that wait for the machine may run.
Jobs::Clock::time_point Jobs::next_try() const {
  const Clock::time_point time = Clock::now();
  Clock::time_point next = time + kLongestPause;
  for (const auto& [name, entry] : entries_) {
    if (entry.next_try > time) next = std::min(next, entry.next_try);
  }
  return next;
}

void Jobs::work() {
  for (;;) {
    std::unique_lock lock(guard_);
    auto entry = next_queued();
    while (entry == entries_.end() && !stopping_.stop_requested()) {
      changed_.wait_until(lock, next_try());
      entry = next_queued();
    }
    if (stopping_.stop_requested()) return;
    Job job = entry->second.job;
    job.fraction = 0;
    job.started = now();
    job.state = JobState::running;
    entry->second.stop = std::stop_source();
    entry->second.cancelled = false;
    show_unfinished(entry, std::move(job));
    const Name name = entry->first;
    const JobRequest request = entry->second.job.request;
    const std::stop_token stop = entry->second.stop.get_token();
    lock.unlock();
    conclude(name, run_process(name, request, stop));
  }
}

std::chrono::seconds Jobs::most_time(const std::string& client) const {
  return std::chrono::seconds(accounts_.limits(client).job_seconds);
}

Work Jobs::work_of(const Name& name, const JobRequest& request) const {
  const auto& [client, id] = name;
  Work work{.key = store_.key_file(client, request.key),
            .circuit = store_.circuit_file(client, request.circuit),
            .inputs = {},
            .result = folder(name) / kResultFile,
            .checkpoint = folder(name) / kCheckpointFile,
            .memory_mib = settings_.memory_mib,
            .threads = settings_.threads,
            .save_seconds = settings_.save_seconds,
            .backend = settings_.backend,
            .limits = limits_of(settings_, most_time(client))};
  for (const std::string& input : request.inputs) {
    work.inputs.push_back(store_.ciphertexts_file(client, request.key, input));
  }
  return work;
}

WorkerEnd Jobs::run_process(const Name& name, const JobRequest& request,
                            const std::stop_token& stop) {
  const auto progress = [&](double fraction) {
    const std::lock_guard lock(guard_);
    Entry& entry = entries_.at(name);
    entry.job.fraction = std::clamp(fraction, 0.0, 1.0);
    touch(entry);
  };
  const auto checkpoint_failed = [&](const std::string& reason) {
    note(name, fmt::format("it goes on, but how far it is could not be saved: {}", reason));
  };
  const auto checkpoint_refused = [&](const std::string& reason) {
    note(name, fmt::format("it began anew: its checkpoint could not be used, and was put aside: {}",
                           reason));
  };
  try {
    WorkerEnd end = run_worker(settings_.program, work_of(name, request), most_time(name.first),
                               stop, {progress, checkpoint_failed, checkpoint_refused});
    remove_temporaries(folder(name));
    return end;
  } catch (...) {
    const Refusal refusal = refusal_of(std::current_exception());
    return {.task = {fate_of(refusal), refusal.code(), refusal.what()}};
  }
}

void Jobs::note(const Name& name, const std::string& text) {
  log_job(spdlog::level::warn, "job_note", name, JobState::running, fmt::format(": {}", text));
  const std::lock_guard lock(guard_);
  Entry& entry = entries_.at(name);
  entry.job.note = text;
  touch(entry);
}

void Jobs::conclude(const Name& name, const WorkerEnd& end) {
  const std::lock_guard lock(guard_);
  judge(entries_.find(name), end);
}

// A job that stops because the server does, or because its client may not compute here any more, is
// queued: it goes on when they are back.
void Jobs::judge(Entries::iterator entry, const WorkerEnd& end) {
  Job job = entry->second.job;
  const bool cancelled = entry->second.cancelled;
  switch (end.task.fate) {
    case TaskFate::done:
      job.fraction = 1;
      job.products = end.products;
      job.recryptions = end.recryptions;
      return finish(entry, std::move(job), JobState::done);
    case TaskFate::stopped:
      if (cancelled) return finish(entry, std::move(job), JobState::cancelled);
      job.state = JobState::queued;
      return show_unfinished(entry, std::move(job));
    case TaskFate::refused:
      return fail(entry, std::move(job), end.task.message);
    case TaskFate::too_long:
      return fail(entry, std::move(job),
                  fmt::format("the job took longer than the {} s that you may have here: "
                              "split the circuit",
                              most_time(entry->first.first).count()));
    case TaskFate::not_now:
      if (cancelled) return finish(entry, std::move(job), JobState::cancelled);
      return postpone(entry, end.task.message);
    case TaskFate::died:
      if (cancelled) return finish(entry, std::move(job), JobState::cancelled);
      return try_again(entry, end.task);
  }
}

// Others that wait come first: what killed it may be over by then.
void Jobs::try_again(Entries::iterator entry, const TaskEnd& end) {
  const std::string reason =
      end.lacked_memory() ? fmt::format("out of memory: {}", end.message) : end.message;
  Job job = entry->second.job;
  ++job.tries;
  if (job.tries >= settings_.most_tries) {
    const std::uint64_t tries = job.tries;
    return fail(entry, std::move(job),
                fmt::format("{}; it was tried {} times: take a smaller circuit or key, or have it "
                            "tried again later",
                            reason, tries));
  }
  job.note = fmt::format("try {} of {} goes on from the last checkpoint: {}", job.tries + 1,
                         settings_.most_tries, reason);
  log_job(spdlog::level::warn, "job_tried_again", entry->first, JobState::queued,
          fmt::format(": {}", job.note));
  entry->second.number = ++last_number_;
  job.state = JobState::queued;
  show_unfinished(entry, std::move(job));
}

// No try is counted: it is not the job's fault.
void Jobs::postpone(Entries::iterator entry, const std::string& reason) {
  std::chrono::seconds& pause = entry->second.pause;
  pause = std::clamp(2 * pause, kFirstPause, kLongestPause);
  entry->second.next_try = Clock::now() + pause;
  Job job = entry->second.job;
  job.note = fmt::format("it waits for the server's machine, and is tried again: {}", reason);
  log_job(spdlog::level::err, "job_postponed", entry->first, JobState::queued,
          fmt::format(" waits for {} s: {}", pause.count(), reason));
  job.state = JobState::queued;
  show_unfinished(entry, std::move(job));
}

void Jobs::fail(Entries::iterator entry, Job job, const std::string& error) {
  job.error = error;
  log_job(spdlog::level::warn, "job_failed", entry->first, JobState::failed,
          fmt::format(" failed: {}", error));
  finish(entry, std::move(job), JobState::failed);
}

}  // namespace fhe::outsource
