#include <fmt/format.h>

#include <cstring>

#include "io/files.hpp"
#include "io/readers.hpp"

namespace mercer::npy_test {
namespace {

using namespace io_test;

// A file as NumPy writes it, but for the padding of the header.
std::string npy(const std::string& header, const std::string& values, char version = 1) {
  std::string out = std::string("\x93NUMPY") + version + '\0';
  out += static_cast<char>(header.size());
  out += std::string(version == 1 ? 1 : 3, '\0');
  return out + header + values;
}

std::string header(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type, fortran, shape);
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

Dataset parse(const std::string& content, const ReadOptions& options = {}) {
  const auto owner = std::make_shared<const std::string>(content);
  return parse_npy(std::vector<FileContent>{{{*owner, owner}, "d.npy"}}, options);
}

std::string npy_error(const std::string& content, const ReadOptions& options = {}) {
  return error_of([&] { parse(content, options); });
}

TEST(Npy, TypesAndOrders) {
  const Matrix expected{{1, 2, 3}, {4, 5, 6}};
  const auto read = [](const std::string& content) { return numbers(parse(content).points); };
  EXPECT_EQ(read(npy(header("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(read(npy(header("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(read(npy(header("<f8", "(2, 3)", "True"), bytes_of<double>({1, 4, 2, 5, 3, 6}))), expected);
  EXPECT_EQ(read(npy(header("<f4", "(2, 3)", "True"), bytes_of<float>({1, 4, 2, 5, 3, 6}))), expected);
  EXPECT_EQ(read(npy(header("<i8", "(2, 3)"), bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(read(npy(header("<u8", "(2, 3)"), bytes_of<std::uint64_t>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(read(npy(header("<i4", "(2, 3)", "True"), bytes_of<std::int32_t>({1, 4, 2, 5, 3, 6}))), expected);
  EXPECT_EQ(read(npy(header("<u2", "(2, 3)"), bytes_of<std::uint16_t>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(read(npy(header("|u1", "(2, 3)"), "\1\2\3\4\5\6")), expected);
  EXPECT_EQ(read(npy(header("|i1", "(1, 2)"), "\xFF\x80")), (Matrix{{-1, -128}}));
  EXPECT_EQ(read(npy(header("|b1", "(2,)"), std::string("\1\0", 2))), (Matrix{{1}, {0}}));
  EXPECT_EQ(read(npy(header("<u4", "(1,)"), bytes_of<std::uint32_t>({4294967295u}))), (Matrix{{4294967295.0}}));
}

TEST(Npy, VersionsAndHeaderForms) {
  const std::string values = bytes_of<double>({1, 2});
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(numbers(parse(npy(header("<f8", "(2,)"), values, version)).points), (Matrix{{1}, {2}}));
  }
  const std::string other = "{\"shape\": (2L, 1L), \"fortran_order\":False , \"descr\": \"<f8\"}   ";
  EXPECT_EQ(numbers(parse(npy(other, values)).points), (Matrix{{1}, {2}}));
}

TEST(Npy, UnalignedValuesAreCopied) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string content = npy(header("<f8", "(2,)") + std::string(shift, ' '), bytes_of<double>({1, 2}));
    EXPECT_EQ(numbers(parse(content).points), (Matrix{{1}, {2}}));
  }
}

TEST(Npy, FilesAreMappedAndStayAliveWithThePoints) {
  const TemporaryFolder folder;
  write_npy(folder.path("x.npy"), Matrix{{1, 2}, {3, 4}});
  const Points x = read_data(folder.path("x.npy")).points;
  write_npy(folder.path("x.npy"), Matrix{{9, 9}, {9, 9}});
  EXPECT_EQ(numbers(x), (Matrix{{1, 2}, {3, 4}}));
  std::filesystem::remove(folder.path("x.npy"));
  EXPECT_EQ(numbers(x), (Matrix{{1, 2}, {3, 4}}));
}

TEST(Npy, FloatStaysFloat) {
  const Points x = parse(npy(header("<f4", "(1, 1)"), bytes_of<float>({0.1f}))).points;
  EXPECT_NE(dynamic_cast<const DenseReals<float>*>(&x.rep()), nullptr);
}

TEST(Npy, TargetIsAColumnNumber) {
  const std::string content = npy(header("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5.5, 6}));
  const Dataset d = parse(content, {.target = "2"});
  EXPECT_EQ(numbers(d.points), (Matrix{{1, 3}, {4, 6}}));
  EXPECT_EQ(d.target(), (std::vector<std::string>{"2", "5.5"}));
  EXPECT_EQ(d.target_numbers, (Vector{2, 5.5}));
  EXPECT_EQ(d.target_name, "column 2");
  EXPECT_EQ(npy_error(content, {.target = "y"}),
            "DataError: d.npy: no column \"y\" to be the target; its columns have no names: give a number from 1 to 3");
  EXPECT_EQ(npy_error(content, {.target = "4"}),
            "DataError: d.npy: no column 4 to be the target; there are 3, counted from 1");
  EXPECT_EQ(npy_error(npy(header("<f8", "(1,)"), bytes_of<double>({1})), {.target = "1"}),
            "DataError: d.npy: its only column is the target; no column is left for the points");
}

TEST(Npy, WrongTypesAndShapes) {
  EXPECT_EQ(npy_error(npy(header(">f8", "(1,)"), bytes_of<double>({1}))),
            "DataError: d.npy: holds big-endian numbers (\">f8\"); save it as little-endian: numpy.save(file, "
            "a.astype(\"<f8\"))");
  EXPECT_EQ(npy_error(npy(header("<c16", "(1,)"), std::string(16, '\0'))),
            "DataError: d.npy: holds values of type \"<c16\"; save numbers: numpy.save(file, a.astype(\"<f8\"))");
  EXPECT_EQ(npy_error(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "")),
            "DataError: d.npy: holds records of several fields; save one plain array of numbers");
  EXPECT_EQ(npy_error(npy(header("<f8", "(1, 1, 1)"), bytes_of<double>({1}))),
            "DataError: d.npy: has 3 dimensions; reshape it to rows and columns");
  EXPECT_EQ(npy_error(npy(header("<f8", "()"), bytes_of<double>({1}))),
            "DataError: d.npy: has 0 dimensions; reshape it to rows and columns");
  EXPECT_EQ(npy_error(npy(header("<f8", "(0, 3)"), "")),
            "DataError: d.npy: one of its dimensions is 0: it holds no values");
}

TEST(Npy, ValuesAreChecked) {
  EXPECT_EQ(npy_error(npy(header("<f8", "(2, 2)"), bytes_of<double>({1, 2, 3, NAN}))),
            "DataError: d.npy: row 2, column 2: the value is nan; replace it by a finite number, or remove the row");
  EXPECT_EQ(npy_error(npy(header("<f4", "(1, 2)"), bytes_of<float>({-INFINITY, 2}))),
            "DataError: d.npy: row 1, column 1: the value is -inf; replace it by a finite number, or remove the row");
  EXPECT_EQ(npy_error(npy(header("<i8", "(1, 2)"), bytes_of<std::int64_t>({1, -9007199254740993}))),
            "DataError: d.npy: row 1, column 2: -9007199254740993 is too large to be kept exactly (2^53); rescale the "
            "column");
}

TEST(Npy, DamagedFiles) {
  const std::string good = npy(header("<f8", "(2, 2)"), bytes_of<double>({1, 2, 3, 4}));
  EXPECT_EQ(npy_error(good.substr(0, good.size() - 5)),
            fmt::format("FileError: d.npy: truncated: {} bytes expected, {} found; save or fetch it again", good.size(),
                        good.size() - 5));
  EXPECT_EQ(npy_error(good.substr(0, 40)),
            fmt::format("FileError: d.npy: truncated: {} bytes expected, 40 found; save or fetch it again",
                        good.size() - 32));
  EXPECT_EQ(npy_error(good.substr(0, 9)),
            "FileError: d.npy: truncated: at least 12 bytes expected, 9 found; save or fetch it again");
  EXPECT_EQ(npy_error(good + "x"),
            fmt::format("FileError: d.npy: {} bytes expected from its header, {} found; save one array per file",
                        good.size(), good.size() + 1));
  EXPECT_EQ(npy_error("1,2\n3,4\n"), "FileError: d.npy: not an NPY file; check its format");
  EXPECT_EQ(npy_error(npy(header("<f8", "(2,)"), bytes_of<double>({1, 2}), 9)),
            "FileError: d.npy: NPY format version 9 is unknown (1 to 3 are read); save it again");
  for (const char* broken : {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}"}) {
    EXPECT_TRUE(
        npy_error(npy(broken, bytes_of<double>({1}))).starts_with("FileError: d.npy: the NPY header is damaged"))
        << npy_error(npy(broken, bytes_of<double>({1})));
  }
}

TEST(Npy, PromisesOfHugeArraysAllocateNothing) {
  for (const char* shape : {"(4294967296, 4294967296)", "(18446744073709551615,)", "(3, 6148914691236517206)"}) {
    const std::string error = npy_error(npy(header("<f8", shape), bytes_of<double>({1, 2, 3})));
    EXPECT_TRUE(error.starts_with("FileError: d.npy: truncated: more than")) << error;
  }
}

}  // namespace
}  // namespace mercer::npy_test
