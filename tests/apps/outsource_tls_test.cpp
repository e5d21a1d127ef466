// SPDX-License-Identifier: Apache-2.0
// apps/outsource over TLS: whom clients trust, and what a server starts with.
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/apps/outsource_service.hpp"

namespace fhe::test {

namespace {

namespace fs = std::filesystem;

// A service that shows a certificate for its address.
class TlsService : public AddingService {
 public:
  TlsService() { show(authority_, authority_.identity("IP:127.0.0.1")); }

  [[nodiscard]] const Authority& authority() const { return authority_; }

  // A client's list of jobs fails, and the reason holds `part`.
  void check_distrust(const std::string& part) const { check_refusal(client({"jobs"}), part); }

  static void check_refusal(const Outcome& outcome, const std::string& part, int exit_code = kIo) {
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("fhe-outsource: error: "));
    CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring(part));
  }

  // A client of this address, which trusts whom it is told to.
  [[nodiscard]] Outcome jobs_of(const std::string& url, const Arguments& trust = {}) const {
    Arguments arguments{"jobs", "--url", url, "--token-file", "alice.token"};
    arguments.insert(arguments.end(), trust.begin(), trust.end());
    return run_outsource(*this, arguments);
  }

 private:
  const Authority authority_;
};

}  // namespace

TEST_CASE("outsource: a job over TLS", "[apps][outsource][tls]") {
  TlsService service;
  service.start();
  CHECK_THAT(service.read("listening"), Catch::Matchers::StartsWith("listening on https://"));
  service.check_sum();
  CHECK(service.expect(200, "GET", "/v1/jobs").at("jobs").size() == 1);

  const std::string url = url_of(service.port(), Transport::tls);
  TlsService::check_refusal(service.jobs_of(url), "TLS failed: unable to get local issuer");
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: clients trust one authority, one host, and no end",
          "[apps][outsource][tls]") {
  TlsService service;
  service.show(service.authority(), service.authority().identity("DNS:example.org"));
  service.start();
  service.check_distrust("IP address mismatch");
  CHECK(service.stop(SIGTERM) == 0);

  service.show(service.authority(), service.authority().identity("IP:127.0.0.1", -60));
  service.start();
  service.check_distrust("certificate has expired");
  CHECK(service.stop(SIGTERM) == 0);

  service.show(Authority(), service.authority().identity("IP:127.0.0.1"));
  service.start();
  service.check_distrust("TLS failed: ");
  CHECK(service.stop(SIGTERM) == 0);

  // A name is one, too.
  service.show(service.authority(), service.authority().identity("DNS:localhost"));
  service.start();
  const Arguments trust{"--authority", "authority.pem"};
  const std::string port = std::to_string(service.port());
  CHECK(service.jobs_of("https://localhost:" + port, trust).exit_code == 0);
  TlsService::check_refusal(service.jobs_of("http://localhost:" + port, trust), "is for https",
                            kUsage);
  service.write("garbage.pem", "garbage\n");
  TlsService::check_refusal(
      service.jobs_of("https://localhost:" + port, {"--authority", "garbage.pem"}),
      "holds no certificate", kBadFile);
  TlsService::check_refusal(service.jobs_of("https://localhost:" + port, {"--authority", "none"}),
                            "cannot read", kIo);
}

TEST_CASE("outsource: who speaks HTTP where TLS is expected is told so", "[apps][outsource][tls]") {
  TlsService service;
  service.start();
  for (const std::string request :
       {"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /v1/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"}) {
    const Reply reply = reply_to(service.port(), request);
    CHECK(reply.status == 400);
    CHECK_THAT(reply.body, Catch::Matchers::ContainsSubstring("https://"));
    CHECK(nlohmann::json::parse(reply.body).at("error").at("code") == "tls_required");
  }
  // What is neither gets no answer in the clear.
  CHECK(reply_to(service.port(), "garbage that is long enough\r\n\r\n").status == 0);
  const Outcome outcome = run_outsource(
      service, {"jobs", "--url", url_of(service.port()), "--token-file", "alice.token"});
  CHECK(outcome.exit_code == kFailure);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("this port speaks TLS"));
  service.check_sum();
}

TEST_CASE("outsource: a server without TLS is none to who wants it", "[apps][outsource][tls]") {
  AddingService service;
  service.start();
  service.write("authority.pem", Authority().certificate());
  const Outcome outcome =
      run_outsource(service, {"jobs", "--url", url_of(service.port(), Transport::tls),
                              "--token-file", "alice.token", "--authority", "authority.pem"});
  CHECK(outcome.exit_code == kIo);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("TLS failed: "));
}

TEST_CASE("outsource: a certificate is replaced without a restart", "[apps][outsource][tls]") {
  TlsService service;
  service.start();
  service.check_sum();
  const Authority next("Another authority");
  service.show(next, next.identity("IP:127.0.0.1"));
  service.check_distrust("TLS failed: ");
  service.server().send(SIGHUP);
  eventually([&] { return service.client({"jobs"}).exit_code == 0; });

  // One that is none changes nothing.
  service.write("certificate.pem", "garbage\n");
  service.server().send(SIGHUP);
  eventually(
      [&] { return service.server().error_output().find("stays as it was") != std::string::npos; });
  CHECK(service.client({"jobs"}).exit_code == 0);
  CHECK(service.stop(SIGTERM) == 0);
}

TEST_CASE("outsource: servers do not start on certificates that are wrong",
          "[apps][outsource][tls]") {
  TlsService service;
  const auto fails = [&](const Arguments& options, int exit_code, const std::string& part) {
    Arguments arguments{"serve", "--port", "0", "--data", "d", "--token-file", "tokens"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    TlsService::check_refusal(run_outsource(service, arguments), part, exit_code);
  };
  const Arguments key{"--certificate-key", "certificate.key"};
  const auto with = [&](const std::string& certificate, const std::string& its_key) {
    return Arguments{"--certificate", certificate, "--certificate-key", its_key};
  };
  fails({"--certificate", "certificate.pem"}, kUsage, "both");
  fails(key, kUsage, "both");
  fails(with("none", "certificate.key"), kIo, "cannot read the certificate");
  fails(with("certificate.pem", "none"), kIo, "cannot read the key");
  fails(with("tokens", "certificate.key"), kBadFile, "holds no certificate");
  fails(with("certificate.pem", "tokens"), kBadFile, "holds no private key");
  service.write("other.key", service.authority().identity("DNS:other").key);
  fs::permissions(service.file("other.key"), fs::perms::owner_read);
  fails(with("certificate.pem", "other.key"), kUsage, "is not that of the certificate");
  fs::permissions(service.file("certificate.key"), fs::perms::group_read, fs::perm_options::add);
  fails(with("certificate.pem", "certificate.key"), kUsage, "chmod 600");
}

}  // namespace fhe::test
