// Bodies and addresses of requests: what is refused, and by which name.
#include "studio/body.hpp"

#include <gtest/gtest.h>

#include "studio/errors.hpp"
#include "studio/limits.hpp"
#include "studio/message.hpp"

namespace mercer::studio {
namespace {

std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status, 400);
    return failure.where;
  }
  return "nothing";
}

// The page has no options of a command.
TEST(StudioErrors, ArgumentsAreInWordsOfThePage) {
  try {
    throw Error(ErrorKind::data, "wine.csv: `target`: no column \"y\"; `scale=none` and `source`");
  } catch (...) {
    const Failure failure = current_failure();
    EXPECT_EQ(std::string(failure.what()), "wine.csv: target: no column \"y\"; scale none and the data");
    EXPECT_EQ(failure.where, "wine.csv");
    EXPECT_EQ(failure.hint, "scale none and the data");
  }
}

TEST(StudioBody, DepthIsBounded) {
  const std::string deep = "{\"a\":" + std::string(kMostDepth, '[') + std::string(kMostDepth, ']') + "}";
  EXPECT_EQ(refused([&] { Body body(deep); }), "body");
  const std::string fits = "{\"a\":" + std::string(kMostDepth - 1, '[') + std::string(kMostDepth - 1, ']') + "}";
  EXPECT_NO_THROW(Body body(fits));
  const std::string in_quotes = "{\"a\": \"\\\"" + std::string(1000, '[') + "\"}";
  EXPECT_NO_THROW(Body body(in_quotes));
  EXPECT_EQ(refused([] { Body body(std::string(1'000'000, '[')); }), "body");
}

TEST(StudioBody, WantsAnObject) {
  for (const char* text : {"", "[]", "1", "{", "{\"a\":1}x", "nul", "{\"a\":NaN}", "\xff"}) {
    EXPECT_EQ(refused([&] { Body body{std::string(text)}; }), "body") << text;
  }
}

TEST(StudioBody, FieldsAreOfTheirKind) {
  const Body body(std::string(R"({"t": "x", "n": 1.5, "f": true, "l": [1, 2], "r": [[1, 2], [3]], "z": null})"));
  EXPECT_EQ(body.text("t"), "x");
  EXPECT_EQ(body.number("n", 0), 1.5);
  EXPECT_TRUE(body.flag("f", false));
  EXPECT_EQ(body.numbers("l"), (Vector{1, 2}));
  EXPECT_FALSE(body.has("z"));
  EXPECT_EQ(body.text("z", "else"), "else");
  EXPECT_EQ(refused([&] { (void)body.text("n"); }), "n");
  EXPECT_EQ(refused([&] { (void)body.text("gone"); }), "gone");
  EXPECT_EQ(refused([&] { (void)body.whole("n", 0, 0, 9); }), "n");
  const Body ends(std::string(R"({"below": 1, "least": 2, "most": 9, "above": 10})"));
  EXPECT_EQ(ends.whole("least", 5, 2, 9), 2);
  EXPECT_EQ(ends.whole("most", 5, 2, 9), 9);
  EXPECT_EQ(refused([&] { (void)ends.whole("below", 5, 2, 9); }), "below");
  EXPECT_EQ(refused([&] { (void)ends.whole("above", 5, 2, 9); }), "above");
  EXPECT_EQ(refused([&] { (void)body.flag("t", false); }), "t");
  EXPECT_EQ(refused([&] { (void)body.rows("r"); }), "r");
  EXPECT_EQ(refused([&] { (void)body.numbers("t"); }), "t");
  EXPECT_EQ(refused([&] { (void)body.object("l"); }), "l");
}

TEST(StudioBody, SettingsAreTexts) {
  const Body body(std::string(R"({"options": {"C": 10, "no-bias": true, "kind": "x", "left": null}})"));
  const std::map<std::string, std::string> want = {{"C", "10"}, {"no-bias", "true"}, {"kind", "x"}};
  EXPECT_EQ(body.settings("options"), want);
}

TEST(StudioBody, ExpressionsAreBounded) {
  const Body body(Json{{"expr", std::string(kMostExpression + 1, 'x')}});
  EXPECT_EQ(refused([&] { (void)body.expression("expr"); }), "expr");
}

TEST(StudioMessage, TargetsAreTakenApart) {
  Request request;
  request.head.target = "/a%2Fb/c?x=1+2&y=%e2%82%ac&z&=w&bad=%zz%4";
  split_target(request);
  EXPECT_EQ(request.path, "/a/b/c");
  EXPECT_EQ(request.query["x"], "1 2");
  EXPECT_EQ(request.query["y"], "€");
  EXPECT_EQ(request.query.count("z"), 1u);
  EXPECT_EQ(request.query["bad"], "%zz%4");
}

}  // namespace
}  // namespace mercer::studio
