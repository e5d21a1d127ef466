// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/client_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

constexpr std::uint64_t kMostQuotaMib = std::uint64_t{1} << 32;

// As many as a server can have connections (--max-connections).
constexpr std::uint64_t kMostRequests = 768;

constexpr std::array kLimitNames{
    LimitName{"jobs", "--max-jobs", &ClientLimits::jobs, 1, 100'000, "Unfinished jobs of a client"},
    LimitName{"running", "--max-running", &ClientLimits::running, 1, 256,
              "Jobs of a client that run at the same time"},
    LimitName{"quota", "--quota", &ClientLimits::quota_mib, 1, kMostQuotaMib,
              "MiB of all files of a client"},
    LimitName{"requests", "--max-requests", &ClientLimits::requests, 1, kMostRequests,
              "Requests of a client at the same time"},
    LimitName{"rate", "--max-rate", &ClientLimits::rate, 0, 1'000'000,
              "Requests of a client a minute; 0: any number"},
    LimitName{"seconds", "--max-seconds", &ClientLimits::job_seconds, 1, 100'000'000,
              "Time of a job"}};

Error no_limit(const std::string& where, std::string_view word) {
  std::vector<std::string> forms;
  forms.reserve(std::size(kLimitNames));
  for (const LimitName& name : kLimitNames) {
    forms.push_back(fmt::format("{}={}..{}", name.word, name.least, name.most));
  }
  return {ErrorCode::malformed_file,
          fmt::format("{}: '{}' is no limit of a client: behind its token may stand, once each, {}",
                      where, word, fmt::join(forms, ", "))};
}

}  // namespace

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

std::span<const LimitName> limit_names() {
  return kLimitNames;
}

ClientLimits limits_from(std::string_view words, const ClientLimits& usual,
                         const std::string& where) {
  ClientLimits limits = usual;
  std::set<std::string_view> seen;
  while (!words.empty()) {
    const std::string_view word = take_word(words);
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto* const name =
        std::ranges::find(kLimitNames, word.substr(0, equals),
                          [](const LimitName& known) -> std::string_view { return known.word; });
    const std::string_view text = word.substr(std::min(equals + 1, word.size()));
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (name == kLimitNames.end() || failure != std::errc() || end != text.data() + text.size() ||
        number < name->least || number > name->most || !seen.insert(name->word).second) {
      throw no_limit(where, word);
    }
    limits.*(name->value) = number;
  }
  return limits;
}

}  // namespace fhe::outsource
