// Fitting by request: files and data at hand are one, what is decided is said, what cannot be is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/sha256.hpp"
#include "data/columns.hpp"
#include "domains/fingerprints.hpp"
#include "io/files.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "mercer/workflow.hpp"

namespace mercer::workflow {

namespace {

using io_test::TemporaryFolder;

constexpr const char* kFlowers =
    "length,width,weight,kind\n1.0,0.20,1,a\n1.4,0.10,1,a\n1.3,0.25,2,a\n1.1,0.30,1,a\n4.0,1.30,1,b\n4.4,1.25,1,b\n"
    "4.7,1.40,0,b\n4.2,1.50,1,b\n";

class WorkflowFit : public ::testing::Test {
 protected:
  std::string flowers() const { return files_.file("flowers.csv", kFlowers); }
  Source at_hand() const { return {.path = "flowers", .data = read_data(flowers())}; }
  TemporaryFolder files_;
};

// All bits of a model but the time it took and the name of its data.
std::string bits(const Model& model) {
  std::ostringstream out;
  save(out, model.with([](Model::Parts& parts) {
    parts.report.seconds = 0;
    parts.report.stages.clear();
    parts.provenance.source.clear();
    parts.provenance.sha256.clear();
    parts.provenance.read.erase("target");
  }));
  return out.str();
}

bool says(const std::vector<std::string>& remarks, const std::string& text) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
}

void expect_refused(const std::function<void()>& call, ErrorKind kind, const std::string& text) {
  try {
    call();
    FAIL() << "nothing was refused: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST_F(WorkflowFit, DataAtHandGiveTheBitsOfTheFile) {
  for (const char* const machine : {"svc", "ridge", "gp", "kmeans"}) {
    FitRequest request{.machine = machine, .source = {.path = flowers()}, .target = "kind", .weights = "weight"};
    if (std::string(machine) == "ridge" || std::string(machine) == "gp") request.target = "width";
    if (request.target == "width") request.kernel = parse("on(length, rbf(ell=1))");
    const FitResult from_file = fit(request);
    request.source = at_hand();
    const FitResult from_hand = fit(request);
    EXPECT_EQ(bits(from_hand.model), bits(from_file.model)) << machine;
    EXPECT_EQ(from_hand.remarks, from_file.remarks) << machine;
  }
}

// Whoever says stop before anything was tried has no use for a fit by the textbook's values.
TEST_F(WorkflowFit, StoppedBeforeTheFirstTrialItEnds) {
  const FitRequest request{.machine = "svc", .source = {.path = flowers()}, .target = "kind"};
  const Prepared data = prepare(request);
  const Execution stopping{.monitor = Monitor([](const Progress&) { return false; })};
  expect_refused([&] { (void)choose(data, stopping); }, ErrorKind::cancelled, "stopped on request");
}

TEST_F(WorkflowFit, TheModelKnowsWhatItWasFittedTo) {
  const FitRequest request{.machine = "svc", .source = {.path = flowers()}, .target = "kind", .weights = "weight"};
  const Provenance from = fit(request).model.parts().provenance;
  EXPECT_EQ(from.source, flowers());
  EXPECT_EQ(from.sha256, sha256(kFlowers));
  EXPECT_EQ(from.read, (Settings{{"target", "kind"}, {"weights", "weight"}}));
  EXPECT_EQ(from.weights, (Vector{1, 1, 2, 1, 1, 1, 0, 1}));
  const Points inputs = read_data(flowers()).points.columns({"length", "width"});
  EXPECT_EQ(from.rows, fingerprints(inputs));
  // Data at hand say whose they are, if they are anybody's.
  FitRequest hand = request;
  hand.source = {.path = "flowers", .data = read_data(flowers()), .sha256 = "abc"};
  EXPECT_EQ(fit(hand).model.parts().provenance.source, "flowers");
  EXPECT_EQ(fit(hand).model.parts().provenance.sha256, "abc");
  EXPECT_EQ(fit(hand).model.parts().provenance.rows, from.rows);
}

// A perceptron that goes on has seen the points of both fits.
TEST_F(WorkflowFit, AModelThatGoesOnKnowsThePointsOfBoth) {
  const FitRequest first{
      .machine = "perceptron", .kernel = parse("rbf(ell=1)"), .source = {.path = flowers()}, .target = "kind"};
  const Model begun = fit(first).model;
  FitRequest second = first;
  second.kernel = Usual{};
  second.start = begun;
  const Model grown = fit(second).model;
  EXPECT_EQ(static_cast<Index>(grown.parts().provenance.rows.size()), grown.expansion().parts().training_size);
  EXPECT_EQ(bits(load_bytes(
                [&] {
                  std::ostringstream out;
                  save(out, grown);
                  return out.str();
                }(),
                "grown")),
            bits(grown));
}

TEST_F(WorkflowFit, TheTargetOfADatasetIsTheTarget) {
  const Dataset whole = read_data(flowers()), parted = read_data(flowers(), {.target = "kind"});
  const FitRequest named{.machine = "svc", .source = {.path = "x", .data = whole}, .target = "kind"};
  const FitRequest apart{.machine = "svc", .source = {.path = "x", .data = parted}};
  EXPECT_EQ(bits(fit(apart).model), bits(fit(named).model));
  Dataset short_of_one = parted;
  short_of_one.target_texts.pop_back();
  expect_refused([&] { fit({.machine = "svc", .source = {.path = "x", .data = short_of_one}}); }, ErrorKind::shape,
                 "7 targets for 8 points");
}

TEST_F(WorkflowFit, PreparedOnceIsAsGoodAsAnew) {
  const FitRequest request{.machine = "svc", .source = at_hand(), .plain = true};
  const Prepared data = prepare(request);
  for (const KernelChoice& kernel : {KernelChoice(), KernelChoice(parse("rbf(ell=0.5)")),
                                     KernelChoice(parse("rbf(ell=auto)")), KernelChoice(parse("linear()"))}) {
    FitRequest anew = request;
    anew.kernel = kernel;
    anew.settings = {{"C", "3"}};
    const FitResult again = fit(changed(data, {{"C", "3"}}, kernel)), first = fit(anew);
    EXPECT_EQ(bits(again.model), bits(first.model)) << kernel.index();
    EXPECT_EQ(again.remarks, first.remarks) << kernel.index();
  }
}

// Names that only count columns go by place, also behind several columns of numbers.
TEST_F(WorkflowFit, CountedColumnsAreCalledAsInTheModel) {
  const Points x = table({{"", named(rows(Matrix{{1, 2}, {3, 4}}), {"x1", "x2"})},
                          {"x3", strings({"a", "b"})},
                          {"", named(rows(Matrix{{5}, {6}}), {"x4"})}});
  const std::vector<std::string> names = {"x1", "x3", "x4", "x5"};
  EXPECT_EQ(data::counted_as(names, x).column_names(), names);
  EXPECT_EQ(data::counted_as({"x1", "x2"}, x).column_names(), x.column_names());  // others than these
}

// `auto` of another kernel, too, is read off the points that count.
TEST_F(WorkflowFit, AnotherKernelSeesNoPointOfWeightZero) {
  const std::string file = files_.file("far.csv", "x,w,y\n0,1,1\n1,1,2\n3,2,1\n4,1,3\n1000,0,1\n2000,0,7\n-900,0,2\n");
  FitRequest request{.machine = "ridge",
                     .kernel = parse("rbf(ell=auto)"),
                     .source = {.path = file},
                     .target = "y",
                     .weights = "w",
                     .plain = true};
  const Prepared first = prepare(request);
  EXPECT_EQ(changed(first, {}, parse("rbf(ell=auto)")).training.K.kernel(), first.training.K.kernel());
  request.kernel = parse("laplace(ell=auto)");
  EXPECT_EQ(changed(first, {}, parse("laplace(ell=auto)")).training.K.kernel(), prepare(request).training.K.kernel());
}

TEST_F(WorkflowFit, RemarksSayWhatWasDecided) {
  const FitResult plain = fit({.machine = "svc", .source = at_hand(), .plain = true});
  EXPECT_TRUE(says(plain.remarks, "inputs scaled to mean 0 and standard deviation 1"));
  EXPECT_TRUE(says(plain.remarks, "no kernel given: rbf(ell=auto)"));
  EXPECT_TRUE(says(plain.remarks, "auto is rbf(ell="));
  EXPECT_FALSE(says(plain.remarks, "chosen"));
  const FitResult chosen = fit({.machine = "svc", .source = at_hand()});
  EXPECT_TRUE(says(chosen.remarks, "chosen: "));
  EXPECT_EQ(chosen.model.report().chosen, chosen.choice.words);
}

TEST_F(WorkflowFit, GoesOnFromAModel) {
  FitRequest request{.machine = "svc", .settings = {{"C", "7"}}, .source = at_hand(), .plain = true};
  const Model first = fit(request).model;
  request.settings.clear();
  request.start = first;
  EXPECT_EQ(fit(request).model.parts().settings.at("C"), "7");
  request.machine = "ridge";
  expect_refused([&] { fit(request); }, ErrorKind::usage, "`start`: this is a model of svc, not of ridge");
}

TEST_F(WorkflowFit, BesideDataAtHandNoFileIsRead) {
  const std::string labels = files_.file("labels.csv", "kind\na\na\na\na\nb\nb\nb\nb\n");
  FitRequest request{.machine = "svc", .source = at_hand(), .target = labels};
  expect_refused([&] { fit(request); }, ErrorKind::data, "no column");
  request.target = "kind";
  request.weights = labels;
  expect_refused([&] { fit(request); }, ErrorKind::data, "no column");
  request.weights.clear();
  request.source.graph = labels;
  expect_refused([&] { fit(request); }, ErrorKind::usage, "data at hand");
  request.source.graph.clear();
  request.source.graphs = "kind=" + files_.path("");
  expect_refused([&] { fit(request); }, ErrorKind::usage, "data at hand");
}

TEST_F(WorkflowFit, RefusesWhatCannotBe) {
  expect_refused([&] { fit({.machine = "svm", .source = at_hand()}); }, ErrorKind::usage, "svm");
  expect_refused([&] { fit({.machine = "svc", .source = {.path = files_.path("none.csv")}}); }, ErrorKind::file,
                 "none.csv");
  expect_refused([&] { fit({.machine = "svc", .source = at_hand(), .target = "sort"}); }, ErrorKind::data,
                 "flowers: `target`: no column \"sort\"");
  const Prepared data = prepare({.machine = "svc", .source = at_hand(), .plain = true});
  expect_refused(
      [&] {
        changed(data, {{"see", "3"}});
        fit(changed(data, {{"see", "3"}}));
      },
      ErrorKind::usage, "see");
  expect_refused([&] { changed(data, {}, Precomputed{}); }, ErrorKind::usage, "flowers holds points");
}

TEST_F(WorkflowFit, TheMonitorHearsWhenTheDataAreThere) {
  std::vector<std::string> stages;
  const Monitor monitor([&](const Progress& progress) {
    stages.emplace_back(progress.stage);
    return true;
  });
  fit({.machine = "svc", .source = {.path = flowers()}, .plain = true}, {.monitor = monitor});
  ASSERT_FALSE(stages.empty());
  EXPECT_EQ(stages.front(), "read");
  const Monitor stop([](const Progress&) { return false; });
  expect_refused([&] { fit({.machine = "ridge", .source = at_hand(), .target = "width"}, {.monitor = stop}); },
                 ErrorKind::cancelled, "");
}

}  // namespace
}  // namespace mercer::workflow
