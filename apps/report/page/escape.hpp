// SPDX-License-Identifier: Apache-2.0
// Any text as text of HTML, SVG and Markdown.
#pragma once

#include <string>
#include <string_view>

namespace fhe::bench {

// For the contents and the quoted attributes of HTML and SVG: & < > " ' as entities; control
// characters, which XML does not have, as U+FFFD.
std::string escape_xml(std::string_view text);

// For a line or a table cell of Markdown: what would be markup stands for itself, and line ends are
// spaces.
std::string escape_markdown(std::string_view text);

// For names of files and anchors: "Times on cnt-toy" is "times-on-cnt-toy". ASCII letters, digits
// and single hyphens only.
std::string slug(std::string_view text);

}  // namespace fhe::bench
