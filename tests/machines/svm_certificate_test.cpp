// Fits whose f is in double precision only where it decides: the gap, the objective and the bias that they report are
// those of the inputs as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"
#include "machines/svm/kernel_rows.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer::svm_certificate_test {
namespace {

using namespace test;
using detail::Rows;
using detail::RowStore;

constexpr Index kPoints = 2400;  // more than those for which f is computed everywhere

struct Set {
  std::string name;
  Matrix x;
  Labels labels;
  double ell, C;
};

// Two clouds of pictures that overlap, over 255 as float32.
Set pictures() {
  Set out{"rounded bytes", Matrix(kPoints, 60), {}, 2, 3};
  Random random(1);
  Vector y;
  for (Index i = 0; i < kPoints; ++i) {
    y.push_back(static_cast<double>(i % 2));
    for (Index k = 0; k < 60; ++k) {
      const double grey = 90 + 25 * y.back() * (k % 3 == 0 ? 1 : 0) + 60 * random.normal();
      const double byte = k % 5 == 4 ? 0 : std::clamp(std::floor(grey), 0.0, 255.0);
      out.x(i, k) = static_cast<double>(static_cast<float>(byte) / 255.0F);
    }
  }
  out.x(0, 0) = 1;  // all bytes are there
  out.x(1, 0) = static_cast<double>(1.0F / 255.0F);
  out.labels = Labels::from(VectorView(y));
  return out;
}

Set numbers() {
  Set out{"numbers and flags", Matrix(kPoints, 30), {}, 3, 10};
  Random random(2);
  Vector y;
  for (Index i = 0; i < kPoints; ++i) {
    y.push_back(static_cast<double>(i % 2));
    for (Index k = 0; k < 10; ++k) out.x(i, k) = random.normal() + (k < 3 ? 0.6 * y.back() : 0);
    out.x(i, 10 + random.below(20)) = 3;
  }
  out.labels = Labels::from(VectorView(y));
  return out;
}

double figure(const Model& model, const std::string& name) {
  for (const Report::Figure& f : model.report().figures) {
    if (f.name == name) return f.value;
  }
  ADD_FAILURE() << name;
  return 0;
}

// From all of f in double precision.
double gap_of(const Model& model, const Set& set, const Points& x) {
  const Expansion::Parts& parts = model.expansion().parts();
  const Matrix f = multiply(*parts.kernel, x, *parts.centres, parts.alpha);
  Vector b(at(kPoints));
  for (std::size_t c = 0; c < parts.support.size(); ++c)
    b[at(parts.support[c])] = parts.alpha(static_cast<Index>(c), 0);
  double up = -1e300, low = -1e300;
  for (Index i = 0; i < kPoints; ++i) {
    const double y = set.labels.of[at(i)] == 1 ? 1 : -1, slope = f(i, 0) - y;
    if (b[at(i)] < (y > 0 ? set.C : 0)) up = std::max(up, -slope);
    if (b[at(i)] > (y > 0 ? 0 : -set.C)) low = std::max(low, slope);
  }
  return up + low;
}

// What it says of the gap, the bias and the objectives against all of f in double precision.
void expect_certified(const Model& model, const Set& set, const Points& x) {
  const Expansion::Parts& parts = model.expansion().parts();
  const Matrix f = multiply(*parts.kernel, x, *parts.centres, parts.alpha);
  Vector b(at(kPoints));
  for (std::size_t c = 0; c < parts.support.size(); ++c)
    b[at(parts.support[c])] = parts.alpha(static_cast<Index>(c), 0);
  double free_sum = 0, free = 0, norm = 0, dual = 0, hinge = 0;
  for (Index i = 0; i < kPoints; ++i) {
    const double y = set.labels.of[at(i)] == 1 ? 1 : -1, slope = f(i, 0) - y;
    const double least = y > 0 ? 0 : -set.C, most = y > 0 ? set.C : 0;
    if (b[at(i)] > least && b[at(i)] < most) {
      free_sum += slope;
      ++free;
    }
    norm += b[at(i)] * f(i, 0);
    dual += std::abs(b[at(i)]);
    hinge += set.C * std::max(0.0, 1 - y * (f(i, 0) + parts.bias[0]));
  }
  const double gap = gap_of(model, set, x);
  EXPECT_EQ(model.report().converged, gap <= 1e-3);
  EXPECT_NEAR(figure(model, "gap"), gap, 1e-10);
  if (free > 0) {
    EXPECT_NEAR(parts.bias[0], -free_sum / free, 1e-10);
  }
  EXPECT_NEAR(figure(model, "objective_dual"), dual - norm / 2, 1e-9 * dual);
  EXPECT_NEAR(figure(model, "objective_primal"), norm / 2 + hinge, 1e-9 * dual);
}

TEST(SvmCertificate, IsThatOfTheInputsAsTheyAre) {
  for (const Set& set : {pictures(), numbers()}) {
    SCOPED_TRACE(set.name);
    const Points x = rows(set.x.view());
    const Model model = Svc{.C = set.C}.fit(lazy(rbf(set.ell), x), set.labels);
    expect_certified(model, set, x);
    EXPECT_TRUE(model.report().converged);
    EXPECT_LT(model.expansion().size(), kPoints);  // f is not asked for everywhere
  }
}

// Then points without an alpha are the ends of the gap.
TEST(SvmCertificate, AlsoWhereALimitEndsIt) {
  for (const Set& set : {pictures(), numbers()}) {
    for (const Index limit : {60, 300, 1500}) {
      SCOPED_TRACE(set.name + ", " + std::to_string(limit));
      const Points x = rows(set.x.view());
      const Model model = Svc{.C = set.C, .max_iterations = limit}.fit(lazy(rbf(set.ell), x), set.labels);
      expect_certified(model, set, x);
      EXPECT_FALSE(model.report().converged);
    }
  }
}

// Then the gap is the most that it can be, and near what it is.
TEST(SvmCertificate, AlsoWhereTheTimeIsOver) {
  for (const Set& set : {pictures(), numbers()}) {
    for (const double seconds : {1e-9, 0.002, 0.01}) {
      SCOPED_TRACE(set.name + ", " + std::to_string(seconds));
      const Points x = rows(set.x.view());
      const Model model = Svc{.C = set.C, .max_seconds = seconds}.fit(lazy(rbf(set.ell), x), set.labels);
      if (model.report().converged) continue;
      const double gap = gap_of(model, set, x);
      EXPECT_GE(figure(model, "gap"), gap - 1e-9);
      EXPECT_LE(figure(model, "gap"), 1.1 * gap + 1e-9);
    }
  }
}

// Rounded to float32 or given as such, in one thread or two: the same bits.
TEST(SvmCertificate, DependsOnNumbersAlone) {
  for (Set set : {pictures(), numbers()}) {
    SCOPED_TRACE(set.name);
    const std::vector<float> single = to_float(set.x);
    std::copy(single.begin(), single.end(), set.x.data());
    const Points floats = rows(FloatMatrixView(single.data(), set.x.rows(), set.x.cols()));
    const Model one = Svc{.C = set.C}.fit(lazy(rbf(set.ell), rows(set.x.view())), set.labels);
    const Model other =
        Svc{.C = set.C}.fit({.K = lazy(rbf(set.ell), floats), .labels = set.labels, .how = {.threads = 1}});
    expect_certified(other, set, floats);
    EXPECT_EQ(one.expansion().parts().bias, other.expansion().parts().bias);
    ASSERT_EQ(one.expansion().parts().support, other.expansion().parts().support);
    for (Index c = 0; c < one.expansion().size(); ++c) {
      ASSERT_EQ(one.expansion().parts().alpha(c, 0), other.expansion().parts().alpha(c, 0)) << c;
    }
  }
}

TEST(SvmCertificate, RowsKnowHowFarTheyAreOff) {
  for (const Set& set : {pictures(), numbers()}) {
    SCOPED_TRACE(set.name);
    const Points x = rows(set.x.view()).slice({0, 700});
    const Kernel k = rbf(set.ell);
    const auto store = std::make_shared<RowStore>(lazy(k, x), std::span(set.labels.of).first(700), 0, Execution{});
    const Rows all(store, {1, 0});
    ASSERT_TRUE(all.knows_error());
    std::vector<Index> which, where;
    for (Index i = 0; i < 700; i += 3) which.push_back((i * 11) % 700);
    for (Index i = 0; i < 700; i += 5) where.push_back(i);
    const Vector weights = random_vector(static_cast<Index>(which.size()), 3, -5, 5);
    Vector exact(700, 0.25), close = exact, error(700, 1e-12);
    all.add_exact(which, weights, exact, 1);
    all.add_closely(which, weights, close, error, 2);
    const Vector some = all.exact_at(where, which, weights, 2);
    double total = 0;
    for (const double w : weights) total += std::abs(w);
    for (std::size_t i = 0; i < 700; ++i) {
      ASSERT_LE(std::abs(close[i] - exact[i]), error[i]) << i;
      ASSERT_LE(error[i], 1e-4 * total) << i;
    }
    for (std::size_t p = 0; p < where.size(); ++p) ASSERT_NEAR(some[p] + 0.25, exact[at(where[p])], 1e-11) << p;
  }
}

}  // namespace
}  // namespace mercer::svm_certificate_test
