// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/html.hpp"

#include <fmt/format.h>

#include "apps/report/page/chart.hpp"
#include "apps/report/page/escape.hpp"

namespace fhe::bench {

namespace {

constexpr std::string_view kPageStyle =
    R"css(:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b636c; --rule: #dfe3e8; --ground: #ffffff;
  --band: #f5f7f9; --link: #005f99; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #a9b1ba; --rule: #343b43; --ground: #16191d; --band: #1d2126; --link: #6fb8ea; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 78rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
p { max-width: 46rem; margin: .5rem 0; }
header p { color: var(--soft); }
a { color: var(--link); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0; }
.gallery { columns: 30rem 2; column-gap: 1.25rem; margin: 1.25rem 0; }
figure { break-inside: avoid; margin: 0 0 1.25rem; border: 1px solid var(--rule); border-radius: 6px; overflow: hidden; }
.chart { display: block; width: 100%; height: auto; max-width: 44rem; margin: 0 auto; }
.scroll { overflow-x: auto; margin: 1.25rem 0 1.75rem; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; font-size: 1rem; padding-bottom: .4rem; }
th, td { padding: .3rem .75rem; text-align: right; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { padding-left: .25rem; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th.text, td.text { text-align: left; white-space: normal; min-width: 8rem; }
tbody th { font-weight: 400; }
tbody tr:nth-child(even) { background: var(--band); }
)css";

std::string anchor_of(const Section& section) {
  return slug(section.title);
}

void write_html(std::string& out, const Paragraph& paragraph) {
  out += fmt::format("<p>{}</p>\n", escape_xml(paragraph.text));
}

std::string_view alignment(std::size_t column, const Table& table) {
  return column < table.text_columns ? " class=\"text\"" : "";
}

void write_row(std::string& out, const std::vector<Cell>& row, const Table& table) {
  out += "<tr>";
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string text = escape_xml(row[column].text);
    const std::string_view element = column == 0 ? "th" : "td";
    out += fmt::format("<{0}{1}{2}>{3}</{0}>", element, column == 0 ? " scope=\"row\"" : "",
                       alignment(column, table),
                       row[column].strong ? fmt::format("<strong>{}</strong>", text) : text);
  }
  out += "</tr>\n";
}

void write_html(std::string& out, const Table& table) {
  // Focusable, so that a keyboard can scroll it.
  out += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n<table>\n"
      "<caption>{0}</caption>\n<thead><tr>",
      escape_xml(table.caption));
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", alignment(column, table),
                       escape_xml(table.columns[column]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) write_row(out, row, table);
  out += "</tbody>\n</table>\n</div>\n";
}

void write_html(std::string& out, const Gallery& gallery) {
  out += "<div class=\"gallery\">\n";
  for (const Figure& figure : gallery.figures) {
    out += fmt::format("<figure>\n{}</figure>\n", figure.chart.svg);
  }
  out += "</div>\n";
}

void write_contents(std::string& out, const Document& document) {
  out += "<nav aria-label=\"Contents\"><ul>\n";
  for (const Section& section : document.sections) {
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", anchor_of(section),
                       escape_xml(section.title));
  }
  out += "</ul></nav>\n";
}

}  // namespace

std::string to_html(const Document& document) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n",
      escape_xml(document.title), chart_style(), kPageStyle);
  for (const std::string& text : document.summary) write_html(out, Paragraph{text});
  write_contents(out, document);
  out += "</header>\n<main>\n";
  for (const Section& section : document.sections) {
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", anchor_of(section),
                       escape_xml(section.title));
    for (const Part& part : section.parts) {
      std::visit([&out](const auto& p) { write_html(out, p); }, part);
    }
    out += "</section>\n";
  }
  out += "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace fhe::bench
