// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/escape.hpp"

namespace fhe::bench {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool is_control(char c) {
  constexpr char kDelete = 0x7f;
  return (c >= 0 && c < ' ') || c == kDelete;
}

bool is_line_space(char c) {
  return c == '\n' || c == '\r' || c == '\t';
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (const std::string_view name = entity(c); !name.empty()) {
      escaped += name;
    } else if (is_line_space(c)) {
      escaped += ' ';
    } else if (is_control(c)) {
      escaped += kReplacement;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]|~#!";
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      escaped += entity(c);
    } else if (is_line_space(c)) {
      escaped += ' ';
    } else if (is_control(c)) {
      escaped += kReplacement;
    } else {
      if (kMarkup.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string slug(std::string_view text) {
  std::string name;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace fhe::bench
