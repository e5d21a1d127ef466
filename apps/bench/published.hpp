// The running times that the literature gives for the same operations (params/published.toml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fhe::bench {

struct PublishedFigure {
  std::string group;
  std::string operation;
  double seconds;
  std::string system;
  std::string source;
  bool printed;  // read in the named table; otherwise recalled from the literature, unchecked
};

// The figures for one operation of one group, in the order of the file.
std::vector<PublishedFigure> published_figures(std::string_view group, std::string_view operation);

// The compiled-in text of params/published.toml.
std::string_view published_toml();

}  // namespace fhe::bench
