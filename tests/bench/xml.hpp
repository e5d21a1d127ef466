// SPDX-License-Identifier: Apache-2.0
// A reader of XML that is good enough to say whether a chart or page is well formed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

namespace fhe::test {

// Elements are closed in the order in which they were opened, attributes are quoted, and text holds
// no bare & or <. Empty elements of HTML (meta) and declarations may stay open. Returns the names
// of all elements.
inline std::vector<std::string> elements_of(std::string_view xml) {
  std::vector<std::string> names;
  std::vector<std::string> open;
  while (!xml.empty()) {
    if (xml.front() == '&') {
      const std::string_view entity = xml.substr(0, xml.find(';') + 1);
      INFO(xml.substr(0, 20));
      CHECK((entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;" ||
             entity == "&#39;"));
    }
    if (xml.front() != '<') {
      xml.remove_prefix(1);
      continue;
    }
    std::size_t end = 1;
    for (bool quoted = false; quoted || xml.at(end) != '>'; ++end) {
      CHECK(xml.at(end) != '<');
      if (xml[end] == '"') quoted = !quoted;
    }
    const std::string_view tag = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (name.front() == '!' || name == "meta" || tag.ends_with('/')) {
      names.push_back(name);
    } else if (name.front() == '/') {
      REQUIRE_FALSE(open.empty());
      CHECK("/" + open.back() == name);
      open.pop_back();
    } else {
      names.push_back(name);
      open.push_back(name);
    }
  }
  CHECK(open.empty());
  return names;
}

}  // namespace fhe::test
