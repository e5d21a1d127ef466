// SPDX-License-Identifier: Apache-2.0
// What the literature says about the same operations (params/published.toml).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fhe::bench {

enum class Platform { software, gpu, asic, fpga };

inline constexpr std::array kPlatforms{Platform::software, Platform::gpu, Platform::asic,
                                       Platform::fpga};

// "software", "GPU", "ASIC", "FPGA"
std::string_view to_string(Platform platform);

struct Paper {
  std::string short_name;  // "LHW 2016"
  std::string title;       // with authors, place and year
};

struct Origin {
  std::string system;  // the machine and, where one is named, the design
  Platform platform = Platform::software;
  Paper paper;
  std::string where;      // the table or section of the paper
  bool recalled = false;  // known from the literature, not checked against the page
};

struct PublishedTime {
  std::string group;
  std::string operation;
  double seconds = 0;
  Origin origin;
};

// So many cycles of a clock.
struct Cycles {
  double count = 0;
  double hertz = 0;

  [[nodiscard]] double seconds() const { return count / hertz; }
};

// One product of two operands; a time, cycles, or both.
struct PublishedProduct {
  std::array<std::size_t, 2> bits{};
  std::optional<double> seconds;  // as printed
  std::optional<Cycles> cycles;
  Origin origin;

  [[nodiscard]] double best_seconds() const { return seconds ? *seconds : cycles->seconds(); }
};

struct PublishedSize {
  std::string group;
  std::string object;  // "public_key"
  double bytes = 0;
  Origin origin;
};

// A multiplier in hardware.
struct HardwareDesign {
  std::string id;
  std::string name;
  double hertz = 0;
  std::string cost;                                // in gates or blocks of the device
  std::map<std::string, double> product_cycles;    // by group: a key element by a weight
  std::map<std::string, double> reduction_cycles;  // by group: a product of Barrett's reduction
  Origin origin;
};

// An encryption of which the paper says how it follows from the cycles of designs: so many products
// on one, then two for the reduction on another.
struct HardwareEncryption {
  std::string operation;
  std::string group;
  const HardwareDesign* product = nullptr;
  const HardwareDesign* reduction = nullptr;
  double products = 0;
  Origin origin;

  [[nodiscard]] double seconds() const;
};

// How many times as fast as software, from the lowest to the highest.
struct PublishedSpeedup {
  std::string what;
  std::string over;
  double lowest = 0;
  double highest = 0;
  Origin origin;
};

class Published {
 public:
  // Throws Error(malformed_file) with the entry that lacks something, names an unknown paper,
  // platform, design or unit, or has a number that is not positive. `origin` names the text.
  Published(std::string_view toml, std::string_view origin);
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  std::vector<Paper> papers;
  std::vector<PublishedTime> times;
  std::vector<PublishedProduct> products;
  std::vector<PublishedSize> sizes;
  std::vector<HardwareDesign> designs;
  std::vector<HardwareEncryption> encryptions;
  std::vector<PublishedSpeedup> speedups;
};

// The compiled-in figures.
const Published& published();

// The group whose figures hold for a group: "cnt-toy" for its variant at the sizes of the papers,
// "cnt-toy-paper"; else the group itself.
std::string_view published_group(std::string_view group);

// The figures for an operation of a group, in the order of the file.
std::vector<PublishedTime> published_times(std::string_view group, std::string_view operation);

// The compiled-in text of params/published.toml.
std::string_view published_toml();

}  // namespace fhe::bench
