// Commands of which one allocation fails.
#include <functional>

#include "tests/catch.hpp"
#include "tests/faults/sweep.hpp"

namespace fhe::faults {

namespace {

constexpr Steps kSome{6};

using SceneOf = std::function<Scene(const std::string& group, std::size_t threads)>;

// The commands, for any scheme.
const std::vector<SceneOf>& scenes() {
  static const std::vector<SceneOf> all{
      [](const std::string& group, std::size_t threads) {
        return keygen_scene(group, false, threads);
      },
      [](const std::string& group, std::size_t threads) {
        return encrypt_scene(group, false, threads);
      },
      [](const std::string& group, std::size_t) { return decrypt_scene(group); },
      recrypt_scene,
      eval_scene,
      [](const std::string& group, std::size_t threads) {
        return run_scene(group, false, threads);
      }};
  return all;
}

// On one thread: with more, oneTBB ends the process when it has no memory for a task of its own.
void fail_every_allocation(std::size_t scene) {
  for (const char* const group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    sweep(scenes().at(scene)(group, 1), {failing_allocation()}, kAll);
  }
}

}  // namespace

TEST_CASE("faults: some allocations", "[faults]") {
  for (const SceneOf& scene : scenes()) {
    for (const char* const group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
      sweep(scene(group, 1), {failing_allocation()}, kSome);
    }
  }
}

TEST_CASE("faults: every allocation of keygen", "[faults][sweep]") {
  fail_every_allocation(0);
}

TEST_CASE("faults: every allocation of encrypt", "[faults][sweep]") {
  fail_every_allocation(1);
}

TEST_CASE("faults: every allocation of decrypt", "[faults][sweep]") {
  fail_every_allocation(2);
}

TEST_CASE("faults: every allocation of recrypt", "[faults][sweep]") {
  fail_every_allocation(3);
}

TEST_CASE("faults: every allocation of eval", "[faults][sweep]") {
  fail_every_allocation(4);
}

TEST_CASE("faults: every allocation of run", "[faults][sweep]") {
  fail_every_allocation(5);
}

}  // namespace fhe::faults
