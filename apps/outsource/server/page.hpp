// SPDX-License-Identifier: Apache-2.0
// The web page: one file, embedded at build time.
#pragma once

#include <string>
#include <string_view>

namespace fhe::outsource {

[[nodiscard]] std::string_view page_html();

// The header Content-Security-Policy for the page: its own script and style, requests to its own
// server, and nothing else.
[[nodiscard]] const std::string& page_policy();

}  // namespace fhe::outsource
