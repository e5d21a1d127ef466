// SPDX-License-Identifier: Apache-2.0
// All that a report is drawn from: runs, facts about the groups, circuits on many workers, and
// clocks of the hardware that were computed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/study/computed_clocks.hpp"
#include "apps/study/group_facts.hpp"
#include "apps/study/run.hpp"
#include "apps/study/scaling.hpp"

namespace fhe::bench {

struct Study {
  std::vector<Run> runs;  // one for a group, backend and number of threads
  std::vector<GroupFacts> facts;
  std::vector<Scaling> scalings;         // one for a group
  std::vector<ComputedClocks> computed;  // one for a module, published design, group and operation

  // Adds what was measured, in place of what is older and of the same. Of an older run of the same
  // machine what was not measured again stays.
  void add(Run run);
  void add(GroupFacts more);
  void add(Scaling scaling);
  void add(ComputedClocks clocks);
  void add(Study more);

  // What a run is called: the backend, with its threads where the study has runs of several numbers
  // of them.
  [[nodiscard]] std::string label(const Run& run) const;

  // The run of a group (or "engine") with this name, as label() gives; null when there is none.
  [[nodiscard]] const Run* find(std::string_view group, std::string_view name) const;
  [[nodiscard]] const Record* find(std::string_view group, std::string_view name,
                                   std::string_view operation) const;
};

}  // namespace fhe::bench
