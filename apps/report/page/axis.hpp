// SPDX-License-Identifier: Apache-2.0
// An axis of a chart: where values lie, and where its ticks and their labels are.
#pragma once

#include <string>
#include <vector>

namespace fhe::bench {

enum class Scale {
  linear,
  whole,  // linear, with ticks at whole numbers only
  logarithmic,
};

using LabelOf = std::string (*)(double);

// The interval [low, high] of values that is drawn.
struct Interval {
  double low = 0;
  double high = 1;
};

// The interval that holds all values: for a linear scale from 0 (or lower) to a round number, for a
// logarithmic one from a power of ten below all to one that is not below any, at least one decade.
// Values that a logarithmic scale does not have (0 and below) do not count. Without values: [0, 1],
// or [1, 10].
Interval covering(Scale scale, const std::vector<double>& values);

struct Tick {
  double value = 0;
  std::string label;  // "" for one without
};

class Axis {
 public:
  // The interval lies between the positions `start` and `end`, in units of the drawing; end may be
  // the smaller one. Requires low < high, and 0 < low on a logarithmic scale.
  Axis(Scale scale, Interval values, double start, double end);

  // Values outside of the interval are drawn at its ends.
  [[nodiscard]] double at(double value) const;

  // Ticks in the interval, from low to high: at powers of ten on a logarithmic scale, at five to
  // eleven round numbers on a linear one. Labels stand at least `spacing` units apart.
  [[nodiscard]] std::vector<Tick> ticks(LabelOf label, double spacing) const;

 private:
  [[nodiscard]] std::vector<double> tick_values() const;

  Scale scale_;
  Interval values_;
  double start_;
  double end_;
};

}  // namespace fhe::bench
