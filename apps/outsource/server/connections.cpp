// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/outsource/server/http_server.hpp"

namespace fhe::outsource {

Connections::Connections(std::size_t most, const Patience& patience, Serve serve)
    : most_(most), patience_(patience), serve_(std::move(serve)) {}

void Connections::Place::trust() {
  owner_->set_stranger(*this, false);
}

void Connections::Place::leave() {
  owner_->set_stranger(*this, true);
}

void Connections::set_stranger(Place& place, bool stranger) {
  const std::lock_guard lock(guard_);
  place.stranger_ = stranger;
  changed_.notify_all();
}

// Ends its thread within a moment.
bool Connections::interrupt_stranger() {
  const auto stranger = std::ranges::find_if(places_, &Place::stranger_);
  if (stranger == places_.end()) return false;
  stranger->connection_.interrupt();
  return true;
}

// Another place may become free, or a stranger's, while this waits.
bool Connections::make_room(std::unique_lock<std::mutex>& lock) {
  while (places_.size() >= most_) {
    if (!interrupt_stranger()) return false;
    changed_.wait(lock);
  }
  return true;
}

bool Connections::dismiss_stranger() {
  std::unique_lock lock(guard_);
  for (const std::size_t places = places_.size(); places_.size() >= places;) {
    if (!interrupt_stranger()) return false;
    changed_.wait(lock);
  }
  return true;
}

void Connections::speak(std::shared_ptr<const Tls> tls) {
  const std::lock_guard lock(guard_);
  tls_ = std::move(tls);
}

void Connections::admit(Socket socket) {
  std::unique_lock lock(guard_);
  if (!make_room(lock)) return;
  try {
    places_.emplace_back(std::move(socket), patience_, tls_.get());
  } catch (...) {  // no memory for another: as if there were no place
    return;
  }
  places_.back().owner_ = this;
  start(std::prev(places_.end()));
}

void Connections::start(std::list<Place>::iterator place) {
  try {
    std::thread([this, place] {
      serve_(*place);
      remove(place);
    }).detach();
  } catch (const std::system_error&) {  // no more threads: as if there were no place
    places_.erase(place);
  }
}

void Connections::remove(std::list<Place>::iterator place) {
  const std::lock_guard lock(guard_);
  places_.erase(place);
  changed_.notify_all();
}

void Connections::end_all(std::chrono::milliseconds grace) {
  std::unique_lock lock(guard_);
  const auto empty = [this] { return places_.empty(); };
  if (changed_.wait_for(lock, grace, empty)) return;
  for (const Place& place : places_) place.connection_.interrupt();
  changed_.wait(lock, empty);
}

}  // namespace fhe::outsource
