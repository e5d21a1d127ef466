#include "apps/bench/published.hpp"

#include <toml++/toml.h>

namespace fhe::bench {

namespace {

std::vector<PublishedFigure> parse_figures() {
  const toml::table table = toml::parse(published_toml());
  std::vector<PublishedFigure> figures;
  for (const toml::node& node : *table["figure"].as_array()) {
    const toml::table& row = *node.as_table();
    const auto text = [&row](std::string_view key) {
      return row[key].value<std::string>().value();
    };
    figures.push_back({.group = text("group"),
                       .operation = text("operation"),
                       .seconds = row["seconds"].value<double>().value(),
                       .system = text("system"),
                       .source = text("source"),
                       .printed = text("confidence") == "printed"});
  }
  return figures;
}

}  // namespace

std::vector<PublishedFigure> published_figures(std::string_view group, std::string_view operation) {
  static const std::vector<PublishedFigure> all = parse_figures();
  std::vector<PublishedFigure> matching;
  for (const PublishedFigure& figure : all) {
    if (figure.group == group && figure.operation == operation) matching.push_back(figure);
  }
  return matching;
}

}  // namespace fhe::bench
