// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/group_rules.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/held.hpp"
#include "libfhe/scheme/she/parameters.hpp"

namespace fhe::she {

namespace {

class SlotGroupRules final : public GroupRules {
 public:
  [[nodiscard]] std::string_view name() const override { return "she"; }
  [[nodiscard]] std::vector<std::string_view> field_names() const override {
    return Parameters::field_names();
  }
  [[nodiscard]] bool allows(GroupPurpose purpose) const override {
    return purpose == GroupPurpose::slots;
  }
  void check(const ParameterSet& group) const override { static_cast<void>(Parameters(group)); }
  [[nodiscard]] security::Problems problems(const ParameterSet& group) const override {
    return Parameters(group).problems();
  }
};

}  // namespace

const GroupRules& group_rules() {
  static const auto* const rules = new SlotGroupRules;  // used until the end
  return *rules;
}

void require_group(const KeyId& key, std::string_view group) {
  if (key.parameters.empty()) throw_moved_from("a ciphertext");
  if (key.parameters == group) return;
  throw Error(ErrorCode::wrong_key,
              fmt::format("a ciphertext belongs to a {}, not to group {}", key.text(), group));
}

}  // namespace fhe::she
