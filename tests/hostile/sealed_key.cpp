// SPDX-License-Identifier: Apache-2.0
// Secret keys under a passphrase that is known: refused, or read, and what was sealed is written
// again. An input holds in the clear what is to be sealed, so that fuzzers reach what is behind the
// encryption; here it is encrypted and given its tag.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/storage/sealing.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

// To keep executions short: keys that cost more are only read where readers must refuse them.
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 18;

// The section `lock` (libfhe/storage/FORMAT.md).
struct Lock {
  explicit Lock(ByteSource source) {
    source.take_span(32);  // the name of the cipher
    for (std::uint32_t* const number :
         {&parameters.cost.log_n, &parameters.cost.r, &parameters.cost.p}) {
      *number = static_cast<std::uint32_t>(source.take(sizeof *number));
    }
    for (const auto field :
         {std::span<std::byte>(parameters.salt), std::span<std::byte>(parameters.nonce)}) {
      std::ranges::copy(std::as_bytes(source.take_span(field.size())), field.begin());
    }
  }

  [[nodiscard]] bool is_cheap() const {
    const auto& [log_n, r, p] = parameters.cost;
    return parameters.cost.is_bearable() && (std::uint64_t{128} * r * p << log_n) <= kMostWork;
  }

  SealParameters parameters{};
};

// The image with the section `sealed` encrypted, as the program writes it.
void seal(ContainerImage& image, const SealParameters& parameters) {
  ContainerImage::Bytes& contents = image.find("sealed")->contents;
  ContainerImage::Bytes context(image.head.begin(), image.head.begin() + 128);
  const ContainerImage::Bytes& lock = image.find("lock")->contents;
  context.insert(context.end(), lock.begin(), lock.end());
  const std::vector<std::byte> sealed =
      fhe::seal(std::as_bytes(std::span(contents)), hostile_passphrase(), parameters,
                std::as_bytes(std::span(context)));
  const auto* const first = reinterpret_cast<const std::uint8_t*>(sealed.data());
  contents.assign(first, first + sealed.size());
}

template <class Load>
void check(const Load& load, std::span<const std::byte> file, const ContainerImage::Bytes& plain) {
  accepts({ErrorCode::malformed_file, ErrorCode::wrong_key, ErrorCode::invalid_argument}, [&] {
    const auto key = load(file);
    demand(sealed_contents(to_bytes(key)) == plain, "a key is written with other contents");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ThreadLimit one_thread(1);
  std::optional<ContainerImage> image = ContainerImage::parse({data, size});
  if (!image || image->find("lock") == nullptr || image->find("sealed") == nullptr) return 0;
  const ContainerImage::Bytes& stated = image->find("lock")->contents;
  const Lock lock(ByteSource(stated.data(), stated.size()));
  const ContainerImage::Bytes plain = image->find("sealed")->contents;
  if (lock.is_cheap()) {
    seal(*image, lock.parameters);
  } else if (lock.parameters.cost.is_bearable()) {
    return 0;
  }
  const ContainerImage::Bytes file = image->bytes();
  const auto bytes = std::as_bytes(std::span(file));
  check([](std::span<const std::byte> key) { return load_secret_key(key, hostile_passphrase); },
        bytes, plain);
  check(
      [](std::span<const std::byte> key) { return she::load_secret_key(key, hostile_passphrase); },
      bytes, plain);
  return 0;
}
