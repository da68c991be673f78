// Matrices in single precision against double precision of the same points.
#include "mercer/single.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::single_test {
namespace {

struct Data {
  Data(Index n, Index d, unsigned seed, double low = -2, double high = 2) {
    for (const double v : test::random_vector(n * d, seed, low, high)) numbers.push_back(static_cast<float>(v));
    wide = Matrix(n, d);
    std::copy(numbers.begin(), numbers.end(), wide.data());
    single = std::make_unique<Points>(rows(FloatMatrixView(numbers.data(), n, d)));
  }
  std::vector<float> numbers;
  Matrix wide;
  std::unique_ptr<Points> single;
};

struct Result {
  std::vector<float> values;
  Precision used;
};
Result single_gram(const Kernel& k, const Points& x, const Execution& how = {}) {
  Result out{std::vector<float>(static_cast<std::size_t>(x.size() * x.size())), Precision::float64};
  out.used = gram(k, x, FloatMatrixRef(out.values.data(), x.size(), x.size()), how);
  return out;
}
Result single_cross(const Kernel& k, const Points& x, const Points& y) {
  Result out{std::vector<float>(static_cast<std::size_t>(x.size() * y.size())), Precision::float64};
  out.used = cross(k, x, y, FloatMatrixRef(out.values.data(), x.size(), y.size()));
  return out;
}
double largest_difference(const Matrix& exact, const std::vector<float>& values) {
  double worst = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    worst = std::max(worst, std::abs(exact.data()[p] - static_cast<double>(values[p])));
  }
  return worst;
}

TEST(Single, GramIsThatOfDoublesToRounding) {
  for (const Index n : {1, 7, 48, 145, 300}) {
    for (const Index d : {1, 5, 16, 17, 40, 300}) {
      const Data x(n, d, static_cast<unsigned>(n + d));
      const double root = std::sqrt(static_cast<double>(d));
      for (const Kernel& k : {rbf(root), 3.0 * rbf(2 * root), linear(), poly(2, 0.5)}) {
        const Result got = single_gram(k, *x.single);
        const Matrix exact = gram(k, rows(x.wide.view()));
        const double scale = exact(0, 0) + 1;  // of linear and poly about |x|^2 and its square
        EXPECT_EQ(got.used, Precision::float32) << k.str() << " n " << n << " d " << d;
        EXPECT_LE(largest_difference(exact, got.values), 1e-6 * 4 * scale) << k.str() << " n " << n << " d " << d;
        for (Index i = 0; i < n; ++i) {
          EXPECT_EQ(got.values[static_cast<std::size_t>(i * n + i)], static_cast<float>(exact(i, i)));
          for (Index j = 0; j < i; ++j) {
            EXPECT_EQ(got.values[static_cast<std::size_t>(i * n + j)], got.values[static_cast<std::size_t>(j * n + i)]);
          }
        }
      }
    }
  }
}

TEST(Single, CrossReadsBothSides) {
  for (const Index d : {3, 20}) {
    const Data x(150, d, 1), y(61, d, 2);
    const Kernel k = parse("0.5*rbf(ell=3)");
    const Result got = single_cross(k, *x.single, *y.single);
    EXPECT_EQ(got.used, Precision::float32);
    EXPECT_LE(largest_difference(cross(k, rows(x.wide.view()), rows(y.wide.view())), got.values), 1e-6);
  }
}

TEST(Single, ColumnsAndLengthScales) {
  const Data x(90, 6, 3);
  for (const char* text : {"on(2:4, rbf(ell=2))", "rbf(ell=[2,3,4,2,3,4])", "2*on(1:2, poly(degree=2, c=1))"}) {
    const Result got = single_gram(parse(text), *x.single);
    EXPECT_EQ(got.used, Precision::float32) << text;
    EXPECT_LE(largest_difference(gram(parse(text), rows(x.wide.view())), got.values), 2e-5) << text;
  }
}

// Where single precision would lose what matters, double precision takes its place, and it is said.
TEST(Single, WhatWouldCancelIsComputedInDoublePrecision) {
  Data far(60, 20, 4);
  for (float& v : far.numbers) v += 1000;  // centring takes this away again
  std::copy(far.numbers.begin(), far.numbers.end(), far.wide.data());
  const Result centred = single_gram(rbf(4), *far.single);
  EXPECT_EQ(centred.used, Precision::float32);
  EXPECT_LE(largest_difference(gram(rbf(4), rows(far.wide.view())), centred.values), 1e-5);

  const Result narrow = single_gram(rbf(0.1), *far.single);  // distances of many ell
  EXPECT_EQ(narrow.used, Precision::float64);
  EXPECT_LE(largest_difference(gram(rbf(0.1), rows(far.wide.view())), narrow.values), 6e-8);

  const Result matern_values = single_gram(matern(1.5, 3), *far.single);
  EXPECT_EQ(matern_values.used, Precision::float64);
  EXPECT_LE(largest_difference(gram(matern(1.5, 3), rows(far.wide.view())), matern_values.values), 6e-8);
  EXPECT_EQ(precision_of(matern(1.5, 3), *far.single, *far.single), Precision::float64);
  EXPECT_EQ(precision_of(rbf(4), *far.single, rows(far.wide.view())), Precision::float64);
}

TEST(Single, ThreadsChangeNoBit) {
  const Data x(500, 20, 5);
  EXPECT_EQ(single_gram(rbf(4), *x.single, {.threads = 1}).values,
            single_gram(rbf(4), *x.single, {.threads = 2}).values);
}

TEST(Single, RefusesWhatDoublePrecisionRefuses) {
  const Data x(10, 3, 6), y(10, 4, 7), large(4, 3, 8, 1e14, 2e14);
  test::expect_error([&] { single_cross(rbf(1), *x.single, *y.single); }, "ShapeError", {"3 columns", "4"});
  test::expect_error([&] { single_gram(poly(8, 0), *large.single); }, "NumericError", {"single precision"});
  std::vector<float> room(9);
  test::expect_error([&] { gram(rbf(1), *x.single, FloatMatrixRef(room.data(), 3, 3)); }, "ShapeError", {"10 x 10"});
}

}  // namespace
}  // namespace mercer::single_test
