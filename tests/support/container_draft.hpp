// SPDX-License-Identifier: Apache-2.0
// The contents of a container file, to be altered and written again: what a forger can do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/storage/container.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// Written with digests that fit; the key id in the header stays what it is.
struct Draft {
  struct Section {
    std::string name;
    std::vector<std::byte> contents;
  };

  explicit Draft(const std::filesystem::path& path) {
    ContainerReader in(path);
    header = in.header();
    for (const SectionEntry& entry : in.sections()) {
      in.open_section(entry.name, 0, std::numeric_limits<std::uint64_t>::max());
      sections.push_back({entry.name, std::vector<std::byte>(in.section_bytes())});
      in.read(sections.back().contents);
      in.close_section();
    }
  }

  std::vector<std::byte>& operator[](std::string_view name) {
    return std::ranges::find(sections, name, &Section::name)->contents;
  }

  void set_parameters(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    (*this)["params"].assign(bytes.begin(), bytes.end());
  }

  // Replaces a text that is in the section `params` by another one.
  void replace_in_parameters(const std::string& from, const std::string& to) {
    const std::vector<std::byte>& params = (*this)["params"];
    std::string text(reinterpret_cast<const char*>(params.data()), params.size());
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    set_parameters(text.replace(at, from.size(), to));
  }

  // Makes the key id in the header the one of an altered public key.
  void fit_key_id() {
    KeyIdHasher hasher;
    for (const Section& section : sections) {
      if (section.name == "params") continue;
      hasher.begin_section(section.name);
      hasher.write(section.contents);
    }
    header.key_id = hasher.finish(header.parameters_digest);
  }

  void write(const std::filesystem::path& path) const {
    ContainerWriter out(path, header, sections.size());
    for (const Section& section : sections) {
      out.begin_section(section.name);
      out.write(section.contents);
    }
    out.commit();
  }

  ObjectHeader header;
  std::vector<Section> sections;
};

}  // namespace fhe::test
