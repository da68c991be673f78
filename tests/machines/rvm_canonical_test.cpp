// What relevance vector machines return is a property of the data: neither their order, nor points of weight 0, nor the
// last bits of K, which differ from CPU to CPU, may show.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/rvm.hpp"
#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::rvm_canonical_test {
namespace {

using test::expect_near;
using test::Sample;

// Four places, four times each, that a turn by half exchanges with their classes: every gain comes twice.
Sample four_places() {
  return test::sample("four places", 16, 2, 1, [](Random&, Index i, double* x) {
    x[0] = static_cast<double>(1 + i / 4);
    x[1] = i / 4 % 2 == 0 ? 3 : 1;
    return static_cast<double>(i / 4 % 2);
  });
}

// sin(x)/x at places that lie on both sides of 0 alike, with noise that does or does not.
Sample sinc(Index n, double noise) {
  return test::sample("sinc", n, 1, 3, [=](Random& random, Index i, double* x) {
    x[0] = -10 + 20 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return std::sin(x[0]) / x[0] + noise * random.normal();
  });
}

Sample grid() {
  return test::sample("grid", 64, 2, 1, [](Random&, Index i, double* x) {
    x[0] = static_cast<double>(i % 8) - 3.5;
    x[1] = static_cast<double>(i / 8) - 3.5;
    return x[0] * x[0] + x[1] * x[1] < 9 ? 1.0 : 0.0;
  });
}

struct Problem {
  std::string machine;
  Sample data;
  double ell;
};

std::vector<Problem> problems() {
  return {{"rvc", four_places(), 2},
          {"rvc", grid(), 2},
          {"rvc", test::moons(100, 0.2), 0.5},
          {"rvc", test::moons(100, 0.3), 3},
          {"rvc", test::duplicates(200), 1.5},
          {"rvc", test::blobs(90, 3, 0.8), 1.5},
          {"rvm", four_places(), 2},
          {"rvm", grid(), 2},
          {"rvm", sinc(80, 0), 2},
          {"rvm", sinc(60, 0), 3},
          {"rvm", sinc(100, 0.1), 2},
          {"rvm", sinc(100, 0.01), 5},
          {"rvm", test::moons(100, 0.2), 0.7}};
}

Training training_of(const Problem& p, const Gram& K) {
  Training out{.K = K};
  if (p.machine == "rvc") {
    out.labels = p.data.labels();
  } else {
    out.y = Matrix(MatrixView(p.data.target.data(), static_cast<Index>(p.data.target.size()), 1));
  }
  return out;
}

// Probabilities, or means and deviations.
Matrix answers(const std::string& machine, const Training& training, const Points& x) {
  const Model m = fit(machine, {}, training);
  if (machine == "rvc") return m.probabilities(x);
  const Matrix mean = m.scores(x), variance = m.variances(x);
  Matrix out(mean.rows(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = mean(i, 0);
    out(i, 1) = std::sqrt(variance(i, 0));
  }
  return out;
}

TEST(RvmCanonical, NeitherOrderNorPointsOfWeightZeroShow) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.machine + " of " + p.data.name);
    const Points x = p.data.points();
    const Index n = x.size();
    const Matrix expected = answers(p.machine, training_of(p, lazy(rbf(p.ell), x)), x);
    for (const unsigned seed : {1u, 2u, 3u}) {
      // All points in another order, and half of them once more with another target and no weight.
      std::vector<Index> order(at(n + n / 2));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937(seed));
      std::vector<Index> which;
      Problem other{p.machine, p.data, p.ell};
      other.data.target.clear();
      Vector weights;
      for (const Index i : order) {
        which.push_back(i % n);
        weights.push_back(i < n ? 1 : 0);
        other.data.target.push_back(p.data.target[at(i < n ? i : (i + n / 3) % n)]);
      }
      Training t = training_of(other, lazy(rbf(p.ell), x.select(which)));
      t.weights = weights;
      expect_near(answers(p.machine, t, x), expected, 1e-9);
    }
  }
}

TEST(RvmCanonical, TheLastBitsOfKDoNotShow) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.machine + " of " + p.data.name);
    const Points x = p.data.points();
    const Matrix K = gram(rbf(p.ell), x);
    const auto scores = [&](const Matrix& k) {
      return fit(p.machine, {}, training_of(p, precomputed(k))).expansion().from_rows(K);
    };
    const Matrix expected = scores(K);
    Random random(7);
    for (int trial = 0; trial < 3; ++trial) {
      Matrix other = K;
      for (Index i = 0; i < K.rows(); ++i) {
        for (Index j = 0; j <= i; ++j) other(i, j) = other(j, i) = K(i, j) * (1 + 1e-15 * random.uniform(-1, 1));
      }
      expect_near(scores(other), expected, 1e-6);
    }
  }
}

TEST(RvmCanonical, TheInstructionSetDoesNotShow) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.machine + " of " + p.data.name);
    Matrix expected;
    test::for_each_target([&] {
      const Matrix got = answers(p.machine, training_of(p, lazy(rbf(p.ell), p.data.points())), p.data.points());
      if (expected.rows() == 0) expected = got;
      expect_near(got, expected, 1e-6);
    });
  }
}

}  // namespace
}  // namespace mercer::rvm_canonical_test
