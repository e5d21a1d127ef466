// SPDX-License-Identifier: Apache-2.0
// The jobs of all clients: a queue, a few workers, and files from which a restarted server goes on.
//
//   <jobs folder>/<job>/job.json        the job as it is told to clients (messages.hpp)
//   <jobs folder>/<job>/checkpoint.fhe  while it is not done or cancelled
//   <jobs folder>/<job>/result.fhe      when it is done
//   <jobs folder>/broken-<job>/         a job whose files are damaged: kept for people to look at
//
// What is shown of a job was saved before: an end that cannot be saved is shown once it can be.
// What the machine cannot do now (its disk, memory, processes, open files) ends no job: it waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/client_locks.hpp"
#include "apps/outsource/server/store.hpp"
#include "apps/outsource/server/worker.hpp"
#include "apps/outsource/tokens.hpp"

namespace fhe::outsource {

struct JobSettings {
  std::filesystem::path program = {};    // that runs as worker
  std::size_t workers = 1;               // jobs that run at the same time
  std::size_t most_kept = 256;           // of one client, finished ones included
  std::uint64_t memory_mib = 0;          // for the ciphertexts of a job; 0: no limit
  std::size_t threads = 0;               // of a job; 0: all of the machine
  std::uint64_t save_seconds = 20;       // between two checkpoints of a job
  std::uint64_t most_tries = 3;          // of a job whose process dies
  std::uint64_t process_memory_mib = 0;  // address space of a job's process; 0: no limit
  std::string backend = {};
};

// What changed among the jobs of a client.
struct JobChanges {
  std::uint64_t version = 0;     // ask for what changes after it
  std::vector<Job> changed;      // in the order of their submission
  std::vector<std::string> all;  // ids of all jobs that are there
};

struct JobCounts {
  std::size_t queued = 0;
  std::size_t running = 0;
  std::size_t postponed = 0;  // of those queued: what the machine could not do when they were tried
  std::size_t unsaved = 0;    // of those running: they have ended, which cannot be saved yet
  std::size_t broken = 0;     // folders of damaged jobs, which are none of the above
};

// Any number of threads.
class Jobs {
 public:
  // The clients, who say how much each may have, and the store must outlive the jobs.
  Jobs(const Clients& clients, Store& store, JobSettings settings);
  // Stops the workers at their checkpoints.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Takes up what is in the folder of a client, which is open in the store: jobs that were not
  // finished are queued again, damaged ones are put aside. Later calls do nothing. Throws Error(io)
  // when a job cannot be read now; then none of them is taken up, and nothing is lost.
  void open(const std::string& client);

  // From now on works for these clients, of whom all were opened. Jobs of clients that are not
  // among them any more stop, and wait until they are again.
  void set_clients(const std::vector<std::string>& clients);

  // Queues a job. Throws Refusal: 404 for what is not there, 409 for ciphertexts of another key,
  // 422 for inputs that do not fit the circuit, 429 for too many jobs, 507 for want of space.
  Job submit(const std::string& client, const JobRequest& request);

  // These throw Refusal(404) for what is no job of this client.
  [[nodiscard]] Job find(const std::string& client, const std::string& id) const;
  [[nodiscard]] std::filesystem::path result_file(const std::string& client,
                                                  const std::string& id) const;
  // Ends a job, in a moment if it is running.
  Job cancel(const std::string& client, const std::string& id);
  // Queues a failed job again; it goes on from its last checkpoint. Refusal(409) for another.
  Job retry(const std::string& client, const std::string& id);
  // Forgets a finished job and its result. Refusal(409) for another.
  void remove(const std::string& client, const std::string& id);

  // Does `action`, which removes something, when no unfinished job of the client needs it; no job
  // is submitted meanwhile. Refusal(409) otherwise.
  void remove_unused(const std::string& client, const std::function<bool(const JobRequest&)>& needs,
                     const std::function<void()>& action);

  // What changed after `version` (0: everything), at once or when something does; nothing after the
  // time is over, or when the server stops.
  [[nodiscard]] JobChanges wait(const std::string& client, std::uint64_t version,
                                std::chrono::milliseconds most_time) const;

  [[nodiscard]] JobCounts counts() const;

  // Lets everything that waits return, and starts no more jobs.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  using Name = std::pair<std::string, std::string>;  // client and job
  struct Entry {
    Job job;
    std::uint64_t number = 0;       // in the order of submission
    std::uint64_t version = 0;      // when it changed last
    std::stop_source stop;          // of its process
    bool cancelled = false;         // by its client
    std::chrono::seconds pause{0};  // after the last thing that the machine could not do
    Clock::time_point next_try;     // it does not run before
    std::optional<Job> end;         // that is still to be saved, and then shown
  };
  using Entries = std::map<Name, Entry>;

  void put_aside(const std::string& client, const std::filesystem::path& home,
                 const std::string& reason) const;
  void add(const std::string& client, Job job);
  void require_room_locked(const std::string& client) const;
  [[nodiscard]] Job fitting_job(const std::string& client, const JobRequest& request) const;
  void touch(Entry& entry);
  void save(const Name& name, const Job& job) const;
  void show(Entries::iterator entry, Job job);
  void save_and_show(Entries::iterator entry, Job job);
  void show_unfinished(Entries::iterator entry, Job job);
  void finish(Entries::iterator entry, Job job, JobState state);
  void save_end(Entries::iterator entry);
  void save_ends();
  [[nodiscard]] bool has_unsaved_end() const;
  [[nodiscard]] Entries::iterator entry_of(const std::string& client, const std::string& id);
  [[nodiscard]] Entries::iterator next_queued();
  [[nodiscard]] Clock::time_point next_try() const;
  [[nodiscard]] std::filesystem::path folder(const Name& name) const;
  [[nodiscard]] std::chrono::seconds most_time(const std::string& client) const;
  [[nodiscard]] Work work_of(const Name& name, const JobRequest& request) const;
  void work();
  [[nodiscard]] WorkerEnd run_process(const Name& name, const JobRequest& request,
                                      const std::stop_token& stop);
  void note(const Name& name, const std::string& text);
  void conclude(const Name& name, const WorkerEnd& end);
  void judge(Entries::iterator entry, const WorkerEnd& end);
  void try_again(Entries::iterator entry, const TaskEnd& end);
  void postpone(Entries::iterator entry, const std::string& reason);
  void fail(Entries::iterator entry, Job job, const std::string& error);

  const Clients& accounts_;
  Store& store_;
  const JobSettings settings_;
  ClientLocks changing_;  // held while a job is submitted, or what it could need is removed
  mutable std::mutex guard_;
  mutable std::condition_variable changed_;
  Entries entries_;
  std::set<std::string> clients_;              // for whom jobs run
  std::map<std::string, std::size_t> broken_;  // damaged jobs, by client whose folder is open
  std::uint64_t last_number_ = 0;
  std::uint64_t version_ = 0;
  std::stop_source stopping_;
  std::vector<std::jthread> workers_;
  std::jthread saver_;  // of ends that could not be saved at once
};

}  // namespace fhe::outsource
