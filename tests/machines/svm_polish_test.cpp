// Small problems end at the optimum itself: what means the same gives the same answer, at the usual tolerance.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_polish_test {
namespace {

using namespace test;

constexpr double kEqual = 1e-9;

using Fit = std::function<Matrix(const Sample& s, const Kernel& k, const Vector& weights, const Points& at)>;

Training training(const Sample& s, const Kernel& k, const Vector& weights) {
  return {.K = lazy(k, s.points()),
          .y = Matrix(MatrixView(s.target.data(), s.size(), 1)),
          .labels = s.labels(),
          .weights = weights};
}

template <class Machine>
Fit scores_of(const Machine& machine) {
  return [=](const Sample& s, const Kernel& k, const Vector& weights, const Points& x) {
    const Model m = machine.fit(training(s, k, weights));
    EXPECT_LT(figure(m, "gap"), 1e-11);
    return m.scores(x);
  };
}

const std::vector<Fit> kMachines = {scores_of(Svc{.C = 10}),
                                    scores_of(Svc{.C = 10, .bias = false}),
                                    scores_of(NuSvc{.nu = 0.6}),
                                    scores_of(Svr{.C = 3, .epsilon = 0.05}),
                                    scores_of(NuSvr{.C = 3, .nu = 0.4}),
                                    scores_of(OneClass{.nu = 0.3})};

Sample picked(const Sample& s, const std::vector<Index>& which) {
  Sample out{s.name, Matrix(static_cast<Index>(which.size()), s.x.cols()), {}};
  for (std::size_t i = 0; i < which.size(); ++i) {
    std::copy_n(s.x.row(which[i]), s.x.cols(), out.x.row(static_cast<Index>(i)));
    out.target.push_back(s.target[at(which[i])]);
  }
  return out;
}

TEST(Polish, OrderAndRepeatedPointsChangeNothing) {
  // The linear kernel has many free variables and few directions: the optimal alphas are not unique, f is.
  for (const Kernel& k : {rbf(0.7), linear()}) {
    for (const Sample& s : {moons(90, 0.3), blobs(120, 3, 1.0)}) {
      std::vector<Index> backwards(at(s.size())), repeated;
      std::iota(backwards.rbegin(), backwards.rend(), Index{0});
      Vector weights;
      for (Index i = 0; i < s.size(); ++i) {
        weights.push_back(static_cast<double>(i % 4));
        repeated.insert(repeated.end(), at(i % 4), i);
      }
      for (std::size_t machine = 0; machine < kMachines.size(); ++machine) {
        SCOPED_TRACE(k.str() + ", " + s.name + ", machine " + std::to_string(machine));
        const Fit& fit = kMachines[machine];
        const Matrix here = fit(s, k, {}, s.points());
        expect_near(fit(picked(s, backwards), k, {}, s.points()), here, kEqual);
        expect_near(fit(picked(s, repeated), k, {}, s.points()), fit(s, k, weights, s.points()), kEqual);
      }
    }
  }
}

TEST(Polish, OneClassFlagsNoMoreThanNu) {
  for (const double nu : {0.1, 0.2, 0.35, 0.5}) {
    for (const Kernel& k : {rbf(0.7), rbf(5.0)}) {
      const Sample s = moons(50, 0.3);
      const Matrix f = OneClass{.nu = nu}.fit(lazy(k, s.points())).scores(s.points());
      Index strange = 0;
      for (Index i = 0; i < f.rows(); ++i) strange += f(i, 0) < 0;
      EXPECT_LE(static_cast<double>(strange), nu * 50 + 1e-9) << nu << ' ' << k.str();
    }
  }
}

}  // namespace
}  // namespace mercer::svm_polish_test
