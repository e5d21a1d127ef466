// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/container.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include <sys/stat.h>

#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();

// Offsets of FORMAT.md.
constexpr std::size_t kVersion = 8;
constexpr std::size_t kKind = 10;
constexpr std::size_t kFlags = 12;
constexpr std::size_t kScheme = 16;
constexpr std::size_t kParameters = 32;
constexpr std::size_t kSectionCount = 128;
constexpr std::size_t kReserved = 132;
constexpr std::size_t kTable = 136;
constexpr std::size_t kLine = 48;

ObjectHeader sample_header() {
  return {.kind = ObjectKind::ciphertexts,
          .test_key = true,
          .scheme = "cnt",
          .parameters = "cnt-toy",
          .parameters_digest = sha256("group"),
          .key_id = sha256("key")};
}

// A container of two sections: "first" holds "abc", "second" the number 7 in 8 bytes.
Bytes make_sample_file() {
  const TemporaryDirectory directory;
  ContainerWriter out(directory / "file", sample_header(), 2);
  out.begin_section("first");
  out.write_text("abc");
  out.begin_section("second");
  out.write_u64(7);
  out.commit();
  return read_file(directory / "file");
}

const Bytes& sample_file() {
  static const Bytes bytes = make_sample_file();
  return bytes;
}

constexpr std::size_t kSampleHeaderBytes = 168 + 2 * kLine;

// A container of one section, which `fill` writes.
template <class Fill>
void write_section(const std::filesystem::path& path, const Fill& fill) {
  ContainerWriter out(path, sample_header(), 1);
  out.begin_section("list");
  fill(out);
  out.commit();
}

template <class T>
void patch(Bytes& bytes, std::size_t offset, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

void patch_text(Bytes& bytes, std::size_t offset, std::string_view text) {
  std::ranges::copy(std::as_bytes(std::span(text)),
                    bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

// Makes the digest of the header of the sample fit again, as a forger would.
void rehash(Bytes& bytes, std::size_t header_bytes = kSampleHeaderBytes) {
  Hasher hasher;
  hasher.update(std::span(bytes).first(header_bytes - sizeof(Digest)));
  const Digest digest = hasher.finish();
  std::ranges::copy(digest, std::span(bytes).subspan(header_bytes - sizeof(Digest)).begin());
}

// What opening this file throws; fails the test when it throws nothing.
Error opening(const std::filesystem::path& path, const ReadLimits& limits = {}) {
  try {
    const ContainerReader reader(path, limits);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find(path.string()) != std::string::npos);
    return error;
  }
  FAIL("the file was accepted");
  throw std::logic_error("not reached");
}

Error opening(const Bytes& bytes, const ReadLimits& limits = {}) {
  const TemporaryDirectory directory;
  write_file(directory / "file", bytes);
  return opening(directory / "file", limits);
}

// The sample with a value at an offset of its header, and a digest that fits.
template <class T>
Bytes forged(std::size_t offset, T value) {
  Bytes bytes = sample_file();
  patch(bytes, offset, value);
  rehash(bytes);
  return bytes;
}

Bytes forged_text(std::size_t offset, std::string_view text) {
  Bytes bytes = sample_file();
  patch_text(bytes, offset, text);
  rehash(bytes);
  return bytes;
}

// A packed list, bit by bit.
Bytes packed_naively(const std::vector<Integer>& values, std::size_t bits) {
  Bytes bytes(bytes_for_bits(values.size() * bits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < bits; ++k) {
      const std::size_t at = i * bits + k;
      if (mpz_tstbit(values[i].get_mpz_t(), k) != 0) bytes[at / 8] |= std::byte{1} << (at % 8);
    }
  }
  return bytes;
}

Integer random_integer(std::mt19937_64& random, std::size_t bits) {
  std::vector<Limb> limbs(limbs_for_bits(bits));
  for (Limb& limb : limbs) limb = random();
  return low_bits(from_limbs(limbs), bits);
}

}  // namespace

TEST_CASE("a container holds what was written, in any order of reading", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  const std::vector<std::uint32_t> numbers{0, 1, 0xffffffff};
  const std::vector<Integer> list{5, 0, 1023};
  const Integer large = power_of_two(1000) - 12345;
  ContainerWriter out(path, sample_header(), 3);
  out.begin_section("mixed");
  out.write_padded("aes", 16);
  out.write_u32(0x01020304);
  out.write_u64(0x0102030405060708);
  out.write_u32s(numbers);
  out.begin_section("x");
  out.write_integer(large, 1000);
  out.write_integer(0, 1);
  out.begin_section("12345678");
  out.write_packed(list, 10);
  out.commit();

  ContainerReader in(path);
  CHECK(in.header() == sample_header());
  CHECK(in.name() == path.string());
  CHECK(in.file_bytes() == file_size(path));
  REQUIRE(in.sections().size() == 3);
  CHECK(in.sections()[2].name == "12345678");
  CHECK(in.sections()[2].bytes == 4);
  in.open_section("12345678", 4, 4);
  CHECK(in.read_packed(3, 10) == list);
  in.close_section();
  in.open_section("x", 0, 1000);
  CHECK(in.section_bytes() == 126);
  CHECK(in.read_integer(1000) == large);
  CHECK(in.read_integer(1) == 0);
  in.close_section();
  in.open_section("mixed", 0, kAnyLength);
  CHECK(in.read_padded(16) == "aes");
  CHECK(in.read_u32() == 0x01020304);
  CHECK(in.read_u64() == 0x0102030405060708);
  CHECK(std::ranges::equal(in.read_u32s(3), numbers));
  in.close_section();
  in.open_section("mixed", 0, kAnyLength);
  CHECK(in.read_padded(16) == "aes");  // again from the beginning
}

TEST_CASE("the bytes of a container are those of FORMAT.md", "[wire]") {
  Bytes expected(kSampleHeaderBytes);
  patch_text(expected, 0,
             "\x89"
             "FHE\r\n\x1a\n");
  patch(expected, kVersion, std::uint16_t{1});
  patch(expected, kKind, std::uint16_t{3});
  patch(expected, kFlags, std::uint32_t{1});
  patch_text(expected, kScheme, "cnt");
  patch_text(expected, kParameters, "cnt-toy");
  std::ranges::copy(sha256("group"), expected.begin() + 64);
  std::ranges::copy(sha256("key"), expected.begin() + 96);
  patch(expected, kSectionCount, std::uint32_t{2});
  patch_text(expected, kTable, "first");
  patch(expected, kTable + 8, std::uint64_t{3});
  std::ranges::copy(sha256("abc"), expected.begin() + kTable + 16);
  patch_text(expected, kTable + kLine, "second");
  patch(expected, kTable + kLine + 8, std::uint64_t{8});
  const std::string seven("\x07\0\0\0\0\0\0\0", 8);
  std::ranges::copy(sha256(seven), expected.begin() + kTable + kLine + 16);
  rehash(expected);
  for (const char c : "abc" + seven) expected.push_back(static_cast<std::byte>(c));
  CHECK(sample_file() == expected);
}

TEST_CASE("numbers and integers are little-endian", "[wire]") {
  const TemporaryDirectory directory;
  write_section(directory / "file", [](ContainerWriter& out) {
    out.write_u32(0x04030201);
    out.write_u64(0x0807060504030201);
    out.write_integer(0x030201, 17 + 1);
  });
  ContainerReader in(directory / "file");
  in.open_section("list", 15, 15);
  Bytes bytes(15);
  in.read(bytes);
  in.close_section();
  const std::vector<int> expected{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3};
  for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(static_cast<int>(bytes[i]) == expected[i]);
}

TEST_CASE("a list of numbers longer than the buffer is written and read whole", "[wire]") {
  const TemporaryDirectory directory;
  std::vector<std::uint32_t> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * i);
  write_section(directory / "file", [&](ContainerWriter& out) { out.write_u32s(numbers); });
  ContainerReader in(directory / "file");
  in.open_section("list", 20000, 20000);
  CHECK(std::ranges::equal(in.read_u32s(5000), numbers));
  CHECK_NOTHROW(in.close_section());
}

TEST_CASE("every altered bit of the header is found when the file is opened", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  const Bytes good = sample_file();
  write_file(path, good);
  for (std::size_t bit = 0; bit < 8 * kSampleHeaderBytes; ++bit) {
    INFO("bit " << bit);
    overwrite_byte(path, bit / 8, good[bit / 8] ^ std::byte{1} << (bit % 8));
    CHECK(opening(path).code() == ErrorCode::malformed_file);
    overwrite_byte(path, bit / 8, good[bit / 8]);
  }
  CHECK_NOTHROW(ContainerReader(path));
}

TEST_CASE("every altered byte of the contents is found when its section is closed", "[wire]") {
  const TemporaryDirectory directory;
  const Bytes good = sample_file();
  for (std::size_t i = kSampleHeaderBytes; i < good.size(); ++i) {
    Bytes bytes = good;
    bytes[i] ^= std::byte{0x10};
    write_file(directory / "file", bytes);
    ContainerReader in(directory / "file");
    const bool in_first = i < kSampleHeaderBytes + 3;
    in.open_section(in_first ? "first" : "second", 1, 100);
    static_cast<void>(in.read_text(in.section_bytes()));
    CHECK_THROWS_MATCHES(in.close_section(), Error, HasCode(ErrorCode::malformed_file, "SHA-256"));
  }
}

TEST_CASE("a file cut off anywhere is refused when it is opened", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  write_file(path, sample_file());
  const auto full = file_size(path);
  for (auto length = full; length-- > 0;) {
    resize_file(path, length);
    const Error error = opening(path);
    INFO(error.what());
    CHECK(error.code() == ErrorCode::malformed_file);
  }
  Bytes cut = sample_file();
  cut.pop_back();
  CHECK_THAT(opening(cut), HasCode(ErrorCode::malformed_file,
                                   "truncated: the header says 275 bytes, the file has 274"));
}

TEST_CASE("bytes after the last section are refused", "[wire]") {
  Bytes bytes = sample_file();
  bytes.push_back(std::byte{0});
  CHECK_THAT(opening(bytes),
             HasCode(ErrorCode::malformed_file, "byte 275: the file has 276 bytes"));
}

TEST_CASE("other files are refused for what they are", "[wire]") {
  const std::string text = "just a text, long enough to be mistaken for something else";
  const auto bytes = std::as_bytes(std::span(text));
  CHECK_THAT(opening(Bytes(bytes.begin(), bytes.end())),
             HasCode(ErrorCode::malformed_file, "not a file of keys or ciphertexts"));
  CHECK_THAT(opening(Bytes{}),
             HasCode(ErrorCode::malformed_file, "not a file of keys or ciphertexts"));
}

TEST_CASE("a container tells its kind by its first bytes", "[wire]") {
  const std::span<const std::byte> whole = sample_file();
  CHECK(announced_kind(whole) == ObjectKind::ciphertexts);
  CHECK(announced_kind(whole.first(kAnnouncingBytes)) == ObjectKind::ciphertexts);
  CHECK(announced_kind(whole.first(kAnnouncingBytes - 1)) == std::nullopt);
  CHECK(announced_kind({}) == std::nullopt);
  Bytes bytes(whole.begin(), whole.end());
  const auto kind = [&](unsigned low, unsigned high) {
    bytes[kKind] = static_cast<std::byte>(low);
    bytes[kKind + 1] = static_cast<std::byte>(high);
    return announced_kind(bytes);
  };
  CHECK(kind(1, 0) == ObjectKind::public_key);
  CHECK(kind(2, 0) == ObjectKind::secret_key);
  CHECK(kind(4, 0) == ObjectKind::checkpoint);
  CHECK(kind(0, 0) == std::nullopt);
  CHECK(kind(5, 0) == ObjectKind::program);
  CHECK(kind(7, 0) == std::nullopt);
  CHECK(kind(2, 1) == std::nullopt);
  bytes = Bytes(whole.begin(), whole.end());
  bytes.front() ^= std::byte{1};
  CHECK(announced_kind(bytes) == std::nullopt);
}

TEST_CASE("what cannot be read is an error of the system", "[wire]") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(ContainerReader(directory / "missing"), Error,
                       HasCode(ErrorCode::io, "No such file or directory"));
  CHECK_THROWS_MATCHES(ContainerReader(directory.path()), Error,
                       HasCode(ErrorCode::io, "it is a directory"));
  CHECK_THROWS_MATCHES(ContainerReader("/dev/zero"), Error,
                       HasCode(ErrorCode::io, "no regular file"));
  REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_MATCHES(ContainerReader(directory / "pipe"), Error,
                       HasCode(ErrorCode::io, "std::istream"));
}

TEST_CASE("another version of the format is named, whatever follows it", "[wire]") {
  Bytes bytes = sample_file();
  patch(bytes, kVersion, std::uint16_t{7});
  CHECK_THAT(opening(bytes),
             HasCode(ErrorCode::malformed_file,
                     "version 7, this program reads version 1: update the program"));
  bytes.resize(10);
  CHECK_THAT(opening(bytes), HasCode(ErrorCode::malformed_file, "version 7"));
}

TEST_CASE("forged headers are refused field by field", "[wire]") {
  const auto refused = [](const std::string& part) {
    return HasCode(ErrorCode::malformed_file, part);
  };
  CHECK_THAT(opening(forged(kKind, std::uint16_t{0})), refused("byte 10: object kind 0"));
  CHECK_THAT(opening(forged(kKind, std::uint16_t{7})), refused("byte 10: object kind 7"));
  CHECK_THAT(opening(forged(kFlags, std::uint32_t{3})),
             refused("byte 12: only secret keys are encrypted"));
  CHECK_THAT(opening(forged(kFlags, std::uint32_t{5})), refused("byte 12: unknown flags 0x4"));
  CHECK_THAT(opening(forged(kFlags, 0x80000000u)), refused("unknown flags 0x80000000"));
  CHECK_THAT(opening(forged(kSectionCount, std::uint32_t{0})), refused("byte 128: 0 sections"));
  CHECK_THAT(opening(forged(kSectionCount, std::uint32_t{17})), refused("byte 128: 17 sections"));
  CHECK_THAT(opening(forged(kSectionCount, 0xffffffffu)), refused("4294967295 sections"));
  CHECK_THAT(opening(forged(kSectionCount, std::uint32_t{16})), refused("truncated"));
  CHECK_THAT(opening(forged(kReserved, std::uint32_t{1})), refused("byte 132"));
}

TEST_CASE("forged texts in the header are refused", "[wire]") {
  const auto refused = [](std::size_t offset) {
    return HasCode(ErrorCode::malformed_file, "byte " + std::to_string(offset) + ": a name of");
  };
  using namespace std::string_literals;
  CHECK_THAT(opening(forged_text(kScheme, "sixteen letters!")), refused(kScheme));
  CHECK_THAT(opening(forged_text(kScheme, "c\nt")), refused(kScheme));
  CHECK_THAT(opening(forged_text(kScheme, "c\x80t")), refused(kScheme));
  CHECK_THAT(opening(forged_text(kScheme, "cnt\0x"s)), refused(kScheme));
  CHECK_THAT(opening(forged_text(kScheme, "\0\0\0"s)), refused(kScheme));
  CHECK_THAT(opening(forged_text(kParameters, std::string(32, 'p'))), refused(kParameters));
  CHECK_THAT(opening(forged_text(kParameters, "\x7f")), refused(kParameters));
  CHECK_THAT(opening(forged_text(kTable, "\0\0\0\0\0"s)), refused(kTable));
  CHECK_THAT(opening(forged_text(kTable, "f\0rst"s)), refused(kTable));
  CHECK_THAT(opening(forged_text(kTable, "second")),
             HasCode(ErrorCode::malformed_file, "byte 184: a second section 'second'"));
}

TEST_CASE("forged lengths are refused, also when their sum wraps around", "[wire]") {
  const auto refused = HasCode(ErrorCode::malformed_file, "truncated");
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  CHECK_THAT(opening(forged(kTable + 8, kMax)), refused);
  CHECK_THAT(opening(forged(kTable + 8, std::uint64_t{4})), refused);
  CHECK_THAT(opening(forged(kTable + 8, std::uint64_t{1} << 62)), refused);
  Bytes wrapping = sample_file();
  patch(wrapping, kTable + 8, kMax - 4);                   // 3 - 8
  patch(wrapping, kTable + kLine + 8, std::uint64_t{16});  // 8 + 8
  rehash(wrapping);
  CHECK_THAT(opening(wrapping), refused);
  CHECK_THAT(opening(forged(kTable + 8, std::uint64_t{2})),
             HasCode(ErrorCode::malformed_file, "ends at 274 by its header"));
}

TEST_CASE("a file beyond the reader's limit is not read", "[wire]") {
  const Bytes bytes = sample_file();
  CHECK_THAT(opening(bytes, {.max_file_bytes = bytes.size() - 1}),
             HasCode(ErrorCode::invalid_argument, "275 bytes, more than the limit of 274"));
  std::istringstream stream(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  CHECK_THROWS_MATCHES(ContainerReader({stream}, {.max_file_bytes = bytes.size() - 1}), Error,
                       HasCode(ErrorCode::invalid_argument, "275 bytes"));
}

TEST_CASE("a file beyond the limit of its writer is not written", "[wire]") {
  const TemporaryDirectory directory;
  const std::size_t size = container_bytes(1, 10);
  const auto write = [&](std::uint64_t limit) {
    ContainerWriter out(directory / "file", sample_header(), 1, {.max_file_bytes = limit});
    out.begin_section("a");
    out.write(Bytes(10));
    out.commit();
  };
  CHECK_THROWS_MATCHES(write(size - 1), Error,
                       HasCode(ErrorCode::invalid_argument, "--max-file-bytes"));
  CHECK(directory.size() == 0);
  write(size);
  CHECK_NOTHROW(ContainerReader(directory / "file", {.max_file_bytes = size}));
}

TEST_CASE("the size of a container has no overflow", "[wire]") {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  CHECK(container_bytes(2, 11) == 168 + 2 * 48 + 11);
  CHECK(container_bytes(2, kMax - 10) == kMax);
}

TEST_CASE("the sections of a file can be required", "[wire]") {
  const TemporaryDirectory directory;
  write_file(directory / "file", sample_file());
  const ContainerReader in(directory / "file");
  const std::string first = in.sections().at(0).name;
  const std::string second = in.sections().at(1).name;
  const auto refused = HasCode(ErrorCode::malformed_file, "in this order");
  CHECK_NOTHROW(in.require_sections({first, second}));
  CHECK_THROWS_MATCHES(in.require_sections({second, first}), Error, refused);
  CHECK_THROWS_MATCHES(in.require_sections({first}), Error, refused);
  CHECK_THROWS_MATCHES(in.require_sections({first, second, "more"}), Error, refused);
}

TEST_CASE("sections are opened by name and length, and read to their end", "[wire]") {
  const TemporaryDirectory directory;
  write_file(directory / "file", sample_file());
  ContainerReader in(directory / "file");
  const auto refused = [](const std::string& part) {
    return HasCode(ErrorCode::malformed_file, part);
  };
  CHECK_THROWS_MATCHES(in.read_u32(), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(in.open_section("third", 0, 9), Error, refused("no section 'third'"));
  CHECK_THROWS_MATCHES(in.open_section("first", 4, 9), Error,
                       refused("3 bytes, but must have 4 to 9"));
  CHECK_THROWS_MATCHES(in.open_section("first", 2, 2), Error, refused("but must have 2"));
  in.open_section("first", 3, 3);
  CHECK_THROWS_MATCHES(in.read_u32(), Error, refused("byte 264: section 'first': 4 bytes"));
  CHECK(in.read_text(2) == "ab");
  CHECK_THROWS_MATCHES(in.close_section(), Error, refused("1 bytes after its contents"));
  CHECK_THROWS_MATCHES(in.read_text(2), Error, refused("byte 266"));
  CHECK_THROWS_MATCHES(in.read_text(kAnyLength), Error, refused("the section has 1 more"));
  CHECK(in.read_text(1) == "c");
  CHECK_NOTHROW(in.close_section());
  CHECK_THROWS_MATCHES(in.close_section(), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("packed lists of every size of entry agree with packing bit by bit", "[wire]") {
  constexpr std::size_t kLargestSize = 130;
  std::mt19937_64 random(1);
  std::vector<std::vector<Integer>> lists;
  Bytes expected;
  for (std::size_t bits = 1; bits <= kLargestSize; ++bits) {
    std::vector<Integer>& values = lists.emplace_back();
    for (std::size_t i = 0; i < bits % 20; ++i) values.push_back(random_integer(random, bits));
    if (values.size() > 2) values[1] = power_of_two(bits) - 1;
    const Bytes packed = packed_naively(values, bits);
    expected.insert(expected.end(), packed.begin(), packed.end());
  }
  const TemporaryDirectory directory;
  write_section(directory / "file", [&](ContainerWriter& out) {
    for (std::size_t bits = 1; bits <= kLargestSize; ++bits)
      out.write_packed(lists[bits - 1], bits);
  });

  ContainerReader in(directory / "file");
  in.open_section("list", expected.size(), expected.size());
  Bytes written(expected.size());
  in.read(written);
  in.close_section();
  CHECK(written == expected);
  in.open_section("list", expected.size(), expected.size());
  for (std::size_t bits = 1; bits <= kLargestSize; ++bits) {
    INFO(bits << " bits");
    CHECK(in.read_packed(lists[bits - 1].size(), bits) == lists[bits - 1]);
  }
  CHECK_NOTHROW(in.close_section());
}

TEST_CASE("impossible packed lists are refused before anything is allocated", "[wire]") {
  const TemporaryDirectory directory;
  write_section(directory / "file", [](ContainerWriter& out) { out.write_text("\x7f\xff"); });
  ContainerReader in(directory / "file");
  const auto refused = HasCode(ErrorCode::malformed_file, "section 'list'");
  for (const std::size_t bits : {std::size_t{17}, std::size_t{1} << 32, std::size_t{1} << 61}) {
    in.open_section("list", 2, 2);
    CHECK_THROWS_MATCHES(in.read_packed(std::size_t{1} << 40, bits), Error, refused);
    CHECK_THROWS_MATCHES(in.read_packed(kAnyLength, bits), Error, refused);
  }
  CHECK_THROWS_MATCHES(in.read_packed(kAnyLength, 1), Error, refused);
  CHECK_THROWS_MATCHES(in.read_packed(1, 0), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(in.read_u32s(kAnyLength), Error, refused);
  CHECK_THROWS_MATCHES(in.read_u32s(kAnyLength / 4 + 2), Error, refused);
  CHECK(in.read_packed(2, 8) == std::vector<Integer>{0x7f, 0xff});
  in.open_section("list", 2, 2);
  CHECK_THROWS_MATCHES(in.read_packed(3, 5), Error,
                       refused);  // bit 15 is 1 and belongs to no entry
}

TEST_CASE("integers that are not below their power of two are refused", "[wire]") {
  const TemporaryDirectory directory;
  write_section(directory / "file", [](ContainerWriter& out) { out.write_integer(0x1ff, 16); });
  ContainerReader in(directory / "file");
  in.open_section("list", 2, 2);
  CHECK(in.read_integer(9) == 0x1ff);
  in.open_section("list", 2, 2);
  CHECK_THROWS_MATCHES(in.read_integer(17), Error,
                       HasCode(ErrorCode::malformed_file, "3 bytes must follow"));
  write_section(directory / "file", [](ContainerWriter& out) { out.write_integer(0x2ff, 16); });
  ContainerReader larger(directory / "file");
  larger.open_section("list", 2, 2);
  CHECK_THROWS_MATCHES(larger.read_integer(9), Error,
                       HasCode(ErrorCode::malformed_file, "10 bits ends here, but may have 9"));
}

TEST_CASE("texts in fields are checked", "[wire]") {
  using namespace std::string_literals;
  const TemporaryDirectory directory;
  for (const std::string& field : {"abcd"s, "a\0b\0"s, "a\n\0\0"s, "\xc3\xa4\0\0"s}) {
    write_section(directory / "file", [&](ContainerWriter& out) { out.write_text(field); });
    ContainerReader in(directory / "file");
    in.open_section("list", 4, 4);
    CHECK_THROWS_MATCHES(in.read_padded(4), Error, HasCode(ErrorCode::malformed_file));
  }
}

TEST_CASE("a writer refuses what no reader would accept", "[wire]") {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  const auto refused = HasCode(ErrorCode::invalid_argument);
  ObjectHeader header = sample_header();
  CHECK_THROWS_MATCHES(ContainerWriter(path, header, 0), Error, refused);
  CHECK_THROWS_MATCHES(ContainerWriter(path, header, 17), Error, refused);
  header.scheme = std::string(16, 's');
  CHECK_THROWS_MATCHES(ContainerWriter(path, header, 1), Error, refused);
  header.scheme = "cnt";
  header.parameters = "a\tb";
  CHECK_THROWS_MATCHES(ContainerWriter(path, header, 1), Error, refused);
  header.parameters = "";
  CHECK_THROWS_MATCHES(ContainerWriter(path, header, 1), Error, refused);

  ContainerWriter out(path, sample_header(), 2);
  CHECK_THROWS_MATCHES(out.write_text("before the first section"), Error, refused);
  CHECK_THROWS_MATCHES(out.begin_section(""), Error, refused);
  CHECK_THROWS_MATCHES(out.begin_section("123456789"), Error, refused);
  CHECK_THROWS_MATCHES(out.begin_section("\x01"), Error, refused);
  out.begin_section("a");
  CHECK_THROWS_MATCHES(out.begin_section("a"), Error, refused);
  CHECK_THROWS_MATCHES(out.write_integer(8, 3), Error, refused);
  CHECK_THROWS_MATCHES(out.write_integer(-1, 3), Error, refused);
  CHECK_THROWS_MATCHES(out.write_packed(std::vector<Integer>{1, 8}, 3), Error, refused);
  CHECK_THROWS_MATCHES(out.write_packed(std::vector<Integer>{-1}, 3), Error, refused);
  CHECK_THROWS_MATCHES(out.write_padded("abcd", 4), Error, refused);
  CHECK_THROWS_MATCHES(out.write_padded("a\n", 4), Error, refused);
  CHECK_THROWS_MATCHES(out.commit(), Error, refused);
  out.begin_section("b");
  CHECK_THROWS_MATCHES(out.begin_section("c"), Error, refused);
  out.finish();
  CHECK_THROWS_MATCHES(out.write_text("after the end"), Error, refused);
  CHECK_FALSE(exists(path));
  out.commit();
  CHECK_NOTHROW(ContainerReader(path));
}

TEST_CASE("an abandoned writer leaves nothing", "[wire]") {
  const TemporaryDirectory directory;
  {
    ContainerWriter out(directory / "file", sample_header(), 1);
    out.begin_section("a");
    out.finish();
  }
  CHECK(directory.size() == 0);
}

TEST_CASE("secret keys alone are for the owner only", "[wire]") {
  const TemporaryDirectory directory;
  for (const ObjectKind kind :
       {ObjectKind::public_key, ObjectKind::secret_key, ObjectKind::ciphertexts}) {
    ObjectHeader header = sample_header();
    header.kind = kind;
    ContainerWriter out(directory / "file", header, 1);
    out.begin_section("a");
    out.commit();
    const auto others = permissions_of(directory / "file") & std::filesystem::perms(0077);
    if (kind == ObjectKind::secret_key) CHECK(others == std::filesystem::perms::none);
    CHECK(ContainerReader(directory / "file").header() == header);
  }
}

TEST_CASE("the key id of a file is the one of the material, and `params` is no part of it",
          "[wire]") {
  const TemporaryDirectory directory;
  const auto material = [](SectionWriter& out, std::string_view name) {
    out.begin_section(name);
    out.write_text("modulus");
    out.begin_section("delta");
    out.write_u32(5);
  };
  const auto id_of = [&](std::string_view name, std::string_view parameters) {
    KeyIdHasher hasher;
    material(hasher, name);
    return hasher.finish(sha256(parameters));
  };
  ContainerWriter out(directory / "file", sample_header(), 3);
  out.begin_section("params");
  out.write_text("whatever");
  material(out, "x0");
  out.commit();
  CHECK(ContainerReader(directory / "file").computed_key_id() == id_of("x0", "group"));
  CHECK(id_of("x0", "group") != id_of("x0", "other group"));
  CHECK(id_of("x0", "group") != id_of("x1", "group"));
}

namespace {

constexpr ScryptCost kSmallCost{.log_n = 4, .r = 1, .p = 1};

Passphrase passphrase() {
  return Passphrase("correct horse");
}

void append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// A section of what is sealed, which says that it has so many bytes.
Bytes inner_section(std::string_view name, std::uint64_t stated, std::string_view contents) {
  Bytes bytes(16);
  patch_text(bytes, 0, name);
  patch(bytes, 8, stated);
  append(bytes, std::as_bytes(std::span(contents)));
  return bytes;
}

// A secret key that seals `plain`, as FORMAT.md says; its lock states this cost.
Bytes sealed_file(const Bytes& plain, const ScryptCost& stated = kSmallCost) {
  ObjectHeader header = sample_header();
  header.kind = ObjectKind::secret_key;
  header.sealed = true;
  const SealParameters parameters = SealParameters::draw(kSmallCost);
  Bytes lock(44);
  patch_text(lock, 0, "scrypt-aes256gcm-v1");
  patch(lock, 32, stated.log_n);
  patch(lock, 36, stated.r);
  patch(lock, 40, stated.p);
  append(lock, parameters.salt);
  append(lock, parameters.nonce);
  const auto file = [&](const Bytes& sealed) {
    Bytes bytes;
    const auto write = [&](SectionWriter& out) {
      out.begin_section("params");
      out.begin_section("lock");
      out.write(lock);
      out.begin_section("sealed");
      out.write(sealed);
    };
    write_container(
        header, write, [](std::uint64_t) {},
        [&](std::span<const std::byte> next) { append(bytes, next); }, {}, "a sealed key");
    return bytes;
  };
  Bytes context = file({});
  context.resize(kSectionCount);
  append(context, lock);
  return file(seal(plain, passphrase(), parameters, context));
}

void unlock(const Bytes& bytes) {
  ContainerReader(bytes).unlock(passphrase());
}

}  // namespace

TEST_CASE("sections that were sealed are read like others", "[wire]") {
  const Bytes bytes = sealed_file(inner_section("first", 3, "abc"));
  ContainerReader in(bytes);
  in.unlock(passphrase());
  in.require_sections({"params", "first"});
  in.open_section("first", 3, 3);
  CHECK(in.read_text(3) == "abc");
  in.close_section();
}

TEST_CASE("what was sealed must be sections", "[wire]") {
  const Bytes good = inner_section("first", 3, "abc");
  Bytes twice = good;
  append(twice, good);
  for (const Bytes& plain : {inner_section("first", 4, "abc"), inner_section("first", 2, "abc"),
                             inner_section("first", kAnyLength, "abc"), inner_section("", 3, "abc"),
                             Bytes(good.begin(), good.begin() + 10), twice}) {
    CHECK_THROWS_MATCHES(unlock(sealed_file(plain)), Error,
                         HasCode(ErrorCode::malformed_file, "not the values of a key"));
  }
}

TEST_CASE("a passphrase that costs too much is refused before any work", "[wire]") {
  for (const ScryptCost& cost :
       {ScryptCost{.log_n = 24, .r = 8, .p = 1}, ScryptCost{.log_n = 20, .r = 8, .p = 2},
        ScryptCost{.log_n = 10, .r = 0, .p = 1}}) {
    CHECK_THROWS_MATCHES(unlock(sealed_file(inner_section("first", 3, "abc"), cost)), Error,
                         HasCode(ErrorCode::malformed_file, "costs more"));
  }
}

}  // namespace fhe::test
