// The list of pictures: what applies is made, what cannot be made leaves a note.
#include "report/catalog.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mercer/mercer.hpp"
#include "report/answers.hpp"
#include "support.hpp"

namespace mercer::report {
namespace {

// Three classes on a line, three points of each, and one point of "c" among the "a".
Subject classes() {
  const Matrix x{{0}, {0.1}, {0.2}, {1}, {1.1}, {1.2}, {2}, {2.1}, {0.05}};
  const std::vector<std::string> names = {"a", "a", "a", "b", "b", "b", "c", "c", "c"};
  const Labels labels = Labels::from(names);
  const Model model = fit("svc", {{"C", "1"}}, {.K = lazy(parse("rbf(ell=0.3)"), rows(Matrix(x))), .labels = labels});
  return {.model = model, .x = rows(Matrix(x)), .labels = labels, .source = "line.csv"};
}

TEST(ReportCatalog, IdsAreUniqueAndSectionsKnown) {
  std::set<std::string_view> ids;
  const std::set<std::string_view> sections = {"model", "quality", "learnt", "kernel", "fit"};
  for (const Picture& picture : pictures()) {
    EXPECT_TRUE(ids.insert(picture.id).second) << picture.id;
    EXPECT_TRUE(sections.contains(picture.section)) << picture.section;
  }
}

TEST(ReportCatalog, MakesWhatIsWanted) {
  const std::vector<std::string> wanted = {"confusion"};
  const std::vector<Exhibit> made = exhibits_of(classes(), wanted);
  ASSERT_EQ(made.size(), 1);
  EXPECT_EQ(made[0].kind, "confusion");
  EXPECT_EQ(made[0].data["classes"], Json({"a", "b", "c"}));
  EXPECT_EQ(made[0].data["counts"], Json({{3, 0, 0}, {0, 3, 0}, {1, 0, 2}}));
  EXPECT_EQ(made[0].finding,
            "8 of 9 points are put into their class (held-out data); the commonest mistake is c taken for a, 1 times.");
}

TEST(ReportCatalog, APictureThatCannotBeMadeLeavesANote) {
  Subject subject = classes();
  subject.x = rows(Matrix(9, 2));  // two columns where the model takes one
  const std::vector<std::string> wanted = {"confusion"};
  const std::vector<Exhibit> made = exhibits_of(subject, wanted);
  ASSERT_EQ(made.size(), 1);
  EXPECT_EQ(made[0].kind, "facts");
  EXPECT_TRUE(made[0].finding.starts_with("This picture could not be made: ")) << made[0].finding;
}

TEST(ReportCatalog, AnUnknownPictureIsRefusedByName) {
  const std::vector<std::string> wanted = {"confusoin"};
  test::expect_error([&] { exhibits_of(classes(), wanted); }, "UsageError", {"did you mean confusion"});
}

}  // namespace
}  // namespace mercer::report
