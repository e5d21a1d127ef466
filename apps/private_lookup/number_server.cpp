// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "apps/private_lookup/server.hpp"
#include "libfhe/error.hpp"

namespace fhe::private_lookup {

NumberServer::NumberServer(const ParameterSet& group, const BackendPtr& backend, NumberPlan plan,
                           std::vector<std::uint64_t> table)
    : group_(group), plan_(plan), table_(std::move(table)), arithmetic_(group, backend) {
  table_.resize(plan_.rows() * plan_.columns());
}

// What the columns select of one row: every column counts, whatever it holds.
she::Slots NumberServer::digit_of_row(std::size_t row, std::size_t k, const Column& columns) const {
  std::vector<std::int64_t> digits;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    digits.push_back(static_cast<std::int64_t>(plan_.digit(table_[row * columns.size() + c], k)));
  }
  return arithmetic_.weighted_sum(columns, digits);
}

std::vector<she::Slots> NumberServer::look_up(const she::CompressedSlots& query) const {
  if (query.size() != plan_.query_size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a query of {} ciphertexts for a table of {} columns and {} rows",
                            query.size(), plan_.columns(), plan_.rows()));
  }
  const std::vector<she::Slots> selections = query.expand(group_);
  const auto end_of_columns = selections.begin() + static_cast<std::ptrdiff_t>(plan_.columns());
  const Column columns(selections.begin(), end_of_columns);
  const Column rows(end_of_columns, selections.end());
  std::vector<she::Slots> answer;
  for (std::size_t k = 0; k < plan_.digits(); ++k) {
    std::vector<she::Slots> of_rows;
    for (std::size_t r = 0; r < plan_.rows(); ++r) of_rows.push_back(digit_of_row(r, k, columns));
    answer.push_back(rows.empty() ? of_rows.front() : arithmetic_.inner_sum(rows, of_rows));
  }
  return answer;
}

}  // namespace fhe::private_lookup
