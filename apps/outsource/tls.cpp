// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include "apps/outsource/connection.hpp"
#include "apps/outsource/input_file.hpp"
#include "apps/outsource/private_file.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

// The newest reason in this thread's queue of errors, which it empties.
std::string reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "no reason is known" : text;
}

void require_readable(const fs::path& file, const char* what) {
  if (InputFile::open(file)) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot read the {} '{}': there is no such file", what, file.string()));
}

// Of a file that OpenSSL does not take: the system may be why, and the file sound.
Error unusable(const fs::path& file, const char* what) {
  const bool is_system = ERR_SYSTEM_ERROR(ERR_peek_error());
  return {is_system ? ErrorCode::io : ErrorCode::malformed_file,
          fmt::format("{} '{}' {}: {}", is_system ? "cannot read" : "the file", file.string(),
                      is_system ? "now" : fmt::format("holds no {}", what), reason())};
}

std::int64_t seconds_until(const ASN1_TIME* time) {
  constexpr std::int64_t kDay = 24 * 60 * 60;
  int days = 0;
  int seconds = 0;
  return ASN1_TIME_diff(&days, &seconds, nullptr, time) == 1 ? days * kDay + seconds : 0;
}

// OpenSSL would ask the terminal for one.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// The certificate must be for this host; a server of many hosts is told which one is meant.
bool expect_host(SSL* session, const std::string& host) {
  if (is_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
  }
  return SSL_set1_host(session, host.c_str()) == 1 &&
         SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(host.c_str())) == 1;  // SSL_set_tlsext_host_name, a macro
}

}  // namespace

Tls::Settings Tls::new_settings(const SSL_METHOD* method) {
  ERR_clear_error();
  Settings settings(OPENSSL_init_ssl(0, nullptr) == 1 ? SSL_CTX_new(method) : nullptr);
  if (settings == nullptr) {
    throw Error(ErrorCode::unsupported, "OpenSSL does not start: " + reason());
  }
  SSL_CTX_set_min_proto_version(settings.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(settings.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // A piece of what is written may be taken, and the rest be given again from elsewhere.
  SSL_CTX_set_mode(settings.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return settings;
}

Tls Tls::of_server(const fs::path& certificate, const fs::path& key) {
  require_readable(certificate, "certificate");
  require_readable(key, "key of the certificate");
  require_private(key, "a private key");
  Tls tls(new_settings(TLS_server_method()));
  SSL_CTX* const settings = tls.settings_.get();
  SSL_CTX_set_default_passwd_cb(settings, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(settings, certificate.c_str()) != 1) {
    throw unusable(certificate, "certificate in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(settings, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const unsigned long code = ERR_peek_last_error();
    const bool is_other = ERR_GET_LIB(code) == ERR_LIB_X509;
    if (!is_other) throw unusable(key, "private key in PEM without a passphrase");
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the key '{}' is not that of the certificate '{}'", key.string(),
                            certificate.string()));
  }
  tls.end_ =
      std::chrono::system_clock::now() +
      std::chrono::seconds(seconds_until(X509_get0_notAfter(SSL_CTX_get0_certificate(settings))));
  return tls;
}

Tls Tls::of_client(const fs::path& authorities, const std::string& host) {
  Tls tls(new_settings(TLS_client_method()));
  SSL_CTX* const settings = tls.settings_.get();
  SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, nullptr);
  if (authorities.empty()) {
    SSL_CTX_set_default_verify_paths(settings);  // what is missing there is not trusted
  } else {
    require_readable(authorities, "certificate of an authority");
    if (SSL_CTX_load_verify_file(settings, authorities.c_str()) != 1) {
      throw unusable(authorities, "certificate in PEM");
    }
  }
  tls.host_ = host;
  return tls;
}

std::int64_t whole_days_until(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::days>(time - std::chrono::system_clock::now()).count();
}

TlsSession::TlsSession(const Tls& tls, int socket) : session_(SSL_new(tls.settings_.get())) {
  SSL* const session = session_.get();
  if (session == nullptr || SSL_set_fd(session, socket) != 1 ||
      (!tls.host_.empty() && !expect_host(session, tls.host_)) ||
      ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK) < 0) {
    throw Error(ErrorCode::io, "cannot begin a TLS session: " + reason());
  }
  if (tls.host_.empty()) {
    SSL_set_accept_state(session);
  } else {
    SSL_set_connect_state(session);
  }
}

// What a call that gave `result` and moved so many bytes has done.
ssize_t TlsSession::outcome(int result, std::size_t bytes) {
  wanted_events_ = 0;
  if (result == 1) return static_cast<ssize_t>(bytes);
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      wanted_events_ = POLLIN;
      return -1;
    case SSL_ERROR_WANT_WRITE:
      wanted_events_ = POLLOUT;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      break;
  }
  const unsigned long code = ERR_peek_last_error();
  met_plain_http_ = ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST;
  const long verdict = SSL_get_verify_result(session_.get());
  failure_ = verdict == X509_V_OK ? reason() : X509_verify_cert_error_string(verdict);
  ERR_clear_error();
  return -1;
}

ssize_t TlsSession::read(char* data, std::size_t size) {
  if (!failure_.empty()) return -1;
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_read_ex(session_.get(), data, size, &bytes);
  return outcome(result, bytes);
}

ssize_t TlsSession::write(const char* data, std::size_t size) {
  if (!failure_.empty()) return -1;
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_write_ex(session_.get(), data, size, &bytes);
  const ssize_t written = outcome(result, bytes);
  return written > 0 ? written : -1;
}

// Not after a failure, where OpenSSL forbids it.
void TlsSession::finish() {
  if (!failure_.empty() || SSL_in_init(session_.get()) == 1) return;
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(session_.get()));
  ERR_clear_error();
}

}  // namespace fhe::outsource
