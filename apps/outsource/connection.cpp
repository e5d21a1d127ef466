// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace fhe::outsource {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFarewell(2000);

// Waits until one of `events` is there. False at the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// The events, among `events`, errors and ends of the connection, that are there now.
short events_now(int socket, short events) {
  pollfd entry{socket, events, 0};
  return ::poll(&entry, 1, 0) > 0 ? entry.revents : short{0};
}

}  // namespace

Connection::Connection(Socket socket, const Patience& patience, const Tls* tls)
    : socket_(std::move(socket)), patience_(patience) {
  if (tls != nullptr) tls_.emplace(*tls, socket_.number());
}

void Connection::interrupt() const {
  ::shutdown(socket_.number(), SHUT_RDWR);
}

void Connection::finish() {
  if (!has_written_) return;
  if (tls_) tls_->finish();
  ::shutdown(socket_.number(), SHUT_WR);
  const Clock::time_point deadline = Clock::now() + kFarewell;
  while (wait_for(socket_.number(), POLLIN, deadline) &&
         ::recv(socket_.number(), buffer_.data(), buffer_.size(), MSG_DONTWAIT) > 0) {
  }
}

bool Connection::gives_up_tls() {
  if (!tls_ || !tls_->met_plain_http()) return false;
  tls_.reset();
  return true;
}

std::string Connection::tls_failure() const {
  return tls_ ? tls_->failure() : std::string();
}

// What was received so far earns the time for what is to come.
Connection::Clock::time_point Connection::read_deadline() const {
  const std::chrono::milliseconds earned(1000 * received_bytes_ /
                                         patience_.slowest_bytes_per_second);
  return start_ + patience_.silence + earned;
}

// Waits for what a call of TLS waits for, where it moved nothing yet. False when that is in vain.
bool Connection::may_go_on(Clock::time_point deadline) const {
  const short events = tls_->wanted_events();
  return events != 0 && wait_for(socket_.number(), events, deadline);
}

ssize_t Connection::receive_some(Clock::time_point deadline) {
  if (!tls_) {
    if (!wait_for(socket_.number(), POLLIN, deadline)) return -1;
    return ::recv(socket_.number(), buffer_.data(), buffer_.size(), 0);
  }
  for (;;) {
    const ssize_t bytes = tls_->read(buffer_.data(), buffer_.size());
    if (bytes >= 0 || !may_go_on(deadline)) return bytes;
  }
}

// Some of it; 0 when the other side takes none now; -1.
ssize_t Connection::send_some(const char* data, std::size_t size, Clock::time_point deadline) {
  if (tls_) {
    const ssize_t bytes = tls_->write(data, size);
    return bytes < 0 && may_go_on(deadline) ? 0 : bytes;
  }
  if (!wait_for(socket_.number(), POLLOUT, deadline)) return -1;
  const ssize_t bytes = ::send(socket_.number(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return bytes < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : bytes;
}

// Fills the buffer anew.
ssize_t Connection::receive(Clock::time_point deadline) {
  const ssize_t bytes = receive_some(deadline);
  next_ = 0;
  end_ = static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
  received_bytes_ += end_;
  return bytes;
}

ssize_t Connection::read(char* data, std::size_t size) {
  if (next_ == end_) {
    if (const ssize_t bytes = receive(read_deadline()); bytes <= 0) return bytes;
  }
  const std::size_t count = std::min(size, end_ - next_);
  std::copy_n(buffer_.data() + next_, count, data);
  next_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* data, std::size_t size) {
  has_written_ = true;
  const Clock::time_point deadline = Clock::now() + patience_.silence;
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t bytes = send_some(data + sent, size - sent, deadline);
    if (bytes < 0) return -1;
    sent += static_cast<std::size_t>(bytes);
  }
  start_ = Clock::now();
  return static_cast<ssize_t>(size);
}

bool Connection::is_writable() const {
  const int end = patience_.may_close_first ? 0 : POLLRDHUP;
  const int gone = POLLERR | POLLHUP | end;
  const int events = events_now(socket_.number(), static_cast<short>(POLLOUT | end));
  return (events & POLLOUT) != 0 && (events & gone) == 0;
}

std::string Connection::remote_address() const {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXHOST> host{};
  if (::getpeername(socket_.number(), generic, &length) != 0 ||
      ::getnameinfo(generic, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  return host.data();
}

}  // namespace fhe::outsource
