// SPDX-License-Identifier: Apache-2.0
#include "apps/study/published.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "libfhe/error.hpp"

namespace fhe::bench {

namespace {

constexpr double kMega = 1e6;

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 3> kTimeUnits{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};
constexpr std::array<Unit, 4> kSizeUnits{{{"B", 1}, {"kB", 1e3}, {"MB", kMega}, {"GB", 1e9}}};
constexpr std::array<Unit, 1> kRatioUnits{{{"times", 1}}};

using ByGroup = std::map<std::string, double>;

// One entry of one of the lists, which says in its errors which it is.
class Entry {
 public:
  Entry(const toml::table& all, const toml::table& table, std::string name)
      : all_(all), table_(table), name_(std::move(name)) {}

  [[nodiscard]] Error wrong(std::string_view what) const {
    return {ErrorCode::malformed_file, fmt::format("{}: {}", name_, what)};
  }

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  [[nodiscard]] std::string text(std::string_view key) const {
    const auto value = table_[key].value<std::string>();
    if (!value || value->empty()) throw wrong(fmt::format("'{}' is missing or no text", key));
    return *value;
  }
  [[nodiscard]] std::string optional_text(std::string_view key) const {
    return has(key) ? text(key) : "";
  }

  [[nodiscard]] double number(std::string_view key) const {
    return positive(table_[key].value<double>(), key);
  }

  [[nodiscard]] std::array<double, 2> pair(std::string_view key) const {
    const toml::array* const values = table_[key].as_array();
    if (values == nullptr || values->size() != 2) throw wrong(fmt::format("'{}' is no pair", key));
    return {positive((*values)[0].value<double>(), key),
            positive((*values)[1].value<double>(), key)};
  }

  [[nodiscard]] ByGroup by_group(std::string_view key) const {
    ByGroup numbers;
    for (const auto& [group, value] : table_of(key)) {
      numbers.emplace(group.str(), positive(value.value<double>(), key));
    }
    return numbers;
  }
  [[nodiscard]] ByGroup optional_by_group(std::string_view key) const {
    return has(key) ? by_group(key) : ByGroup{};
  }

  // The text that `key` gives for a group.
  [[nodiscard]] std::string text_of_group(std::string_view key, const std::string& group) const {
    const auto value = table_of(key)[group].value<std::string>();
    if (!value) throw wrong(fmt::format("'{}' says nothing about {}", key, group));
    return *value;
  }

  template <std::size_t kCount>
  [[nodiscard]] double unit(const std::array<Unit, kCount>& units) const {
    const std::string name = text("unit");
    const auto found = std::ranges::find(units, name, &Unit::name);
    if (found == units.end()) throw wrong(fmt::format("unknown unit '{}'", name));
    return found->factor;
  }

  [[nodiscard]] Origin origin() const {
    const std::string design = optional_text("design");
    Origin origin;
    const std::string machine = has("platform") ? platform("platform", origin.platform) : "";
    origin.system = design.empty() || machine.empty() ? machine : machine + ": " + design;
    origin.paper = paper(text("paper"));
    origin.where = text("where");
    origin.recalled = table_["recalled"].value_or(false);
    return origin;
  }

  [[nodiscard]] static Paper paper_of(const Entry& entry) {
    return {entry.text("short"), entry.text("title")};
  }

  // The name of the platform that `key` refers to, and its kind.
  [[nodiscard]] std::string platform(std::string_view key, Platform& kind) const {
    const std::string id = text(key);
    const auto entry = all_["platforms"][id];
    const auto name = entry["name"].value<std::string>();
    const auto kind_name = entry["kind"].value<std::string>();
    if (!name || !kind_name) throw wrong(fmt::format("unknown platform '{}'", id));
    const auto* const found =
        std::ranges::find(kPlatforms, *kind_name, [](Platform known) { return to_string(known); });
    if (found == kPlatforms.end()) throw wrong(fmt::format("unknown kind '{}'", *kind_name));
    kind = *found;
    return *name;
  }

 private:
  [[nodiscard]] double positive(const std::optional<double>& value, std::string_view key) const {
    if (!value || !std::isfinite(*value) || *value <= 0) {
      throw wrong(fmt::format("'{}' is missing or not a positive number", key));
    }
    return *value;
  }

  [[nodiscard]] const toml::table& table_of(std::string_view key) const {
    const toml::table* const table = table_[key].as_table();
    if (table == nullptr || table->empty()) {
      throw wrong(fmt::format("'{}' is missing or not by group", key));
    }
    return *table;
  }

  [[nodiscard]] Paper paper(const std::string& id) const {
    const toml::table* const table = all_["papers"][id].as_table();
    if (table == nullptr) throw wrong(fmt::format("unknown paper '{}'", id));
    return paper_of(Entry(all_, *table, fmt::format("{}: paper '{}'", name_, id)));
  }

  const toml::table& all_;
  const toml::table& table_;
  std::string name_;
};

toml::table parse(std::string_view text, std::string_view origin) {
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("{}: line {}: {}", origin, error.source().begin.line, error.description()));
  }
}

std::vector<Paper> papers_of(const toml::table& all, std::string_view origin) {
  std::vector<Paper> papers;
  const toml::table* const table = all["papers"].as_table();
  if (table == nullptr) return papers;
  for (const auto& [id, node] : *table) {
    const std::string name = fmt::format("{}: paper '{}'", origin, id.str());
    if (!node.is_table()) throw Error(ErrorCode::malformed_file, name + ": is no table");
    papers.push_back(Entry::paper_of(Entry(all, *node.as_table(), name)));
  }
  return papers;
}

// The entries [[list]] of the file, in its order.
std::vector<Entry> entries(const toml::table& all, std::string_view list, std::string_view origin) {
  std::vector<Entry> found;
  const toml::array* const array = all[list].as_array();
  if (array == nullptr) return found;
  for (const toml::node& node : *array) {
    const std::string name = fmt::format("{}: [[{}]] number {}", origin, list, found.size() + 1);
    if (!node.is_table()) throw Error(ErrorCode::malformed_file, name + ": is no table");
    found.emplace_back(all, *node.as_table(), name);
  }
  return found;
}

void add_times(const Entry& entry, std::vector<PublishedTime>& times) {
  const double factor = entry.unit(kTimeUnits);
  for (const auto& [group, value] : entry.by_group("values")) {
    times.push_back({group, entry.text("operation"), value * factor, entry.origin()});
  }
}

void add_sizes(const Entry& entry, std::vector<PublishedSize>& sizes) {
  const double factor = entry.unit(kSizeUnits);
  for (const auto& [group, value] : entry.by_group("values")) {
    sizes.push_back({group, entry.text("object"), value * factor, entry.origin()});
  }
}

PublishedProduct product_of(const Entry& entry) {
  const auto [x, y] = entry.pair("bits");
  PublishedProduct product{.bits = {static_cast<std::size_t>(x), static_cast<std::size_t>(y)},
                           .seconds = {},
                           .cycles = {},
                           .origin = entry.origin()};
  const double factor = entry.unit(kTimeUnits);
  if (entry.has("value")) product.seconds = entry.number("value") * factor;
  if (entry.has("cycles")) {
    product.cycles = Cycles{entry.number("cycles"), entry.number("megahertz") * kMega};
  }
  if (!product.seconds && !product.cycles) throw entry.wrong("has neither 'value' nor 'cycles'");
  return product;
}

HardwareDesign design_of(const Entry& entry) {
  return {.id = entry.text("id"),
          .name = entry.text("name"),
          .hertz = entry.number("megahertz") * kMega,
          .cost = entry.text("cost"),
          .product_cycles = entry.optional_by_group("product_cycles"),
          .reduction_cycles = entry.optional_by_group("reduction_cycles"),
          .origin = entry.origin()};
}

// The design that `key` names for a group, which must say its cycles for the group.
const HardwareDesign& design_for(const Entry& entry, std::string_view key, const std::string& group,
                                 const std::vector<HardwareDesign>& designs,
                                 ByGroup HardwareDesign::*cycles) {
  const std::string id = entry.text_of_group(key, group);
  const auto found = std::ranges::find(designs, id, &HardwareDesign::id);
  if (found == designs.end()) throw entry.wrong(fmt::format("unknown design '{}'", id));
  if (!((*found).*cycles).contains(group)) {
    throw entry.wrong(fmt::format("design '{}' gives no cycles for {}", id, group));
  }
  return *found;
}

void add_encryptions(const Entry& entry, const std::vector<HardwareDesign>& designs,
                     std::vector<HardwareEncryption>& encryptions) {
  for (const auto& [group, products] : entry.by_group("products")) {
    const HardwareDesign& product =
        design_for(entry, "product", group, designs, &HardwareDesign::product_cycles);
    const HardwareDesign& reduction =
        design_for(entry, "reduction", group, designs, &HardwareDesign::reduction_cycles);
    encryptions.push_back(
        {entry.text("operation"), group, &product, &reduction, products, entry.origin()});
  }
  // From the smallest group of an operation to the largest, not by their names.
  std::ranges::stable_sort(encryptions, {}, [](const HardwareEncryption& encryption) {
    return std::pair(encryption.operation, encryption.products);
  });
}

PublishedSpeedup speedup_of(const Entry& entry) {
  const auto [lowest, highest] = entry.pair("range");
  Platform ignored{};
  return {
      .what = entry.text("what"),
      .over = fmt::format("{} on {}", entry.text("over"), entry.platform("over_platform", ignored)),
      .lowest = lowest * entry.unit(kRatioUnits),
      .highest = highest * entry.unit(kRatioUnits),
      .origin = entry.origin()};
}

}  // namespace

std::string_view to_string(Platform platform) {
  switch (platform) {
    case Platform::software:
      return "software";
    case Platform::gpu:
      return "GPU";
    case Platform::asic:
      return "ASIC";
    case Platform::fpga:
      return "FPGA";
  }
  return "";
}

double HardwareEncryption::seconds() const {
  const Cycles one_product{product->product_cycles.at(group), product->hertz};
  const Cycles one_reduction{reduction->reduction_cycles.at(group), reduction->hertz};
  return products * one_product.seconds() + 2 * one_reduction.seconds();
}

Published::Published(std::string_view toml, std::string_view origin) {
  const toml::table all = parse(toml, origin);
  papers = papers_of(all, origin);
  for (const Entry& entry : entries(all, "time", origin)) add_times(entry, times);
  for (const Entry& entry : entries(all, "product", origin)) products.push_back(product_of(entry));
  for (const Entry& entry : entries(all, "size", origin)) add_sizes(entry, sizes);
  for (const Entry& entry : entries(all, "design", origin)) designs.push_back(design_of(entry));
  for (const Entry& entry : entries(all, "encryption", origin)) {
    add_encryptions(entry, designs, encryptions);
  }
  for (const Entry& entry : entries(all, "speedup", origin)) speedups.push_back(speedup_of(entry));
}

const Published& published() {
  static const Published all(published_toml(), "published.toml");
  return all;
}

std::string_view published_group(std::string_view group) {
  constexpr std::string_view kPaperSizes = "-paper";
  if (group.ends_with(kPaperSizes)) group.remove_suffix(kPaperSizes.size());
  return group;
}

std::vector<PublishedTime> published_times(std::string_view group, std::string_view operation) {
  const std::string_view name = published_group(group);
  std::vector<PublishedTime> matching;
  for (const PublishedTime& time : published().times) {
    if (time.group == name && time.operation == operation) matching.push_back(time);
  }
  return matching;
}

}  // namespace fhe::bench
