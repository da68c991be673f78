#include "mercer/wording.hpp"

#include <gtest/gtest.h>

namespace mercer::wording_test {

std::string in_brackets(std::string_view text) {
  return spelled(text, [](const Argument& a) { return "[" + std::string(a.name) + "|" + std::string(a.value) + "]"; });
}

TEST(Wording, ArgumentsAreSpelledAndAllElseStays) {
  EXPECT_EQ(in_brackets(""), "");
  EXPECT_EQ(in_brackets("wine.csv: `target`: no column"), "wine.csv: [target|]: no column");
  EXPECT_EQ(in_brackets("`bag` and `series`: not both"), "[bag|] and [series|]: not both");
  EXPECT_EQ(in_brackets("say `header=yes` or `header=no`"), "say [header|yes] or [header|no]");
  EXPECT_EQ(in_brackets("`graphs=molecule=MUTAG`"), "[graphs|molecule=MUTAG]");
  EXPECT_EQ(in_brackets("`target=a b, \"c\"` names it"), "[target|a b, \"c\"] names it");
}

TEST(Wording, OtherBackQuotesAreNoArguments) {
  for (const std::string text : {"see `mercer check`", "`", "a ` b", "``", "`targets`", "`=target`", "`target"}) {
    EXPECT_EQ(in_brackets(text), text);
  }
  // A name of somebody else's that has one does not hide what comes.
  EXPECT_EQ(in_brackets("it`s.csv: `scale=none` leaves them"), "it`s.csv: [scale|none] leaves them");
  EXPECT_EQ(in_brackets("``scale``"), "`[scale|]`");
}

}  // namespace mercer::wording_test
