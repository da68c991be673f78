#include <cmath>

#include "io/files.hpp"
#include "io/readers.hpp"

namespace mercer::idx_test {
namespace {

using namespace io_test;

std::string idx(char type, const std::vector<unsigned>& shape, const std::string& values) {
  std::string out = {0, 0, type, static_cast<char>(shape.size())};
  for (const unsigned extent : shape) {
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(extent >> shift & 0xFF);
  }
  return out + values;
}

Dataset parse(const std::string& content, const ReadOptions& options = {}) {
  return parse_idx(content, "d.idx", options);
}

std::string idx_error(const std::string& content) {
  return error_of([&] { parse(content); });
}

TEST(Idx, AllTypes) {
  const auto read = [](const std::string& content) { return numbers(parse(content).points); };
  EXPECT_EQ(read(idx(0x08, {2, 2}, std::string("\x00\x01\xFF\x80", 4))), (Matrix{{0, 1}, {255, 128}}));
  EXPECT_EQ(read(idx(0x09, {2}, "\xFF\x7F")), (Matrix{{-1}, {127}}));
  EXPECT_EQ(read(idx(0x0B, {1, 2}, std::string("\x01\x02\xFF\xFE", 4))), (Matrix{{258, -2}}));
  EXPECT_EQ(read(idx(0x0C, {1}, std::string("\x7F\xFF\xFF\xFF", 4))), (Matrix{{2147483647}}));
  EXPECT_EQ(read(idx(0x0D, {1}, std::string("\x3F\xC0\x00\x00", 4))), (Matrix{{1.5}}));
  EXPECT_EQ(read(idx(0x0E, {1}, std::string("\xC0\x04\x00\x00\x00\x00\x00\x00", 8))), (Matrix{{-2.5}}));
}

TEST(Idx, LaterDimensionsBecomeColumns) {
  const Dataset d = parse(idx(0x08, {2, 3, 2}, "\1\2\3\4\5\6\7\10\11\12\13\14"), {.target = "6"});
  EXPECT_EQ(numbers(d.points), (Matrix{{1, 2, 3, 4, 5}, {7, 8, 9, 10, 11}}));
  EXPECT_EQ(d.target_numbers, (Vector{6, 12}));
}

TEST(Idx, DamagedFiles) {
  EXPECT_EQ(idx_error(idx(0x08, {2, 3}, "12345")),
            "FileError: d.idx: truncated: its header promises 18 bytes, the file has 17; fetch it again");
  EXPECT_EQ(idx_error(idx(0x08, {2, 3}, "1234567")),
            "FileError: d.idx: 18 bytes expected from its header, 19 found; fetch it again");
  EXPECT_EQ(idx_error(idx(0x08, {2, 3}, "").substr(0, 9)),
            "FileError: d.idx: truncated: its header takes 12 bytes, the file has 9; fetch it again");
  EXPECT_EQ(idx_error(std::string(3, '\0')), "FileError: d.idx: truncated: 3 bytes are too few for an IDX file");
  EXPECT_EQ(idx_error("GIF8...."),
            "FileError: d.idx: not an IDX file: it starts with bytes 47 49 46 38; check its format");
  EXPECT_EQ(idx_error(idx(0x0A, {1}, "1")),
            "FileError: d.idx: not an IDX file: it starts with bytes 00 00 0a 01; check its format");
  EXPECT_EQ(idx_error(idx(0x08, {0, 3}, "")), "DataError: d.idx: dimension 1 is 0: the file holds no values");
  EXPECT_EQ(idx_error(idx(0x0D, {1}, std::string("\x7F\x80\x00\x00", 4))),
            "DataError: d.idx: row 1, column 1: the value is inf; replace it by a finite number, or remove the row");
}

TEST(Idx, PromisesOfHugeArraysAllocateNothing) {
  EXPECT_EQ(idx_error(idx(0x08, {0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu}, "123")),
            "FileError: d.idx: truncated: its header promises more than 19 bytes, the file has 19; fetch it again");
  EXPECT_EQ(idx_error(idx(0x0E, {4, 4}, "1234")),
            "FileError: d.idx: truncated: its header promises 140 bytes, the file has 16; fetch it again");
}

}  // namespace
}  // namespace mercer::idx_test
