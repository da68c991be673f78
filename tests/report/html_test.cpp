// Documents in a page: nothing in them can end it, and nothing makes it too long.
#include "report/html.hpp"

#include <gtest/gtest.h>

#include "report/budget.hpp"
#include "report/page.hpp"

namespace mercer::report {
namespace {

Json document_with(const std::string& text, Json data = {{"rows", Json::array()}}) {
  return {{"kind", "report"},
          {"title", text},
          {"sections",
           {{{"id", "model"},
             {"title", "What it is"},
             {"words", {text}},
             {"exhibits",
              {{{"id", "a"}, {"kind", "facts"}, {"title", text}, {"finding", "Seen."}, {"data", std::move(data)}}}}}}}};
}

// What a browser would hand to JSON.parse.
Json held_in(const std::string& page) {
  const std::string begin = "id=\"document\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(ReportHtml, ThePageIsTheOneThatWasBuilt) {
  EXPECT_TRUE(page().starts_with("<!doctype html>"));
  EXPECT_LT(packed_page().size(), page().size());
}

TEST(ReportHtml, HostileTextsComeBackAsTheyWere) {
  for (const std::string text : {"</script><img src=x onerror=alert(1)>", "<!-- <script>", "\xE2\x80\xA8 \xE2\x80\xA9",
                                 "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D", "\xF0\x9F\x98\x80", "\"\\"}) {
    const std::string made = html(document_with(text));
    EXPECT_EQ(held_in(made)["title"], text);
    EXPECT_EQ(made.find("<img"), std::string::npos);
    EXPECT_EQ(made.find("\xE2\x80\xA8"), page().find("\xE2\x80\xA8"));
  }
}

TEST(ReportHtml, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(held_in(html(document_with("a\xFFz")))["title"], "a\xEF\xBF\xBDz");
}

TEST(ReportHtml, LongNamesAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "\xC3\xA4";  // ä
  const std::string title = held_in(html(document_with(text)))["title"].text();
  EXPECT_LT(title.size(), 1300);
  EXPECT_EQ(title.find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(ReportHtml, TheLargestPictureIsLeftOutOfAPageThatWouldBeTooLong) {
  const Json data = {{"x", {{"f32", std::string(3'000'000, 'A')}}}};
  const std::string made = html(document_with("wide", data));
  EXPECT_LE(made.size(), kMostBytes);
  const Json exhibit = held_in(made)["sections"][0]["exhibits"][0];
  EXPECT_EQ(exhibit["kind"], "facts");
  EXPECT_EQ(exhibit["finding"],
            "Seen. This picture is left out: with its 3.0 MB the report would be too long to open.");
}

TEST(ReportHtml, TheSameDocumentIsTheSamePage) { EXPECT_EQ(html(document_with("x")), html(document_with("x"))); }

}  // namespace
}  // namespace mercer::report
