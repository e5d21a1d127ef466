// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/input.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

Error cannot_read(const std::string& name, int reason) {
  return {ErrorCode::io,
          fmt::format("cannot read {}: {}", name, std::system_category().message(reason))};
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Input::Input(const std::string& path, const std::stop_token& stop, int flags)
    : name_(input_name(path)),
      stop_(stop),
      descriptor_(path == "-" ? STDIN_FILENO : open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC)),
      failure_(descriptor_ < 0 ? errno : 0) {}

Input::~Input() {
  if (descriptor_ >= 0 && descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::size_t Input::read(std::span<char> out) const {
  if (descriptor_ < 0) throw cannot_read(name_, failure_);
  for (;;) {
    // A pipe that nobody has written to yet has neither text nor an end.
    stop_.wait_for(descriptor_, name_);
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) throw cannot_read(name_, errno);
  }
}

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
