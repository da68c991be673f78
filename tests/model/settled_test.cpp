// Classes from scores in single precision: the bound of their error, and that no class differs from double precision.
#include "model/settled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "model/packed_products.hpp"
#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::settled_test {
namespace {

using namespace test;

// Numbers, then columns of which one is set, then one of another few: as categories are written.
Matrix with_flags(Index n, Index numbers, Index flags, unsigned seed) {
  Matrix out(n, numbers + flags);
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < numbers; ++k) out(i, k) = random.normal();
    if (flags > 0) out(i, numbers + random.below(static_cast<std::uint64_t>(flags))) = 2.5;
  }
  return out;
}

// Bytes over a number, as float32.
Matrix bytes_over(float whole, Index n, Index d, unsigned seed) {
  Matrix out = random_matrix(n, d, seed, 0, 254);
  for (Index i = 0; i < n * d; ++i) {
    out.data()[i] = static_cast<double>(static_cast<float>(std::floor(out.data()[i])) / whole);
  }
  return out;
}

struct Case {
  std::string name;
  Kernel kernel;
  Matrix x, centres;
  bool useful = true;  // the bound is a small part of sum |alpha| K
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Index d : {1, 16, 17, 54, 128, 129, 300}) {
    const double reach = 2 * std::sqrt(static_cast<double>(d));
    out.push_back(
        {"normal, d = " + std::to_string(d), 3 * rbf(reach), with_flags(700, d, 0, 1), with_flags(130, d, 0, 2)});
  }
  out.push_back({"flags", rbf(3), with_flags(1023, 6, 40, 3), with_flags(257, 6, 40, 4)});
  out.push_back(
      {"far from 0", rbf(3), random_matrix(300, 20, 5, 1e5, 1e5 + 3), random_matrix(90, 20, 6, 1e5, 1e5 + 3)});
  out.push_back({"large", rbf(1e9), random_matrix(300, 20, 7, -1e9, 1e9), random_matrix(90, 20, 8, -1e9, 1e9)});
  out.push_back({"small", rbf(1e-9), random_matrix(300, 20, 9, -1e-9, 1e-9), random_matrix(90, 20, 10, -1e-9, 1e-9)});
  out.push_back({"one length each", rbf(Vector(20, 2.0)), random_matrix(300, 20, 11), random_matrix(90, 20, 12)});
  out.push_back({"short reach", rbf(0.05), random_matrix(300, 20, 13), random_matrix(90, 20, 14), false});
  out.push_back({"on some columns", 2 * on("3:19", rbf(2)), random_matrix(300, 20, 15), random_matrix(90, 20, 16)});
  out.push_back({"rounded bytes", rbf(5), bytes_over(255, 400, 300, 17), bytes_over(255, 100, 300, 18)});
  // The largest is rounded, and so is the unit that it says.
  out.push_back({"rounded sevenths", rbf(200), bytes_over(7, 400, 300, 25), bytes_over(7, 100, 300, 26)});
  Matrix whole = random_matrix(300, 30, 19, -100, 100), others = random_matrix(100, 30, 20, -100, 100);
  for (Matrix* m : {&whole, &others}) {
    for (Index i = 0; i < m->rows() * m->cols(); ++i) m->data()[i] = std::round(m->data()[i]);
  }
  out.push_back({"whole numbers of both signs", rbf(300), std::move(whole), std::move(others)});
  Matrix outliers = with_flags(500, 20, 0, 21), far = with_flags(100, 20, 0, 22);
  for (Index i = 0; i < 500; i += 50) outliers(i, i % 20) = std::pow(10.0, static_cast<double>(i) / 50);
  far(7, 3) = 200;
  out.push_back({"outliers", rbf(4), std::move(outliers), std::move(far), false});
  Matrix tiny = with_flags(300, 20, 0, 23);
  for (Index i = 0; i < 300; ++i) tiny(i, 5) = static_cast<double>(i) * 1e-42;  // below the normal range of floats
  out.push_back({"numbers below the range of floats", rbf(4), std::move(tiny), with_flags(100, 20, 0, 24)});
  return out;
}

TEST(Settled, TheBoundHoldsOnEveryInstructionSet) {
  for (const Case& c : cases()) {
    const Points x = rows(c.x.view()), centres = rows(c.centres.view());
    const Matrix alpha = random_matrix(c.centres.rows(), 3, 30, -10, 10);
    Matrix sizes = Matrix(alpha.view());
    for (Index i = 0; i < sizes.rows() * sizes.cols(); ++i) sizes.data()[i] = std::abs(sizes.data()[i]);
    const Matrix exact = multiply(c.kernel, x, centres, alpha), most = multiply(c.kernel, x, centres, sizes);
    for_each_target([&] {
      SCOPED_TRACE(c.name);
      const auto close = detail::multiply_closely(c.kernel, x, centres, alpha, {});
      ASSERT_TRUE(close.has_value());
      for (Index i = 0; i < c.x.rows(); ++i) {
        double sum = 0;
        for (Index o = 0; o < 3; ++o) {
          ASSERT_LE(std::abs(close->values(i, o) - exact(i, o)), close->error[at(i)]) << i << ' ' << o;
          sum += most(i, o);
        }
        if (c.useful) {
          ASSERT_LE(close->error[at(i)], 1e-4 * sum + 1e-30) << i;
        }
      }
    });
  }
}

// Numbers just beyond the middle of two floats are all rounded up, and so is every difference of two opposite points.
TEST(Settled, TheBoundHoldsWhereRoundingsAddUp) {
  const Index n = 70, d = 64;
  Matrix x(2 * n, d), centres(2 * n, d);
  for (Index i = 0; i < n; ++i) {
    const double v = 1 + static_cast<double>(2 * i + 1) * 0x1p-24 + 0x1p-40;
    for (Index k = 0; k < d; ++k) {
      x(i, k) = centres(i, k) = v;
      x(n + i, k) = centres(n + i, k) = -v;
    }
  }
  const Kernel k = rbf(8);
  Matrix alpha(2 * n, 1);
  for (Index i = 0; i < n; ++i) alpha(i, 0) = 1;
  const Points points = rows(x.view()), others = rows(centres.view());
  const Matrix exact = multiply(k, points, others, alpha);
  const auto close = detail::multiply_closely(k, points, others, alpha, {});
  for (Index i = 0; i < 2 * n; ++i) {
    const double off = std::abs(close->values(i, 0) - exact(i, 0));
    ASSERT_LE(off, close->error[at(i)]) << i;
    if (i >= n) {
      ASSERT_GE(off, close->error[at(i)] / 100) << i;
    }
  }
}

TEST(Settled, DoesNotDependOnThreads) {
  const Case c = cases()[7];
  const Points x = rows(c.x.view()), centres = rows(c.centres.view());
  const Matrix alpha = random_matrix(c.centres.rows(), 2, 31);
  const auto one = detail::multiply_closely(c.kernel, x, centres, alpha, {.threads = 1});
  const auto two = detail::multiply_closely(c.kernel, x, centres, alpha, {.threads = 2});
  EXPECT_EQ(one->error, two->error);
  for (Index i = 0; i < one->values.rows() * 2; ++i) ASSERT_EQ(one->values.data()[i], two->values.data()[i]);
}

Model model_of(const Kernel& k, const Matrix& centres, Matrix alpha, Reading reading, Vector bias, Index classes) {
  Model::Parts parts{
      .machine = "svc",
      .f = Expansion(
          {.kernel = k, .centres = rows(Matrix(centres.view())), .alpha = std::move(alpha), .bias = std::move(bias)}),
      .reading = reading};
  for (Index c = 0; c < classes; ++c) parts.classes.push_back(std::to_string(c));
  parts.inputs = Schema{{"reals", centres.cols()}, {}, false};
  return Model(std::move(parts));
}

void expect_same_answers(const Model& model, const Points& x) {
  const Matrix answers = model.predict_targets(x), wanted = model.targets_of(model.scores(x));
  ASSERT_TRUE(detail::settled_answers(model.parts(), x, {}).has_value());
  for (Index i = 0; i < x.size(); ++i) ASSERT_EQ(answers(i, 0), wanted(i, 0)) << i;
}

TEST(Settled, ClassesAreThoseOfDoublePrecision) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    for (const auto& [reading, outputs, classes] : std::vector<std::tuple<Reading, Index, Index>>{
             {Reading::binary, 1, 2}, {Reading::votes, 6, 4}, {Reading::largest, 4, 4}, {Reading::novelty, 1, 0}}) {
      const Matrix alpha = random_matrix(c.centres.rows(), outputs, 40, -1, 1);
      const Model model =
          model_of(c.kernel, c.centres, Matrix(alpha.view()), reading, Vector(at(outputs), 0.01), classes);
      expect_same_answers(model, rows(c.x.view()));
      const std::vector<float> single = to_float(c.x);
      expect_same_answers(model, rows(FloatMatrixView(single.data(), c.x.rows(), c.x.cols())));
    }
  }
}

// Centres in pairs, mirrored in the plane x_1 = 0, with opposite alphas: f is 0 there but for rounding, and its sign
// beside it is that of x_1.
TEST(Settled, PointsOnTheBorderAndBesideIt) {
  const Index half = 80, d = 20;
  Matrix centres = random_matrix(2 * half, d, 50);
  Matrix alpha(2 * half, 1);
  for (Index i = 0; i < half; ++i) {
    std::copy_n(centres.row(i), d, centres.row(half + i));
    centres(i, 0) = std::abs(centres(i, 0)) + 0.1;
    centres(half + i, 0) = -centres(i, 0);
    alpha(i, 0) = 1 + static_cast<double>(i % 3);
    alpha(half + i, 0) = -alpha(i, 0);
  }
  Matrix x = random_matrix(400, d, 51);
  for (Index i = 0; i < 400; ++i) x(i, 0) = i < 100 ? 0 : (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -(i % 18));
  for_each_target([&] {
    const Model model = model_of(rbf(3), centres, Matrix(alpha.view()), Reading::binary, {0.0}, 2);
    expect_same_answers(model, rows(x.view()));
    const std::vector<Index> classes = model.predict_classes(rows(x.view()));
    for (Index i = 100; i < 400; ++i) {
      if (i % 18 <= 12) {
        ASSERT_EQ(classes[at(i)], x(i, 0) > 0 ? 1 : 0) << i;
      }
    }
  });
}

// Against all ways in which scores may be off by the error.
TEST(Settled, VotesAndTheLargestAgainstEveryCorner) {
  Random random(60);
  const Matrix centres = random_matrix(3, 2, 61);
  for (const auto& [reading, outputs, classes] : std::vector<std::tuple<Reading, Index, Index>>{
           {Reading::binary, 1, 2}, {Reading::votes, 6, 4}, {Reading::largest, 4, 4}, {Reading::novelty, 1, 0}}) {
    const Model model = model_of(rbf(1), centres, Matrix(3, outputs), reading, Vector(at(outputs), 0.0), classes);
    Index settled = 0, open = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      Matrix f(1, outputs);
      // On a grid, so that scores are often equal, and 0, and exactly the error apart.
      for (Index o = 0; o < outputs; ++o) f(0, o) = static_cast<double>(random.below(9)) / 4 - 1;
      const double error = static_cast<double>(trial % 3) / 4;
      const double wanted = model.targets_of(f)(0, 0);
      bool same = true;
      for (int corner = 0; corner < 1 << outputs; ++corner) {
        Matrix g(f.view());
        for (Index o = 0; o < outputs; ++o) g(0, o) += (corner >> o & 1) != 0 ? error : -error;
        same = same && model.targets_of(g)(0, 0) == wanted;
      }
      const bool says = model.parts().reading->settled(model.parts(), f.row(0), error);
      ASSERT_TRUE(!says || same) << trial;
      if (outputs == 1) {
        ASSERT_EQ(says, same) << trial;
      }
      ++(says ? settled : open);
      ASSERT_TRUE(model.parts().reading->settled(model.parts(), f.row(0), 0));
      ASSERT_FALSE(model.parts().reading->settled(model.parts(), f.row(0), std::numeric_limits<double>::infinity()));
    }
    EXPECT_GT(settled, 200);
    EXPECT_GT(open, 50);
  }
}

TEST(Settled, WhatIsNotFiniteIsRefusedAsBefore) {
  Matrix x = random_matrix(200, 20, 70);
  x(120, 4) = std::nan("");
  const Matrix centres = random_matrix(80, 20, 71);
  const Model model = model_of(rbf(3), centres, random_matrix(80, 1, 72), Reading::binary, {0.0}, 2);
  const std::string by_scores = error_of([&] { model.scores(rows(x.view())); });
  EXPECT_FALSE(by_scores.empty());
  EXPECT_EQ(error_of([&] { model.predict_classes(rows(x.view())); }), by_scores);
}

TEST(Settled, CalibratedClassesAndOtherKernelsAreLeftToDoublePrecision) {
  const Matrix centres = random_matrix(80, 3, 80), x = random_matrix(100, 3, 81);
  const Model matern_model = model_of(matern(1.5, 1), centres, random_matrix(80, 1, 82), Reading::binary, {0.0}, 2);
  EXPECT_FALSE(detail::settled_answers(matern_model.parts(), rows(x.view()), {}).has_value());
  const Model plain = model_of(rbf(1), centres, random_matrix(80, 1, 82), Reading::binary, {0.0}, 2);
  EXPECT_TRUE(detail::settled_answers(plain.parts(), rows(x.view()), {}).has_value());
  const Model calibrated = plain.with([](Model::Parts& parts) {
    parts.calibration = {Calibration::Kind::sigmoids, {Sigmoid{-1, 3}}};
  });
  EXPECT_FALSE(detail::settled_answers(calibrated.parts(), rows(x.view()), {}).has_value());
}

}  // namespace
}  // namespace mercer::settled_test
