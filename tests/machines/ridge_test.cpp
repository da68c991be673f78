// Kernel ridge regression against naive solves, refits, scikit-learn, and its own laws.
#include "mercer/machines/ridge.hpp"

#include <fstream>
#include <numeric>

#include "machines/golden_file.hpp"
#include "mercer/kernels.hpp"
#include "paths.hpp"
#include "support.hpp"

namespace mercer::ridge_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::naive_solve;
using test::random_matrix;
using test::random_vector;

struct Problem {
  Matrix x = random_matrix(40, 3, 1);
  Matrix y = random_matrix(40, 2, 2);
  Vector weights = random_vector(40, 3, 0.2, 3);
  Kernel k = rbf(1.2);
  Training training(bool weighted = false) const {
    return {.K = lazy(k, rows(x.view())), .y = y, .weights = weighted ? weights : Vector()};
  }
};

Matrix without_row(const Matrix& m, Index row) {
  Matrix out(m.rows() - 1, m.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(m.row(i < row ? i : i + 1), m.cols(), out.row(i));
  return out;
}

Matrix column(const Matrix& m, Index j) {
  Matrix out(m.rows(), 1);
  for (Index i = 0; i < m.rows(); ++i) out(i, 0) = m(i, j);
  return out;
}

TEST(Ridge, EqualsTheNaiveSolve) {
  const Problem p;
  for (const bool weighted : {false, true}) {
    Matrix A = gram(p.k, rows(p.x.view()));
    for (Index i = 0; i < 40; ++i) A(i, i) += 0.05 / (weighted ? p.weights[static_cast<std::size_t>(i)] : 1);
    const Model m = KernelRidge{.ridge = 0.05}.fit(p.training(weighted));
    expect_near(m.expansion().parts().alpha, naive_solve(A, p.y), 1e-9);
  }
}

TEST(Ridge, EqualsScikitLearn) {
  const auto matrix = [](const Json& json) {
    Matrix out(static_cast<Index>(json.size()), static_cast<Index>(json[0].size()));
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        out(i, j) = json[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].number();
      }
    }
    return out;
  };
  const Json problems = test::golden_file("ridge.json");
  ASSERT_EQ(problems.size(), 4U);
  for (const auto& p : problems) {
    SCOPED_TRACE(p["name"].get<std::string>());
    const Model m = KernelRidge{.ridge = p["ridge"].get<double>()}.fit(
        {.K = lazy(parse(p["kernel"].get<std::string>()), rows(matrix(p["x"]))),
         .y = matrix(p["y"]),
         .weights = p["weights"].get<Vector>()});
    expect_near(m.expansion().parts().alpha, matrix(p["alpha"]), 1e-9);
    expect_near(m.predict_targets(rows(matrix(p["new"]))), matrix(p["prediction"]), 1e-9);
  }
}

TEST(Ridge, LeaveOneOutEqualsRefits) {
  const Problem p;
  for (const bool weighted : {false, true}) {
    const KernelRidge config{.ridge = 0.1, .loo = true};
    const Matrix residuals = leave_one_out(config, p.training(weighted));
    double total = 0, weight = 0;
    for (Index i = 0; i < p.x.rows(); ++i) {
      Vector w = weighted ? p.weights : Vector(40, 1.0);
      const double own = w[static_cast<std::size_t>(i)];
      w.erase(w.begin() + i);
      const Model m = config.fit({.K = lazy(p.k, rows(without_row(p.x, i))), .y = without_row(p.y, i), .weights = w});
      const Matrix f = m.predict_targets(rows(p.x.view()).slice({i, i + 1}));
      for (Index j = 0; j < 2; ++j) {
        EXPECT_NEAR(residuals(i, j), p.y(i, j) - f(0, j), 1e-9);
        total += own * residuals(i, j) * residuals(i, j);
      }
      weight += own;
    }
    EXPECT_NEAR(*config.fit(p.training(weighted)).report().figure("leave_one_out_rmse"), std::sqrt(total / weight),
                1e-9);
  }
}

TEST(Ridge, PathEqualsSingleFits) {
  const Problem p;
  for (const bool weighted : {false, true}) {
    const Training training = p.training(weighted);
    const KernelRidge automatic{.ridge = std::nullopt, .path_size = 7, .path_from = 1e-5};
    const Model m = automatic.fit(training);
    const Matrix& path = m.report().table("path")->rows;
    ASSERT_EQ(path.rows(), 7);
    Index best = 0;
    for (Index r = 0; r < 7; ++r) {
      const Model single = KernelRidge{.ridge = path(r, 0), .loo = true}.fit(training);
      EXPECT_NEAR(path(r, 1), *single.report().figure("leave_one_out_rmse"), 1e-9 * path(r, 1));
      if (path(r, 1) < path(best, 1)) best = r;
    }
    EXPECT_EQ(*m.report().figure("ridge"), path(best, 0));
    EXPECT_EQ(*m.report().figure("leave_one_out_rmse"), path(best, 1));
    expect_near(m.expansion().parts().alpha,
                KernelRidge{.ridge = path(best, 0)}.fit(training).expansion().parts().alpha, 1e-8);
    expect_near(leave_one_out(automatic, training), leave_one_out({.ridge = path(best, 0)}, training), 1e-8);
  }
}

TEST(Ridge, PathSpansTheMeanDiagonal) {
  const Problem p;
  const Model m = KernelRidge{.ridge = std::nullopt, .path_size = 3, .path_from = 1e-3, .path_to = 10}.fit(
      {.K = lazy(4.0 * p.k, rows(p.x.view())), .y = p.y});
  const Matrix& path = m.report().table("path")->rows;
  EXPECT_NEAR(path(0, 0), 4e-3, 1e-12);
  EXPECT_NEAR(path(1, 0), 0.4, 1e-12);
  EXPECT_NEAR(path(2, 0), 40, 1e-10);
}

TEST(Ridge, PathOfOnesOwnRidges) {
  const Problem p;
  const Training training = p.training(true);
  const Model m = KernelRidge{.ridge = std::nullopt, .path = {10, 0.01, 1}}.fit(training);
  const Matrix& path = m.report().table("path")->rows;
  ASSERT_EQ(path.rows(), 3);
  for (Index r = 0; r < 3; ++r) {
    EXPECT_EQ(path(r, 0), (Vector{0.01, 1, 10}[static_cast<std::size_t>(r)]));
    const Model single = KernelRidge{.ridge = path(r, 0), .loo = true}.fit(training);
    EXPECT_NEAR(path(r, 1), *single.report().figure("leave_one_out_rmse"), 1e-9 * path(r, 1));
  }
  EXPECT_EQ(fit("ridge", {{"ridge", "auto"}, {"path", "10, 0.01, 1"}}, training).report().table("path")->rows, path);
  expect_error([&] { KernelRidge{.ridge = std::nullopt, .path = {1, 0}}.fit(training); }, "UsageError", {"> 0"});
  expect_error([&] { fit("ridge", {{"ridge", "auto"}, {"path", "1,x"}}, training); }, "UsageError", {"list"});
}

// GCV by its definition: n |(I - H) y|^2 / tr(I - H)^2 with the hat matrix H written out.
TEST(Ridge, GcvEqualsItsDefinition) {
  const Problem p;
  const Training training{.K = lazy(p.k, rows(p.x.view())), .y = column(p.y, 0)};
  const Model m =
      KernelRidge{.ridge = std::nullopt, .criterion = KernelRidge::Criterion::gcv, .path_size = 5, .path_from = 1e-4}
          .fit(training);
  const Matrix& path = m.report().table("path")->rows;
  const Matrix K = gram(p.k, rows(p.x.view()));
  double least = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < 5; ++r) {
    Matrix A(K), identity(40, 40);
    for (Index i = 0; i < 40; ++i) {
      A(i, i) += path(r, 0);
      identity(i, i) = 1;
    }
    const Matrix H = test::product(K, naive_solve(A, identity));
    const Matrix f = test::product(H, training.y);
    double square = 0, trace = 0;
    for (Index i = 0; i < 40; ++i) {
      square += std::pow(training.y(i, 0) - f(i, 0), 2);
      trace += 1 - H(i, i);
    }
    const double gcv = 40 * square / (trace * trace);
    EXPECT_NEAR(path(r, 2), gcv, 1e-8 * gcv);
    least = std::min(least, path(r, 2));
  }
  EXPECT_EQ(*m.report().figure("gcv"), least);
}

TEST(Ridge, SaysWhenTheBestIsAtTheEndOfThePath) {
  const Problem p;
  const Model m =
      KernelRidge{.ridge = std::nullopt, .path_size = 2, .path_from = 1e6, .path_to = 1e7}.fit(p.training());
  ASSERT_EQ(m.report().notes.size(), 1U);
  EXPECT_NE(m.report().notes[0].find("of the path"), std::string::npos);
}

TEST(Ridge, APointOfWeightZeroHasTheResidualOfTheFit) {
  const Problem p;
  Training training = p.training();
  training.weights = Vector(40, 1.0);
  training.weights[5] = 0;
  const Model m = KernelRidge{.ridge = 0.1}.fit(training);
  EXPECT_NEAR(leave_one_out({.ridge = 0.1}, training)(5, 1),
              p.y(5, 1) - m.predict_targets(rows(p.x.view()).slice({5, 6}))(0, 1), 1e-10);
}

TEST(Ridge, NormIsTheQuadraticForm) {
  const Problem p;
  const Model m = KernelRidge{.ridge = 0.1}.fit(p.training());
  const Matrix& alpha = m.expansion().parts().alpha;
  const Matrix Ka = test::product(gram(p.k, rows(p.x.view())), alpha);
  double total = 0;
  for (Index i = 0; i < 40; ++i) total += alpha(i, 0) * Ka(i, 0) + alpha(i, 1) * Ka(i, 1);
  EXPECT_NEAR(m.rkhs_norm(), std::sqrt(total), 1e-10);
}

TEST(Ridge, SingularSystemsNameTheRidgeThatWorks) {
  Matrix x = random_matrix(30, 2, 4);
  for (Index i = 15; i < 30; ++i) {  // nearly: points that are equal are one
    for (Index c = 0; c < 2; ++c) x(i, c) = std::nextafter(x(i - 15, c), 9);
  }
  const Vector y = random_vector(30, 5);
  const Gram K = lazy(rbf(1), rows(x.view()));
  const std::string text = test::error_of([&] { KernelRidge{.ridge = 1e-40}.fit(K, y); });
  const std::string before = "at least ";
  ASSERT_NE(text.find(before), std::string::npos) << text;
  const double usable = std::stod(text.substr(text.find(before) + before.size()));
  const Model m = KernelRidge{.ridge = usable}.fit(K, y);
  EXPECT_GT(*m.report().figure("condition"), 1e12);
  ASSERT_EQ(m.report().notes.size(), 1U);
  EXPECT_NE(m.report().notes[0].find("condition"), std::string::npos);
  EXPECT_TRUE(KernelRidge{.ridge = 0.1}.fit(K, y).report().notes.empty());
}

TEST(Ridge, PathOfASingularOrIndefiniteMatrix) {
  Matrix x = random_matrix(80, 2, 4);
  for (Index i = 40; i < 80; ++i) std::copy_n(x.row(i - 40), 2, x.row(i));
  const Matrix y = random_matrix(80, 1, 5);
  const Training training{.K = lazy(rbf(1), rows(x.view())), .y = y};
  const KernelRidge automatic{.ridge = std::nullopt, .path_size = 9};
  const Model m = automatic.fit(training);
  const Matrix& path = m.report().table("path")->rows;
  for (Index r = 0; r < 9; ++r) {
    const Model single = KernelRidge{.ridge = path(r, 0), .loo = true}.fit(training);
    EXPECT_NEAR(path(r, 1), *single.report().figure("leave_one_out_rmse"), 1e-6 * path(r, 1));
  }
  Matrix K = gram(rbf(1), rows(x.view()));
  K(7, 7) = -3;
  expect_error([&] { automatic.fit({.K = precomputed(K), .y = y}); }, "NumericError", {"path_from", "semi-definite"});
}

TEST(Ridge, RefusesWhatMakesNoSense) {
  const Problem p;
  const Points x = rows(p.x.view());
  const Vector y(40, 1.0);
  for (const double ridge : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_error([&] { KernelRidge{.ridge = ridge}.fit(lazy(p.k, x), y); }, "UsageError", {"ridge"});
  }
  expect_error([&] { (KernelRidge{.ridge = std::nullopt, .path_size = 0}.fit(lazy(p.k, x), y)); }, "UsageError",
               {"path"});
}

TEST(Ridge, OnePointIsEnough) {
  const Model m = KernelRidge{.ridge = 1.0}.fit(lazy(rbf(1), rows(Matrix{{0.5, 2}})), Vector{3});
  EXPECT_NEAR(m.predict(rows(Matrix{{0.5, 2}}))[0], 1.5, 1e-15);
}

TEST(Ridge, ByName) {
  const Problem p;
  const Model m = fit("ridge", {{"ridge", "0.05"}}, p.training());
  EXPECT_EQ(m.parts().machine, "ridge");
  EXPECT_EQ(m.parts().settings.at("criterion"), "loo");
  EXPECT_EQ(m.parts().settings.at("ridge"), "0.05");
  expect_near(m.expansion().parts().alpha, KernelRidge{.ridge = 0.05}.fit(p.training()).expansion().parts().alpha, 0);
  EXPECT_NE(fit("ridge", {{"ridge", "auto"}}, p.training()).report().table("path"), nullptr);
  expect_error([&] { fit("ridge", {{"rigde", "1"}}, p.training()); }, "UsageError", {"rigde", "did you mean ridge"});
  expect_error([&] { fit("ridge", {{"ridge", "much"}}, p.training()); }, "UsageError", {"ridge", "much"});
  expect_error([&] { fit("rigde", {}, p.training()); }, "UsageError", {"did you mean ridge"});
}

}  // namespace
}  // namespace mercer::ridge_test
