// SPDX-License-Identifier: Apache-2.0
// The report: what a study says, as sections of a page.
#pragma once

#include <optional>

#include "apps/report/page/document.hpp"
#include "apps/study/study.hpp"

namespace fhe::bench {

// Times of the operations of all groups, beside the published ones.
Section operations_section(const Study& study);

// Times of products by the length of their operands.
Section products_section(const Study& study);

// Sizes of keys and ciphertexts, and how many products the noise leaves room for.
Section noise_section(const Study& study);

// How much of many workers circuits use.
Section scaling_section(const Study& study);

// What published hardware takes, from its cycles and clock, and what devices of this study said.
Section hardware_section(const Study& study);

// The same operations before and now.
Section comparison_section(const Study& study, const Study& before);

// Which runs there are, of which machine, and every published figure with its source.
Section sources_section(const Study& study);

// All sections that have something to say.
Document document_of(const Study& study, const std::optional<Study>& before);

}  // namespace fhe::bench
