#include "base/cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "support.hpp"

namespace mercer::cpus_test {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

TEST(Cpus, RespectAffinity) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(usable_cpus(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cpus(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

class CpuQuota : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const auto file = root_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double quota() const { return cpu_quota(root_ / "groups", root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

 private:
  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() /
      (std::string("mercer_quota_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(CpuQuota, NoneWithoutAGroup) { EXPECT_EQ(quota(), kNone); }

TEST_F(CpuQuota, OfAContainerThatSeesItselfAsTheRoot) {
  write("groups", "0::/\n");
  write("cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuQuota, TheSmallestOfTheGroupsAround) {
  write("groups", "0::/slice/service/job\n");
  write("slice/cpu.max", "400000 100000\n");
  write("slice/service/cpu.max", "50000 25000\n");
  write("slice/service/job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuota, OfVersionOne) {
  write("groups", "7:memory:/other\n4:cpu,cpuacct:/docker/a:b\n0::/\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  write("cpu/docker/a:b/cpu.cfs_quota_us", "300000\n");
  write("cpu/docker/a:b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, IgnoresWhatItCannotRead) {
  write("groups", "nonsense\n0::/job\n");
  write("job/cpu.max", "garbage\n");
  EXPECT_EQ(quota(), kNone);
}

}  // namespace
}  // namespace mercer::cpus_test
