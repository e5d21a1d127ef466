#include "apps/cli/text_source.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe::cli {

namespace {

Error cannot_read(const std::string& name) {
  return {ErrorCode::io,
          fmt::format("cannot read {}: {}", name, std::system_category().message(errno))};
}

}  // namespace

TextSource::TextSource(const std::string& path, const std::stop_token& stop)
    : name_(path == "-" ? "standard input" : path),
      stop_(stop),
      descriptor_(path == "-" ? STDIN_FILENO
                              : open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (descriptor_ < 0) throw cannot_read(name_);
}

TextSource::~TextSource() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::optional<char> TextSource::next() {
  if (position_ == filled_ && !fill()) return std::nullopt;
  return buffer_.at(position_++);
}

bool TextSource::fill() {
  for (;;) {
    // A pipe that nobody has written to yet has neither text nor an end.
    stop_.wait_for(descriptor_, name_);
    const ssize_t bytes = read(descriptor_, buffer_.data(), buffer_.size());
    if (bytes >= 0) {
      position_ = 0;
      filled_ = static_cast<std::size_t>(bytes);
      return bytes > 0;
    }
    if (errno != EINTR && errno != EAGAIN) throw cannot_read(name_);
  }
}

}  // namespace fhe::cli
