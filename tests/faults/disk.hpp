// SPDX-License-Identifier: Apache-2.0
// A disk whose power fails: what may be on it, after a recorded sequence of calls.
//
// Data of a file are on the disk once the file was flushed, names once their folder was. Until then
// any of it may be there or not: names come in the order in which they were made, as on file
// systems with a journal, and of all data nothing, half, zeros or everything may have come.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/fault.hpp"
#include "tests/faults/snapshot.hpp"

namespace fhe::faults {

class Disk {
 public:
  // The folder of the recorded paths, and what is in it, all on the disk. Paths of other places do
  // not matter.
  Disk(std::filesystem::path folder, const Snapshot& state);

  // Does the next call of a recording. Calls that failed do nothing.
  void apply(const Event& event);

  // What the disk may hold if the power fails now.
  [[nodiscard]] std::set<Snapshot> images() const;

 private:
  using Node = std::size_t;

  // What becomes of data that were not flushed.
  enum class Unflushed { kept, lost, halved, zeroed };

  struct File {
    bool is_folder = false;
    std::string data;
    std::string flushed;
    std::map<std::string, Node> entries;  // of a folder
  };
  using Folders = std::vector<std::map<std::string, Node>>;  // by node

  // A name in a folder that is set, or removed.
  struct Edit {
    Node folder;
    std::string name;
    std::optional<Node> node;
  };

  // Edits that are done together or not at all, and the folders that are to be flushed for them.
  struct Change {
    std::vector<Edit> edits;
    std::set<Node> unflushed;
  };

  // A place for a name: the folder and the name in it.
  struct Place {
    Node folder;
    std::string name;
  };

  Node make(bool is_folder);
  [[nodiscard]] std::optional<Place> place_of(const std::string& path) const;
  [[nodiscard]] std::optional<Node> find(const std::string& path) const;
  [[nodiscard]] std::optional<Node> entry(const Place& place) const;
  void change(std::vector<Edit> edits);
  void open(const Event& event);
  void move(const Event& event);
  void flush(Node node);
  [[nodiscard]] std::string surviving(const File& file, Unflushed fate) const;
  void collect(const Folders& folders, Node folder, const std::string& prefix, Unflushed fate,
               Snapshot& state) const;
  // When of the changes that were not flushed the first `arrived` have come.
  [[nodiscard]] Snapshot image(std::size_t arrived, Unflushed fate) const;

  std::filesystem::path root_;
  std::vector<File> files_;  // of the nodes; 0 is the folder
  Folders at_start_;
  std::vector<Change> changes_;                                 // oldest first
  std::map<std::pair<std::int32_t, std::int32_t>, Node> open_;  // by process and descriptor
};

}  // namespace fhe::faults
