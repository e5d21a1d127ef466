// SPDX-License-Identifier: Apache-2.0
// What the server answers to which request (README.md lists it).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/outsource/client_limits.hpp"
#include "apps/outsource/http.hpp"
#include "apps/outsource/server/jobs.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/outsource/server/store.hpp"
#include "apps/outsource/tokens.hpp"

namespace fhe::outsource {

// Requests that showed no valid token: counted, and logged so that nobody can fill the log by them.
//
// Any number of threads.
class FailedLogins {
 public:
  // Counts one; logs the first, and then how many there were since, every ten seconds at most.
  void add(const std::string& address);

  // Since the server started.
  [[nodiscard]] std::uint64_t count() const;

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex guard_;
  std::uint64_t count_ = 0;
  std::uint64_t logged_ = 0;
  Clock::time_point logged_at_;
};

// The requests of each client: how many are being answered, and how fast they come.
//
// Any number of threads.
class RequestCounts {
 public:
  // A request, which is being answered until what this returns is dropped; the counts must outlive
  // it. Throws Refusal(429) when there are as many already as the client may have, or as many came
  // within the last minute.
  [[nodiscard]] std::shared_ptr<void> add(const std::string& client, const ClientLimits& limits);

 private:
  using Clock = std::chrono::steady_clock;
  struct Account {
    std::uint64_t answered = 0;  // at this time
    // When all that came would have come, had it come evenly: whoever is at most a minute ahead of
    // time may ask (the generic cell rate algorithm, ITU-T I.371).
    Clock::time_point even = {};
  };

  static void require_pace(Account& account, std::uint64_t rate);

  std::mutex guard_;
  std::map<std::string, Account> accounts_;
};

// Any number of threads.
class Api {
 public:
  // All must outlive it.
  Api(const Clients& clients, Store& store, Jobs& jobs);

  // Whether a request shows the token of a client.
  [[nodiscard]] bool is_known(const Request& request) const;

  // The answer to a request.
  [[nodiscard]] Response answer(const Request& request, RequestBody& body);

  // The answer to what is no request for this reason; `request` has its id and address alone.
  [[nodiscard]] Response refuse_head(const Request& request, const std::string& reason);

  // When the certificate that the server shows expires, for its health. Any thread.
  void show_certificate_end(std::chrono::system_clock::time_point end) { certificate_end_ = end; }

  // Logs that a request was answered, if all shall be logged.
  void log_request(const Request& request, int status) const;

 private:
  // A request of a client that is being answered.
  struct Call {
    const Request& request;
    Response& response;
    RequestBody& body;
    std::string client;
    std::vector<std::string> names;  // what the stars of the route stand for
    std::shared_ptr<void> slot;      // one of the client's requests, until this is dropped
  };
  struct Route {
    std::string method;
    std::vector<std::string> pattern;  // parts of a path; "*" stands for any one
    std::uint64_t most_bytes;          // of the body; 0: there is none
    void (Api::*answer)(Call&);
  };

  [[nodiscard]] std::optional<std::string> known_client(const Request& request) const;
  [[nodiscard]] std::string name_of(const Request& request) const;
  [[nodiscard]] Json facts_of(const Request& request, int status) const;
  [[nodiscard]] std::string client_of(const Request& request) const;
  [[nodiscard]] const Route& route_of(const Request& request,
                                      std::vector<std::string>& names) const;
  void check(const Request& request) const;
  void answer_client(const Request& request, Response& response, RequestBody& body);
  [[nodiscard]] bool answer_anybody(const Request& request, Response& response) const;
  void refuse(const Request& request, Response& response, const std::exception_ptr& exception);
  void log_refusal(const Request& request, const Refusal& refusal, const std::string& reason);
  void answer_health(Response& response) const;
  static void receive(Call& call, const std::function<void(std::span<const std::byte>)>& take);
  static void receive(Call& call, Upload& upload);

  void server_facts(Call& call);
  void list_keys(Call& call);
  void add_key(Call& call);
  void remove_key(Call& call);
  void add_ciphertexts(Call& call);
  void remove_ciphertexts(Call& call);
  void list_circuits(Call& call);
  void circuit_facts(Call& call);
  void add_circuit(Call& call);
  void remove_circuit(Call& call);
  void list_jobs(Call& call);
  void submit_job(Call& call);
  void job_facts(Call& call);
  void remove_job(Call& call);
  void cancel_job(Call& call);
  void retry_job(Call& call);
  void send_result(Call& call);
  void send_events(Call& call);

  const Clients& clients_;
  Store& store_;
  Jobs& jobs_;
  const std::vector<Route> routes_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::chrono::system_clock::time_point> certificate_end_{};  // 1970: there is none
  FailedLogins failed_logins_;
  RequestCounts requests_;
};

}  // namespace fhe::outsource
