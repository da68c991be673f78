// Several files that are one table: the same bits as one file that holds all rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sha256.hpp"
#include "file/file_hash.hpp"
#include "file/file_set.hpp"
#include "io/files.hpp"

namespace mercer::several_files_test {
namespace {

using io_test::content_of;
using io_test::error_of;
using io_test::gzip;
using io_test::numbers;
using io_test::TemporaryFolder;
using io_test::texts;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_same(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) EXPECT_EQ(a(i, j), b(i, j)) << i << ", " << j;
  }
}

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.points.column_names(), b.points.column_names());
  EXPECT_EQ(a.points.domain(), b.points.domain());
  EXPECT_EQ(a.target_name, b.target_name);
  EXPECT_EQ(a.target_texts, b.target_texts);
  EXPECT_EQ(a.target_numbers, b.target_numbers);
  EXPECT_EQ(a.counted, b.counted);
  if (a.points.domain().kind == "reals") return expect_same(numbers(a.points), numbers(b.points));
  const Table *x = find_table(a.points), *y = find_table(b.points);
  ASSERT_TRUE(x != nullptr && y != nullptr && x->parts.size() == y->parts.size());
  for (std::size_t p = 0; p < x->parts.size(); ++p) {
    const Points &u = x->parts[p].second, &v = y->parts[p].second;
    ASSERT_EQ(u.domain(), v.domain());
    if (u.domain().kind == "reals") {
      expect_same(numbers(u), numbers(v));
    } else {
      EXPECT_EQ(texts(u), texts(v));
    }
  }
}

class SeveralFilesTest : public ::testing::Test {
 protected:
  // Rows [0, cuts[0]), [cuts[0], cuts[1]), ... as part-1.csv, part-2.csv, ..., each second one compressed.
  void write_parts(const std::string& head, const std::vector<std::string>& rows, std::vector<std::size_t> cuts) {
    cuts.push_back(rows.size());
    std::string all = head;
    std::size_t row = 0;
    for (std::size_t p = 0; p < cuts.size(); ++p) {
      std::string text = head;
      for (; row < cuts[p]; ++row) {
        text += rows[row];
        all += rows[row];
      }
      const bool packed = p % 2 == 1;
      files_.file("part-" + std::to_string(p + 1) + (packed ? ".csv.gz" : ".csv"), packed ? gzip(text) : text);
    }
    files_.file("whole.csv", all);
  }
  void expect_whole(const ReadOptions& options = {}) {
    expect_same(read_data(files_.path("part-*"), options), read_data(files_.path("whole.csv"), options));
  }
  TemporaryFolder files_;
};

TEST(NaturalOrder, CountsDigitsAsNumbers) {
  std::vector<std::string> names = {"p10", "p2", "p1", "q", "p02", "p", "p2a", "a/3", "a/12", "P1"};
  std::sort(names.begin(), names.end(), naturally_before);
  EXPECT_EQ(names, (std::vector<std::string>{"P1", "a/3", "a/12", "p", "p1", "p2", "p02", "p2a", "p10", "q"}));
  for (const std::string& a : names) {
    for (const std::string& b : names)
      EXPECT_EQ(naturally_before(a, b) + naturally_before(b, a), a == b ? 0 : 1) << a << b;
  }
}

TEST_F(SeveralFilesTest, AreOneTable) {
  std::vector<std::string> rows;
  // Fields with separators, quotes and line ends in them: `"a, <newline>""0"`.
  for (int i = 0; i < 40; ++i) {
    rows.push_back(std::to_string(i * 0.37) + (i % 3 == 0 ? ",\"a, \n\"\"0\"," : ",b1,") + std::to_string(i * i) +
                   (i % 2 == 0 ? ",yes\n" : ",no\n"));
  }
  // Eleven files, so that the tenth and eleventh are not behind the first; the fifth without rows.
  write_parts("x,note,square,label\n", rows, {3, 7, 8, 20, 20, 22, 25, 30, 33, 39});
  expect_whole();
  expect_whole({.target = "label"});
  expect_whole({.target = "square"});
  expect_whole({.texts = {"square"}});
}

TEST_F(SeveralFilesTest, WithoutNamesAreOneTable) {
  std::vector<std::string> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(std::to_string(i % 3) + "," + std::to_string(1 + i % 3) + "\n");
  write_parts("", rows, {3, 6});  // all three begin with the same row
  expect_whole();
  EXPECT_EQ(read_data(files_.path("part-*")).points.size(), 9);
  std::swap(rows[0], rows[1]);
  files_.file("part-1.csv", rows[0] + rows[1] + rows[2]);
  EXPECT_EQ(numbers(read_data(files_.path("part-*")).points)(0, 0), 1);
  EXPECT_EQ(read_data(files_.path("part-*")).points.size(), 9);
}

TEST_F(SeveralFilesTest, AListIsReadInItsOrder) {
  files_.file("a.csv", "x,y\n1,2\n");
  files_.file("b.csv", "x,y\n3,4\n");
  const Matrix x = numbers(read_data(files_.path("b.csv") + ", " + files_.path("a.csv")).points);
  EXPECT_EQ(x(0, 0), 3);
  EXPECT_EQ(x(1, 0), 1);
  files_.file("a,b.csv", "x,y\n5,6\n");
  EXPECT_EQ(numbers(read_data(files_.path("a,b.csv")).points)(0, 0), 5) << "a file of that name comes first";
  EXPECT_EQ(numbers(read_data(files_.file("[1].csv", "x,y\n7,8\n")).points)(0, 0), 7);
}

TEST_F(SeveralFilesTest, OtherNamesAreAnError) {
  files_.file("p1.csv", "dose,age,y\n1,2,3\n4,5,6\n");
  files_.file("p2.csv", "dose,Age,y\n1,2,3\n");
  const auto error = [&] { return error_of([&] { read_data(files_.path("p*.csv")); }); };
  EXPECT_TRUE(has(error(), "p2.csv: line 1 names other columns than")) << error();
  EXPECT_TRUE(has(error(), "column 2 is \"Age\", and \"age\" there")) << error();
  files_.file("p2.csv", "dose,age\n1,2\n");
  EXPECT_TRUE(has(error(), "p2.csv: line 1 has 2 fields, the first line of")) << error();
  files_.file("p2.csv", "7,8,9\n");
  EXPECT_TRUE(has(error(), "p2.csv: line 1 names other columns")) << error();
  files_.file("p1.csv", "1,2,3\n4,5,6\n");
  files_.file("p2.csv", "dose,age,y\n1,2,3\n");
  EXPECT_TRUE(has(error(), "p2.csv: row 1 (line 1), column \"x1\": \"dose\" is not a number")) << error();
}

TEST_F(SeveralFilesTest, ErrorsNameTheFileAndItsLine) {
  std::string many = "x,y\n";
  for (int i = 0; i < 50; ++i) many += "1,2\n";
  files_.file("p1.csv", many);
  files_.file("p3.csv", many);
  const auto error = [&](const std::string& text) {
    files_.file("p2.csv", text);
    return error_of([&] { read_data(files_.path("p*.csv")); });
  };
  EXPECT_TRUE(has(error("x,y\n1,2\n1,2,3\n"), "p2.csv: line 3 has 3 fields, the first line of"))
      << error("x,y\n1,2\n1\n");
  EXPECT_TRUE(has(error("x,y\n1,2\n1,two\n"), "p2.csv: row 2 (line 3), column \"y\": \"two\" is not a number"));
  EXPECT_TRUE(has(error("x,y\n1,2\n\n1,2\n"), "p2.csv: line 3 is empty"));
  EXPECT_TRUE(has(error("x,y\n1,2\n1,\n"), "p2.csv: row 2 (line 3), column \"y\": the value is missing"));
  EXPECT_TRUE(has(error("x,y\n1,2\n1,inf\n"), "p2.csv: row 2 (line 3), column \"y\": \"inf\" is not a finite number"));
  EXPECT_TRUE(has(error("x,y\n1,2\n1,\"2\n"), "p2.csv: line 3: a quoted field has no closing quote"));
}

TEST_F(SeveralFilesTest, TypesAreJudgedOverAllFiles) {
  files_.file("p1.csv", "x,y\n1,2\n3,4\n");
  files_.file("p2.csv", "x,y\na,2\nb,4\n");
  files_.file("whole.csv", "x,y\n1,2\n3,4\na,2\nb,4\n");
  expect_same(read_data(files_.path("p*.csv")), read_data(files_.path("whole.csv")));
}

TEST_F(SeveralFilesTest, EmptyOnesAreLeftOut) {
  files_.file("p1.csv", "");
  files_.file("p2.csv", "x,y\n1,2\n");
  files_.file("p3.csv.gz", gzip(""));
  files_.file("p4.csv", "x,y\n3,4\n");
  EXPECT_EQ(read_data(files_.path("p*")).points.size(), 2);
  EXPECT_EQ(files_named(files_.path("p*")).empty,
            (std::vector<std::string>{files_.path("p1.csv"), files_.path("p3.csv.gz")}));
  EXPECT_TRUE(has(error_of([&] { read_data(files_.path("p[13]*")); }), "all 2 files are empty"));
  EXPECT_TRUE(has(error_of([&] { read_data(files_.path("p1.csv")); }), "the file is empty"));
}

TEST_F(SeveralFilesTest, WhatCannotBeIsRefused) {
  files_.file("a.csv", "x,y\n1,2\n");
  files_.file("b.svm", "1 1:2\n");
  const auto error = [&](const std::string& path) { return error_of([&] { read_data(path); }); };
  EXPECT_TRUE(has(error(files_.path("nothing-*.csv")), "nothing-*.csv: no file matches"));
  EXPECT_TRUE(
      has(error(files_.path("nowhere/*.csv")), "nowhere/*.csv: no file matches; check the pattern and the folder"));
  EXPECT_TRUE(has(error(files_.path("a.csv") + "," + files_.path("a.csv")), "twice"));
  EXPECT_TRUE(has(error(files_.path("a.csv") + "," + files_.path("./a.csv")), "twice"));
  EXPECT_TRUE(has(error(files_.path("a.csv") + "," + files_.path("*")), "twice"));
  EXPECT_TRUE(has(error(files_.path("a.csv") + "," + files_.path("c.csv")), "c.csv: no such file"));
  EXPECT_TRUE(has(error(files_.path("*")), "b.svm: is a file of libsvm, and ")) << error(files_.path("*"));
  files_.file("a.fasta", ">a\nACGT\n");
  files_.file("b.fasta", ">b\nACGT\n");
  EXPECT_TRUE(has(error(files_.path("*.fasta")), "files of fasta are read one by one"));
}

TEST_F(SeveralFilesTest, OfSparseRows) {
  files_.file("a1.svm", "1 1:2 3:4\n# a comment\n-1 2:1\n");
  files_.file("a2.svm.gz", gzip("1 7:1\n"));
  const Dataset all = read_data(files_.path("a*"));
  EXPECT_EQ(all.target_numbers, (Vector{1, -1, 1}));
  EXPECT_EQ(all.points.domain().dimension, 7);
  expect_same(numbers(all.points), numbers(read_data(files_.file("whole.svm", "1 1:2 3:4\n-1 2:1\n1 7:1\n")).points));
  files_.file("a2.svm.gz", gzip("1 7:1\n1 2:x\n"));
  EXPECT_TRUE(has(error_of([&] { read_data(files_.path("a*")); }), "a2.svm.gz: line 2"));
}

// Little-endian values behind a header of version 1.0.
template <class T>
std::string npy(const std::string& type, Index rows, Index cols, const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

TEST_F(SeveralFilesTest, OfArrays) {
  files_.file("a1.npy", npy<float>("<f4", 2, 3, {1, 2, 3, 4, 5, 6}));
  files_.file("a2.npy", npy<float>("<f4", 0, 3, {}));
  files_.file("a10.npy.gz", gzip(npy<float>("<f4", 1, 3, {7, 8, 0.1F})));
  const Dataset singles = read_data(files_.path("a*"), {.target = "2"});
  EXPECT_TRUE(find_reals(singles.points)->is_single());
  EXPECT_EQ(singles.target_numbers, (Vector{2, 5, 8}));
  EXPECT_EQ(numbers(singles.points)(2, 1), 0.1F);
  files_.file("a3.npy", npy<double>("<f8", 1, 3, {0.1, 0.2, 0.3}));
  const Dataset doubles = read_data(files_.path("a*"));
  EXPECT_FALSE(find_reals(doubles.points)->is_single());
  EXPECT_EQ(numbers(doubles.points)(2, 0), 0.1);
  EXPECT_EQ(numbers(doubles.points)(3, 2), 0.1F);
  files_.file("a3.npy", npy<double>("<f8", 2, 3, {0.1, 0.2, 0.3, 1, 2, 0.0 / 0.0}));
  EXPECT_TRUE(has(error_of([&] { read_data(files_.path("a*")); }), "a3.npy: row 2, column 3: the value is "));
  files_.file("a3.npy", npy<double>("<f8", 3, 1, {0.1, 0.2, 0.3}));
  EXPECT_TRUE(has(error_of([&] { read_data(files_.path("a*")); }), "a3.npy: has 1 columns, "));
}

TEST_F(SeveralFilesTest, HaveOneHash) {
  const std::string a = "x,y\n1,2\n", b = gzip("x,y\n3,4\n");
  files_.file("p2.csv", a);
  files_.file("p10.csv.gz", b);
  EXPECT_EQ(file_hash(files_.path("p*")), sha256(a + b));
  EXPECT_EQ(file_hash(files_.path("p10.csv.gz") + "," + files_.path("p2.csv")), sha256(b + a));
}

}  // namespace
}  // namespace mercer::several_files_test
