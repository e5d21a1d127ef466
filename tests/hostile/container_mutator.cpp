// SPDX-License-Identifier: Apache-2.0
// How libFuzzer alters containers, for all targets that read them: one field or section is changed,
// and all digests, lengths and names of groups are made to fit again. One in sixteen is altered
// byte by byte, as any file would be.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "tests/hostile/container_image.hpp"

// libFuzzer's own: changes bytes, and how many there are, up to `max_size`.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using fhe::hostile::ContainerImage;
using Section = ContainerImage::Section;
using Random = std::minstd_rand;

constexpr std::size_t kMostGrowth = 64;
constexpr std::array<std::uint64_t, 16> kNumbers{
    0,      1,       2,          3,          7,          15,         16,         17,
    0xffff, 1 << 16, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 62, ~0ULL};

std::size_t below(Random& random, std::size_t end) {
  return end == 0 ? 0 : random() % end;
}

void mutate_bytes(ContainerImage::Bytes& bytes, std::size_t growth) {
  const std::size_t size = bytes.size();
  bytes.resize(size + growth + 1);  // libFuzzer wants room
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, size + growth));
}

// Keeps the length, on which readers insist.
void mutate_in_place(ContainerImage::Bytes& bytes) {
  const std::size_t size = bytes.size();
  mutate_bytes(bytes, 0);
  bytes.resize(size);
}

void put_number(ContainerImage::Bytes& bytes, Random& random) {
  const std::size_t width = below(random, 2) == 0 ? 4 : 8;
  if (bytes.size() < width) return;
  const std::size_t at = below(random, bytes.size() - width + 1) / 4 * 4;
  const std::uint64_t number = kNumbers[below(random, kNumbers.size())];
  std::memcpy(bytes.data() + at, &number, width);
}

// All zeros, all ones, or one bit.
void put_pattern(ContainerImage::Bytes& bytes, Random& random) {
  const std::size_t pattern = below(random, 3);
  if (pattern < 2) {
    bytes.assign(bytes.size(), pattern == 0 ? 0x00 : 0xff);
  } else if (!bytes.empty()) {
    bytes[below(random, bytes.size())] ^= static_cast<std::uint8_t>(1U << below(random, 8));
  }
}

// Another number in the text of a group.
void put_parameter(ContainerImage::Bytes& bytes, Random& random) {
  constexpr std::string_view kDigits = "0123456789";
  std::string text(bytes.begin(), bytes.end());
  const std::size_t start = text.find_first_of(kDigits, below(random, text.size()));
  if (start == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of(kDigits, start), text.size());
  const auto small = static_cast<std::uint64_t>(below(random, 2000));
  const std::uint64_t number =
      below(random, 2) == 0 ? small : kNumbers[below(random, kNumbers.size())];
  text.replace(start, end - start, std::to_string(number));
  bytes.assign(text.begin(), text.end());
}

void change_section(Section& section, Random& random) {
  switch (below(random, 6)) {
    case 0:
      return mutate_bytes(section.contents, kMostGrowth);
    case 1:
      return put_number(section.contents, random);
    case 2:
      return put_pattern(section.contents, random);
    case 3:
      return put_parameter(section.contents, random);
    default:
      return mutate_in_place(section.contents);
  }
}

void change_head(ContainerImage& image, Random& random) {
  constexpr std::size_t kFieldsAt = 8;  // behind the magic
  ContainerImage::Bytes fields(image.head.begin() + kFieldsAt, image.head.end());
  if (below(random, 2) == 0) {
    fields[2] = static_cast<std::uint8_t>(below(random, 6));  // the kind
  } else {
    mutate_in_place(fields);
  }
  std::ranges::copy(fields, image.head.begin() + kFieldsAt);
}

void change_table(ContainerImage& image, Random& random) {
  std::vector<Section>& sections = image.sections;
  const std::size_t at = below(random, sections.size());
  const std::size_t other = below(random, sections.size());
  switch (below(random, 5)) {
    case 0:
      return std::swap(sections[at], sections[other]);
    case 1:
      return std::swap(sections[at].contents, sections[other].contents);
    case 2:
      if (sections.size() > 1) sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 3:
      if (sections.size() < ContainerImage::kMostSections) sections.push_back(sections[at]);
      return;
    default:
      LLVMFuzzerMutate(sections[at].name.data(), sections[at].name.size(),
                       sections[at].name.size());
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  std::optional<ContainerImage> image = ContainerImage::parse({data, size});
  if (!image || below(random, 16) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t what = below(random, 10);
  if (what == 0) {
    change_head(*image, random);
  } else if (what == 1) {
    change_table(*image, random);
  } else {
    change_section(image->sections[below(random, image->sections.size())], random);
  }
  if (below(random, 16) != 0) image->fit_head();
  const ContainerImage::Bytes bytes = image->bytes();
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::ranges::copy(bytes, data);
  return bytes.size();
}
