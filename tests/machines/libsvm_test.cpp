// All five formulations on ten data sets against LIBSVM itself: objectives, rho, alphas and decision values to 1e-3.
#include <gtest/gtest.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"

namespace mercer::libsvm_test {
namespace {

using namespace test;

constexpr double kGamma = 0.8, kTolerance = 1e-5, kAgreement = 1e-3;

// ---- LIBSVM ----

std::string& spoken() {  // what LIBSVM prints
  static std::string text;
  return text;
}

// The numbers that follow `word` in what was printed.
Vector numbers_after(const std::string& word) {
  Vector out;
  for (std::size_t at = spoken().find(word); at != std::string::npos; at = spoken().find(word, at + 1)) {
    out.push_back(std::strtod(spoken().c_str() + at + word.size(), nullptr));
  }
  return out;
}

struct Peer {
  std::vector<Index> labels;
  Matrix alpha;  // training points x outputs
  Vector rho, objective;
  Matrix decisions;  // at the training points
};

struct Asked {
  int type;
  double C = 1, nu = 0.5, epsilon = 0.1;
  std::vector<int> labels = {};
  Vector weights = {};
};

// One output per pair of labels in LIBSVM's order, the first being positive.
Peer train(const Sample& s, Asked asked) {
  const auto n = at(s.size()), d = at(s.x.cols());
  std::vector<svm_node> nodes;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      nodes.push_back({static_cast<int>(j + 1), s.x(static_cast<Index>(i), static_cast<Index>(j))});
    }
    nodes.push_back({-1, 0});
  }
  std::vector<svm_node*> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = nodes.data() + i * (d + 1);
  Vector y = s.target;
  const svm_problem problem{static_cast<int>(n), y.data(), x.data()};
  svm_parameter parameter{};
  parameter.svm_type = asked.type;
  parameter.C = asked.C;
  parameter.nu = asked.nu;
  parameter.p = asked.epsilon;
  parameter.nr_weight = static_cast<int>(asked.labels.size());
  parameter.weight_label = asked.labels.data();
  parameter.weight = asked.weights.data();
  parameter.kernel_type = RBF;
  parameter.gamma = kGamma;
  parameter.cache_size = 100;
  parameter.eps = kTolerance;
  parameter.shrinking = 1;
  EXPECT_EQ(svm_check_parameter(&problem, &parameter), nullptr);
  spoken().clear();
  svm_set_print_string_function([](const char* text) { spoken() += text; });
  svm_model* model = svm_train(&problem, &parameter);
  Peer out;
  const bool classes = parameter.svm_type == C_SVC || parameter.svm_type == NU_SVC;
  const Index k = classes ? model->nr_class : 2, outputs = k * (k - 1) / 2;
  if (classes) out.labels.assign(model->label, model->label + k);
  out.rho.assign(model->rho, model->rho + outputs);
  out.objective = numbers_after("obj = ");
  out.alpha = Matrix(s.size(), outputs);
  std::vector<Index> class_of_sv;
  for (Index c = 0; classes && c < k; ++c) class_of_sv.insert(class_of_sv.end(), at(model->nSV[c]), c);
  for (int v = 0; v < model->l; ++v) {
    const Index i = model->sv_indices[v] - 1;
    Index pair = 0;
    for (Index a = 0; a < k; ++a) {
      for (Index b = a + 1; b < k; ++b, ++pair) {
        if (!classes) out.alpha(i, pair) = model->sv_coef[0][v];
        if (classes && class_of_sv[at(v)] == a) out.alpha(i, pair) = model->sv_coef[b - 1][v];
        if (classes && class_of_sv[at(v)] == b) out.alpha(i, pair) = model->sv_coef[a][v];
      }
    }
  }
  out.decisions = Matrix(s.size(), outputs);
  for (std::size_t i = 0; i < n; ++i) svm_predict_values(model, x[i], out.decisions.row(static_cast<Index>(i)));
  svm_free_and_destroy_model(&model);
  return out;
}

// ---- comparison ----

// Alphas of equal points are only determined as their sum, and all of them less well than f.
std::map<Vector, double> by_place(const Sample& s, const Vector& alpha) {
  std::map<Vector, double> out;
  for (Index i = 0; i < s.size(); ++i) out[Vector(s.x.row(i), s.x.row(i) + s.x.cols())] += alpha[at(i)];
  return out;
}

// One output of ours against one of theirs; `sign` -1 where the sides are the other way round.
void compare(const Sample& s, const Model& ours, Index o, const Peer& theirs, Index t, double sign, double dual) {
  const double rho = -ours.expansion().parts().bias[at(o)];
  const Vector decisions = column(theirs.decisions, t), f = column(ours.scores(s.points()), o);
  double scale = 1;
  for (const double value : decisions) scale = std::max(scale, std::abs(value));
  EXPECT_NEAR(-dual, theirs.objective[at(t)], kAgreement * std::max(1e-2, std::abs(dual)));
  EXPECT_NEAR(sign * rho, theirs.rho[at(t)], kAgreement * scale);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(sign * f[i], decisions[i], kAgreement * scale) << "at " << i;
  const Vector b = column(theirs.alpha, t);
  double largest = 0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  const auto mine = by_place(s, alphas(ours, o)), peer = by_place(s, b);
  for (const auto& [x, value] : mine) EXPECT_NEAR(sign * value, peer.at(x), 50 * kAgreement * largest);
}

void compare_classes(const Sample& s, const Model& ours, const Peer& theirs) {
  const auto k = static_cast<Index>(ours.classes().size());
  ASSERT_EQ(theirs.objective.size(), at(k * (k - 1) / 2));
  const Report::Table* table = ours.report().table("pairs");
  Index t = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = a + 1; b < k; ++b, ++t) {
      const Index i = theirs.labels[at(a)], j = theirs.labels[at(b)], low = std::min(i, j), high = std::max(i, j);
      SCOPED_TRACE("classes " + std::to_string(low) + " and " + std::to_string(high));
      const Index o = low * k - low * (low + 1) / 2 + high - low - 1;
      // With two classes the second is our positive side, with more the first of a pair.
      const double sign = (i < j) == (k > 2) ? 1 : -1;
      compare(s, ours, o, theirs, t, sign, k == 2 ? figure(ours, "objective_dual") : (*table).rows(o, 2));
    }
  }
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{blobs(90, 3, 0.9), moons(120, 0.3), squares(110),    spirals(120, 3),
                                       rings(120, 4),     unbalanced(120), duplicates(120), documents(120, 3),
                                       sine(120),         friedman(120)};
  return all;
}

// Values read as classes.
Sample classes_of(Sample s) {
  if (s.name != "sine" && s.name != "friedman") return s;
  for (double& y : s.target) y = y > 0 ? 1 : 0;
  return s;
}

class AgainstLibsvm : public ::testing::TestWithParam<int> {
 protected:
  const Sample& sample() const { return samples()[at(GetParam())]; }
  const Kernel k = rbf(std::sqrt(0.5 / kGamma));
};

TEST_P(AgainstLibsvm, Svc) {
  const Sample s = classes_of(sample());
  for (const double C : {0.5, 20.0}) {
    const Model m = Svc{.C = C, .tolerance = kTolerance}.fit(lazy(k, s.points()), s.labels());
    compare_classes(s, m, train(s, {.type = C_SVC, .C = C}));
  }
}

TEST_P(AgainstLibsvm, WeightedSvc) {
  const Sample s = classes_of(sample());
  const Model m = Svc{.class_weight = {.by_name = {{"0", 0.5}, {"1", 4}}}, .tolerance = kTolerance}.fit(
      lazy(k, s.points()), s.labels());
  compare_classes(s, m, train(s, {.type = C_SVC, .C = 1, .labels = {0, 1}, .weights = {0.5, 4}}));
}

TEST_P(AgainstLibsvm, NuSvc) {
  const Sample s = classes_of(sample());
  // The model is divided by its margin, and errors with it: a nu that leaves it a margin.
  const double nu = s.name == "unbalanced" ? 0.15 : 0.6;
  const Model m = NuSvc{.nu = nu, .tolerance = kTolerance}.fit(lazy(k, s.points()), s.labels());
  compare_classes(s, m, train(s, {.type = NU_SVC, .nu = nu}));
}

TEST_P(AgainstLibsvm, OneClass) {
  const Sample& s = sample();
  for (const double nu : {0.1, 0.6}) {
    const Model m = OneClass{.nu = nu, .tolerance = kTolerance}.fit(lazy(k, s.points()));
    compare(s, m, 0, train(s, {.type = ONE_CLASS, .nu = nu}), 0, 1, figure(m, "objective_dual"));
  }
}

TEST_P(AgainstLibsvm, Svr) {
  const Sample& s = sample();
  const Model m = Svr{.C = 2, .epsilon = 0.1, .tolerance = kTolerance}.fit(lazy(k, s.points()), s.target);
  compare(s, m, 0, train(s, {.type = EPSILON_SVR, .C = 2, .epsilon = 0.1}), 0, 1, figure(m, "objective_dual"));
}

TEST_P(AgainstLibsvm, NuSvr) {
  const Sample& s = sample();
  const Model m = NuSvr{.C = 2, .nu = 0.4, .tolerance = kTolerance}.fit(lazy(k, s.points()), s.target);
  compare(s, m, 0, train(s, {.type = NU_SVR, .C = 2, .nu = 0.4}), 0, 1, figure(m, "objective_dual"));
  EXPECT_NEAR(figure(m, "epsilon"), numbers_after("epsilon = ").at(0), kAgreement);
}

INSTANTIATE_TEST_SUITE_P(DataSets, AgainstLibsvm, ::testing::Range(0, 10),
                         [](const auto& info) { return samples()[at(info.param)].name; });

}  // namespace
}  // namespace mercer::libsvm_test
