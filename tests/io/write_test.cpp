#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <random>
#include <sstream>

#include "file/bytes.hpp"
#include "file/gzip_writer.hpp"
#include "io/files.hpp"

namespace mercer::write_test {
namespace {

using namespace io_test;

// Doubles of every size and sign, drawn from their bits.
Matrix wild_numbers(Index rows, Index cols) {
  std::mt19937_64 random(7);
  Matrix x(rows, cols);
  for (Index i = 0; i < rows * cols; ++i) {
    do {
      x.data()[i] = std::bit_cast<double>(random());
    } while (!std::isfinite(x.data()[i]));
  }
  x(0, 0) = -0.0;
  x(0, 1) = 5e-324;
  x(0, 2) = 1.7976931348623157e308;
  return x;
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows() * a.cols(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.data()[i]), std::bit_cast<std::uint64_t>(b.data()[i]));
  }
}

TEST(Write, NpyRoundTripIsExact) {
  const TemporaryFolder folder;
  const Matrix x = wild_numbers(1000, 7);
  write_npy(folder.path("x.npy"), x);
  expect_same_bits(numbers(read_data(folder.path("x.npy")).points), x);
  // A view with a stride.
  write_npy(folder.path("y.npy"), x.view().block({10, 20}, {2, 5}));
  expect_same_bits(numbers(read_data(folder.path("y.npy")).points), Matrix(x.view().block({10, 20}, {2, 5})));
}

TEST(Write, NpyBytes) {
  const TemporaryFolder folder;
  write_npy(folder.path("x.npy"), Matrix{{1, 2, 3}, {4, 5, 6}});
  // As written by numpy.save(file, numpy.array([[1., 2., 3.], [4., 5., 6.]])).
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  for (const double v : {1., 2., 3., 4., 5., 6.}) expected.append(reinterpret_cast<const char*>(&v), sizeof(v));
  EXPECT_EQ(content_of(folder.path("x.npy")), expected);
}

TEST(Write, CsvRoundTripIsExact) {
  const TemporaryFolder folder;
  const Matrix x = wild_numbers(3000, 5);
  write_csv(folder.path("x.csv"), x);
  expect_same_bits(numbers(read_data(folder.path("x.csv")).points), x);
  const std::vector<std::string> names = {"plain", "with, comma", "with \"quotes\"", "two\nlines", "e"};
  write_csv(folder.path("y.csv"), x, names);
  const Dataset back = read_data(folder.path("y.csv"));
  expect_same_bits(numbers(back.points), x);
  EXPECT_EQ(back.points.column_names(), names);
}

TEST(Write, CsvText) {
  std::ostringstream out;
  write_csv(out, Matrix{{1, 0.1, -2.5e-10}, {1e22, 100000, 0}}, std::vector<std::string>{"a", "b \"c\"", "d;e"});
  EXPECT_EQ(out.str(), "a,\"b \"\"c\"\"\",\"d;e\"\n1,0.1,-2.5e-10\n1e+22,1e+05,0\n");
  EXPECT_EQ(error_of([&] {
              write_csv(out, Matrix{{1, 2}}, std::vector<std::string>{"a"});
            }),
            "ShapeError: write_csv: 1 names for 2 columns; give one per column");
}

TEST(Write, AtomicallyReplacesOrLeavesAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt", "old");
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << "half";
                                  throw std::runtime_error("no more");
                                }),
               std::runtime_error);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.list().size(), 1u);
  write_atomically(path, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(folder.list().size(), 1u);
}

TEST(Write, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  std::filesystem::create_symlink("a.txt", folder.path("link.txt"));
  write_atomically(folder.path("link.txt"), [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.txt")));
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
}

TEST(Write, PlacesThatCannotBeWritten) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& path) { return error_of([&] { write_csv(path, Matrix{{1}}); }); };
  EXPECT_EQ(error(folder.path("none/x.csv")), "FileError: " + folder.path("none/x.csv") +
                                                  ": cannot be written: its folder does not exist; create it first");
  EXPECT_EQ(error(folder.path("")), "FileError: " + folder.path("") + ": is a folder; name a file in it");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(error("/dev/full"), "FileError: /dev/full: cannot be written: No space left on device");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  }
}

// More than the buffers of zlib hold, that cannot be made smaller, in one piece and letter by letter.
TEST(Write, PackedTextIsWhatWasWritten) {
  std::mt19937 random(3);
  std::string text(300000, ' ');
  for (char& c : text) c = static_cast<char>(random() % 256);
  std::ostringstream out;
  GzipWriter packing(out);
  std::ostream packed(&packing);
  packed.write(text.data(), 200000);
  for (std::size_t i = 200000; i < text.size(); ++i) packed.put(text[i]);
  packing.finish();
  EXPECT_EQ(gunzip(out.str(), "packed").text, text);
}

}  // namespace
}  // namespace mercer::write_test
