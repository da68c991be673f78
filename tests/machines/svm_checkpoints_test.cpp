// Support vector machines that are ended at any moment go on to the same bits, and those whose time is over say what
// they have.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <sstream>

#include "machines/svm/loop_state.hpp"
#include "machines/svm/record.hpp"
#include "machines/svm_data.hpp"
#include "mercer/invariance.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::svm_checkpoints_test {
namespace {

using namespace test;

// Keeps what it is given as often as it is asked to, and begins with any of it.
class InMemory final : public Checkpoints {
 public:
  explicit InMemory(Vector last = {}, int every = 1) : last_(std::move(last)), every_(every) {}

  Vector last() const override { return last_; }
  bool due() const override { return ++asked_ % every_ == 0; }
  void keep(const Vector& state) override { kept.push_back(state); }
  void done(const Vector&) override { ++ended; }

  std::vector<Vector> kept;
  int ended = 0;

 private:
  Vector last_;
  int every_;
  mutable int asked_ = 0;
};

// All of a model but what it cost: the time, and rows that were computed.
std::string bits_of(const Model& model) {
  std::ostringstream out;
  save(out, model.with([](Model::Parts& parts) {
    parts.report.seconds = 0;
    parts.report.stages.clear();
    parts.report.plan.reset();
    std::erase_if(parts.report.figures,
                  [](const Report::Figure& figure) { return figure.name.starts_with("kernel_rows_"); });
  }));
  return out.str();
}

struct Case {
  std::string machine;
  Settings settings;
  Training training;
};

// Fits that take several working sets, or several problems one after the other.
std::vector<Case> cases(const Sample& two, const Sample& three, const Sample& numbers) {
  const auto classes = [](const Sample& s, const Kernel& k) {
    return Training{.K = lazy(k, s.points()), .labels = s.labels()};
  };
  Matrix y(numbers.size(), 2);
  for (Index i = 0; i < y.rows(); ++i) {
    y(i, 0) = numbers.target[at(i)];
    y(i, 1) = numbers.x(i, 0) * numbers.target[at(i)];
  }
  const Training regression{.K = lazy(rbf(0.7), numbers.points()), .y = y};
  return {{"svc", {{"C", "10"}}, classes(two, rbf(0.3))},
          {"svc", {{"C", "1"}, {"no_bias", "true"}}, classes(two, rbf(0.3))},
          {"svc", {{"C", "3"}}, classes(two, linear())},
          {"svc", {{"C", "10"}, {"probability", "true"}}, classes(three, rbf(0.5))},
          {"svc", {{"C", "inf"}}, classes(three, rbf(0.05))},
          {"nusvc", {{"nu", "0.3"}}, classes(two, rbf(0.4))},
          {"svr", {{"C", "10"}, {"epsilon", "0.05"}}, regression},
          {"nusvr", {{"C", "1"}, {"nu", "0.3"}}, regression},
          {"oneclass", {{"nu", "0.2"}}, {.K = lazy(rbf(0.5), two.points())}}};
}

void expect_resumed(const Case& c, int threads) {
  Training training = c.training;
  training.how.threads = threads;
  const Model undisturbed = fit(c.machine, c.settings, training);
  const std::string bits = bits_of(undisturbed);
  const auto all = std::make_shared<InMemory>();
  training.checkpoints = all;
  EXPECT_EQ(bits_of(fit(c.machine, c.settings, training)), bits) << c.machine;
  EXPECT_EQ(all->ended, 1);
  EXPECT_FALSE(all->kept.empty()) << c.machine;
  const std::size_t step = std::max<std::size_t>(1, all->kept.size() / 7);
  for (std::size_t k = 0; k < all->kept.size(); k += step) {
    training.checkpoints = std::make_shared<InMemory>(all->kept[k]);
    EXPECT_EQ(bits_of(fit(c.machine, c.settings, training)), bits) << c.machine << " from " << k;
  }
}

TEST(SvmCheckpoints, GoOnToTheSameBits) {
  const Sample two = moons(2600, 0.35), three = blobs(450, 3, 0.7), numbers = sine(1400);
  for (const Case& c : cases(two, three, numbers)) {
    for (const int threads : {1, 2}) expect_resumed(c, threads);
  }
}

TEST(SvmCheckpoints, GoOnAroundTheSmallestWorkingSet) {
  for (const Index n : {1023, 1024, 1025}) {
    const Sample s = moons(n, 0.3);
    expect_resumed({"svc", {{"C", "10"}}, {.K = lazy(rbf(0.3), s.points()), .labels = s.labels()}}, 1);
  }
}

// Told to stop after so many reports, and gone on with: also where it was in the middle of a working set.
TEST(SvmCheckpoints, WhatWasToldToStopGoesOnToTheSameBits) {
  const Sample two = moons(2600, 0.35), three = blobs(450, 3, 0.7), numbers = sine(1400);
  for (const Case& c : cases(two, three, numbers)) {
    Training training = c.training;
    training.how.threads = 1;
    const std::string bits = bits_of(fit(c.machine, c.settings, training));
    for (const int patience : {1, 2, 3, 5, 9, 14}) {
      int asked = 0;
      training.how.monitor = Monitor([&](const Progress& p) { return p.stage == "pack" || ++asked <= patience; });
      const auto first = std::make_shared<InMemory>(Vector{}, 1'000'000'000);  // never due
      training.checkpoints = first;
      const Model stopped = fit(c.machine, c.settings, training);
      training.how.monitor = {};
      if (stopped.report().converged) continue;
      ASSERT_LE(first->kept.size(), 1u);
      training.checkpoints = std::make_shared<InMemory>(first->kept.empty() ? Vector{} : first->kept.back());
      EXPECT_EQ(bits_of(fit(c.machine, c.settings, training)), bits) << c.machine << " after " << patience;
    }
  }
}

TEST(SvmCheckpoints, CopiesGoOnToo) {
  const Sample s = blobs(600, 2, 1);
  const RowMap turned = row_map("turned", [](MatrixView x) {
    Matrix out(x.rows(), 2);
    for (Index i = 0; i < x.rows(); ++i) {
      out(i, 0) = x(i, 1);
      out(i, 1) = -x(i, 0);
    }
    return out;
  });
  const auto fitted = [&](std::shared_ptr<Checkpoints> checkpoints) {
    return fit_invariant({turned},
                         {.K = lazy(rbf(0.5), s.points()), .labels = s.labels(), .checkpoints = std::move(checkpoints)},
                         [](const Training& t) { return Svc{.C = 5}.fit(t); });
  };
  const std::string bits = bits_of(fitted(nullptr));
  const auto all = std::make_shared<InMemory>();
  EXPECT_EQ(bits_of(fitted(all)), bits);
  ASSERT_GT(all->kept.size(), 2u);
  for (const Vector& state : all->kept) EXPECT_EQ(bits_of(fitted(std::make_shared<InMemory>(state))), bits);
}

TEST(SvmCheckpoints, OfOtherWorkAreRefused) {
  const Sample s = moons(300, 0.3), other = moons(310, 0.3);
  const auto all = std::make_shared<InMemory>();
  (void)Svc{.C = 10}.fit(Training{.K = lazy(rbf(0.3), s.points()), .labels = s.labels(), .checkpoints = all});
  ASSERT_FALSE(all->kept.empty());
  for (const Vector& state : {all->kept.front(), Vector{7}, Vector{0, 5, 1}, Vector{1e300, 1}, Vector{0, -1}}) {
    const Training training{.K = lazy(rbf(0.3), other.points()),
                            .labels = other.labels(),
                            .checkpoints = std::make_shared<InMemory>(state)};
    expect_error([&] { (void)Svc{.C = 10}.fit(training); }, "UsageError", {"begin anew"});
  }
}

TEST(SvmCheckpoints, ALoopIsTheSameFromItsNumbers) {
  for (const Index n : {1, 47, 48, 49, 97}) {
    detail::LoopMarks marks{.certified = false, .whole = true, .steps = 123456789012, .set_size = 7, .first_gap = 0.1};
    marks.last_set = {0, n - 1};
    detail::LoopVectors vectors;
    for (Index v = 0; v < n; ++v) {
      vectors.b.push_back(0.1 * static_cast<double>(v));
      vectors.exact_b.push_back(1.0 / 3 + static_cast<double>(v));
      vectors.moved_before.push_back(static_cast<char>(v % 3 != 1));
    }
    vectors.f = {1e-300, -2};
    vectors.exact_f = {kInf, 4};
    vectors.error = {0, 1e-7};
    marks.closely = true;
    detail::LoopMarks read;
    detail::LoopVectors into{Vector(at(n)), Vector(2), Vector(at(n)), Vector(2), Vector(2), std::vector<char>(at(n))};
    read_loop(numbers_of(marks, vectors), read, into);
    EXPECT_EQ(into.b, vectors.b);
    EXPECT_EQ(into.exact_b, vectors.exact_b);
    EXPECT_EQ(into.f, vectors.f);
    EXPECT_EQ(into.exact_f, vectors.exact_f);
    EXPECT_EQ(into.error, vectors.error);
    EXPECT_TRUE(read.closely);
    EXPECT_EQ(into.moved_before, vectors.moved_before);
    EXPECT_EQ(read.last_set, marks.last_set);
    EXPECT_EQ(read.steps, marks.steps);
    EXPECT_EQ(read.lowest_gap, kInf);
    EXPECT_FALSE(read.certified);
    EXPECT_TRUE(read.whole);
    EXPECT_TRUE(numbers_of(read, into) == numbers_of(marks, vectors));
    detail::LoopVectors smaller{Vector(at(n + 1)), Vector(2), Vector(at(n + 1)),
                                Vector(2),         Vector(2), std::vector<char>(at(n + 1))};
    expect_error([&] { read_loop(numbers_of(marks, vectors), read, smaller); }, "UsageError", {"begin anew"});
  }
}

// The largest violation of the conditions of C-SVC, from the alphas of a model and K in double precision.
double violation(const Model& m, const Sample& s, const Kernel& k, double C) {
  Vector alpha(at(s.size()));
  const Matrix& of_support = m.parts().f.parts().alpha;
  for (Index i = 0; i < of_support.rows(); ++i) alpha[at(m.support()[at(i)])] = of_support(i, 0);
  const Matrix K = gram(k, s.points());
  double up = -kInf, low = -kInf;
  for (Index i = 0; i < s.size(); ++i) {
    const double y = s.target[at(i)] > 0 ? 1 : -1;
    double g = -y;
    for (Index j = 0; j < s.size(); ++j) g += K(i, j) * alpha[at(j)];
    if (alpha[at(i)] < (y > 0 ? C : 0)) up = std::max(up, -g);
    if (alpha[at(i)] > (y > 0 ? 0 : -C)) low = std::max(low, g);
  }
  return up + low;
}

TEST(SvmTime, WhatEndsTooEarlySaysHowFarItIs) {
  const Sample s = moons(2600, 0.35);
  const Kernel k = rbf(0.3);
  // Much to do, in less time than any computer takes for it.
  for (const double seconds : {0.0, 1e-3, 0.02}) {
    const Model m = Svc{.C = 1e5, .tolerance = 1e-9}.fit(
        Training{.K = lazy(k, s.points()), .labels = s.labels(), .seconds = seconds});
    EXPECT_FALSE(m.report().converged);
    EXPECT_EQ(m.report().stopped.rfind("the time of ", 0), 0u) << m.report().stopped;
    const double gap = violation(m, s, k, 1e5), rounding = 1e-9 * figure(m, "objective_primal");
    EXPECT_GE(figure(m, "gap"), gap - rounding) << seconds;
    EXPECT_LE(figure(m, "gap"), 1.1 * gap + rounding) << seconds;
    EXPECT_GE(figure(m, "duality_gap"), 0);
    for (const std::string& note : m.report().notes) EXPECT_EQ(note.find("single precision, since"), std::string::npos);
  }
  const Model enough = Svc{.C = 10}.fit(Training{.K = lazy(k, s.points()), .labels = s.labels(), .seconds = 1e6});
  EXPECT_TRUE(enough.report().converged);
  EXPECT_EQ(bits_of(enough), bits_of(Svc{.C = 10}.fit(lazy(k, s.points()), s.labels())));
}

TEST(SvmTime, TheShorterLimitCounts) {
  const Sample s = moons(300, 0.35);
  const Training training{.K = lazy(rbf(0.1), s.points()), .labels = s.labels(), .seconds = 1e-9};
  EXPECT_EQ(Svc{.C = 1e5}.fit(training).report().stopped, "the time of 1e-09 s was over");
  EXPECT_EQ((Svc{.C = 1e5, .max_seconds = 1e-10}.fit(training).report().stopped), "time limit");
}

TEST(SvmTime, WhoIsInterruptedIsToldThatTheGapIsRough) {
  const Sample s = moons(2600, 0.35);
  int asked = 0;
  Training training{.K = lazy(rbf(0.3), s.points()), .labels = s.labels()};
  training.how.monitor = Monitor([&](const Progress& p) { return p.stage == "pack" || ++asked <= 2; });
  const Model m = Svc{.C = 10}.fit(training);
  EXPECT_EQ(m.report().stopped, "interrupted");
  EXPECT_TRUE(std::ranges::any_of(m.report().notes, [](const std::string& note) {
    return note.find("from sums in single precision") != std::string::npos;
  }));
}

// Of the time that is left, each problem has its part.
TEST(SvmTime, NoPairOfClassesIsLeftWithNothing) {
  const Sample s = blobs(6000, 4, 1.5);
  // Twice what an easy problem takes here and now, also under a sanitizer: enough to begin with every pair, and too
  // little to end them.
  const auto begin = std::chrono::steady_clock::now();
  Svc{.C = 1}.fit(lazy(rbf(0.2), s.points()), s.labels());
  const double easy = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Model m = Svc{.C = 1e6, .tolerance = 1e-12}.fit(
      Training{.K = lazy(rbf(0.2), s.points()), .labels = s.labels(), .seconds = 2 * easy});
  EXPECT_FALSE(m.report().converged);
  const Report::Table* pairs = m.report().table("pairs");
  ASSERT_NE(pairs, nullptr);
  for (Index p = 0; p < pairs->rows.rows(); ++p) EXPECT_GT(pairs->rows(p, 4), 0) << "no support vectors of pair " << p;
}

}  // namespace
}  // namespace mercer::svm_checkpoints_test
