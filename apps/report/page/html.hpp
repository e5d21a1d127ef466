// SPDX-License-Identifier: Apache-2.0
// A document as one HTML page that needs nothing else: charts and style inside, no scripts.
#pragma once

#include <string>

#include "apps/report/page/document.hpp"

namespace fhe::bench {

std::string to_html(const Document& document);

}  // namespace fhe::bench
