// SPDX-License-Identifier: Apache-2.0
// A backend in a shared object of its own. This one multiplies by GMP, where yours would ask its
// device, and leaves everything else to the defaults, which are built on products.
#include <memory>
#include <string>
#include <string_view>

#include <accel/plugin/export_backend.hpp>
#include <libfhe/arith/backend.hpp>
#include <libfhe/error.hpp>

namespace {

constexpr std::size_t kMaxOperandBits = std::size_t{1} << 30;

class MyBackend final : public fhe::Backend {
 public:
  [[nodiscard]] fhe::BackendInfo info() const override {
    return {.name = "my_backend",
            .description = "products by GMP, an example",
            .max_operand_bits = kMaxOperandBits,
            .native = {"multiply"}};
  }

  // Any number of threads may call it at once.
  [[nodiscard]] fhe::Integer multiply(const fhe::Integer& x, const fhe::Integer& y) const override {
    if (fhe::bit_length(x) > kMaxOperandBits || fhe::bit_length(y) > kMaxOperandBits) {
      throw fhe::Error(fhe::ErrorCode::invalid_argument, "an operand is longer than 2^30 bits");
    }
    counters().count_multiplication(fhe::limbs_of(x).size(), fhe::limbs_of(y).size());
    return x * y;
  }
};

// Gets what the user writes behind the name of the plug-in and a colon.
fhe::BackendPtr open(std::string_view options) {
  if (!options.empty()) {
    throw fhe::Error(fhe::ErrorCode::invalid_argument,
                     "my_backend takes no options, but got '" + std::string(options) + "'");
  }
  return std::make_shared<const MyBackend>();
}

}  // namespace

const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const fhe_backend_table table =
      fhe::plugin::exported_backend<open>("1.0", "products by GMP, an example of a plug-in");
  return &table;
}
