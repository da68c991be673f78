// Mercer and LIBSVM on real data, where they are at hand (MERCER_DATA, tests/io/files.hpp): the same objective of every
// pair of classes, the same values of f on points held out, the same classes predicted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "../../bench/libsvm_peer.hpp"
#include "../../bench/objective.hpp"
#include "io/files.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"

namespace mercer::against_libsvm_test {
namespace {

using namespace io_test;

// Both sides stop at this KKT violation, which is far below what is compared.
constexpr double kTolerance = 1e-5;

struct Real {
  std::string name, file;
  double C, gamma;
  Index first = 0;  // as many points only; 0: all

  friend void PrintTo(const Real& real, std::ostream* out) { *out << real.name; }
};

class SlowAgainstLibsvm : public ::testing::TestWithParam<Real> {};

struct Set {
  Points x;
  Labels labels;
};

Set read(const Real& real, const std::string& path) {
  const Dataset data = read_data(path, {.last_is_target = true});
  const Index n = real.first == 0 ? data.points.size() : real.first;
  const Points x = data.points.slice({0, n});
  std::vector<std::string> names = data.target();
  names.resize(static_cast<std::size_t>(n));
  const bool dense = dynamic_cast<const SparseReals*>(&x.rep()) == nullptr;
  return {Scaling::of(dense ? Scaling::Kind::standard : Scaling::Kind::none, x).apply(x), Labels::from(names)};
}

// Every fifth point is held out, so that all classes are on both sides.
std::pair<std::vector<Index>, std::vector<Index>> divided(Index n) {
  std::pair<std::vector<Index>, std::vector<Index>> out;
  for (Index i = 0; i < n; ++i) (i % 5 == 4 ? out.second : out.first).push_back(i);
  return out;
}

Labels selected(const Labels& labels, const std::vector<Index>& which) {
  Labels out{labels.classes, {}};
  for (const Index i : which) out.of.push_back(labels.of[at(i)]);
  return out;
}

// Of each class, from f of all pairs: the first of a pair is the positive side.
std::vector<Index> votes_of(const Vector& f, Index classes) {
  std::vector<Index> out(at(classes));
  std::size_t pair = 0;
  for (Index a = 0; a < classes; ++a) {
    for (Index b = a + 1; b < classes; ++b) ++out[at(f[pair++] > 0 ? a : b)];
  }
  return out;
}

TEST_P(SlowAgainstLibsvm, ObjectivesAndScores) {
  const Real& real = GetParam();
  const std::string path = shared_file(real.file);
  if (path.empty()) GTEST_SKIP() << real.file << " is not on this machine";
  const Set all = read(real, path);
  const auto [train, held_out] = divided(all.x.size());
  const Points x = all.x.select(train), test = all.x.select(held_out);
  const Labels labels = selected(all.labels, train);
  const Kernel k = rbf(std::sqrt(0.5 / real.gamma));

  const Model ours = Svc{.C = real.C, .tolerance = kTolerance}.fit(lazy(k, x), labels);
  ASSERT_TRUE(ours.report().converged) << ours.report().str();
  peer::LibsvmSvc theirs(x, labels, real.C, real.gamma, kTolerance);
  theirs.train();

  const Vector objective = peer::objectives(k, x, peer::coefficients(ours));
  const Vector expected = peer::objectives(k, x, theirs.coefficients());
  ASSERT_EQ(objective.size(), expected.size());
  double total = 0;
  for (std::size_t o = 0; o < objective.size(); ++o) {
    EXPECT_NEAR(objective[o], expected[o], 1e-5 * std::abs(expected[o])) << "output " << o;
    total += objective[o];
  }
  EXPECT_NEAR(total, -*ours.report().figure("objective_dual"), 1e-6 * std::abs(total));  // the report tells the truth

  // With two classes the second is our positive side, with more the first of a pair, which it always is for them.
  const double sign = labels.classes.size() == 2 ? -1 : 1;
  const Matrix scores = ours.scores(test);
  const std::vector<Index> predicted = ours.classes_of(scores);
  const peer::Nodes nodes(test);
  for (Index i = 0; i < nodes.size(); ++i) {
    const Vector f = theirs.decisions(nodes[i]);
    for (std::size_t o = 0; o < f.size(); ++o) {
      EXPECT_NEAR(sign * scores(i, static_cast<Index>(o)), f[o], 2e-3 * std::max(1.0, std::abs(f[o])))
          << "point " << i << ", output " << o;
    }
    if (std::any_of(f.begin(), f.end(), [](double value) { return std::abs(value) < 4e-3; })) continue;
    // Equal votes go to the first class here, and to the class seen first there.
    const std::vector<Index> votes = votes_of(f, static_cast<Index>(labels.classes.size()));
    const Index most = *std::max_element(votes.begin(), votes.end());
    EXPECT_EQ(votes[at(predicted[at(i)])], most) << "point " << i;
    EXPECT_EQ(votes[at(theirs.predict(nodes[i]))], most) << "point " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(RealSets, SlowAgainstLibsvm,
                         ::testing::Values(Real{"iris", "small_classification/iris.csv.gz", 10, 0.25},
                                           Real{"wine", "small_classification/wine.csv.gz", 10, 0.08},
                                           Real{"glass", "small_classification/glass.csv.gz", 100, 0.1},
                                           Real{"sonar", "small_classification/sonar.csv.gz", 10, 0.02},
                                           Real{"pima", "small_classification/pima.csv.gz", 1, 0.1},
                                           Real{"vehicle", "small_classification/vehicle.csv.gz", 100, 0.05},
                                           Real{"vowel", "small_classification/vowel.csv.gz", 10, 0.2},
                                           Real{"digits", "small_classification/digits_8x8.csv.gz", 10, 0.01},
                                           Real{"spambase", "small_classification/spambase.csv.gz", 10, 0.02},
                                           Real{"a9a", "a9a/a9a.gz", 1, 0.05, 6000},
                                           Real{"w8a", "w8a/w8a.gz", 10, 0.05, 10000},
                                           Real{"covtype", "covtype/covtype_train20k.csv.gz", 10, 0.1, 5000}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mercer::against_libsvm_test
