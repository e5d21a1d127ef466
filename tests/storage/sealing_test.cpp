// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/sealing.hpp"

#include <string>
#include <string_view>

#include <openssl/evp.h>

#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

constexpr ScryptCost kCheap{.log_n = 4, .r = 1, .p = 1};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file that was sealed, and how it is opened.
struct Sealed {
  std::string plain = "the secret";
  std::string context = "what everybody sees";
  std::string passphrase = "correct horse";
  SealParameters parameters = SealParameters::draw(kCheap);
  std::vector<std::byte> bytes =
      seal(bytes_of(plain), Passphrase(std::string(passphrase)), parameters, bytes_of(context));

  [[nodiscard]] bool opens() const {
    SecretBytes opened;
    const bool open =
        unseal(bytes, Passphrase(std::string(passphrase)), parameters, bytes_of(context), opened);
    CHECK(text_of(opened) == (open ? plain : ""));
    return open;
  }
};

}  // namespace

TEST_CASE("what is sealed opens to the same", "[wire]") {
  CHECK(Sealed().opens());
  CHECK(Sealed{.plain = ""}.opens());
  CHECK(Sealed{.plain = std::string(100'000, 'x'), .context = ""}.opens());
  const Sealed sealed;
  CHECK(sealed.bytes.size() == sealed.plain.size() + kSealTagBytes);
  CHECK(text_of(sealed.bytes).find(sealed.plain) == std::string::npos);
  CHECK(Sealed().bytes != Sealed().bytes);  // salt and nonce are new
}

TEST_CASE("every lock has a salt and a nonce of its own", "[wire]") {
  const SealParameters one = SealParameters::draw(kCheap);
  const SealParameters other = SealParameters::draw(kCheap);
  CHECK(one.salt != other.salt);
  CHECK(one.nonce != other.nonce);
}

TEST_CASE("nothing sealed opens when anything is changed", "[wire]") {
  Sealed other;
  other.passphrase = "correct house";
  CHECK_FALSE(other.opens());
  other = Sealed();
  other.context += "!";
  CHECK_FALSE(other.opens());
  other = Sealed();
  other.parameters.cost.log_n = 5;
  CHECK_FALSE(other.opens());
  other = Sealed();
  other.parameters.salt[15] ^= std::byte{1};
  CHECK_FALSE(other.opens());
  other = Sealed();
  other.parameters.nonce[0] ^= std::byte{1};
  CHECK_FALSE(other.opens());
  for (std::size_t i = 0; i < Sealed().bytes.size(); ++i) {
    other = Sealed();
    other.bytes[i] ^= std::byte{0x80};
    CHECK_FALSE(other.opens());
  }
  other.bytes.resize(kSealTagBytes);
  CHECK_FALSE(other.opens());
  other.bytes.resize(kSealTagBytes - 1);
  CHECK_FALSE(other.opens());
}

TEST_CASE("the key of a seal is scrypt's, the cipher AES-256-GCM", "[wire]") {
  // The same with OpenSSL alone.
  const Sealed sealed;
  std::array<unsigned char, 32> key;
  REQUIRE(EVP_PBE_scrypt(sealed.passphrase.data(), sealed.passphrase.size(),
                         reinterpret_cast<const unsigned char*>(sealed.parameters.salt.data()), 16,
                         16, 1, 1, 0, key.data(), key.size()) == 1);
  EVP_CIPHER_CTX* const cipher = EVP_CIPHER_CTX_new();
  int count = 0;
  std::string out(sealed.plain.size(), '\0');
  EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nullptr, key.data(),
                     reinterpret_cast<const unsigned char*>(sealed.parameters.nonce.data()));
  EVP_DecryptUpdate(cipher, reinterpret_cast<unsigned char*>(out.data()), &count,
                    reinterpret_cast<const unsigned char*>(sealed.bytes.data()),
                    static_cast<int>(out.size()));
  EVP_CIPHER_CTX_free(cipher);
  CHECK(out == sealed.plain);
}

TEST_CASE("a cost that nobody can bear is refused", "[wire]") {
  CHECK(ScryptCost{}.is_bearable());
  CHECK(ScryptCost{.log_n = 20, .r = 8, .p = 1}.is_bearable());
  constexpr std::uint32_t kMost = ~std::uint32_t{0};
  for (const ScryptCost cost :
       {ScryptCost{.log_n = 20, .r = 8, .p = 2}, ScryptCost{.log_n = 20, .r = 9, .p = 1},
        ScryptCost{.log_n = 0, .r = 8, .p = 1}, ScryptCost{.log_n = kMost, .r = 1, .p = 1},
        ScryptCost{.log_n = 64, .r = 1, .p = 1}, ScryptCost{.log_n = 1, .r = kMost, .p = kMost},
        ScryptCost{.log_n = 4, .r = 0, .p = 1}, ScryptCost{.log_n = 4, .r = 1, .p = 0},
        ScryptCost{.log_n = 1, .r = 1, .p = kMost}}) {
    CAPTURE(cost.log_n, cost.r, cost.p);
    CHECK_FALSE(cost.is_bearable());
    CHECK_THROWS_MATCHES(seal({}, Passphrase(std::string("x")), SealParameters::draw(cost), {}),
                         Error, HasCode(ErrorCode::invalid_argument, "cost"));
  }
}

TEST_CASE("a passphrase has at least one byte, and takes its text over", "[wire]") {
  std::string text = "a long passphrase that is no short string";
  const Passphrase passphrase(std::move(text));
  CHECK(text.empty());  // NOLINT(bugprone-use-after-move): that is the point
  CHECK(text_of(passphrase.bytes()) == "a long passphrase that is no short string");
  CHECK_THROWS_MATCHES(Passphrase(std::string()), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_NOTHROW(Passphrase(std::string(1024, 'x')));
  CHECK_THROWS_MATCHES(Passphrase(std::string(1025, 'x')), Error,
                       HasCode(ErrorCode::invalid_argument, "1 to 1024 bytes"));
}

}  // namespace fhe::test
