// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/disk.hpp"

#include <algorithm>

#include <fcntl.h>
#include <stdio.h>

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;

}  // namespace

Disk::Disk(fs::path folder, const Snapshot& state) : root_(std::move(folder)) {
  make(true);
  for (const auto& [name, contents] : state) {  // folders come before what is in them
    const std::optional<Place> place = place_of((root_ / name).string());
    const Node node = make(contents == kFolder);
    files_[node].data = files_[node].flushed = contents;
    files_[place->folder].entries[place->name] = node;
  }
  for (const File& file : files_) at_start_.push_back(file.entries);
}

Disk::Node Disk::make(bool is_folder) {
  files_.push_back({.is_folder = is_folder, .data = {}, .flushed = {}, .entries = {}});
  return files_.size() - 1;
}

std::optional<Disk::Place> Disk::place_of(const std::string& path) const {
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(root_);
  if (relative.empty() || *relative.begin() == ".." || relative == ".") return std::nullopt;
  Place place{0, {}};
  for (const fs::path& part : relative) {
    if (part.empty()) continue;  // behind a last slash
    if (!place.name.empty()) {
      const std::optional<Node> folder = entry(place);
      if (!folder) return std::nullopt;
      place.folder = *folder;
    }
    place.name = part.string();
  }
  return place;
}

std::optional<Disk::Node> Disk::entry(const Place& place) const {
  const auto& entries = files_[place.folder].entries;
  const auto found = entries.find(place.name);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Disk::Node> Disk::find(const std::string& path) const {
  if (fs::path(path).lexically_normal().lexically_relative(root_) == ".") return 0;
  const std::optional<Place> place = place_of(path);
  return place ? entry(*place) : std::nullopt;
}

void Disk::change(std::vector<Edit> edits) {
  Change change;
  for (const Edit& edit : edits) {
    auto& entries = files_[edit.folder].entries;
    if (edit.node) {
      entries[edit.name] = *edit.node;
    } else {
      entries.erase(edit.name);
    }
    change.unflushed.insert(edit.folder);
  }
  change.edits = std::move(edits);
  changes_.push_back(std::move(change));
}

void Disk::open(const Event& event) {
  const std::pair descriptor(event.record.process, event.record.descriptor);
  open_.erase(descriptor);  // it may have been closed unseen
  std::optional<Node> node = find(event.path);
  const std::optional<Place> place = place_of(event.path);
  if (!node && place) {
    node = make(false);
    change({{place->folder, place->name, node}});
  }
  if (!node) return;
  if ((event.record.flags & O_TRUNC) != 0) files_[*node].data.clear();
  open_[descriptor] = *node;
}

void Disk::move(const Event& event) {
  const std::optional<Place> from = place_of(event.path);
  const std::optional<Place> to = place_of(event.target);
  if (!from || !to) return;
  const std::optional<Node> moved = entry(*from);
  const bool exchanges = (event.record.flags & RENAME_EXCHANGE) != 0;
  change({{from->folder, from->name, exchanges ? entry(*to) : std::nullopt},
          {to->folder, to->name, moved}});
}

void Disk::flush(Node node) {
  File& file = files_[node];
  if (!file.is_folder) {
    file.flushed = file.data;
    return;
  }
  for (Change& change : changes_) change.unflushed.erase(node);
}

void Disk::apply(const Event& event) {
  const Record& record = event.record;
  if (record.result < 0) return;
  const std::pair descriptor(record.process, record.descriptor);
  const auto opened = open_.find(descriptor);
  const std::optional<Place> place = place_of(event.path);
  switch (record.call) {
    case Call::open:
    case Call::create:
      return open(event);
    case Call::write:
      if (opened != open_.end()) {
        std::string& data = files_[opened->second].data;
        data.resize(std::max(data.size(), record.offset + event.data.size()));
        data.replace(record.offset, event.data.size(), event.data);
      }
      return;
    case Call::truncate:
      if (opened != open_.end()) files_[opened->second].data.resize(record.offset);
      return;
    case Call::sync:
      if (opened != open_.end()) flush(opened->second);
      return;
    case Call::close:
      open_.erase(descriptor);
      return;
    case Call::rename:
      return move(event);
    case Call::link:
      if (const std::optional<Place> to = place_of(event.target); to && place) {
        change({{to->folder, to->name, entry(*place)}});
      }
      return;
    case Call::unlink:
      if (place) change({{place->folder, place->name, std::nullopt}});
      return;
    case Call::mkdir:
      if (place) change({{place->folder, place->name, make(true)}});
      return;
    case Call::symlink:  // of the programs here none makes one
    case Call::read:
    case Call::status:
    case Call::access:
    case Call::mode:
    case Call::lock:
    case Call::list:
    case Call::spawn:
    case Call::allocate:
      return;
  }
}

std::string Disk::surviving(const File& file, Unflushed fate) const {
  if (fate == Unflushed::kept || file.data == file.flushed) return file.data;
  if (fate == Unflushed::lost) return file.flushed;
  const std::size_t flushed = std::min(file.flushed.size(), file.data.size());
  if (fate == Unflushed::halved) {
    return file.data.substr(0, flushed + (file.data.size() - flushed) / 2);
  }
  return file.flushed.substr(0, flushed) + std::string(file.data.size() - flushed, '\0');
}

void Disk::collect(const Folders& folders, Node folder, const std::string& prefix, Unflushed fate,
                   Snapshot& state) const {
  for (const auto& [name, node] : folders[folder]) {
    state[prefix + name] = files_[node].is_folder ? kFolder : surviving(files_[node], fate);
    if (files_[node].is_folder) collect(folders, node, prefix + name + "/", fate, state);
  }
}

Snapshot Disk::image(std::size_t arrived, Unflushed fate) const {
  Folders folders = at_start_;
  folders.resize(files_.size());
  for (const Change& change : changes_) {
    if (!change.unflushed.empty()) {
      if (arrived == 0) continue;
      --arrived;
    }
    for (const Edit& edit : change.edits) {
      if (edit.node) {
        folders[edit.folder][edit.name] = *edit.node;
      } else {
        folders[edit.folder].erase(edit.name);
      }
    }
  }
  Snapshot state;
  collect(folders, 0, "", fate, state);
  return state;
}

std::set<Snapshot> Disk::images() const {
  const auto pending = static_cast<std::size_t>(std::ranges::count_if(
      changes_, [](const Change& change) { return !change.unflushed.empty(); }));
  std::set<Snapshot> images;
  for (std::size_t arrived = 0; arrived <= pending; ++arrived) {
    for (const Unflushed fate :
         {Unflushed::kept, Unflushed::lost, Unflushed::halved, Unflushed::zeroed}) {
      images.insert(image(arrived, fate));
    }
  }
  return images;
}

}  // namespace fhe::faults
