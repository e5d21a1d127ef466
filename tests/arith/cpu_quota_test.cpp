// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/cpu_quota.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/catch.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("the quota of a control group of version 2 is read", "[parallel]") {
  const TemporaryDirectory root;
  CHECK_FALSE(cpu_quota(root.path()));
  write_text(root / "proc/self/cgroup", "0::/outer/inner\n");
  CHECK_FALSE(cpu_quota(root.path()));
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  CHECK_FALSE(cpu_quota(root.path()));
  write_text(root / "sys/fs/cgroup/outer/cpu.max", "400000 100000\n");
  CHECK(cpu_quota(root.path()) == 4U);
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "150000 100000\n");
  CHECK(cpu_quota(root.path()) == 2U);
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "1000 100000\n");
  CHECK(cpu_quota(root.path()) == 1U);
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "-5 100000\n");
  CHECK(cpu_quota(root.path()) == 4U);
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "not a number");
  CHECK(cpu_quota(root.path()) == 4U);
}

TEST_CASE("the quota that a container sees as that of the whole machine is read", "[parallel]") {
  const TemporaryDirectory root;
  write_text(root / "proc/self/cgroup", "0::/\n");
  write_text(root / "sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(cpu_quota(root.path()) == 2U);
}

TEST_CASE("the quota of a control group of version 1 is read", "[parallel]") {
  const TemporaryDirectory root;
  write_text(root / "proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/docker/a\n1:name=x:/\n");
  write_text(root / "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write_text(root / "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(cpu_quota(root.path()));
  write_text(root / "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  CHECK(cpu_quota(root.path()) == 3U);
  write_text(root / "sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "100000\n");
  write_text(root / "sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "50000\n");
  CHECK(cpu_quota(root.path()) == 2U);
}

}  // namespace fhe::test
