// SPDX-License-Identifier: Apache-2.0
// What the sections of the report have in common: names, styles, and the figures that are compared.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/report/page/document.hpp"
#include "apps/study/published.hpp"
#include "apps/study/study.hpp"

namespace fhe::bench {

// "encrypt one bit" for "encrypt_dense"; operations without such a name keep theirs.
std::string operation_title(std::string_view operation);

// What a group is called: "products" for the runs that measure products alone.
std::string group_title(const std::string& group);

// Styles of series: of the backends by their number, of published figures, and of GMP.
std::size_t backend_style(std::size_t number);
std::size_t platform_style(Platform platform);
inline constexpr std::size_t kGmpStyle = 6;

// "GPU, published"
std::string platform_title(Platform platform);

// The fastest published time of an operation on such a platform.
std::optional<PublishedTime> fastest_published(std::string_view group, std::string_view operation,
                                               Platform platform);

// A published quantity, with a ~ before one that was recalled.
std::string published_text(const Origin& origin, std::string_view quantity);
std::string published_text(const PublishedTime& time);

// "paper, table"
std::string source_text(const Origin& origin);

// What an operation takes on published hardware, computed from its cycles and clocks.
std::optional<double> hardware_seconds(std::string_view group, std::string_view operation);

// The backend that others are compared with: "ntl" when it is one of several, else none.
std::optional<std::string> reference_label(const Study& study);

}  // namespace fhe::bench
