// Commands that run out of memory, at any allocation.
#include <functional>

#include "tests/catch.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

constexpr const char* kGroup = "cnt-mini";
constexpr Steps kSome{8};
constexpr Steps kMany{500};  // a command makes tens of thousands

void many_allocations(const std::function<Scene(std::size_t)>& scene) {
  sweep_threads(scene, memory_faults(), kMany);
}

}  // namespace

TEST_CASE("faults: some allocations of commands", "[faults]") {
  sweep(keygen_scene(kGroup, false, 4), memory_faults(), kSome);
  sweep(encrypt_scene(kGroup, true, 1), memory_faults(), kSome);
  sweep(decrypt_scene(kGroup), memory_faults(), kSome);
  sweep(run_scene(kGroup, true, 4), memory_faults(), kSome);
}

TEST_CASE("faults: many allocations of keygen", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return keygen_scene(kGroup, false, threads); });
}

TEST_CASE("faults: many allocations of keygen --force", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return keygen_scene(kGroup, true, threads); });
}

TEST_CASE("faults: many allocations of encrypt", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return encrypt_scene(kGroup, true, threads); });
}

TEST_CASE("faults: many allocations of decrypt", "[faults][sweep]") {
  sweep(decrypt_scene(kGroup), memory_faults(), kMany);
}

TEST_CASE("faults: many allocations of recrypt", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return recrypt_scene(kGroup, threads); });
}

TEST_CASE("faults: many allocations of eval", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return eval_scene(kGroup, threads); });
}

TEST_CASE("faults: many allocations of run --checkpoint", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return run_scene(kGroup, false, threads); });
}

TEST_CASE("faults: many allocations of run --resume", "[faults][sweep]") {
  many_allocations([](std::size_t threads) { return run_scene(kGroup, true, threads); });
}

}  // namespace fhe::faults
