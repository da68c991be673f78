#include "domains/strings/fasta.hpp"

#include <gtest/gtest.h>

#include "domains/strings/strings.hpp"
#include "support.hpp"

namespace mercer::detail::fasta_test {
namespace {

using test::expect_error;
using Texts = std::vector<std::string>;

Texts sequences(const Dataset& data) {
  const ObjectsOf<Strings> strings = objects_of<Strings>(data.points, "test", "strings");
  Texts out;
  for (Index i = 0; i < strings.size(); ++i) out.push_back(strings[i]);
  return out;
}

TEST(Fasta, WrappedLinesCommentsAndNames) {
  const std::string text = "; made by hand\n>one  human \r\nACG\r\nT A\r\n\r\n>two\n>three mouse cell\nacg*\n-N";
  const Dataset data = parse_fasta(text, "x.fa", {.last_is_target = true});
  EXPECT_EQ(sequences(data), (Texts{"ACGTA", "", "acg*-N"}));
  EXPECT_EQ(data.target_texts, (Texts{"human", "", "mouse cell"}));
  EXPECT_EQ(data.target_name, "description");
  EXPECT_EQ(parse_fasta(text, "x.fa", {.target = "name"}).target_texts, (Texts{"one", "two", "three"}));
  EXPECT_EQ(parse_fasta(text, "x.fa", {}).target_name, "description");
  // What is asked for if it can be had.
  EXPECT_EQ(parse_fasta(text, "x.fa", {.label = "name"}).target_name, "name");
  EXPECT_EQ(parse_fasta(text, "x.fa", {.label = "class"}).target_name, "description");
  EXPECT_EQ(parse_fasta(">a\nAC\n", "x.fa", {.label = "description"}).target_texts, (Texts{""}));
}

TEST(Fasta, DescriptionsThatAreNumbers) {
  const Dataset data = parse_fasta(">a 1.5\nAC\n>b -2\nGT\n", "x.fa", {.last_is_target = true});
  EXPECT_EQ(data.target_numbers, (Vector{1.5, -2}));
  EXPECT_TRUE(parse_fasta(">a\nAC\n>b\nGT\n", "x.fa", {.last_is_target = true}).target_name.empty());
  // Numbers first and a text then: texts, all of them.
  const Dataset mixed = parse_fasta(">a 1.5\nAC\n>b 2\nGT\n>c high\nGG\n", "x.fa", {});
  EXPECT_EQ(mixed.target_texts, (Texts{"1.5", "2", "high"}));
  EXPECT_TRUE(mixed.target_numbers.empty());
  EXPECT_EQ(mixed.target(), (Texts{"1.5", "2", "high"}));
}

TEST(Fasta, SaysWhatIsWrongAndWhere) {
  expect_error([] { parse_fasta("ACGT\n>a\n", "x.fa", {}); }, "DataError", {"x.fa: line 1: \"ACGT\" stands before"});
  expect_error([] { parse_fasta(">a\nAC\nA\xC3\xA4\n", "x.fa", {}); }, "DataError", {"line 3, position 2: byte 0xC3"});
  expect_error([] { parse_fasta(">a\nA\x01G\n", "x.fa", {}); }, "DataError", {"line 2, position 2: byte 0x01"});
  expect_error([] { parse_fasta("\n; nothing\n", "x.fa", {}); }, "DataError", {"no sequence"});
  expect_error([] { parse_fasta(">a\nA\n", "x.fa", {.target = "class"}); }, "DataError", {"no column \"class\""});
}

TEST(Fasta, IsToldByItsBeginning) {
  EXPECT_TRUE(looks_like_fasta("\n>a b\nACG"));
  EXPECT_TRUE(looks_like_fasta("; comment\n>a\n"));
  EXPECT_FALSE(looks_like_fasta("a,b\n1,2\n"));
  EXPECT_FALSE(looks_like_fasta("; a;b\n1;2\n"));
  EXPECT_FALSE(looks_like_fasta(""));
}

}  // namespace
}  // namespace mercer::detail::fasta_test
