// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/jobs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apps/outsource/server/json_file.hpp"
#include "apps/outsource/server/log.hpp"
#include "apps/outsource/server/random_name.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/support/new_directories.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

// In the folder of a job.
constexpr const char* kJobFile = "job.json";
constexpr const char* kCheckpointFile = "checkpoint.fhe";
constexpr const char* kResultFile = "result.fhe";

constexpr std::size_t kIdBytes = 8;

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

}  // namespace

Jobs::Jobs(const Clients& clients, Store& store, JobSettings settings)
    : accounts_(clients), store_(store), settings_(std::move(settings)) {
  for (std::size_t i = 0; i < settings_.workers; ++i) workers_.emplace_back([this] { work(); });
}

Jobs::~Jobs() {
  stop();
}

void Jobs::stop() {
  const std::lock_guard lock(guard_);
  stopping_.request_stop();
  for (auto& [name, entry] : entries_) entry.cancelled.request_stop();
  changed_.notify_all();
}

void Jobs::set_clients(const std::vector<std::string>& clients) {
  const std::lock_guard lock(guard_);
  clients_ = {clients.begin(), clients.end()};
  for (const std::string& client : clients) {
    if (loaded_.insert(client).second) load(client);
  }
  for (auto& [name, entry] : entries_) {
    if (!clients_.contains(name.first)) entry.cancelled.request_stop();
  }
  changed_.notify_all();
}

// A folder without a readable job is what a server left that was killed while it made or removed
// one.
void Jobs::load(const std::string& client) {
  std::vector<Job> jobs;
  for (const fs::directory_entry& home : fs::directory_iterator(store_.jobs_folder(client))) {
    const fs::path path = home.path() / kJobFile;
    try {
      remove_temporaries(home.path());
      jobs.push_back(job_from(load_json(path, path.string()), path.string()));
      if (jobs.back().id != home.path().filename()) jobs.pop_back();
    } catch (const Error& error) {
      log_event(spdlog::level::warn, "job_removed", [&] {
        return Said{{{"client", client}, {"reason", error.what()}},
                    fmt::format("a broken job is removed: {}", error.what())};
      });
      std::error_code ignored;
      fs::remove_all(home.path(), ignored);
    }
  }
  std::ranges::sort(jobs, {}, &Job::created);
  for (Job& job : jobs) {
    if (job.state == JobState::running) job.state = JobState::queued;
    add(client, std::move(job));
  }
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

// A change that cannot be saved is repeated by the server that finds the job as it was.
void Jobs::change_state(Entries::iterator entry, JobState state) {
  Job& job = entry->second.job;
  job.state = state;
  if (state == JobState::running) job.started = now();
  if (is_finished(state)) job.finished = now();
  try {
    save(entry->first, job);
  } catch (const Error& error) {
    log_job(spdlog::level::err, "job_not_saved", entry->first, job.state,
            fmt::format(": {}", error.what()));
  }
  touch(entry->second);
}

Job Jobs::cancel(const std::string& client, const std::string& id) {
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  if (entry->second.job.state == JobState::queued) change_state(entry, JobState::cancelled);
  entry->second.cancelled.request_stop();
  return entry->second.job;
}

Job Jobs::retry(const std::string& client, const std::string& id) {
  const auto one_at_a_time = changing_.lock(client);
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  Job& job = entry->second.job;
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
  entry->second.number = ++last_number_;
  change_state(entry, JobState::queued);
  return job;
}

void Jobs::remove(const std::string& client, const std::string& id) {
  const std::lock_guard lock(guard_);
  const auto entry = entry_of(client, id);
  if (!is_finished(entry->second.job.state)) {
    throw Refusal(409, "not_finished", "the job is not finished: cancel it first");
  }
  fs::remove_all(folder(entry->first));
  entries_.erase(entry);
  ++version_;
  changed_.notify_all();
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
    if (entry.job.state == JobState::queued) ++counts.queued;
    if (entry.job.state == JobState::running) ++counts.running;
  }
  return counts;
}

// Of the clients for whom the fewest jobs run, and less than may, the job that waits longest.
Jobs::Entries::iterator Jobs::next_queued() {
  std::map<std::string, std::size_t> running;
  for (const auto& [name, entry] : entries_) {
    if (entry.job.state == JobState::running) ++running[name.first];
  }
  auto best = entries_.end();
  std::pair<std::size_t, std::uint64_t> best_rank;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->second.job.state != JobState::queued) continue;
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

void Jobs::work() {
  for (;;) {
    std::unique_lock lock(guard_);
    auto entry = entries_.end();
    changed_.wait(lock, [&] {
      entry = next_queued();
      return entry != entries_.end() || stopping_.stop_requested();
    });
    if (stopping_.stop_requested()) return;
    entry->second.job.fraction = 0;
    entry->second.cancelled = std::stop_source();
    change_state(entry, JobState::running);
    const Name name = entry->first;
    const JobRequest request = entry->second.job.request;
    const std::stop_token stop = entry->second.cancelled.get_token();
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
  try {
    WorkerEnd end = run_worker(settings_.program, work_of(name, request), most_time(name.first),
                               stop, {progress, checkpoint_failed});
    remove_temporaries(folder(name));
    return end;
  } catch (...) {
    const Refusal refusal = refusal_of(std::current_exception());
    return {.task = {TaskFate::refused, refusal.code(), refusal.what()}};
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
  const auto entry = entries_.find(name);
  judge(entry, end);
  const JobState state = entry->second.job.state;
  log_job(spdlog::level::debug, "job_ended", name, state, fmt::format(": {}", to_string(state)));
  std::error_code ignored;
  if (state == JobState::done || state == JobState::cancelled) {
    fs::remove(folder(name) / kCheckpointFile, ignored);
  }
}

// A job that stops because the server does, or because its client may not compute here any more, is
// queued: it goes on when they are back.
void Jobs::judge(Entries::iterator entry, const WorkerEnd& end) {
  Job& job = entry->second.job;
  const bool goes_on = stopping_.stop_requested() || !clients_.contains(entry->first.first);
  const bool cancelled = entry->second.cancelled.stop_requested();
  switch (end.task.fate) {
    case TaskFate::done:
      job.fraction = 1;
      job.products = end.products;
      job.recryptions = end.recryptions;
      return change_state(entry, JobState::done);
    case TaskFate::stopped:
      return change_state(entry, goes_on ? JobState::queued : JobState::cancelled);
    case TaskFate::refused:
      return fail(entry, end.task.message);
    case TaskFate::too_long:
      return fail(entry, fmt::format("the job took longer than the {} s that you may have here: "
                                     "split the circuit",
                                     most_time(entry->first.first).count()));
    case TaskFate::died:
      if (cancelled && !goes_on) return change_state(entry, JobState::cancelled);
      return try_again(entry, end.task);
  }
}

// Others that wait come first: what killed it may be over by then.
void Jobs::try_again(Entries::iterator entry, const TaskEnd& end) {
  const std::string reason =
      end.lacked_memory() ? fmt::format("out of memory: {}", end.message) : end.message;
  Job& job = entry->second.job;
  ++job.tries;
  if (job.tries >= settings_.most_tries) {
    return fail(entry, fmt::format("{}; it was tried {} times: take a smaller circuit or key, or "
                                   "have it tried again later",
                                   reason, job.tries));
  }
  job.note = fmt::format("try {} of {} goes on from the last checkpoint: {}", job.tries + 1,
                         settings_.most_tries, reason);
  log_job(spdlog::level::warn, "job_tried_again", entry->first, JobState::queued,
          fmt::format(": {}", job.note));
  entry->second.number = ++last_number_;
  change_state(entry, JobState::queued);
}

void Jobs::fail(Entries::iterator entry, const std::string& error) {
  Job& job = entry->second.job;
  job.error = error;
  log_job(spdlog::level::warn, "job_failed", entry->first, JobState::failed,
          fmt::format(" failed: {}", error));
  change_state(entry, JobState::failed);
}

}  // namespace fhe::outsource
