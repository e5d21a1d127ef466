// SPDX-License-Identifier: Apache-2.0
// A server of apps/outsource among clients who misbehave, bare and over TLS.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCrowd = 200;
constexpr std::size_t kSlow = 5;
constexpr std::size_t kLeaves = 6;

// What each kind of bad client says first.
std::vector<std::string> bad_openings(const Service& service) {
  const std::string bob = service.authorization("bob");
  const std::string post = "POST /v1/keys HTTP/1.1\r\nHost: x\r\n";
  return {
      "",                                                    // says nothing
      "GET / HT",                                            // half a request
      "\x16\x03\x01\x02garbage\r\n\x01\x02\r\n\r\n",         // another protocol
      post + bob + "Content-Length: 1000000000000\r\n\r\n",  // too much
      post + "Authorization: Bearer wrong\r\nContent-Length: 10\r\n\r\n0123456789",
      post + bob + "Content-Length: 100000\r\n\r\n0",  // goes on one byte at a time
      post + bob + "Content-Length: 100000\r\n\r\n" + std::string(1000, 'x'),  // and then leaves
      "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(1 << 20, 'a')};  // a line without an end
}

// Bad clients of all kinds, in a thread of their own, who come back as soon as all were hung up on.
class Crowd {
 public:
  Crowd(const Service& service, Transport transport)
      : openings_(bad_openings(service)), port_(service.port()), transport_(transport) {
    come();
    dripping_ = std::thread([this] { drip(); });
  }
  ~Crowd() {
    over_ = true;
    dripping_.join();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  // Over TLS, one in two of them does not even come to an end of the handshake.
  void come() {
    talks_.clear();
    for (std::size_t i = 0; i < kCrowd && !over_; ++i) {
      const std::size_t kind = i % openings_.size();
      const bool shakes_hands = i / openings_.size() % 2 == 0;
      Talk talk(port_, shakes_hands ? transport_ : Transport::bare);
      talk.say(openings_[kind], false);
      if (kind != kLeaves) talks_.push_back(std::move(talk));
    }
  }

  void drip() {
    constexpr int kRounds = 50;
    for (int round = 1; !over_; ++round) {
      for (const Talk& talk : talks_) talk.say("0", false);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (round % kRounds == 0) come();
    }
  }

  const std::vector<std::string> openings_;
  const int port_;
  const Transport transport_;
  std::vector<Talk> talks_;
  std::atomic<bool> over_ = false;
  std::thread dripping_;
};

void start_for_a_crowd(Service& service) {
  service.start(
      {"--max-connections", "48", "--max-requests", "16", "--patience", "2", "--max-upload", "1"});
}

// Each is answered or hung up on in the end, and leaves nothing.
void check_answers(const Service& service, Transport transport) {
  const std::vector<std::string> openings = bad_openings(service);
  const auto answer = [&](std::size_t kind) {
    return reply_to(service.port(), openings[kind], transport).status;
  };
  CHECK(answer(0) == 0);
  CHECK(answer(1) == 0);
  CHECK(answer(2) == 400);
  CHECK(answer(3) == 413);
  CHECK(answer(4) == 401);
  CHECK(answer(kSlow) == 408);
  CHECK(answer(7) == 400);
  CHECK(fs::is_empty(service.file("data/clients/bob/incoming")));
  CHECK(fs::is_empty(service.file("data/clients/bob/keys")));
}

// A good client's job again and again, for at least so long.
void survive(AddingService& service, Transport transport, std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  {
    const Crowd crowd(service, transport);
    do {
      fs::remove(service.file("sum.fhe"));
      service.check_sum();
      service.forget_jobs();  // of which a server keeps so many and no more
    } while (std::chrono::steady_clock::now() < end);
  }
  CHECK(service.server().running());
  check_answers(service, transport);
  fs::remove(service.file("sum.fhe"));
  service.check_sum();
  CHECK(service.stop(SIGTERM) == 0);
}

void survive_over_tls(std::chrono::seconds time) {
  AddingService service;
  const Authority authority;
  service.show(authority, authority.identity("IP:127.0.0.1"));
  start_for_a_crowd(service);
  survive(service, Transport::tls, time);
}

}  // namespace

TEST_CASE("outsource: survives 200 bad clients while a good one finishes", "[apps][outsource]") {
  AddingService service;
  start_for_a_crowd(service);
  survive(service, Transport::bare, std::chrono::seconds(0));
}

TEST_CASE("outsource: survives 200 bad clients over TLS", "[apps][outsource][tls]") {
  survive_over_tls(std::chrono::seconds(0));
}

TEST_CASE("outsource: survives 200 bad clients over TLS for five minutes",
          "[apps][outsource][tls][long]") {
  survive_over_tls(std::chrono::minutes(5));
}

}  // namespace fhe::test
