// SPDX-License-Identifier: Apache-2.0
// What operations on numbers in slots cost.
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "apps/bench/operations.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/scheme/she/public_key.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::bench {

namespace {

// A key of the group, and ciphertexts that every slot of is full; made on first use.
class NumberKeyed {
 public:
  NumberKeyed(ParameterSet group, BackendPtr backend)
      : group_(std::move(group)), backend_(std::move(backend)), arithmetic_(group_, backend_) {}

  void prepare() {
    if (x_) return;
    if (!key_) make_key();
    encryptor_.emplace(*key_);
    decryptor_.emplace(*key_);
    for (std::uint64_t j = 0; j < parameters().slots; ++j) {
      numbers_.push_back(j * j % parameters().plaintext);
    }
    x_.emplace(encryptor_->encrypt(numbers_));
    y_.emplace(encryptor_->encrypt(numbers_));
    if (parameters().depth > 0) product_.emplace(arithmetic_.multiply(*x_, *y_));
  }

  void make_key() {
    const she::KeyGenerator generator(group_, backend_);
    if (parameters().has_public_keys()) {
      she::KeyPair keys = generator.generate_pair();
      public_encryptor_.emplace(keys.public_key, backend_);
      key_.emplace(std::move(keys.secret_key));
    } else {
      key_.emplace(generator.generate());
    }
  }

  [[nodiscard]] const she::Parameters& parameters() const { return arithmetic_.parameters(); }
  [[nodiscard]] const she::Arithmetic& arithmetic() const { return arithmetic_; }
  [[nodiscard]] const she::Encryptor& encryptor() const { return *encryptor_; }
  [[nodiscard]] const she::PublicEncryptor& public_encryptor() const { return *public_encryptor_; }
  [[nodiscard]] const she::Decryptor& decryptor() const { return *decryptor_; }
  [[nodiscard]] const she::SlotNumbers& numbers() const { return numbers_; }
  [[nodiscard]] const she::Slots& x() const { return *x_; }
  [[nodiscard]] const she::Slots& y() const { return *y_; }
  [[nodiscard]] const she::Slots& product() const { return *product_; }

 private:
  ParameterSet group_;
  BackendPtr backend_;
  she::Arithmetic arithmetic_;
  std::optional<she::SecretKey> key_;
  std::optional<she::PublicEncryptor> public_encryptor_;
  std::optional<she::Encryptor> encryptor_;
  std::optional<she::Decryptor> decryptor_;
  she::SlotNumbers numbers_;
  std::optional<she::Slots> x_;
  std::optional<she::Slots> y_;
  std::optional<she::Slots> product_;
};

using NumberKeyedPtr = std::shared_ptr<NumberKeyed>;

Operation number_operation(const NumberKeyedPtr& keyed, const std::string& name,
                           const std::string& unit, std::function<void()> run) {
  return {.name = name, .unit = unit, .run = std::move(run), .prepare = [=] { keyed->prepare(); }};
}

std::vector<Operation> products_of_numbers(const NumberKeyedPtr& keyed, const std::string& slots) {
  std::vector<Operation> all;
  if (keyed->parameters().depth > 0) {
    all.push_back(number_operation(keyed, "product", slots, [=] {
      static_cast<void>(keyed->arithmetic().multiply(keyed->x(), keyed->y()));
    }));
    all.push_back(number_operation(keyed, "decrypt_product", slots, [=] {
      static_cast<void>(keyed->decryptor().decrypt(keyed->product()));
    }));
  }
  if (keyed->parameters().depth > 1) {
    all.push_back(number_operation(keyed, "product_of_products", slots, [=] {
      static_cast<void>(keyed->arithmetic().multiply(keyed->product(), keyed->product()));
    }));
  }
  return all;
}

}  // namespace

std::vector<Operation> number_operations(const ParameterSet& group, const BackendPtr& backend) {
  const auto keyed = std::make_shared<NumberKeyed>(group, backend);
  const std::string slots = fmt::format("{} numbers", keyed->parameters().slots);
  std::vector<Operation> all{
      {.name = "keygen", .unit = "a key", .run = [=] { keyed->make_key(); }},
      number_operation(keyed, "encrypt", slots,
                       [=] { static_cast<void>(keyed->encryptor().encrypt(keyed->numbers())); }),
      number_operation(keyed, "decrypt", slots,
                       [=] { static_cast<void>(keyed->decryptor().decrypt(keyed->x())); }),
      number_operation(keyed, "add", slots, [=] {
        static_cast<void>(keyed->arithmetic().add(keyed->x(), keyed->y()));
      })};
  if (keyed->parameters().has_public_keys()) {
    all.push_back(number_operation(keyed, "encrypt_public", slots, [=] {
      static_cast<void>(keyed->public_encryptor().encrypt(1));
    }));
  }
  for (Operation& operation : products_of_numbers(keyed, slots)) {
    all.push_back(std::move(operation));
  }
  return all;
}

}  // namespace fhe::bench
