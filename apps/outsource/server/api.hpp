// SPDX-License-Identifier: Apache-2.0
// What the server answers to which request (README.md lists it).
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <httplib.h>

#include "apps/outsource/server/failed_logins.hpp"
#include "apps/outsource/server/http_server.hpp"
#include "apps/outsource/server/jobs.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/outsource/server/request_counts.hpp"
#include "apps/outsource/server/store.hpp"
#include "apps/outsource/tokens.hpp"

namespace fhe::outsource {

class Api {
 public:
  // All must outlive it.
  Api(const Clients& clients, Store& store, Jobs& jobs);

  // Makes the server answer. The Api must outlive it.
  void attach(HttpServer& server);

  // Whether a request shows the token of a client.
  [[nodiscard]] bool is_known(const httplib::Request& request) const;

 private:
  // A request of a client that is being answered.
  struct Call {
    const httplib::Request& request;
    httplib::Response& response;
    const httplib::ContentReader* body;  // null: there is none
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

  [[nodiscard]] std::optional<std::string> known_client(const httplib::Request& request) const;
  [[nodiscard]] std::string name_of(const httplib::Request& request) const;
  [[nodiscard]] Json facts_of(const httplib::Request& request, int status) const;
  [[nodiscard]] std::string client_of(const httplib::Request& request) const;
  [[nodiscard]] const Route& route_of(const httplib::Request& request,
                                      std::vector<std::string>& names) const;
  void check(const httplib::Request& request) const;
  void answer(const httplib::Request& request, httplib::Response& response,
              const httplib::ContentReader* body);
  void refuse(const httplib::Request& request, httplib::Response& response,
              const std::exception_ptr& exception);
  void log_refusal(const httplib::Request& request, const Refusal& refusal,
                   const std::string& reason);
  void answer_health(httplib::Response& response) const;
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
  FailedLogins failed_logins_;
  RequestCounts requests_;
};

}  // namespace fhe::outsource
