// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/text_source.hpp"

namespace fhe::cli {

TextSource::TextSource(const std::string& path, const std::stop_token& stop) : input_(path, stop) {}

std::optional<char> TextSource::next() {
  if (position_ == filled_) {
    filled_ = input_.read(buffer_);
    position_ = 0;
    if (filled_ == 0) return std::nullopt;
  }
  return buffer_.at(position_++);
}

}  // namespace fhe::cli
