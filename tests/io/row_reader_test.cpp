// Rows some at a time: those that read_data gives, whatever the sizes of the pieces.
#include "io/row_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "file/text_window.hpp"
#include "io/files.hpp"

namespace mercer::row_reader_test {
namespace {

using io_test::error_of;
using io_test::gzip;
using io_test::numbers;
using io_test::TemporaryFolder;
using io_test::texts;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Everything of a row as one text.
std::vector<std::string> rows_as_texts(const Dataset& data) {
  std::vector<std::string> out(static_cast<std::size_t>(data.points.size()));
  const auto add_numbers = [&](const Matrix& x) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.cols(); ++j) {
        out[static_cast<std::size_t>(i)] += fmt::format("{} ", x(i, j));
      }
    }
  };
  if (const Table* table = find_table(data.points)) {
    for (const auto& [name, part] : table->parts) {
      if (part.domain().kind == "reals") {
        add_numbers(numbers(part));
      } else {
        const std::vector<std::string> words = texts(part);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += words[i] + "|";
      }
    }
  } else {
    add_numbers(numbers(data.points));
  }
  const std::vector<std::string> target = data.target();
  for (std::size_t i = 0; i < target.size(); ++i) out[i] += "-> " + target[i];
  return out;
}

class RowReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 60; ++i) {
      rows_.push_back(std::to_string(i * 0.37) + (i % 3 == 0 ? ",\"a, \n\"\"0\"," : ",b\"1,") + std::to_string(i * i) +
                      (i % 2 == 0 ? ",yes\n" : ",no\n"));
    }
  }
  std::string text(std::size_t first, std::size_t end) const {
    std::string out = head_;
    for (; first < end; ++first) out += rows_[first];
    return out;
  }
  RowReader open(const std::string& path, const ReadOptions& options = {}) {
    std::optional<RowReader> rows = RowReader::open(path, options);
    if (!rows) throw std::runtime_error(path + " cannot be read in pieces");
    return std::move(*rows);
  }
  // All rows, in pieces of all sizes, forwards and from anywhere.
  void expect_rows_of(const std::string& path, const std::string& whole, const ReadOptions& options = {}) {
    const Dataset all = read_data(whole, options);
    const std::vector<std::string> expected = rows_as_texts(all);
    const auto n = static_cast<Index>(expected.size());
    for (const Index most : {Index{1}, Index{7}, n - 1, n, 10 * n}) {
      RowReader reader = open(path, options);
      std::vector<std::string> got;
      while (const std::optional<Dataset> some = reader.next(most)) {
        EXPECT_LE(some->points.size(), most);
        EXPECT_EQ(some->points.column_names(), all.points.column_names());
        EXPECT_EQ(some->target_name, all.target_name);
        EXPECT_EQ(some->counted, all.counted);
        for (std::string& row : rows_as_texts(*some)) got.push_back(std::move(row));
        EXPECT_EQ(reader.row(), static_cast<Index>(got.size()));
      }
      EXPECT_EQ(got, expected) << most;
    }
    RowReader reader = open(path, options);
    EXPECT_EQ(reader.count(), n);
    for (const Range range : {Range{0, n}, Range{n - 1, n}, Range{3, 9}, Range{9, 11}, Range{0, 1}, Range{n / 2, n}}) {
      const std::vector<std::string> wanted(expected.begin() + range.begin, expected.begin() + range.end);
      EXPECT_EQ(rows_as_texts(reader.read(range)), wanted) << range.begin;
      RowReader other = reader.another();  // wherever this one is
      EXPECT_EQ(other.row(), 0);
      EXPECT_EQ(rows_as_texts(other.read(range)), wanted) << range.begin;
    }
    EXPECT_FALSE(reader.next(1).has_value());
  }

  std::string head_ = "x,note,square,label\n";
  std::vector<std::string> rows_;
  TemporaryFolder files_;
};

TEST_F(RowReaderTest, GivesTheRowsOfAFile) {
  const std::string whole = files_.file("whole.csv", text(0, 60) + "\r\n\n");
  expect_rows_of(whole, whole);
  expect_rows_of(whole, whole, {.target = "label"});
  expect_rows_of(whole, whole, {.texts = {"square"}, .last_is_target = true});
  expect_rows_of(files_.file("packed.csv.gz", gzip(text(0, 60) + "\n\n")), whole);
  expect_rows_of(files_.file("marked.csv", "\xEF\xBB\xBF" + text(0, 60)), whole);
  std::string returns = text(0, 60);
  for (std::size_t at = 0; (at = returns.find('\n', at)) != returns.npos; at += 2) returns.insert(at, "\r");
  const std::string with_returns = files_.file("returns.csv", returns);
  expect_rows_of(with_returns, with_returns);
}

TEST_F(RowReaderTest, GivesTheRowsOfSeveralFiles) {
  files_.file("part-1.csv", text(0, 25));
  files_.file("part-2.csv.gz", gzip(text(25, 26)));
  files_.file("part-3.csv", text(26, 26));  // names alone
  files_.file("part-10.csv", text(26, 60));
  expect_rows_of(files_.path("part-*"), files_.file("whole.csv", text(0, 60)));
  files_.file("part-3.csv", "x,note,square,Label\n");
  EXPECT_TRUE(
      has(error_of([&] { open(files_.path("part-*")).count(); }), "part-3.csv: line 1 names other columns than"))
      << error_of([&] { open(files_.path("part-*")).count(); });
}

TEST_F(RowReaderTest, GivesRowsWithoutNames) {
  std::string all;
  for (int i = 0; i < 30; ++i) all += std::to_string(i) + "\t" + std::to_string(i * 0.1) + "\n";
  const std::string whole = files_.file("whole.tsv", all);
  expect_rows_of(whole, whole);
  // What quotes mean in a file with tabs all of it decides.
  EXPECT_FALSE(RowReader::open(files_.file("quotes.tsv", all + "\"1\"\t2\n")));
}

TEST_F(RowReaderTest, GivesSparseRows) {
  std::string all = "# a comment\n";
  for (int i = 0; i < 40; ++i) {
    all +=
        std::to_string(i % 2) + " 1:" + std::to_string(i) + (i == 33 ? " 9:1" : "") + "\n" + (i % 4 == 0 ? "\n" : "");
  }
  const std::string whole = files_.file("whole.svm", all + "\n# the end\n");
  RowReader reader = open(whole);
  EXPECT_EQ(reader.count(), 40);
  const Dataset data = read_data(whole);
  for (const Range range : {Range{0, 40}, Range{5, 6}, Range{30, 40}, Range{0, 3}}) {
    const Dataset some = reader.read(range);
    EXPECT_EQ(some.points.domain().dimension, 9) << "as wide as all rows";
    EXPECT_EQ(rows_as_texts(some), rows_as_texts({.points = data.points.slice(range),
                                                  .target_numbers = Vector(data.target_numbers.begin() + range.begin,
                                                                           data.target_numbers.begin() + range.end)}));
  }
  EXPECT_TRUE(has(error_of([&] {
                    RowReader bad = open(files_.file("bad.svm", all + "1 2:x\n"));
                    while (bad.next(3)) continue;
                  }),
                  "bad.svm: line 52"));
}

TEST_F(RowReaderTest, GivesRowsOfArraysWithoutACopy) {
  Matrix x(50, 3);
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < 3; ++j) x(i, j) = static_cast<double>(10 * i + j);
  }
  const std::string whole = files_.path("whole.npy");
  write_npy(whole, x);
  expect_rows_of(whole, whole, {.target = "2"});
  expect_rows_of(whole, whole);
  // Pieces outlive the file that they come from.
  write_npy(files_.path("p1.npy"), x.view().block({0, 20}, {0, 3}));
  write_npy(files_.path("p2.npy"), x.view().block({20, 50}, {0, 3}));
  expect_rows_of(files_.path("p*.npy"), whole);
  std::optional<Dataset> kept = open(files_.path("p1.npy")).next(5);
  EXPECT_EQ(numbers(kept->points)(4, 2), 42);
  x(40, 1) = 0.0 / 0.0;
  write_npy(files_.path("bad.npy"), x);
  EXPECT_TRUE(has(error_of([&] {
                    RowReader bad = open(files_.path("bad.npy"));
                    while (bad.next(8)) continue;
                  }),
                  "bad.npy: row 41, column 2: the value is"));
  EXPECT_FALSE(RowReader::open(files_.file("packed.npy.gz", gzip(io_test::content_of(whole)))));
}

TEST_F(RowReaderTest, WhatTheBeginningDecidesHolds) {
  std::string all = "x,y\n";
  for (int i = 0; i < 140'000; ++i) all += "1,2\n";
  const auto error = [&](const std::string& line) {
    const std::string path = files_.file("late.csv", all + line);
    return error_of([&] {
      RowReader rows = open(path);
      while (rows.next(100'000)) continue;
    });
  };
  EXPECT_EQ(error("1,2\n"), "no error");
  EXPECT_TRUE(
      has(error("1,two\n"), "late.csv: row 140001 (line 140002), column \"y\": \"two\" is not a number, though the"))
      << error("1,two\n");
  EXPECT_TRUE(has(error("1,\n"), "late.csv: row 140001 (line 140002), column \"y\": the value is missing"))
      << error("1,\n");
  EXPECT_TRUE(has(error("1,nan\n"), "late.csv: row 140001 (line 140002), column \"y\": the value is missing"));
  EXPECT_TRUE(has(error("1,1e999\n"), "row 140001 (line 140002), column \"y\": \"1e999\" is not a finite number"));
  EXPECT_TRUE(has(error("1\n"), "late.csv: line 140002 has 1 field, the first line has 2")) << error("1\n");
  EXPECT_TRUE(has(error("1,2,3\n"), "late.csv: line 140002 has 3 fields, the first line has 2"));
  EXPECT_TRUE(has(error("\n1,2\n"), "late.csv: line 140002 is empty"));
  EXPECT_TRUE(has(error(std::string("1,\0\n", 4)), "late.csv: not a text file"));
  EXPECT_TRUE(has(error("1,\"2\n"), "late.csv: line 140002: a quoted field has no closing quote"));
}

TEST_F(RowReaderTest, FilesThatChangeAreAnError) {
  const auto second_pass = [&](const std::string& path, const std::function<void()>& change) {
    RowReader rows = open(path);
    rows.count();
    change();
    return error_of([&] { rows.read({0, 60}); });
  };
  const std::string path = files_.file("a.csv", text(0, 60));
  EXPECT_EQ(second_pass(path, [] {}), "no error");
  EXPECT_TRUE(has(second_pass(path, [&] { std::filesystem::remove(path); }), "a.csv: is gone"));
  files_.file("a.csv", text(0, 60));
  EXPECT_TRUE(has(second_pass(path, [&] { files_.file("a.csv", text(0, 60) + rows_[0]); }), "a.csv: changed"));
  files_.file("a.csv", text(0, 60));
  EXPECT_TRUE(has(second_pass(path,
                              [&] {
                                std::filesystem::last_write_time(
                                    path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
                              }),
                  "a.csv: changed"));
  files_.file("b1.csv", text(0, 30));
  files_.file("b2.csv", text(30, 60));
  EXPECT_TRUE(
      has(second_pass(files_.path("b*.csv"), [&] { std::filesystem::remove(files_.path("b2.csv")); }), "b2.csv: "));
}

TEST_F(RowReaderTest, AFileThatIsReplacedBetweenPassesIsAnError) {
  files_.file("b1.csv", text(0, 30));
  files_.file("b2.csv", text(30, 60));
  RowReader rows = open(files_.path("b*.csv"));
  EXPECT_EQ(rows.count(), 60);
  files_.file("b2.csv", text(31, 60) + rows_[0] + rows_[1]);
  EXPECT_TRUE(has(error_of([&] { rows.read({0, 60}); }), "b2.csv: changed")) << error_of([&] { rows.read({0, 60}); });
}

// Bytes of mapped files that this process has in memory; 0 where the system does not tell.
double mapped_memory() {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("RssFile:")) return 1024 * std::stod(line.substr(8));
  }
  return 0;
}

TEST_F(RowReaderTest, PagesThatWerePassedGoBackToTheSystem) {
  TextWindow window(files_.file("long.txt", std::string(std::size_t{32} << 20, 'x')));
  const double before = mapped_memory();
  double most = 0;
  while (!window.text().empty()) {
    const std::string_view some = window.text().substr(0, std::size_t{1} << 20);
    EXPECT_EQ(some.find('y'), some.npos);
    window.drop(some.size());
    most = std::max(most, mapped_memory() - before);
  }
  EXPECT_LT(most, 16e6);
}

TEST_F(RowReaderTest, AnotherReaderSeesTheSameFilesOrNone) {
  const std::string path = files_.file("a.csv", text(0, 30));
  RowReader reader = open(path);
  EXPECT_EQ(reader.count(), 30);
  std::filesystem::rename(files_.file("b.csv", text(30, 60)), path);
  EXPECT_TRUE(has(error_of([&] { (void)reader.another(); }), "changed")) << error_of([&] { (void)reader.another(); });
}

TEST_F(RowReaderTest, StandardInputAndOthersAreReadAsAWhole) {
  EXPECT_FALSE(RowReader::open("-"));
  EXPECT_FALSE(RowReader::open(files_.file("a.fasta", ">a\nACGT\n")));
  EXPECT_TRUE(has(error_of([&] { RowReader::open(files_.path("none-*.csv")); }), "no file matches"));
}

}  // namespace
}  // namespace mercer::row_reader_test
