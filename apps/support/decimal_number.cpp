#include "apps/support/decimal_number.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

namespace fhe::apps {

CLI::Validator decimal_number(std::uint64_t most) {
  const auto complaint = [most](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const std::from_chars_result result =
        std::from_chars(text.data(), text.data() + text.size(), number);
    const bool good = result.ec == std::errc() && fmt::format("{}", number) == text;
    if (good && number <= most) return {};
    return fmt::format("'{}' is no number from 0 to {}", text, most);
  };
  return CLI::Validator(complaint, "");
}

}  // namespace fhe::apps
