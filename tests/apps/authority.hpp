// SPDX-License-Identifier: Apache-2.0
// A certificate authority of a test, and certificates by it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace fhe::test {

class Authority {
 public:
  explicit Authority(const std::string& name = "Authority of a test")
      : key_(EVP_EC_gen("P-256")), certificate_(issue(name, key_.get(), "CA:TRUE", {}, kYear)) {}

  // What a client trusts, in PEM.
  [[nodiscard]] std::string certificate() const { return pem_of(certificate_.get()); }

  struct Identity {
    std::string certificate;  // in PEM, as the key
    std::string key;
  };

  static constexpr long kYear = 365L * 24 * 3600;

  // Of a server with this alternative name, such as IP:127.0.0.1 or DNS:example.org. It ends so
  // many seconds from now, or ended before, where they are negative.
  [[nodiscard]] Identity identity(const std::string& name, long seconds = kYear) const {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = issue("A server", key.get(), "CA:FALSE", name, seconds);
    return {pem_of(certificate.get()), pem_of(key.get())};
  }

 private:
  template <auto release>
  struct Free {
    template <class Object>
    void operator()(Object* object) const {
      release(object);
    }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
  using Certificate = std::unique_ptr<X509, Free<X509_free>>;
  using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
  using Memory = std::unique_ptr<BIO, Free<BIO_free>>;

  static void require(bool done) {
    if (!done) throw std::runtime_error("a certificate could not be made");
  }

  static void extend(X509* certificate, int kind, const std::string& value) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    require(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
  }

  static void set_name(X509_NAME* target, const std::string& name) {
    const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
    require(X509_NAME_add_entry_by_txt(target, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1);
  }

  [[nodiscard]] Certificate issue(const std::string& name, EVP_PKEY* key,
                                  const std::string& constraints, const std::string& host,
                                  long seconds) const {
    Certificate certificate(X509_new());
    X509* const made = certificate.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made), seconds < 0 ? 2 * seconds : 0);
    X509_gmtime_adj(X509_getm_notAfter(made), seconds);
    X509_set_pubkey(made, key);
    set_name(X509_get_subject_name(made), name);
    const X509* const issuer = certificate_ == nullptr ? made : certificate_.get();
    X509_set_issuer_name(made, X509_get_subject_name(issuer));
    extend(made, NID_basic_constraints, "critical," + constraints);
    if (!host.empty()) extend(made, NID_subject_alt_name, host);
    require(X509_sign(made, key_.get(), EVP_sha256()) > 0);
    return certificate;
  }

  static std::string text_of(const Memory& memory) {
    char* text = nullptr;
    const long length = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(length)};
  }

  static std::string pem_of(X509* certificate) {
    const Memory memory(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_X509(memory.get(), certificate) == 1);
    return text_of(memory);
  }

  static std::string pem_of(EVP_PKEY* key) {
    const Memory memory(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) ==
            1);
    return text_of(memory);
  }

  mutable long serial_ = 0;
  Key key_;
  Certificate certificate_;
};

}  // namespace fhe::test
