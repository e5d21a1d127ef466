// SPDX-License-Identifier: Apache-2.0
// A document as Markdown with tables (of GitHub's kind). Charts are files beside it.
#pragma once

#include <string>

#include "apps/report/page/document.hpp"

namespace fhe::bench {

std::string to_markdown(const Document& document);

}  // namespace fhe::bench
