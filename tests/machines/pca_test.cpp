// Kernel principal components: against scikit-learn, by both solvers, and what cannot be asked for.
#include "mercer/machines/pca.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::pca_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

Matrix waves(Index n) {
  Matrix out(n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const auto a = static_cast<double>(i), b = static_cast<double>(j);
      out(i, j) = std::sin(1.7 * a + 0.9 * b + 0.3 * a * b);
    }
  }
  return out;
}

double component(const Model& m, Index row, const std::string& column) {
  const Report::Table& table = *m.report().table("components");
  const auto place = std::find(table.columns.begin(), table.columns.end(), column);
  return table.rows(row, place - table.columns.begin());
}

struct Golden {
  const char* kernel;
  Vector eigenvalues, first, other;  // coordinates of the first point, and of (0.1, 0.2, 0.3)
};

// KernelPCA(3, eigen_solver="dense") of scikit-learn 1.2.1, the largest coordinate in size made positive.
TEST(Pca, AgreesWithScikitLearn) {
  const std::vector<Golden> all = {{"rbf(gamma=0.5)",
                                    {2.5725180233053844, 2.089500910441537, 1.0157628747596206},
                                    {-0.07529197353511968, -0.36988894376420606, 0.6177450847599372},
                                    {-0.029963232554320804, -0.08371624014875283, 0.2869393022800275}},
                                   {"poly(degree=3, c=1)",
                                    {69.88389032663981, 34.81122457716135, 23.752572671076855},
                                    {-0.9433706465916207, -1.2282301723534361, 2.748888531709966},
                                    {-0.5251776577995355, 0.0014259511215022544, 0.7836859484183537}}};
  const Matrix x = waves(12), other{{0.1, 0.2, 0.3}};
  for (const Golden& golden : all) {
    const Model m = KernelPca{.components = 3}.fit(lazy(parse(golden.kernel), rows(x.view())));
    const Matrix at_points = m.predict_targets(rows(x.view())), at_other = m.predict_targets(rows(other.view()));
    expect_near(at_points, m.parts().fitted, 1e-12);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(component(m, j, "eigenvalue"), golden.eigenvalues[at(j)], 1e-10);
      EXPECT_NEAR(component(m, j, "variance"), golden.eigenvalues[at(j)] / 12, 1e-11);
      EXPECT_NEAR(at_points(0, j), golden.first[at(j)], 1e-10);
      EXPECT_NEAR(at_other(0, j), golden.other[at(j)], 1e-10);
    }
  }
}

// With the linear kernel the coordinates are those of the points about their mean, turned: all distances are kept, and
// the variances are those of the columns.
TEST(Pca, OfTheLinearKernelTurnsThePoints) {
  const Matrix x = random_matrix(40, 4, 3);
  const Model m = KernelPca{.components = INFINITY}.fit(lazy(linear(), rows(x.view())));
  const Matrix& y = m.parts().fitted;
  ASSERT_EQ(y.cols(), 4);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) {
      double before = 0, after = 0;
      for (Index c = 0; c < 4; ++c) {
        before += std::pow(x(i, c) - x(j, c), 2);
        after += std::pow(y(i, c) - y(j, c), 2);
      }
      EXPECT_NEAR(before, after, 1e-11);
    }
  }
  EXPECT_NEAR(m.report().figure("explained_share").value(), 1, 1e-12);
  for (const double error : reconstruction_errors(m, rows(x.view()))) EXPECT_NEAR(error, 0, 1e-11);
}

TEST(Pca, ByProductsIsPcaByAllEigenvalues) {
  const Matrix x = random_matrix(500, 5, 4), others = random_matrix(20, 5, 5);
  Vector weights(500, 1.0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i % 3 == 0 ? 2.5 : i % 7 == 0 ? 0 : 1;
  for (const double components : {4.0, 0.3}) {
    Training training{.K = lazy(rbf(1.5), rows(x.view())), .weights = weights};
    const Model dense = KernelPca{.components = components, .solver = KernelPca::Solver::dense}.fit(training);
    const Model krylov = KernelPca{.components = components, .solver = KernelPca::Solver::krylov}.fit(training);
    EXPECT_EQ(dense.report().iterations, 0);
    EXPECT_GT(krylov.report().iterations, 1);
    EXPECT_LE(krylov.report().figure("residual").value(), 1e-9);
    expect_near(dense.scores(rows(others.view())), krylov.scores(rows(others.view())), 1e-7);
    expect_near(dense.parts().fitted, krylov.parts().fitted, 1e-7);
    training.K = precomputed(gram(rbf(1.5), rows(x.view())));
    expect_near(KernelPca{.components = components, .solver = KernelPca::Solver::krylov}.fit(training).parts().fitted,
                dense.parts().fitted, 1e-7);
  }
}

TEST(Pca, ExplainsTheShareAskedFor) {
  const Points x = rows(waves(60));
  const Model m = KernelPca{.components = 0.9}.fit(lazy(rbf(1), x));
  const double explained = m.report().figure("explained_share").value();
  EXPECT_GE(explained, 0.9);
  const Index count = m.parts().fitted.cols();
  EXPECT_LT(explained - component(m, count - 1, "share"), 0.9);
  // The rest is the mean of what the components leave out.
  double rest = 0;
  for (const double error : reconstruction_errors(m, x)) rest += error / 60;
  EXPECT_NEAR(rest, (1 - explained) * m.report().figure("total_variance").value(), 1e-12);
}

// sum_i w_i |x_i - mean|^2 / sum_i w_i, and its shares.
TEST(Pca, VariancesAreThoseOfWeightedPoints) {
  const Matrix x{{0, 1}, {2, 0}, {5, 3}, {1, 1}, {4, 7}};
  const Vector weights{2, 0.5, 3, 0, 1};
  double mass = 0, variance = 0;
  Vector mean(2);
  for (const double w : weights) mass += w;
  for (Index i = 0; i < 5; ++i) {
    for (Index c = 0; c < 2; ++c)
      mean[static_cast<std::size_t>(c)] += weights[static_cast<std::size_t>(i)] * x(i, c) / mass;
  }
  for (Index i = 0; i < 5; ++i) {
    for (Index c = 0; c < 2; ++c) {
      variance +=
          weights[static_cast<std::size_t>(i)] * std::pow(x(i, c) - mean[static_cast<std::size_t>(c)], 2) / mass;
    }
  }
  const Model m = KernelPca{}.fit(Training{.K = lazy(linear(), rows(x.view())), .weights = weights});
  EXPECT_NEAR(m.report().figure("total_variance").value(), variance, 1e-12);
  const Report::Table* const table = m.report().table("components");
  EXPECT_NEAR(table->rows(0, 1) + table->rows(1, 1), variance, 1e-12);
}

TEST(Pca, OutliersAreFarFromWhatItKnows) {
  Matrix ring(100, 2);
  for (Index i = 0; i < 100; ++i) {
    const double angle = 0.0628318530717958 * static_cast<double>(i);
    ring(i, 0) = std::cos(angle), ring(i, 1) = std::sin(angle);
  }
  const Model m = KernelPca{.components = 8}.fit(lazy(rbf(0.7), rows(ring.view())));
  const Matrix others{{0.6, 0.8}, {0, 0}, {2, 0}};
  const Vector errors = reconstruction_errors(m, rows(others.view()));
  EXPECT_LT(errors[0], 0.01);
  EXPECT_GT(errors[1], 0.1);
  EXPECT_GT(errors[2], 0.1);
}

TEST(Pca, SaysHowManyComponentsThereAre) {
  const Points x = rows(random_matrix(30, 3, 6)), many = rows(random_matrix(600, 3, 7));
  expect_error([&] { KernelPca{.components = 4}.fit(lazy(linear(), x)); }, "UsageError",
               {"pca: 4 components", "3 directions only", "at most 3"});
  expect_error([&] { KernelPca{.components = 5}.fit(lazy(linear(), many)); }, "UsageError", {"3 directions only"});
  expect_error([&] { KernelPca{.components = 40}.fit(lazy(rbf(1), x)); }, "UsageError", {"29 directions only"});
  EXPECT_EQ(KernelPca{.components = INFINITY}.fit(lazy(linear(), x)).parts().fitted.cols(), 3);
  EXPECT_EQ((KernelPca{.components = 5, .at_most = true}.fit(lazy(linear(), x)).parts().fitted.cols()), 3);
  EXPECT_EQ((KernelPca{.components = 5, .at_most = true}.fit(lazy(linear(), many)).parts().fitted.cols()), 3);
}

TEST(Pca, OfAMatrixThatIsNoKernelsHasFewerDirections) {
  const Gram K = precomputed(Matrix{{2, -1, 0}, {-1, -1, 2}, {0, 2, 1}});
  EXPECT_EQ(KernelPca{.components = 1}.fit(K).parts().fitted.cols(), 1);
  expect_error([&] { KernelPca{.components = 2, .at_most = true}.fit(K); }, "DataError",
               {"There are significant negative eigenvalues", "ask for at most 1"});
}

TEST(Pca, RefusesPointsThatDoNotDiffer) {
  expect_error([] { KernelPca{}.fit(lazy(constant(2), rows(random_matrix(30, 3, 6)))); }, "DataError",
               {"all points are the same to the kernel"});
  expect_error([] { KernelPca{}.fit(lazy(rbf(1), rows(Matrix(600, 2, 0.7)))); }, "DataError",
               {"all points are the same to the kernel"});
  expect_error([] { KernelPca{}.fit(lazy(rbf(1), rows(Matrix(1, 2, 0.7)))); }, "DataError", {"one point"});
}

TEST(Pca, RefusesNumbersThatMeanNothing) {
  const Gram K = lazy(rbf(1), rows(random_matrix(30, 3, 6)));
  for (const double components : {0.0, -1.0, 2.5, std::nan("")}) {
    expect_error([&] { KernelPca{.components = components}.fit(K); }, "UsageError", {"components is a whole number"});
  }
  expect_error([&] { KernelPca{.tolerance = 0}.fit(K); }, "UsageError", {"tolerance"});
  expect_error([&] { KernelPca{.components = INFINITY, .solver = KernelPca::Solver::krylov}.fit(K); }, "UsageError",
               {"take the solver dense"});
}

}  // namespace
}  // namespace mercer::pca_test
