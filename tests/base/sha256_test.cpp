// The examples of FIPS 180-4, and pieces whose ends are no ends of blocks.
#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include "file/file_hash.hpp"
#include "io/files.hpp"

namespace mercer {
namespace {

TEST(Sha256, KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// However a text comes, its hash is one.
TEST(Sha256, OfPiecesIsThatOfTheWhole) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += static_cast<char>(i * 7 % 251);
  for (const std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 127, 130}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash.digits(), sha256(text)) << piece;
  }
}

TEST(Sha256, OfAFileIsThatOfAllOfIt) {
  const io_test::TemporaryFolder folder;
  for (const std::size_t size : {0, 100, 1 << 20, (1 << 20) + 1, 2500000}) {
    std::string content(size, 'a');
    if (size > 0) content.back() = 'b';
    EXPECT_EQ(file_hash(folder.file("x", content)), sha256(content)) << size;
  }
  EXPECT_EQ(file_hash(folder.path("nothing")), "");
}

}  // namespace
}  // namespace mercer
