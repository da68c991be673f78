// Fits to rows that are read from their files in every pass: the model is that of the same rows in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "io/files.hpp"
#include "mercer/io.hpp"
#include "mercer/workflow.hpp"
#include "workflow/fits.hpp"

namespace mercer::workflow::streamed_fit_test {
namespace {

using io_test::gzip;
using io_test::TemporaryFolder;
using workflow_test::bits;
using workflow_test::lines;

bool says(const FitResult& fitted, const std::string& text) {
  return std::any_of(fitted.remarks.begin(), fitted.remarks.end(),
                     [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
}

class StreamedFit : public ::testing::Test {
 protected:
  static FitRequest request(const std::string& path, bool stream) {
    return {.machine = "ridge",
            .settings = {{"ridge", "0.5"}},
            .kernel = parse("rbf(ell=1.5)"),
            .source = {.path = path},
            .target = "y,z",
            .weights = "w",
            .stream = stream,
            .centres = CentreWishes{.count = 40}};
  }
  static void expect_same(FitRequest asked) {
    asked.stream = false;
    const FitResult near = fit(asked);
    asked.stream = true;
    const FitResult far = fit(asked);
    EXPECT_EQ(bits(near.model), bits(far.model));
    EXPECT_EQ(near.model.report().plan->rows_at_once, 0);
    EXPECT_GT(far.model.report().plan->rows_at_once, 0);
    EXPECT_TRUE(says(far, "rows are read again in every pass"));
    EXPECT_FALSE(says(near, "rows are read again"));
  }
  TemporaryFolder files_;
};

TEST_F(StreamedFit, IsTheFitInMemoryToTheLastBit) {
  const std::string path = files_.file("t.csv", lines(0, 1100));
  FitRequest asked = request(path, true);
  expect_same(asked);
  asked.settings = {{"ridge", "0.5"}, {"solver", "falkon"}};
  asked.kernel = parse("rbf(ell=0.7) + on(c, laplace(ell=2))");
  expect_same(asked);
  asked.settings = {{"ridge", "auto"}, {"solver", "normal"}};
  asked.scale = Scaling::Kind::minmax;
  expect_same(asked);
  asked.scale = Scaling::Kind::none;
  asked.settings = {{"ridge", "0.5"}, {"loo", "true"}};
  asked.plain = true;
  asked.weights = "";
  expect_same(asked);
  asked.centres->by = CentresBy::uniform;
  asked.kernel = Usual{};
  expect_same(asked);
}

TEST_F(StreamedFit, WhatIsNotGivenIsChosenAsInMemory) {
  FitRequest asked = request(files_.file("t.csv", lines(0, 300)), true);
  asked.kernel = Usual{};
  asked.settings = {};
  expect_same(asked);
}

TEST_F(StreamedFit, AnyNumberOfFilesAndPiecesOfThem) {
  for (const Index n : {1023, 1024, 1025, 3000}) {
    const std::string whole = files_.file("whole.csv", lines(0, n));
    files_.file("part-1.csv", lines(0, 17));
    files_.file("part-2.csv", lines(17, 1020));
    files_.file("part-10.csv", lines(1020, n));
    FitRequest asked = request(files_.path("part-*.csv"), true);
    const std::string several = bits(fit(asked).model);
    asked.source.path = whole;
    const std::string one = bits(fit(asked).model);
    EXPECT_EQ(several, one) << n;
    asked.stream = false;
    EXPECT_EQ(bits(fit(asked).model), one) << n;
    asked.stream = true;
    asked.source.path = files_.file("packed.csv.gz", gzip(lines(0, n)));
    EXPECT_EQ(bits(fit(asked).model), one) << n;
  }
}

// In the first piece, in one that has nothing else, and beyond the rows that decide what is a number.
TEST_F(StreamedFit, RowsWithoutATargetAreLeftOutAsInMemory) {
  constexpr Index kRows = 140000;
  for (const bool classes : {false, true}) {
    std::ostringstream text;
    text << "a,b,y\n";
    Index left_out = 0;
    for (Index i = 0; i < kRows; ++i) {
      const auto t = static_cast<double>(i);
      const double a = std::sin(t), b = std::cos(1.7 * t);
      const bool gap = i == 7 || i == 135000 || (i >= 60000 && i < 80000);
      left_out += gap ? 1 : 0;
      text << a << ',' << b << ',';
      if (gap) {
        text << (i % 2 == 0 ? "" : "NA");
      } else if (classes) {
        text << (a * b > 0 ? "p" : "q");
      } else {
        text << a * b;
      }
      text << '\n';
    }
    FitRequest asked{.machine = classes ? "ridge_classifier" : "ridge",
                     .settings = {{"ridge", "0.5"}},
                     .kernel = parse("rbf(ell=1.5)"),
                     .source = {.path = files_.file("gaps.csv", text.str())},
                     .stream = true,
                     .centres = CentreWishes{.count = 10}};
    EXPECT_TRUE(says(fit(asked), std::to_string(left_out) + " of 140000 rows left out, without a value of y"));
    expect_same(asked);
    asked.target = "y";
    expect_same(asked);
  }
}

// Gaps at the beginning, and beyond the rows that decide what is a number; names, yes and no, dates, money, ids.
TEST_F(StreamedFit, RawTablesHaveTheRecipeOfAllTheirRows) {
  constexpr Index kRows = 140000;
  std::ostringstream text;
  text << "id,age,town,late,sold,price,flag,same,y\n";
  const std::vector<std::string> towns = {"Oslo", "Bergen", "", "Voss"};
  for (Index i = 0; i < kRows; ++i) {
    const auto t = static_cast<double>(i);
    const bool gap = i == 3 || i % 1000 == 17;
    text << i + 1 << ',' << (gap ? std::string(i % 2 == 0 ? "" : "NA") : std::to_string(i % 83)) << ','
         << towns[static_cast<std::size_t>(i * i % 4)] << ',' << (i == 135000 ? "?" : std::to_string(std::cos(t)))
         << ',' << "2019-0" << 1 + i % 9 << "-1" << i % 7 << ",$" << 100 + i % 900 << ',' << (i % 3 == 0 ? "yes" : "no")
         << ",5," << (i == 9 || i == 136000 ? std::string() : std::to_string(std::sin(0.1 * (i % 83)) + 0.01 * (i % 9)))
         << '\n';
  }
  FitRequest asked{.machine = "ridge",
                   .settings = {{"ridge", "0.5"}},
                   .kernel = parse("rbf(ell=2)"),
                   .source = {.path = files_.file("raw.csv", text.str())},
                   .stream = true,
                   .centres = CentreWishes{.count = 10}};
  const FitResult far = fit(asked);
  EXPECT_TRUE(says(far, "141 gaps filled by the mean"));
  EXPECT_TRUE(says(far, "column late: number"));
  EXPECT_TRUE(says(far, "1 gap filled by the mean"));
  EXPECT_TRUE(says(far, "2 of 140000 rows left out, without a value of y"));
  asked.stream = false;
  const FitResult near = fit(asked);
  ASSERT_NE(near.model.parts().recipe, nullptr);
  EXPECT_EQ(bits(near.model), bits(far.model));
  for (const std::string& remark : near.remarks) EXPECT_TRUE(says(far, remark)) << remark;
  asked.table.drop = {"town"};
  asked.table.missing = {"7"};
  expect_same(asked);
  asked.machine = "ridge_classifier";
  asked.target = "town";
  asked.kernel = Usual{};
  asked.table = {};
  expect_same(asked);
}

TEST_F(StreamedFit, OptionsOfCompleteTablesAreKnown) {
  FitRequest asked = request(files_.file("t.csv", lines(0, 3000)), true);
  asked.table.drop = {"b"};
  expect_same(asked);
  asked.table = {.missing = {"1"}};
  expect_same(asked);
}

TEST_F(StreamedFit, ThreadsChangeNothing) {
  const std::string path = files_.file("t.csv.gz", gzip(lines(0, 6000)));
  FitRequest asked = request(path, true);
  asked.settings = {{"ridge", "0.5"}, {"solver", "falkon"}};
  const std::string one = bits(fit(asked, {.threads = 1}).model);
  EXPECT_EQ(bits(fit(asked, {.threads = 3}).model), one);
}

TEST_F(StreamedFit, ArraysAndSparseRows) {
  Matrix x(1500, 3);
  std::ostringstream sparse;
  for (Index i = 0; i < x.rows(); ++i) {
    const auto t = static_cast<double>(i);
    x(i, 0) = std::sin(t);
    x(i, 1) = std::cos(0.1 * t * t);
    x(i, 2) = x(i, 0) * x(i, 1);
    sparse << x(i, 2) << ' ' << 1 + i % 7 << ':' << x(i, 0) << ' ' << 20 + i % 3 << ":1\n";
  }
  write_npy(files_.path("x.npy"), x);
  FitRequest asked = request(files_.path("x.npy"), true);
  asked.target = asked.weights = "";
  expect_same(asked);
  asked.source.path = files_.file("x.svm", sparse.str());
  expect_same(asked);
}

TEST_F(StreamedFit, IsTakenWhereRowsDoNotFit) {
  const std::string path = files_.file("t.csv", lines(0, 20000));
  FitRequest asked = request(path, false);
  asked.stream.reset();
  asked.plain = true;
  asked.memory = std::size_t{1} << 30;
  EXPECT_EQ(fit(asked).model.report().plan->rows_at_once, 0);
  // Three copies of 20,000 rows of six numbers and a target are 3.4 MB.
  asked.memory = 5'700'000;
  asked.centres->count = 10;
  const FitResult far = fit(asked);
  EXPECT_GT(far.model.report().plan->rows_at_once, 0);
  EXPECT_TRUE(says(far, "in memory they would take"));
  // Not even the targets do.
  asked.memory = 1'000'000;
  try {
    (void)fit(asked);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("centres need"), std::string::npos) << error.what();
  }
}

// The law of every machine whose row says that it streams, with what is given and with what is chosen; and of the
// others, that they say so.
class StreamingLaw : public StreamedFit, public ::testing::WithParamInterface<std::string> {
 protected:
  FitRequest asked(Index n) {
    const Machine& row = machine(GetParam());
    std::string text;
    std::istringstream in(lines(0, n));
    for (std::string line; std::getline(in, line);) {
      const double z = text.empty() ? 0 : std::stod(line.substr(line.rfind(',') + 1));
      text += line + (text.empty() ? ",g\n" : z < 0.9 ? ",1\n" : z < 1.1 ? ",2\n" : ",3\n");
    }
    FitRequest out = request(files_.file("law.csv", text), true);
    out.machine = row.name;
    out.settings = {};
    out.plain = true;
    out.target = row.task->target == Task::Target::classes ? "g" : "y";
    return out;
  }
};

std::vector<std::string> that_stream(bool do_they) {
  std::vector<std::string> out;
  for (const Machine& row : machines()) {
    if (row.streams == do_they) out.push_back(row.name);
  }
  return out;
}

TEST_P(StreamingLaw, AStreamedFitHasTheBitsOfOneInMemory) {
  for (const Index n : {1023, 1024, 1025}) expect_same(asked(n));
  FitRequest open = asked(90);  // 60 of which count
  open.plain = false;
  open.kernel = Usual{};
  open.centres = CentreWishes{.count = 0};
  expect_same(open);
}

TEST_P(StreamingLaw, ThreadsChangeNothing) {
  const FitRequest request = asked(5000);
  EXPECT_EQ(bits(fit(request, {.threads = 1}).model), bits(fit(request, {.threads = 3}).model));
}

INSTANTIATE_TEST_SUITE_P(Catalog, StreamingLaw, ::testing::ValuesIn(that_stream(true)),
                         [](const auto& info) { return info.param; });

// Of few centres' features there may be fewer numbers than of the rows.
std::vector<std::string> in_features() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) {
    if (row.centres != OnCentres::refused && !row.streams) out.push_back(row.name);
  }
  return out;
}

class FeaturesLaw : public StreamingLaw {};

TEST_P(FeaturesLaw, AreThoseOfRowsInMemory) {
  FitRequest some = asked(1025);
  expect_same(some);
  some.weights = "";  // then no row is without one
  expect_same(some);
}

TEST_P(FeaturesLaw, ThreadsChangeNothing) {
  const FitRequest request = asked(3000);
  EXPECT_EQ(bits(fit(request, {.threads = 1}).model), bits(fit(request, {.threads = 3}).model));
}

INSTANTIATE_TEST_SUITE_P(Catalog, FeaturesLaw, ::testing::ValuesIn(in_features()),
                         [](const auto& info) { return info.param; });

TEST_F(StreamedFit, MachinesThatDoNotStreamSaySo) {
  EXPECT_GE(that_stream(true).size(), 3) << "those by passes: least squares, on codes too, and logistic";
  const std::string path = files_.file("t.csv", lines(0, 50));
  for (const std::string& name : that_stream(false)) {
    FitRequest asked{.machine = name, .source = {.path = path}, .stream = true};
    try {
      (void)prepare(asked);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name + " works on all rows at once"), std::string::npos) << error.what();
    }
  }
}

TEST_F(StreamedFit, WhatCannotBeReadInPiecesIsRefused) {
  const auto refused = [](const FitRequest& asked, const std::string& text) {
    try {
      (void)fit(asked);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("`stream`"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  FitRequest asked = request(files_.file("t.csv", "word,y\na,1\nb,2\na,3\n"), true);
  asked.target = asked.weights = "";
  asked.kernel = parse("on(word, spectrum(k=1))");
  refused(asked, "inputs that are not numbers");
  asked.kernel = Usual{};
  asked.table.types = {{"word", "text"}};
  refused(asked, "column \"word\" is text");
  asked.table = {};
  asked.machine = "gp";
  asked.centres.reset();
  refused(asked, "works on all rows at once");
  asked.machine = "ridge";
  asked.source = {.path = "here", .data = Dataset{.points = rows(Matrix(3, 2))}};
  refused(asked, "read as a whole");
}

}  // namespace
}  // namespace mercer::workflow::streamed_fit_test
