#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "io/files.hpp"
#include "io/readers.hpp"

namespace mercer::read_data_test {
namespace {

using namespace io_test;

std::string read_error(const std::string& path, const ReadOptions& options = {}) {
  return error_of([&] { read_data(path, options); });
}

TEST(ReadData, FormatByName) {
  const auto format = [](const std::string& path) { return detect_format(path, "?"); };
  EXPECT_EQ(format("a/b.CSV"), Format::csv);
  EXPECT_EQ(format("b.csv.gz"), Format::csv);
  EXPECT_EQ(format("b.tsv"), Format::tsv);
  EXPECT_EQ(format("b.libsvm.gz"), Format::libsvm);
  EXPECT_EQ(format("b.svm"), Format::libsvm);
  EXPECT_EQ(format("b.npy"), Format::npy);
  EXPECT_EQ(format("train-images-idx3-ubyte.gz"), Format::idx);
  EXPECT_EQ(format("train-images.idx3-ubyte"), Format::idx);
}

TEST(ReadData, FormatByContent) {
  const auto format = [](std::string_view text) { return detect_format("data", text); };
  EXPECT_EQ(format("\x93NUMPY..."), Format::npy);
  EXPECT_EQ(format(std::string_view("\0\0\x08\x01", 4)), Format::idx);
  EXPECT_EQ(format("-1\n-1\n+1 3:1\n"), Format::libsvm);
  EXPECT_EQ(format("# note\n\n1 3:1 4:2 # more\r\n"), Format::libsvm);
  EXPECT_EQ(format("1\n2\n3\n"), Format::csv);
  EXPECT_EQ(format("a\tb\n"), Format::tsv);
  EXPECT_EQ(format("10:30,5\n"), Format::csv);
  EXPECT_EQ(format(""), Format::csv);
}

TEST(ReadData, GzipIsSeenByContent) {
  const TemporaryFolder folder;
  const Matrix expected{{1, 2}, {3, 4}};
  EXPECT_EQ(numbers(read_data(folder.file("a.csv.gz", gzip("1,2\n3,4\n"))).points), expected);
  EXPECT_EQ(numbers(read_data(folder.file("b.csv", gzip("1,2\n3,4\n"))).points), expected);
  EXPECT_EQ(gunzip(gzip("1,2\n3,4\n"), "b", 8).text, "1,2\n3,4\n") << "as many bytes as are allowed";
  EXPECT_THROW(gunzip(gzip("1,2\n3,4\n"), "b", 7), Error);
  EXPECT_EQ(numbers(read_data(folder.file("c.gz", gzip("1,2\n") + gzip("3,") + gzip("4\n"))).points), expected);
  EXPECT_EQ(numbers(read_data(folder.file("d.csv", gzip("1,2\n3,4\n") + std::string(512, '\0'))).points), expected);
  EXPECT_EQ(numbers(read_data(folder.file("e.csv.gz", "1,2\n3,4\n")).points), expected);
  write_npy(folder.path("f.npy"), expected);
  EXPECT_EQ(numbers(read_data(folder.file("g.npy.gz", gzip(content_of(folder.path("f.npy"))))).points), expected);
}

TEST(ReadData, DamagedGzip) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * 7919 % 1000) + "\n";
  const std::string good = gzip(text);

  const std::string cut = folder.file("cut.csv.gz", good.substr(0, good.size() / 2));
  const std::string cut_error = read_error(cut);
  EXPECT_TRUE(cut_error.starts_with("FileError: " + cut + ": truncated gzip data: it ends after ")) << cut_error;
  EXPECT_TRUE(read_error(folder.file("tail.csv.gz", good.substr(0, good.size() - 1))).find("truncated") !=
              std::string::npos);
  EXPECT_TRUE(read_error(folder.file("magic.csv.gz", good.substr(0, 2))).find("truncated") != std::string::npos);

  std::string flipped = good;
  flipped[good.size() - 6] ^= 1;  // in the checksum
  const std::string path = folder.file("flip.csv.gz", flipped);
  EXPECT_TRUE(read_error(path).starts_with("FileError: " + path + ": corrupted gzip data (incorrect data check)"))
      << read_error(path);
  const std::string more = folder.file("more.csv.gz", good + "xyz");
  EXPECT_EQ(read_error(more),
            "FileError: " + more + ": corrupted: 3 bytes after the end of the gzip data; make or fetch the file again");
}

TEST(ReadData, FilesThatCannotBeRead) {
  const TemporaryFolder folder;
  const std::string missing = folder.path("none.csv");
  EXPECT_EQ(read_error(missing), "FileError: " + missing + ": no such file; check the name and the folder");
  const std::string here = folder.path("");
  EXPECT_EQ(read_error(here), "FileError: " + here + ": is a folder; name a file in it");
  const std::string empty = folder.file("empty.csv", "");
  EXPECT_EQ(read_error(empty), "DataError: " + empty + ": the file is empty; it needs at least one line of values");
}

TEST(ReadData, FilesWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const TemporaryFolder folder;
  const std::string locked = folder.file("locked.csv", "1\n");
  ASSERT_EQ(::chmod(locked.c_str(), 0), 0);
  EXPECT_EQ(read_error(locked), "FileError: " + locked + ": may not be read; check its permissions");
}

TEST(ReadData, StandardInput) {
  const TemporaryFolder folder;
  const int before = ::dup(STDIN_FILENO);
  for (const std::string& content : {std::string("1,2\n"), gzip("1,2\n")}) {
    ASSERT_NE(std::freopen(folder.file("in", content).c_str(), "r", stdin), nullptr);
    EXPECT_EQ(numbers(read_data("-").points), (Matrix{{1, 2}}));
  }
  EXPECT_EQ(read_error("-"), "DataError: standard input: the file is empty; it needs at least one line of values");
  ASSERT_GE(::dup2(before, STDIN_FILENO), 0);
  ::close(before);
}

TEST(ReadData, Pipes) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe.csv");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text;
  for (int i = 0; i < 500000; ++i) text += "1,2,3\n";
  std::thread writer([&] { std::ofstream(pipe) << text; });
  const Points x = read_data(pipe).points;
  writer.join();
  EXPECT_EQ(x.size(), 500000);
}

TEST(ReadData, OptionsTheFormatDoesNotHaveAreRefused) {
  const TemporaryFolder folder;
  const std::string svm = folder.file("a.svm", "1 1:1\n");
  const std::string csv = folder.file("a.csv", "1,2\n");
  EXPECT_EQ(read_error(svm, {.header = true}),
            "UsageError: " + svm + ": only csv and tsv files have a header line; leave the header option out");
  EXPECT_EQ(read_error(svm, {.target = "1"}),
            "UsageError: " + svm + ": in a libsvm file the label is the target; leave the target option out");
  EXPECT_EQ(read_error(csv, {.columns = 3}),
            "UsageError: " + csv + ": the number of columns is an option of libsvm files only; leave it out");
  EXPECT_EQ(read_error(svm, {.columns = -3}), "UsageError: " + svm + ": -3 columns; give a positive number");
}

}  // namespace
}  // namespace mercer::read_data_test
