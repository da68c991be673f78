// Fitting again to copies that mean the same: which points there are, where copies are made, what is refused.
#include "mercer/invariance.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>

#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/model_file.hpp"
#include "mercer/tune.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::invariance_test {
namespace {

using test::expect_error;

constexpr Index kSide = 6, kPixels = kSide * kSide;

// A stroke of three pixels, lying or standing, at a place of its own, over weak noise.
struct Strokes {
  Matrix x;
  std::vector<std::string> names;
};
Strokes strokes(Index n, unsigned seed, bool in_the_middle) {
  Strokes out{test::random_matrix(n, kPixels, seed, 0, 0.1), {}};
  for (Index i = 0; i < n; ++i) {
    const bool stands = i % 2 == 0;
    const Index row = in_the_middle ? 2 : 1 + i / 2 % 3, column = in_the_middle ? 2 : 1 + i / 6 % 3;
    for (Index k = 0; k < 3; ++k) out.x(i, stands ? (row - 1 + k) * kSide + column : row * kSide + column - 1 + k) += 1;
    out.names.emplace_back(stands ? "stands" : "lies");
  }
  return out;
}

Training training_on(const Strokes& data) {
  return {.K = lazy(rbf(1.5), rows(data.x)), .labels = Labels::from(data.names)};
}

const Settings kShifted = {{"C", "10"}, {"invariance", "shift(6x6, 1)"}};

double share_right(const Model& model, const Strokes& data) {
  const std::vector<std::string> said = model.predict_labels(rows(data.x.view()));
  double right = 0;
  for (std::size_t i = 0; i < said.size(); ++i) right += said[i] == data.names[i] ? 1 : 0;
  return right / static_cast<double>(said.size());
}

TEST(Invariance, KnowsMovedStrokesThatItHasNotSeen) {
  const Training training = training_on(strokes(40, 1, true));
  const Strokes moved = strokes(90, 2, false);
  const Model plain = fit("svc", {{"C", "10"}}, training), shifted = fit("svc", kShifted, training);
  EXPECT_LT(share_right(plain, moved), 0.85);
  EXPECT_EQ(share_right(shifted, moved), 1);
}

TEST(Invariance, SaysWhatCameFromWhere) {
  const Strokes data = strokes(40, 1, true);
  const Model plain = fit("svc", {{"C", "10"}}, training_on(data));
  const auto support = static_cast<double>(plain.support().size());
  const Settings both = {{"C", "10"}, {"invariance", "shift(6x6, 1), flip(6x6)"}};
  const Model m = fit("svc", both, training_on(data));
  const Report::Table* const table = m.report().table("invariance");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->columns, (std::vector<std::string>{"points", "copies", "support_vectors", "support_copies"}));
  EXPECT_EQ(table->rows(0, 0), 40);
  EXPECT_EQ(table->rows(0, 1), 0);
  EXPECT_EQ(table->rows(0, 2), support);
  EXPECT_EQ(table->rows(0, 3), 0);
  EXPECT_EQ(table->rows(1, 0), 10 * support);
  EXPECT_EQ(table->rows(1, 1), 9 * support);
  EXPECT_EQ(table->rows(1, 2), static_cast<double>(m.expansion().size()));
  EXPECT_GT(table->rows(1, 3), 0);
  EXPECT_LT(table->rows(1, 3), table->rows(1, 2));
  EXPECT_TRUE(m.support().empty());
  EXPECT_EQ(m.expansion().parts().training_size, 40);
  const std::string note = m.report().notes.front();
  EXPECT_NE(note.find(std::to_string(static_cast<Index>(8 * support)) + " by shift(6x6, 1)"), std::string::npos)
      << note;
  EXPECT_NE(note.find(std::to_string(static_cast<Index>(support)) + " by flip(6x6)"), std::string::npos) << note;
  EXPECT_EQ(m.parts().settings.at("invariance"), "shift(6x6, 1), flip(6x6)");
}

// The second fit is a fit to the support vectors and their copies, with their classes and weights.
TEST(Invariance, IsAFitToSupportVectorsAndCopies) {
  const Strokes data = strokes(40, 1, true);
  Training training = training_on(data);
  for (Index i = 0; i < 40; ++i) training.weights.push_back(i % 5 == 0 ? 0 : i % 3 == 0 ? 2 : 1);
  const Model first = fit("svc", {{"C", "10"}}, training), second = fit("svc", kShifted, training);
  const RowMap map = row_map("shift(6x6, 1)");
  const Points support = rows(data.x.view()).select(first.support());
  const Index n = support.size();
  Matrix all(9 * n, kPixels);
  std::vector<std::string> names;
  Training by_hand{.K = training.K};
  for (Index c = 0; c < 9; ++c) {
    const Points some = c == 0 ? support : map.apply(support, c - 1);
    for (Index i = 0; i < n; ++i) {
      std::copy_n(dense_rows(some).values.row(i), kPixels, all.row(c * n + i));
      const auto of = static_cast<std::size_t>(first.support()[static_cast<std::size_t>(i)]);
      names.push_back(data.names[of]);
      by_hand.weights.push_back(training.weights[of]);
    }
  }
  by_hand.K = lazy(rbf(1.5), rows(all));
  by_hand.labels = Labels::from(names);
  const Points fresh = rows(strokes(20, 9, false).x);
  EXPECT_EQ(second.scores(fresh), fit("svc", {{"C", "10"}}, by_hand).scores(fresh));
}

TEST(Invariance, WeightsAreMultiplicities) {
  const Strokes data = strokes(30, 4, true);
  Training weighted = training_on(data);
  std::vector<Index> which;
  std::vector<std::string> names;
  for (Index i = 0; i < 30; ++i) {
    const int times = i % 4 == 0 ? 2 : i % 7 == 0 ? 0 : 1;
    weighted.weights.push_back(times);
    for (int t = 0; t < times; ++t) {
      which.push_back(i);
      names.push_back(data.names[static_cast<std::size_t>(i)]);
    }
  }
  const Training repeated{.K = lazy(rbf(1.5), rows(data.x.view()).select(which)), .labels = Labels::from(names)};
  Settings close = kShifted;
  close["tolerance"] = "1e-8";
  close["C"] = "0.3";  // so that some are bounded
  const Points fresh = rows(strokes(20, 9, false).x);
  test::expect_near(fit("svc", close, weighted).scores(fresh), fit("svc", close, repeated).scores(fresh), 1e-5);
}

// ---- fits that do not end ----

// Fits of svc, of which each stops after so many steps; 0: it ends.
struct Stopping {
  std::vector<Index> steps;
  bool begins_anew = false;
  std::vector<Training> seen = {};
  std::vector<Model> fitted = {};

  Model operator()(const Training& given) {
    Training training = given;
    if (begins_anew) training.start.reset();
    fitted.push_back(Svc{.C = 10, .max_iterations = steps.at(seen.size())}.fit(training));
    seen.push_back(given);
    return fitted.back();
  }
};

const std::vector<RowMap> kShift = {row_map("shift(6x6, 1)")};

TEST(InvarianceInTime, TheSecondBeginsWithTheFOfTheFirst) {
  Training training = training_on(strokes(40, 1, true));
  const Points fresh = rows(strokes(20, 9, false).x);
  Stopping none{.steps = {0, 0}};
  const Matrix without_limit = fit_invariant(kShift, training, std::ref(none)).scores(fresh);
  EXPECT_FALSE(none.seen[1].start);
  training.seconds = 1e9;
  Stopping fits{.steps = {0, 0}};
  const Model model = fit_invariant(kShift, training, std::ref(fits));
  ASSERT_EQ(fits.seen.size(), 2U);
  EXPECT_EQ(fits.seen[0].seconds, 5e8);
  EXPECT_GT(fits.seen[1].seconds, 5e8) << "what the first leaves over";
  EXPECT_LE(fits.seen[1].seconds, 1e9);
  ASSERT_TRUE(fits.seen[1].start);
  EXPECT_EQ(fits.seen[1].start->scores(fresh), fits.fitted[0].scores(fresh));
  EXPECT_TRUE(model.report().converged);
  test::expect_near(model.scores(fresh), without_limit, 0.01);
}

TEST(InvarianceInTime, IsConvergedWhereBothFitsAre) {
  const Training training = training_on(strokes(40, 1, true));
  for (const auto& [first, second] : {std::pair<Index, Index>{2, 0}, {0, 2}, {2, 2}}) {
    SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(second));
    Stopping fits{.steps = {first, second}};
    const Report report = fit_invariant(kShift, training, std::ref(fits)).report();
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.stopped, "iteration limit");
    const auto says = [&](const std::string& words) {
      return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(words) == 0; });
    };
    EXPECT_EQ(says("invariance: the first fit did not converge"), first > 0);
    EXPECT_EQ(says("invariance: the second fit did not converge"), second > 0);
    EXPECT_TRUE(says("invariance: the first fit is kept") || says("invariance: the second fit is kept"));
  }
}

TEST(InvarianceInTime, WhatHasBecomeNoBetterIsNotKept) {
  const Training training = training_on(strokes(90, 1, false));
  const Points fresh = rows(strokes(20, 9, false).x);
  Stopping worse{.steps = {0, 1}, .begins_anew = true}, better{.steps = {1, 0}};
  const Model first = fit_invariant(kShift, training, std::ref(worse));
  EXPECT_EQ(first.scores(fresh), worse.fitted[0].scores(fresh));
  EXPECT_EQ(first.support(), worse.fitted[0].support());
  ASSERT_NE(first.report().table("invariance"), nullptr);
  const Model second = fit_invariant(kShift, training, std::ref(better));
  EXPECT_EQ(second.scores(fresh), better.fitted[1].scores(fresh));
  EXPECT_TRUE(second.support().empty());
}

TEST(InvarianceInTime, WhatIsKeptIsDecidedByWeights) {
  const Strokes data = strokes(60, 1, false);
  Training training = training_on(data);
  for (Index i = 0; i < 60; ++i) training.weights.push_back(0.5 + static_cast<double>(i % 5));
  Stopping fits{.steps = {2, 1}, .begins_anew = true};
  const Model kept = fit_invariant(kShift, training, std::ref(fits));
  std::vector<Index> all(60);
  std::iota(all.begin(), all.end(), Index{0});
  const Points x = *training.K.points();
  std::vector<Points> batches = {x};
  for (Index c = 0; c < kShift[0].copies(); ++c) batches.push_back(copies_of(Origin{x}, kShift[0], c, all));
  const auto share_wrong = [&](const Model& model) {
    double wrong = 0, total = 0;
    for (const Points& batch : batches) {
      const std::vector<std::string> said = model.predict_labels(batch);
      for (std::size_t i = 0; i < said.size(); ++i) {
        wrong += said[i] != data.names[i] ? training.weights[i] : 0;
        total += training.weights[i];
      }
    }
    return wrong / total;
  };
  const std::string words = fmt::format("is {:.4g} by the first and {:.4g} by the second", share_wrong(fits.fitted[0]),
                                        share_wrong(fits.fitted[1]));
  EXPECT_TRUE(std::ranges::any_of(kept.report().notes, [&](const std::string& note) { return note.ends_with(words); }))
      << words << "\n"
      << fmt::format("{}", fmt::join(kept.report().notes, "\n"));
}

// Of three equal points f rests on the two outside the tube; the third has another target.
TEST(Invariance, APointWithAnotherTargetIsNoTwinOfSupport) {
  Matrix x(3, kPixels);
  for (Index i = 0; i < 3; ++i) x(i, kSide + 1) = 1;
  std::vector<Index> sizes;
  fit_invariant(kShift, {.K = lazy(rbf(1.5), rows(x)), .y = Matrix{{0}, {2}, {1}}}, [&](const Training& given) {
    sizes.push_back(given.K.size());
    return Svr{.epsilon = 0.5}.fit(given);
  });
  EXPECT_EQ(sizes, (std::vector<Index>{3, 2 * (1 + kShift[0].copies())}));
}

TEST(InvarianceInTime, NoTimeLeavesWhatThereIs) {
  const Strokes data = strokes(40, 1, true);
  for (const char* const name : {"svc", "nusvc", "svr", "nusvr", "oneclass"}) {
    SCOPED_TRACE(name);
    Training training = training_on(data);
    if (machine(name).task == Task::regression) {
      training.labels = {};
      training.y = Matrix(40, 1);
      for (Index i = 0; i < 40; ++i) training.y(i, 0) = i % 2 == 0 ? 1 : -1;
    }
    const Settings shifted = {{"invariance", "shift(6x6, 1)"}};
    Training none = training;
    none.seconds = 0;
    const Report over = fit(name, shifted, none).report();
    EXPECT_FALSE(over.converged);
    EXPECT_EQ(over.stopped, "the time of 0 s was over");
    EXPECT_TRUE(
        std::ranges::any_of(over.notes, [](const std::string& note) { return note.find("invariance: ") == 0; }));
    // The machine's own limit is of both fits too.
    Settings limited = shifted;
    limited["max_seconds"] = "1e-9";
    const Report late = fit(name, limited, training).report();
    EXPECT_FALSE(late.converged);
    EXPECT_EQ(late.stopped, "time limit");
  }
}

TEST(Invariance, EveryMachineWithTheOptionTakesIt) {
  int taking = 0;
  for (const Machine& row : machines()) {
    const bool takes = std::ranges::any_of(row.options, [](const MachineOption& o) { return o.name == "invariance"; });
    Strokes data = strokes(40, 1, true);
    Training training{.K = lazy(rbf(1.5), rows(data.x))};
    if (row.task == Task::classification) training.labels = Labels::from(data.names);
    if (row.task == Task::regression) {
      training.y = Matrix(40, 1);
      for (Index i = 0; i < 40; ++i) training.y(i, 0) = i % 2 == 0 ? 1 : -1;
    }
    const Settings settings = {{"invariance", "shift(6x6, 1)"}};
    if (!takes) {
      expect_error([&] { (void)fit(row, settings, training); }, "UsageError", {row.name, "invariance"});
      continue;
    }
    ++taking;
    const Model model = fit(row, settings, training);
    EXPECT_NE(model.report().table("invariance"), nullptr) << row.name;
    EXPECT_TRUE(model.report().converged) << row.name;
  }
  EXPECT_EQ(taking, 5);
}

TEST(Invariance, CopiesAreMadeBehindDeskewAndBeforeNorms) {
  const Strokes data = strokes(12, 3, false);
  const Points x = rows(data.x);
  const std::vector<RowMap> maps = row_map_list("deskew(6x6), unit_norm");
  const Origin origin{x, Scaling::of(Scaling::Kind::standard, x, maps)};
  std::vector<Index> which = {2, 5, 7};
  const RowMap turn = row_map("rotate(6x6, 20)");
  Scaling behind = origin.prepared;
  behind.maps = {maps[1]};
  const Points by_hand = behind.apply(turn.apply(maps[0].apply(x.select(which)), 1));
  EXPECT_EQ(Matrix(dense_rows(copies_of(origin, turn, 1, which)).values), Matrix(dense_rows(by_hand).values));
}

TEST(Invariance, TuningFitsCopiesInEachFold) {
  const Strokes data = strokes(60, 1, false);
  Training training = training_on(data);
  training.origin = Origin{rows(data.x)};
  const std::vector<Fold> folds = divide(training, 3).folds;
  const Candidate crossed = cross_validate("svc", kShifted, training, folds);
  double right = 0;
  for (const Fold& fold : folds) {
    std::vector<Index> rest;
    Strokes inside, outside;
    for (Index i = 0; i < 60; ++i) {
      if (!std::ranges::binary_search(fold, i)) rest.push_back(i);
    }
    const auto part = [&](const std::vector<Index>& of, Strokes& to) {
      to.x = Matrix(dense_rows(rows(data.x.view()).select(of)).values);
      for (const Index i : of) to.names.push_back(data.names[static_cast<std::size_t>(i)]);
    };
    part(rest, outside);
    part(fold, inside);
    right += share_right(fit("svc", kShifted, training_on(outside)), inside) / 3;
  }
  EXPECT_NEAR(crossed.mean, right, 1e-12);
}

TEST(Invariance, FunctionsOfRowsAreAsGood) {
  const Strokes data = strokes(40, 1, true);
  Training training = training_on(data);
  const Model named = fit("svc", {{"C", "10"}, {"invariance", "flip(6x6, up_down)"}}, training);
  training.origin = Origin{*training.K.points(), {}, {row_map("upside down", [](MatrixView x) {
                             Matrix out(x.rows(), x.cols());
                             for (Index i = 0; i < x.rows(); ++i) {
                               for (Index p = 0; p < kPixels; ++p) {
                                 out(i, p) = x(i, (kSide - 1 - p / kSide) * kSide + p % kSide);
                               }
                             }
                             return out;
                           })}};
  const Model by_function = fit("svc", {{"C", "10"}}, training);
  const Points fresh = rows(strokes(20, 9, false).x);
  EXPECT_EQ(by_function.scores(fresh), named.scores(fresh));
  std::ostringstream file;  // the function is not needed any more
  save(file, by_function);
  EXPECT_EQ(load_bytes(file.str(), "file").scores(fresh), named.scores(fresh));
  training.origin->prepared.maps = {training.origin->invariance.front()};
  const Model kept = by_function.with([&](Model::Parts& parts) { parts.scaling = training.origin->prepared; });
  expect_error([&] { save(file, kept); }, "UsageError", {"upside down", "no file can hold"});
}

TEST(Invariance, SameBitsWhateverTheThreads) {
  Training training = training_on(strokes(40, 1, true));
  const Points fresh = rows(strokes(20, 9, false).x);
  training.how.threads = 1;
  const Matrix one = fit("svc", kShifted, training).scores(fresh);
  training.how.threads = 2;
  EXPECT_EQ(fit("svc", kShifted, training).scores(fresh), one);
}

TEST(Invariance, RefusesWhatHasNoCopies) {
  const Strokes data = strokes(20, 1, true);
  const auto refused = [&](const std::string& text, const std::string& kind, const std::string& words) {
    expect_error([&] { (void)fit("svc", {{"invariance", text}}, training_on(data)); }, kind, {words});
  };
  refused("shift(5x6, 1)", "DomainError", "36 columns");
  refused("shift(6x6, 6)", "UsageError", "from 1 to 5");
  refused("unit_norm", "UsageError", "it prepares inputs");
  expect_error(
      [&] {
        (void)fit("svc", {{"invariance", "flip(6x6)"}, {"probability", "true"}}, training_on(data));
      },
      "UsageError", {"`probability`", "`invariance`"});
  Training numbers = training_on(data);
  numbers.K = precomputed(Matrix(numbers.K.rows([] {
    std::vector<Index> all(20);
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }())));
  expect_error([&] { (void)fit("svc", {{"invariance", "flip(6x6)"}}, numbers); }, "UsageError", {"given as numbers"});
  Training words{.K = lazy(parse("spectrum(k=1)"), strings({"ab", "ba", "cc", "dd"})),
                 .labels = Labels::from(std::vector<std::string>{"a", "a", "b", "b"})};
  expect_error([&] { (void)fit("svc", {{"invariance", "flip(1x2)"}}, words); }, "DomainError", {"rows of numbers"});
}

TEST(Invariance, RowsInDoublePrecisionAreCounted) {
  // k(x, x) is beyond single precision, so that all rows are computed in double precision.
  Strokes data = strokes(30, 1, true);
  const Model model =
      Svc{}.fit(lazy(poly(9, 1e6), rows(data.x.view())), Labels::from(std::span<const std::string>(data.names)));
  EXPECT_GT(*model.report().figure("kernel_rows_computed"), 0);
}

}  // namespace
}  // namespace mercer::invariance_test
