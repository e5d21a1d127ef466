// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/digest.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "libfhe/held.hpp"
#include "libfhe/openssl_errors.hpp"

namespace fhe {

namespace {

void require_digest(int ok) {
  if (ok != 1) throw_openssl_failure(ErrorCode::unsupported, "OpenSSL's SHA-256 failed");
}

}  // namespace

struct Hasher::State {
  struct Free {
    void operator()(EVP_MD_CTX* it) const { EVP_MD_CTX_free(it); }
  };

  std::unique_ptr<EVP_MD_CTX, Free> context;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  require_openssl();
  state_->context.reset(EVP_MD_CTX_new());
  require_digest(state_->context != nullptr ? 1 : 0);
  require_digest(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes) {
  if (state_ == nullptr) throw_moved_from("the hasher");
  require_digest(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
}

void Hasher::update(std::string_view text) {
  update(std::as_bytes(std::span(text)));
}

Digest Hasher::finish() {
  if (state_ == nullptr) throw_moved_from("the hasher");
  Digest digest;
  require_digest(EVP_DigestFinal_ex(state_->context.get(),
                                    reinterpret_cast<unsigned char*>(digest.data()), nullptr));
  return digest;
}

Digest sha256(std::string_view text) {
  Hasher hasher;
  hasher.update(text);
  return hasher.finish();
}

std::string to_hex(std::span<const std::byte> digest, std::size_t bytes) {
  std::string text;
  for (const std::byte b : digest.first(std::min(bytes, digest.size()))) {
    text += fmt::format("{:02x}", static_cast<unsigned>(b));
  }
  return text;
}

}  // namespace fhe
