// SPDX-License-Identifier: Apache-2.0
// The test vectors under tests/data.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "libfhe/arith/integer.hpp"

namespace fhe::test {

// One list of tests/data/schemes.json, such as "expand".
inline nlohmann::json scheme_vectors(const std::string& list) {
  std::ifstream file(FHE_TEST_DATA_DIR "/schemes.json");
  return nlohmann::json::parse(file).at(list);
}

inline Integer from_hex(const nlohmann::json& digits) {
  return Integer(digits.get<std::string>(), 16);
}

}  // namespace fhe::test
