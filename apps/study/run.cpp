// SPDX-License-Identifier: Apache-2.0
#include "apps/study/run.hpp"

#include <algorithm>

namespace fhe::bench {

const Record* find_record(const Run& run, std::string_view operation) {
  const auto found = std::ranges::find(run.records, operation, &Record::operation);
  return found == run.records.end() ? nullptr : &*found;
}

}  // namespace fhe::bench
