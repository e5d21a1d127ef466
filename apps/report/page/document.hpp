// SPDX-License-Identifier: Apache-2.0
// A page as a value, before it is HTML or Markdown: sections of paragraphs, tables and charts.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/report/page/chart.hpp"
#include "apps/report/page/escape.hpp"

namespace fhe::bench {

struct Paragraph {
  std::string text;
};

struct Cell {
  std::string text;
  bool strong = false;

  Cell(std::string contents = {}, bool is_strong = false)  // NOLINT: cells are mostly their text
      : text(std::move(contents)), strong(is_strong) {}
  Cell(const char* contents) : text(contents) {}  // NOLINT
};

// The first column is text, aligned to the left; `text_columns` columns are. Others are numbers.
struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // as long as `columns`
  std::size_t text_columns = 1;
};

struct Figure {
  Chart chart;

  // Of the chart as a file of its own; charts of one document have different titles.
  [[nodiscard]] std::string file() const { return slug(chart.text.title) + ".svg"; }
};

// Charts that stand side by side where there is room.
struct Gallery {
  std::vector<Figure> figures;
};

using Part = std::variant<Paragraph, Table, Gallery>;

struct Section {
  std::string title;
  std::vector<Part> parts;
};

struct Document {
  std::string title;
  std::vector<std::string> summary;  // paragraphs under the title
  std::vector<Section> sections;

  // All charts in their order.
  [[nodiscard]] std::vector<const Figure*> figures() const {
    std::vector<const Figure*> found;
    for (const Section& section : sections) {
      for (const Part& part : section.parts) {
        const auto* const gallery = std::get_if<Gallery>(&part);
        if (gallery == nullptr) continue;
        for (const Figure& figure : gallery->figures) found.push_back(&figure);
      }
    }
    return found;
  }
};

}  // namespace fhe::bench
