// Files on their way: what reaches the disk before the name does, and what is left of a write that ends early.
#include "io/unfinished.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "io/files.hpp"
#include "support.hpp"

namespace {

std::vector<std::string> calls;  // of the two below

}  // namespace

// In the place of the C library's, in the whole test program.
extern "C" int fsync(int fd) {
  calls.push_back("fsync " + std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)).filename().string());
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  calls.push_back("rename " + std::filesystem::path(from).filename().string() + " " +
                  std::filesystem::path(to).filename().string());
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

namespace mercer::unfinished_test {
namespace {

using io_test::TemporaryFolder;

TEST(Unfinished, NumbersAreOnTheDiskBeforeTheirFileHasItsName) {
  const TemporaryFolder folder;
  calls.clear();
  write_npy(folder.path("K.npy"), Matrix{{1.0, 2.0}});
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].rfind("fsync K.npy.", 0), 0u) << calls[0];
  EXPECT_EQ(calls[1], "rename" + calls[0].substr(5) + " K.npy");
}

TEST(Unfinished, CanBeRemovedInTheMiddle) {
  const TemporaryFolder folder;
  const auto write = [&](std::ostream&) {
    EXPECT_EQ(folder.list().size(), 1u);
    detail::remove_unfinished_files();
    EXPECT_TRUE(folder.list().empty());
  };
  EXPECT_THROW(write_atomically(folder.path("m"), write), Error);
  EXPECT_TRUE(folder.list().empty());
  folder.file("done", "old");
  write_atomically(folder.path("done"), [](std::ostream& out) { out << "new"; });
  detail::remove_unfinished_files();
  EXPECT_EQ(folder.list().size(), 1u);
}

TEST(Unfinished, WhatKilledProcessesLeftIsRemovedAndNothingElse) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const std::string old = std::to_string(gone), own = std::to_string(::getpid());
  const TemporaryFolder folder;
  const std::vector<std::string> kept = {"m",        "m." + own + "-1.tmp",  "m." + old + "-1.tmp2",
                                         "m.my.tmp", "mm." + old + "-1.tmp", "m.checkpoint." + old + "-1.tmp"};
  for (const std::string& name : kept) folder.file(name, "");
  folder.file("m." + old + "-12.tmp", "");
  detail::remove_abandoned_files(folder.path("m"));
  const std::vector<std::string> left = folder.list();
  EXPECT_EQ(std::set<std::string>(left.begin(), left.end()), std::set<std::string>(kept.begin(), kept.end()));
}

TEST(Unfinished, AFileBeyondTheLimitIsAnErrorAndNoSignal) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{20'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  test::expect_error([&] { write_npy(folder.path("K.npy"), Matrix(100, 100)); }, "FileError", {"File too large"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(folder.list().empty());
}

}  // namespace
}  // namespace mercer::unfinished_test
