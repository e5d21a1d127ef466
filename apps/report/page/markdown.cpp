// SPDX-License-Identifier: Apache-2.0
#include "apps/report/page/markdown.hpp"

#include <fmt/format.h>

#include "apps/report/page/escape.hpp"

namespace fhe::bench {

namespace {

void write_markdown(std::string& out, const Paragraph& paragraph) {
  out += escape_markdown(paragraph.text) + "\n\n";
}

void write_markdown(std::string& out, const Table& table) {
  out += fmt::format("**{}**\n\n|", escape_markdown(table.caption));
  for (const std::string& column : table.columns) {
    out += fmt::format(" {} |", escape_markdown(column));
  }
  out += "\n|";
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    out += column < table.text_columns ? "---|" : "---:|";
  }
  out += "\n";
  for (const std::vector<Cell>& row : table.rows) {
    out += "|";
    for (const Cell& cell : row) {
      const std::string text = escape_markdown(cell.text);
      out += cell.strong ? fmt::format(" **{}** |", text) : fmt::format(" {} |", text);
    }
    out += "\n";
  }
  out += "\n";
}

void write_markdown(std::string& out, const Gallery& gallery) {
  for (const Figure& figure : gallery.figures) {
    const ChartText& text = figure.chart.text;
    out += fmt::format("![{}. {}]({})\n\n", escape_markdown(text.title),
                       escape_markdown(text.description), figure.file());
  }
}

}  // namespace

std::string to_markdown(const Document& document) {
  std::string out = fmt::format("# {}\n\n", escape_markdown(document.title));
  for (const std::string& text : document.summary) write_markdown(out, Paragraph{text});
  for (const Section& section : document.sections) {
    out += fmt::format("## {}\n\n", escape_markdown(section.title));
    for (const Part& part : section.parts) {
      std::visit([&out](const auto& p) { write_markdown(out, p); }, part);
    }
  }
  out.pop_back();  // the empty line at the end
  return out;
}

}  // namespace fhe::bench
