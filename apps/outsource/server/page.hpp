// SPDX-License-Identifier: Apache-2.0
// The web page and the description of the requests: a file each, embedded at build time.
#pragma once

#include <string>
#include <string_view>

namespace fhe::outsource {

[[nodiscard]] std::string_view page_html();

// The requests and answers of the server, as OpenAPI 3.1 describes them.
[[nodiscard]] std::string_view openapi_json();

// The header Content-Security-Policy for the page: its own script and style, requests to its own
// server, and nothing else; text never becomes HTML.
[[nodiscard]] const std::string& page_policy();

}  // namespace fhe::outsource
