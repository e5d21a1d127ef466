// SPDX-License-Identifier: Apache-2.0
// Several readers at one port: every answer comes to its client, and none waits for long.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ReadArbiter.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Answers;
using fhe::test::set_limb;
using fhe::test::Simulation;
using fhe::test::Sink;
using fhe::test::takes_part;
using fhe::test::Words;

// As in a device.
constexpr std::size_t kClients = 5;
constexpr std::size_t kLooksItself = 4;  // the client whose failures nobody is told of
constexpr std::size_t kDepth = 64;

struct Client {
  std::deque<std::uint64_t> wanted;  // addresses to ask for
  std::deque<std::uint64_t> asked;   // of which the answer is missing
  bool offered = false;
  std::size_t answered = 0;
};

struct Bench {
  explicit Bench(std::uint64_t latency) : answers(latency) {
    model->clear = 0;
    model->power_reset = 1;
    idle_inputs();
    model.reset();
    model->power_reset = 0;
  }

  void idle_inputs() {
    model->client_read_valid = 0;
    model->response_valid = model->response_error = model->read_ready = 0;
  }

  void step(Words* stalls) {
    drive_clients(stalls);
    const auto answer = answers.next();
    model->response_valid = answer.has_value();
    model->response_error = !answer || *answer == bad_address;  // looked at only if valid
    requests.drive(stalls);
    model.settle();
    look_at_clients(answer);
    look_at_requests(stalls);
    model.clock();
    ++clocks;
    CHECK(model->outstanding == answers.under_way());
    CHECK(answers.under_way() <= kDepth);
  }

  void want(std::size_t client, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) clients[client].wanted.push_back(64 * next_address++);
  }

  [[nodiscard]] bool finished() const {
    for (const Client& client : clients) {
      if (!client.wanted.empty() || !client.asked.empty()) return false;
    }
    return true;
  }

  void finish(Words* stalls) {
    const std::size_t limit = clocks + 100000;
    while (!finished()) {
      if (clocks > limit) FAIL("no end");
      step(stalls);
    }
  }

  Simulation<ReadArbiter> model;
  Answers answers;
  std::array<Client, kClients> clients;
  Sink<QData> requests{model->read_valid, model->read_ready, model->read_address};
  std::vector<std::size_t> served;  // the clients in the order of their requests
  std::uint64_t next_address = 1000;
  std::uint64_t bad_address = 1;  // reading here fails
  std::size_t clocks = 0;

 private:
  void drive_clients(Words* stalls) {
    CData valid = 0;
    for (std::size_t i = 0; i < kClients; ++i) {
      Client& client = clients[i];
      client.offered = !client.wanted.empty() && (client.offered || takes_part(stalls));
      const std::uint64_t address = client.offered ? client.wanted.front() : ~std::uint64_t{0};
      model->client_read_address[2 * i] = static_cast<EData>(address);
      model->client_read_address[2 * i + 1] = static_cast<EData>(address >> 32);
      valid = static_cast<CData>(valid | client.offered << i);
    }
    model->client_read_valid = valid;
  }

  void look_at_clients(const std::optional<std::uint64_t>& answer) {
    CHECK((model->client_read_ready & (model->client_read_ready - 1)) == 0);
    for (std::size_t i = 0; i < kClients; ++i) {
      Client& client = clients[i];
      if (model->client_response_valid >> i & 1) {
        REQUIRE(answer.has_value());
        REQUIRE_FALSE(client.asked.empty());
        CHECK(client.asked.front() == *answer);
        client.asked.pop_front();
        ++client.answered;
      }
      if (client.offered && (model->client_read_ready >> i & 1)) {
        client.asked.push_back(client.wanted.front());
        client.wanted.pop_front();
        client.offered = false;
        served.push_back(i);
      }
    }
  }

  void look_at_requests(Words* stalls) {
    const std::size_t before = requests.words().size();
    requests.look();
    if (requests.words().size() != before) answers.ask(requests.words().back()[0], stalls);
  }
};

}  // namespace

TEST_CASE("rtl read_arbiter: answers come to those who asked", "[rtl]") {
  Words stalls(230);
  for (const std::uint64_t latency : {1U, 7U, 90U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      INFO("latency " << latency << (will == nullptr ? "" : ", with stalls"));
      Bench bench(latency);
      bench.want(0, 300);
      bench.want(1, 100);
      bench.want(2, 10);
      bench.finish(will);
      CHECK(bench.clients[0].answered == 300);
      CHECK(bench.clients[1].answered == 100);
      CHECK(bench.clients[2].answered == 10);
      CHECK(bench.model->error == 0);
      CHECK(bench.model->outstanding == 0);
    }
  }
}

TEST_CASE("rtl read_arbiter: one request a clock, of every client in turn", "[rtl]") {
  constexpr std::size_t kEach = 100;
  for (std::size_t busy = 1; busy < 1U << kClients; ++busy) {  // one bit a client
    INFO("clients " << busy);
    Bench bench(10);
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < kClients; ++i) {
      if ((busy >> i & 1) == 0) continue;
      turns.push_back(i);
      bench.want(i, kEach);
    }
    bench.finish(nullptr);
    CHECK(bench.clocks == turns.size() * kEach + 1 + 10);
    for (std::size_t i = 0; i < bench.served.size(); ++i) {
      CHECK(bench.served[i] == turns[i % turns.size()]);
    }
  }
}

TEST_CASE("rtl read_arbiter: the first failed address is kept until cleared", "[rtl]") {
  Bench bench(4);
  bench.want(1, 10);
  bench.bad_address = bench.clients[1].wanted[6];
  bench.finish(nullptr);
  CHECK(bench.model->error == 1);
  CHECK(bench.model->error_address == bench.bad_address);
  const std::uint64_t first = bench.bad_address;
  bench.want(0, 5);
  bench.bad_address = bench.clients[0].wanted[0];
  bench.finish(nullptr);
  CHECK(bench.model->error_address == first);
  bench.model->clear = 1;
  bench.step(nullptr);
  bench.model->clear = 0;
  CHECK(bench.model->error == 0);
  bench.want(0, 5);
  bench.bad_address = bench.clients[0].wanted[4];
  bench.finish(nullptr);
  CHECK(bench.model->error == 1);
  CHECK(bench.model->error_address == bench.bad_address);
}

TEST_CASE("rtl read_arbiter: a failure is not told of a client that looks at it itself", "[rtl]") {
  Bench bench(4);
  bench.want(kLooksItself, 10);
  bench.bad_address = bench.clients[kLooksItself].wanted[6];
  bench.finish(nullptr);
  CHECK(bench.model->error == 0);
  bench.want(1, 1);
  bench.bad_address = bench.clients[1].wanted[0];
  bench.finish(nullptr);
  CHECK(bench.model->error == 1);
  CHECK(bench.model->error_address == bench.bad_address);
}

TEST_CASE("rtl read_arbiter: a reset forgets requests and counts what is under way", "[rtl]") {
  Words stalls(231);
  for (int clocks = 1; clocks < 60; clocks += 3) {
    Bench bench(20);
    for (std::size_t i = 0; i < kClients; ++i) bench.want(i, 40);
    bench.bad_address = bench.clients[0].wanted[0];
    for (int i = 0; i < clocks; ++i) bench.step(&stalls);
    bench.model->reset = 1;
    bench.step(nullptr);  // the request that is shown may still be taken
    bench.clients = {};
    bench.requests.forget();
    for (int i = 0; bench.model->outstanding != 0; ++i) {
      if (i > 1000) FAIL("no end");
      bench.step(nullptr);
      CHECK(bench.model->read_valid == 0);
    }
    bench.model->reset = 0;
    CHECK(bench.model->error == 0);
    bench.want(0, 5);
    bench.want(2, 5);
    bench.finish(nullptr);
    CHECK(bench.clients[0].answered == 5);
    CHECK(bench.clients[2].answered == 5);
  }
}

TEST_CASE("rtl read_arbiter: nothing is under way after a reset of the power", "[rtl]") {
  Bench bench(50);
  bench.want(0, 9);
  for (int i = 0; i < 20; ++i) bench.step(nullptr);
  CHECK(bench.model->outstanding == 9);
  bench.idle_inputs();
  bench.model.reset();
  CHECK(bench.model->outstanding == 9);
  bench.model->power_reset = 1;
  bench.model.reset();
  CHECK(bench.model->outstanding == 0);
}
