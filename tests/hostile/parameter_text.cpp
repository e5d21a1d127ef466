// SPDX-License-Identifier: Apache-2.0
// Parameter groups: what is read survives being written, with the same digest.
#include "libfhe/scheme/parameters.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

void check_round_trip(const ParameterSet& group) {
  const std::string text = group.to_toml();
  const ParameterSet again = ParameterSet::from_toml(text, "written");
  demand(again == group && again.scheme() == group.scheme(), "written, it is another group");
  demand(again.makes_keys() == group.makes_keys(), "written, it has another purpose");
  demand(again.to_toml() == text, "written twice, it is another text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  accepts({ErrorCode::invalid_parameters}, [&] {
    const ParameterSet group = ParameterSet::from_toml(text_of(data, size), "the text");
    check_round_trip(group);
  });
  return 0;
}
