// SPDX-License-Identifier: Apache-2.0
// The process's side of a check: see checks.hpp.
#include <algorithm>

#include <fmt/format.h>

#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/task.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::outsource {

namespace {

// Of a circuit, inputs and outputs each. A job names a file for each input word, in a request that
// has a limit.
constexpr std::size_t kMostWords = 4096;
constexpr std::size_t kMostFactsBytes = 512 * 1024;

Json key_facts(const Check& check) {
  const PublicKey key = load_public_key(check.file, {.max_file_bytes = check.most_bytes});
  const std::string& group = key.parameters().name();
  const std::vector<std::string> names = ParameterSet::names();
  if (std::ranges::find(names, group) == names.end()) {
    throw Error(ErrorCode::invalid_parameters,
                fmt::format("keys of the group '{}' are not taken: only those of the groups that "
                            "`fhe params list` shows",
                            group));
  }
  return {{"id", to_hex(key.id().digest)}, {"parameters", group}, {"slots", key.slots()}};
}

Json ciphertext_facts(const Check& check) {
  const PublicKey key = load_public_key(check.key);
  return {{"bits", load_ciphertexts(check.file, key, {.max_file_bytes = check.most_bytes}).size()}};
}

void require_few(std::size_t words, const char* what) {
  if (words <= kMostWords) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("the circuit has {} {} words: at most {} are taken, so put bits together "
                          "to words",
                          words, what, kMostWords));
}

Json circuit_facts(const Check& check) {
  const Netlist netlist = load_netlist(check.file, {.max_file_bytes = check.most_bytes});
  require_few(netlist.inputs().size(), "input");
  require_few(netlist.outputs().size(), "output");
  Json inputs = Json::array();
  for (const InputWord& word : netlist.inputs()) {
    inputs.push_back({{"name", word.name}, {"width", word.width}});
  }
  Json outputs = Json::array();
  for (const OutputWord& word : netlist.outputs()) {
    outputs.push_back({{"name", word.name}, {"width", word.wires.size()}});
  }
  const NetlistCosts cost = costs(netlist);
  Json facts{{"inputs", inputs},
             {"outputs", outputs},
             {"gates", netlist.gates().size()},
             {"products", cost.products},
             {"and_depth", cost.and_depth}};
  if (to_text(facts).size() <= kMostFactsBytes) return facts;
  throw Error(ErrorCode::unsupported,
              "the names of the circuit's words are too long: shorten them");
}

Json facts_of(const Check& check) {
  switch (check.kind) {
    case CheckedKind::key:
      return key_facts(check);
    case CheckedKind::ciphertexts:
      return ciphertext_facts(check);
    case CheckedKind::circuit:
      return circuit_facts(check);
  }
  throw Error(ErrorCode::invalid_argument, "there is no such check");
}

}  // namespace

int do_check(const Check& check, const apps::ProcessLimits& limits) {
  return do_task(limits, [&] {
    const ThreadLimit one_thread(1);  // each would want address space for itself
    say({{"facts", facts_of(check)}});
  });
}

}  // namespace fhe::outsource
