// SPDX-License-Identifier: Apache-2.0
// The model of a disk that loses power, on recordings made by hand.
#include "tests/faults/disk.hpp"

#include <cerrno>

#include <fcntl.h>
#include <stdio.h>

#include "tests/catch.hpp"

namespace fhe::faults {

namespace {

constexpr const char* kRoot = "/disk";
constexpr int kDescriptor = 3;

Event event(Call call, const std::string& name, const std::string& target = {}) {
  Event event;
  event.record.call = call;
  event.record.descriptor = kDescriptor;
  event.path = std::string(kRoot) + "/" + name;
  if (!target.empty()) event.target = std::string(kRoot) + "/" + target;
  return event;
}

Event written(const std::string& data, std::uint64_t offset = 0) {
  Event result = event(Call::write, "");
  result.record.result = static_cast<std::int64_t>(data.size());
  result.record.offset = offset;
  result.data = data;
  return result;
}

// Flushes the open file, or the folder `name` by opening it.
void flush(Disk& disk) {
  disk.apply(event(Call::sync, ""));
}

void flush_folder(Disk& disk, const std::string& name) {
  disk.apply(event(Call::open, name));
  flush(disk);
}

using Images = std::set<Snapshot>;

}  // namespace

TEST_CASE("disk: data that were not flushed may be lost", "[faults]") {
  Disk disk(kRoot, {{"file", "old"}});
  disk.apply(event(Call::open, "file"));
  disk.apply(written("1234", 3));
  CHECK(disk.images() == Images{{{"file", "old1234"}},
                                {{"file", "old"}},
                                {{"file", "old12"}},
                                {{"file", std::string("old\0\0\0\0", 7)}}});
  flush(disk);
  CHECK(disk.images() == Images{{{"file", "old1234"}}});
}

TEST_CASE("disk: a name that was not flushed may be lost, with or without its data", "[faults]") {
  Disk disk(kRoot, {});
  disk.apply(event(Call::create, "new"));
  disk.apply(written("ab"));
  CHECK(
      disk.images() ==
      Images{{}, {{"new", "ab"}}, {{"new", ""}}, {{"new", "a"}}, {{"new", std::string(2, '\0')}}});
  flush(disk);
  CHECK(disk.images() == Images{{}, {{"new", "ab"}}});
  flush_folder(disk, "");
  CHECK(disk.images() == Images{{{"new", "ab"}}});
}

TEST_CASE("disk: names come in the order in which they were made", "[faults]") {
  Disk disk(kRoot, {{"a", "1"}, {"b", "2"}});
  disk.apply(event(Call::rename, "a", "b"));
  disk.apply(event(Call::link, "b", "c"));
  disk.apply(event(Call::unlink, "b"));
  CHECK(disk.images() ==
        Images{{{"a", "1"}, {"b", "2"}}, {{"b", "1"}}, {{"b", "1"}, {"c", "1"}}, {{"c", "1"}}});
  flush_folder(disk, "");
  CHECK(disk.images() == Images{{{"c", "1"}}});
}

TEST_CASE("disk: two names are exchanged at once", "[faults]") {
  Disk disk(kRoot, {{"a", kFolder}, {"a/x", "1"}, {"b", kFolder}});
  Event exchange = event(Call::rename, "a", "b");
  exchange.record.flags = RENAME_EXCHANGE;
  disk.apply(exchange);
  CHECK(disk.images() == Images{{{"a", kFolder}, {"a/x", "1"}, {"b", kFolder}},
                                {{"a", kFolder}, {"b", kFolder}, {"b/x", "1"}}});
}

TEST_CASE("disk: a folder is there once the one around it was flushed", "[faults]") {
  Disk disk(kRoot, {});
  disk.apply(event(Call::mkdir, "sub"));
  disk.apply(event(Call::create, "sub/file"));
  flush_folder(disk, "sub");
  CHECK(disk.images() == Images{{}, {{"sub", kFolder}, {"sub/file", ""}}});
  flush_folder(disk, "");
  CHECK(disk.images() == Images{{{"sub", kFolder}, {"sub/file", ""}}});
}

TEST_CASE("disk: calls that failed do nothing, and shorter files are shorter", "[faults]") {
  Disk disk(kRoot, {{"file", "1234"}});
  Event failed = event(Call::unlink, "file");
  failed.record.result = -EIO;
  disk.apply(failed);
  disk.apply(event(Call::open, "file"));
  Event cut = event(Call::truncate, "file");
  cut.record.offset = 2;
  disk.apply(cut);
  flush(disk);
  CHECK(disk.images() == Images{{{"file", "12"}}});
  Event emptied = event(Call::create, "file");
  emptied.record.flags = O_TRUNC;
  disk.apply(emptied);
  CHECK(disk.images().contains({{"file", ""}}));
}

}  // namespace fhe::faults
