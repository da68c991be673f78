// JSON values: what braces make, what is read, what is refused, and the text that comes out.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

namespace mercer::json_test {
namespace {

JsonError error_of(std::string_view text, int deepest = 500) {
  try {
    Json::parse(text, deepest);
  } catch (const JsonError& error) {
    return error;
  }
  ADD_FAILURE() << text << " was read";
  return {JsonError::Why::kind, ""};
}

TEST(Json, BracesMakeObjectsAndLists) {
  const std::vector<std::string> names = {"a", "b"};
  Json out = {{"text", "rbf"},   {"numbers", {1, 2.5}}, {"names", names},
              {"none", nullptr}, {"yes", true},         {"empty", {}}};
  out["map"] = std::map<std::string, double>{{"x", 0.5}};
  out["inner"]["list"].push_back({{"a", 1}, {"b", std::size_t{7}}});
  out["inner"]["list"].push_back({"a", "b", "c"});
  EXPECT_EQ(out.dump(),
            R"({"text":"rbf","numbers":[1,2.5],"names":["a","b"],"none":null,"yes":true,"empty":null,"map":{"x":0.5},)"
            R"("inner":{"list":[{"a":1,"b":7},["a","b","c"]]}})");
  EXPECT_EQ((Json{{1, 0}, {1, 2}}).dump(), "[[1,0],[1,2]]");
  EXPECT_EQ(Json::array({4}).dump(), "[4]");
  EXPECT_EQ((Json::array({"a", 1}).dump()), R"(["a",1])");
  EXPECT_EQ(Json::array().dump() + Json::object().dump() + Json().dump(), "[]{}null");
}

TEST(Json, ValuesAreCopiedAndMovedWhole) {
  Json a = {{"list", {1, 2}}, {"text", "x"}};
  const Json b = a;
  a["list"][0] = 9;
  a["list"] = a;  // a copy of the whole within itself
  EXPECT_EQ(a.dump(), R"({"list":{"list":[9,2],"text":"x"},"text":"x"})");
  EXPECT_EQ(b.dump(), R"({"list":[1,2],"text":"x"})");
  const Json moved = std::move(a);
  EXPECT_EQ(moved["list"]["list"][0], 9);
  EXPECT_TRUE(a.is_null());  // NOLINT(bugprone-use-after-move)
}

TEST(Json, MembersStayInTheirOrder) {
  Json out = Json::parse(R"({"z": 1, "a": 2, "z": 3})");  // of two of one name the last counts
  EXPECT_EQ(out.dump(), R"({"z":3,"a":2})");
  out.update({{"m", 1}, {"a", 5}});
  EXPECT_EQ(out.dump(), R"({"z":3,"a":5,"m":1})");
  EXPECT_TRUE(out.erase("z"));
  EXPECT_FALSE(out.erase("z"));
  EXPECT_EQ(out.dump(), R"({"a":5,"m":1})");
  EXPECT_NE(out, Json::parse(R"({"m":1,"a":5})"));
}

TEST(Json, NumbersAreThoseThatWereWritten) {
  for (const char* text :
       {"0", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615"}) {
    const std::string out = Json::parse(text).dump();
    EXPECT_EQ(out, std::string(text) == "-0" ? "0" : text);
  }
  EXPECT_EQ(Json::parse("9223372036854775807").whole(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Json::parse("-9223372036854775808").whole(), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(Json::parse("9223372036854775808").whole());
  EXPECT_EQ(Json::parse("18446744073709551615").number(), 18446744073709551615.0);
  EXPECT_EQ(Json::parse("18446744073709551616").dump(), "1.8446744073709552e+19");  // more than 64 bits
  EXPECT_FALSE(Json::parse("1.0").whole());
  EXPECT_EQ(Json::parse("1.0").dump(), "1.0");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
}

TEST(Json, DoublesComeBackFromTheFewestDigits) {
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json(1.0).dump(), "1.0");
  EXPECT_EQ(Json(-0.0).dump(), "-0.0");
  EXPECT_EQ(Json(1e20).dump(), "1e+20");
  EXPECT_EQ(Json(1e-7).dump(), "1e-07");
  EXPECT_EQ(Json(123456.789).dump(), "123456.789");
  std::uint64_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    double value = 0;
    static_assert(sizeof(value) == sizeof(state));
    std::memcpy(&value, &state, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(Json::parse(Json(value).dump()).number(), value) << value;
  }
}

TEST(Json, WhatIsNotFiniteIsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((Json{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}).dump(), "[null,null,null]");
  for (const char* text : {"NaN", "Infinity", "-Infinity", "nan", "inf"}) {
    EXPECT_EQ(error_of(text).why, JsonError::Why::syntax) << text;
  }
  EXPECT_EQ(error_of("1e999").why, JsonError::Why::number);
  EXPECT_EQ(error_of("[-1e999]").why, JsonError::Why::number);
  EXPECT_EQ(Json::parse("1e-999").number(), 0);
}

TEST(Json, EscapesAreCharacters) {
  EXPECT_EQ(Json::parse(R"("\u00e9\n\"\\\/\u0000")").text(), std::string("\xC3\xA9\n\"\\/\0", 7));
  EXPECT_EQ(Json::parse(R"("\ud83d\ude00")").text(), "\xF0\x9F\x98\x80");
  for (const char* text : {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\u12g4")", R"("\x41")", "\"\n\"", "\"a"}) {
    EXPECT_EQ(error_of(text).why, JsonError::Why::syntax) << text;
  }
  EXPECT_EQ(Json("\xC3\xA9\x01\"\n").dump(), "\"\xC3\xA9\\u0001\\\"\\n\"");
  EXPECT_EQ(Json("\xC3\xA9\xF0\x9F\x98\x80").dump({.ascii = true}), R"("\u00e9\ud83d\ude00")");
}

TEST(Json, TextsThatAreNoUtf8) {
  for (const char* text : {"\xFF", "a\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(error_of("\"" + std::string(text) + "\"").why, JsonError::Why::syntax);
    EXPECT_THROW((void)Json(text).dump({.exact = true}), JsonError);
    EXPECT_THROW((void)Json({{text, 1}}).dump({.exact = true}), JsonError);
    EXPECT_NO_THROW(Json::parse(Json(text).dump()));
  }
  EXPECT_EQ(Json("a\xFFz").dump(), "\"a\xEF\xBF\xBDz\"");
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_NO_THROW(Json::parse(nested(20), 20));
  EXPECT_EQ(error_of(nested(21), 20).why, JsonError::Why::depth);
  EXPECT_EQ(error_of(R"({"a":{"b":{}}})", 2).why, JsonError::Why::depth);
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).why, JsonError::Why::depth);
  EXPECT_NO_THROW(Json::parse("\"" + std::string(1000, '[') + "\""));
}

TEST(Json, SaysWhereTheSyntaxIsWrong) {
  for (const char* text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "[1 2]", "nul", "01", "1.", "+1", "1 2", "{} x"}) {
    EXPECT_EQ(error_of(text).why, JsonError::Why::syntax) << text;
  }
  EXPECT_EQ(error_of("[1, x]").byte, 5U);
}

TEST(Json, AsksAreAnsweredOrRefused) {
  const Json all = Json::parse(R"({"n": 2, "t": "x", "b": true, "l": [1, 2.5], "o": {"k": "v"}, "z": null})");
  EXPECT_EQ(all["n"].get<int>(), 2);
  EXPECT_EQ(all["l"].get<std::vector<double>>(), (std::vector<double>{1, 2.5}));
  EXPECT_EQ((all["o"].get<std::map<std::string, std::string>>()), (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(all.find("q"), nullptr);
  EXPECT_EQ(all["n"].find("q"), nullptr);
  EXPECT_EQ(all["z"].size() + all["z"].empty() + all["l"].size() + all["o"].size(), 4U);
  for (const Json& none : all["z"]) ADD_FAILURE() << none;
  EXPECT_THROW(all["q"], JsonError);
  EXPECT_THROW(all["l"]["q"], JsonError);
  EXPECT_EQ(all["l"].at(0), 1);
  EXPECT_THROW(all["l"][2], JsonError);
  EXPECT_THROW(all["o"][std::size_t{0}], JsonError);
  EXPECT_THROW((void)all["o"].begin(), JsonError);
  EXPECT_THROW((void)all["l"].items(), JsonError);
  EXPECT_THROW((void)all["n"].text(), JsonError);
  EXPECT_THROW((void)all["t"].number(), JsonError);
  EXPECT_THROW((void)all["n"].boolean(), JsonError);
  EXPECT_THROW((void)all["t"].get<int>(), JsonError);
  Json text = "x";
  EXPECT_THROW(text.push_back(1), JsonError);
  EXPECT_THROW(text["a"] = 1, JsonError);
}

TEST(Json, EqualityIsOfValues) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json(1), Json("1"));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_NE(Json(), Json::array());
  EXPECT_EQ(Json::parse("[1,{\"a\":[]}]"), (Json{1, Json::object({{"a", Json::array()}})}));
}

TEST(Json, IsIndentedAndStreamed) {
  const Json value = {{"a", {1, 2}}, {"e", Json::array()}};
  EXPECT_EQ(value.dump({.indent = 2}), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"e\": []\n}");
  std::ostringstream out;
  out << value;
  EXPECT_EQ(out.str(), value.dump());
}

}  // namespace
}  // namespace mercer::json_test
