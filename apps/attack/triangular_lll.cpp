// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apps/attack/relation_lattice.hpp"

namespace fhe::attack {

namespace {

constexpr double kDelta = 0.99;
constexpr double kLargeQuotient = 0x1p12;  // after which rounding asks for a second look
// A row that is longer than others by more than this, a double cannot tell by how much.
constexpr double kLargestQuotient = 0x1p50;
constexpr int kExchangesBetweenLooks = 1 << 14;

// y -= q x.
void subtract(double* __restrict y, const double* __restrict x, double q, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) y[i] -= q * x[i];
}

// The same of integers modulo 2^64: what cancels in the end may be longer on the way.
void subtract(std::uint64_t* __restrict y, const std::uint64_t* __restrict x, double q,
              std::size_t length) {
  const auto factor = static_cast<std::uint64_t>(static_cast<std::int64_t>(q));
  for (std::size_t i = 0; i < length; ++i) y[i] -= factor * x[i];
}

// In eight sums, which the compiler computes side by side.
double product(const double* x, const double* y, std::size_t length) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= length; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += x[i + k] * y[i + k];
  }
  double sum = std::accumulate(sums, sums + kSums, 0.0);
  for (; i < length; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

TriangularLll::TriangularLll(std::size_t dimension, std::size_t coefficients)
    : dimension_(dimension),
      coefficients_(coefficients),
      order_(dimension),
      triangle_(dimension, std::vector<double>(dimension)),
      transformation_(dimension, std::vector<std::uint64_t>(dimension)),
      first_(dimension, std::vector<double>(coefficients)) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = 0; i < dimension; ++i) transformation_[i][i] = 1;
}

// u of a row as it is now. What cancels here is not longer than the transformation makes it.
std::vector<double> TriangularLll::coefficients_of(std::size_t row) const {
  std::vector<double> sums(coefficients_);
  for (std::size_t j = 0; j < dimension_; ++j) {
    const auto factor = static_cast<double>(transformation(row, j));
    if (factor != 0) subtract(sums.data(), first_[j].data(), -factor, coefficients_);
  }
  return sums;
}

// The triangular factor by reflections (Householder 1958): reflection j, I - 2 w w^T with w zero
// before j, takes row j to its coordinates up to j.
void TriangularLll::factor(const std::vector<std::vector<double>>& values) {
  const std::size_t width = values[0].size() + coefficients_;
  std::vector<std::vector<double>> reflections;
  for (std::size_t k = 0; k < dimension_; ++k) {
    // Values first: they are the long part.
    std::vector<double> row = values[k];
    const std::vector<double> coefficients = coefficients_of(k);
    row.insert(row.end(), coefficients.begin(), coefficients.end());
    for (std::size_t j = 0; j < k; ++j) {
      const double* w = reflections[j].data() + j;
      subtract(row.data() + j, w, 2 * product(row.data() + j, w, width - j), width - j);
    }
    std::copy_n(row.begin(), k, triangle_[order_[k]].begin());
    std::fill_n(row.begin(), k, 0.0);
    const double length = std::sqrt(product(row.data() + k, row.data() + k, width - k));
    const double diagonal = row[k] > 0 ? -length : length;
    r(k, k) = diagonal;
    row[k] -= diagonal;
    const double norm = std::sqrt(product(row.data() + k, row.data() + k, width - k));
    if (norm > 0) {
      for (double& x : row) x /= norm;
    }
    reflections.push_back(std::move(row));
  }
}

// Subtracts earlier rows from row k until |r_kj| <= |r_jj| / 2.
void TriangularLll::shorten(std::size_t k) {
  double* row = triangle_[order_[k]].data();
  double largest = 0;
  do {
    largest = 0;
    for (std::size_t j = k; j-- > 0;) {
      const double* other = triangle_[order_[j]].data();
      const double quotient = std::rint(row[j] / other[j]);
      if (quotient == 0 || std::abs(quotient) > kLargestQuotient) continue;
      largest = std::max(largest, std::abs(quotient));
      subtract(row, other, quotient, j + 1);
      subtract(transformation_[order_[k]].data(), transformation_[order_[j]].data(), quotient,
               dimension_);
    }
  } while (largest > kLargeQuotient);
}

// Whether rows k - 1 and k fail the condition of Lovasz.
bool TriangularLll::is_out_of_order(std::size_t k) {
  const double before = r(k - 1, k - 1) * r(k - 1, k - 1);
  return r(k, k - 1) * r(k, k - 1) + r(k, k) * r(k, k) < kDelta * before;
}

// Exchanges rows k - 1 and k; a rotation of coordinates k - 1 and k makes the factor triangular
// again.
void TriangularLll::exchange(std::size_t k) {
  std::swap(order_[k - 1], order_[k]);
  const double a = r(k - 1, k - 1);
  const double b = r(k - 1, k);
  const double length = std::hypot(a, b);
  const double c = a / length;
  const double s = b / length;
  r(k - 1, k - 1) = length;
  r(k - 1, k) = 0;
  for (std::size_t i = k; i < dimension_; ++i) {
    double* row = triangle_[order_[i]].data();
    const double x = row[k - 1];
    const double y = i == k ? 0 : row[k];
    row[k - 1] = c * x + s * y;
    row[k] = c * y - s * x;
  }
}

void TriangularLll::reduce(const std::vector<std::vector<double>>& values, const Monitor& monitor) {
  factor(values);
  int exchanges = 0;
  for (std::size_t k = 1; k < dimension_;) {
    shorten(k);
    if (!is_out_of_order(k)) {
      ++k;
      continue;
    }
    exchange(k);
    if (k > 1) --k;
    if (++exchanges % kExchangesBetweenLooks == 0) monitor.throw_if_stopped();
  }
}

std::uint64_t TriangularLll::largest_entry() const {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < dimension_; ++i) {
    for (std::size_t j = 0; j < dimension_; ++j) {
      const std::int64_t entry = transformation(i, j);
      largest = std::max(largest, entry < 0 ? -static_cast<std::uint64_t>(entry)
                                            : static_cast<std::uint64_t>(entry));
    }
  }
  return largest;
}

}  // namespace fhe::attack
