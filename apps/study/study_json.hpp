// SPDX-License-Identifier: Apache-2.0
// Runs and studies as JSON files, in both directions.
//
// "fhe-bench 1" is one run, "fhe-bench scale 1" circuits on many workers, and "fhe-bench report 1"
// a study of any number of both, with facts about groups and computed clocks. Published figures and
// bars are written beside the measurements of a run for those who read the file; they are not read
// back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/study/study.hpp"

namespace fhe::bench {

std::string to_json(const Run& run);
std::string to_json(const Scaling& scaling);
std::string to_json(const Study& study);

// The study in a text of one of these formats. Throws Error(malformed_file) naming `origin` and
// what is wrong: no JSON, another format or version, a field that is missing, of the wrong kind or
// out of range.
Study study_from_json(std::string_view text, const std::string& origin);

// The same of a file of up to 64 MiB. Throws Error(io) when it cannot be read.
Study read_study(const std::filesystem::path& path);

// Writes a text whole or not at all; "-" is standard output. Throws Error(io).
void write_text(std::string_view text, const std::filesystem::path& path);

}  // namespace fhe::bench
