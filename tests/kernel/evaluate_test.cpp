// Calls of evaluate.hpp: shapes, exactness on the diagonal, edge sizes, monitors, errors.
#include "mercer/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::evaluate_test {
namespace {

using test::expect_error;
using test::random_matrix;

const std::vector<std::string>& real_kernels() {
  static const std::vector<std::string> all{
      "linear()",
      "const(c=2)",
      "poly(degree=3, c=1)",
      "rbf(ell=0.7)",
      "laplace(ell=0.7)",
      "exponential(ell=0.7)",
      "matern(nu=0.5, ell=0.7)",
      "matern(nu=1.5, ell=0.7)",
      "matern(nu=2.5, ell=0.7)",
      "rq(ell=0.7, alpha=0.8)",
      "periodic(period=1.5, ell=0.9)",
      "min()",
      "multilinear()",
      "cosine()",
      "arccos(order=0)",
      "arccos(order=1)",
      "ntk(depth=3)",
      "2*rbf(ell=1) + matern(nu=1.5, ell=1)*linear() + periodic(period=1, ell=1)*rbf(ell=3)",
      "normalize((1 + linear())^3)",
      "exp(0.1*linear())",
      "polynomial([1, 0, 2], cosine())",
      "scaled(norm, rbf(ell=1))",
      "warp(sqrt, rbf(ell=1))",
      "on(1, rbf(ell=1))*on(2, linear())",
  };
  return all;
}

TEST(Evaluate, GramIsSymmetricToTheLastBit) {
  for (const Index d : {2, 30}) {
    const Points x = rows(random_matrix(41, d, 1, 0, 2));
    for (const std::string& text : real_kernels()) {
      const Matrix k = gram(parse(text), x, {.tile = 16});
      for (Index i = 0; i < 41; ++i) {
        for (Index j = 0; j < i; ++j) ASSERT_EQ(k(i, j), k(j, i)) << text << " at " << i << ", " << j;
      }
    }
  }
}

TEST(Evaluate, DiagonalOfGramIsDiagonalToTheLastBit) {
  for (const Index d : {2, 30}) {
    const Points x = rows(random_matrix(41, d, 2, 0, 2));
    for (const std::string& text : real_kernels()) {
      const Kernel k = parse(text);
      const Matrix g = gram(k, x, {.tile = 16});
      const Vector own = diagonal(k, x);
      for (Index i = 0; i < 41; ++i) ASSERT_EQ(g(i, i), own[static_cast<std::size_t>(i)]) << text << " at " << i;
    }
  }
}

TEST(Evaluate, DuplicatesHaveTheValueOfTheDiagonal) {
  const std::vector<std::string> radial{"rbf(ell=0.7)",
                                        "laplace(ell=0.7)",
                                        "exponential(ell=0.7)",
                                        "matern(nu=2.5, ell=1)",
                                        "rq(ell=0.7, alpha=0.8)",
                                        "periodic(period=1, ell=1)",
                                        "rbf(ell=1)*rq(ell=1) + 3*matern(nu=1.5, ell=0.1)"};
  for (const double offset : {0.0, 1e6}) {
    for (const Index d : {2, 30}) {
      Matrix m = random_matrix(9, d, 3, offset, offset + 2);
      std::copy_n(m.row(2), d, m.row(7));
      const Points x = rows(m);
      for (const std::string& text : radial) {
        const Kernel k = parse(text);
        EXPECT_EQ(gram(k, x)(7, 2), diagonal(k, x)[2]) << text << ", d = " << d << ", offset " << offset;
        EXPECT_EQ(cross(k, x, rows(m))(7, 2), diagonal(k, x)[2]) << text << ", d = " << d << ", offset " << offset;
      }
    }
  }
}

TEST(Evaluate, CrossOfASetWithItselfIsItsGram) {
  for (const Index d : {2, 30}) {
    const Matrix m = random_matrix(23, d, 4, 0, 2);
    for (const std::string& text : real_kernels()) {
      SCOPED_TRACE(text);
      test::expect_near(cross(parse(text), rows(m), rows(m), {.tile = 7}), gram(parse(text), rows(m)), 1e-12);
    }
  }
}

TEST(Evaluate, MultiplyIsCrossTimesV) {
  const Points x = rows(random_matrix(23, 3, 5, 0, 2)), y = rows(random_matrix(31, 3, 6, 0, 2));
  const Matrix v = random_matrix(31, 4, 7);
  for (const std::string& text : real_kernels()) {
    SCOPED_TRACE(text);
    test::expect_near(multiply(parse(text), x, y, v, {.tile = 8}), test::product(cross(parse(text), x, y), v), 1e-12);
  }
}

TEST(Evaluate, NoPointsGiveNoNumbers) {
  const Points none = rows(Matrix(0, 3)), some = rows(random_matrix(4, 3, 8, 0, 2));
  std::vector<std::string> texts = real_kernels();
  texts.emplace_back("rbf(ell=[1, 2, 3])");
  texts.emplace_back("quadratic(A=[[2, 0, 0], [0, 1, 0], [0, 0, 1]])");
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    EXPECT_EQ(gram(k, none).rows(), 0);
    EXPECT_EQ(gram(k, none).cols(), 0);
    EXPECT_TRUE(diagonal(k, none).empty());
    EXPECT_EQ(cross(k, none, some).cols(), 4);
    EXPECT_EQ(cross(k, some, none).rows(), 4);
    EXPECT_EQ(multiply(k, some, none, Matrix(0, 2)), Matrix(4, 2));
    EXPECT_EQ(gradient(k, none, Matrix(0, 0)), Vector(static_cast<std::size_t>(k.params().size()), 0.0));
    EXPECT_EQ(input_gradient(k, some, none, Matrix(4, 0)), Matrix(4, 3));
  }
}

TEST(Evaluate, NoSparseRowsGiveNoNumbers) {
  const Points none = rows(SparseMatrix{0, 3, {0}, {}, {}});
  for (const std::string& text : real_kernels()) EXPECT_EQ(gram(parse(text), none).rows(), 0) << text;
}

TEST(Evaluate, FeatureMapsTakeNoPoints) {
  const FeatureMap phi{"twice", [](VectorView x) { return Vector{2 * x[0], x[0]}; }, nullptr};
  const Points none = rows(Matrix(0, 1)), some = rows(Matrix{{1.0}, {2.0}});
  EXPECT_EQ(gram(features(phi), none).rows(), 0);
  EXPECT_EQ(cross(features(phi), some, none).rows(), 2);
  EXPECT_EQ(cross(warp(phi, rbf(1.0)), none, some).cols(), 2);
}

TEST(Evaluate, OnePoint) {
  const Points x = rows(Matrix{{0.5, 1.5}});
  for (const std::string& text : real_kernels()) {
    const Kernel k = parse(text);
    const Matrix g = gram(k, x);
    ASSERT_EQ(g.rows(), 1) << text;
    EXPECT_EQ(g(0, 0), diagonal(k, x)[0]) << text;
  }
  EXPECT_EQ(gram(rbf(1.0), x)(0, 0), 1);
}

TEST(Evaluate, HugeDistancesGiveZero) {
  for (const Index d : {1, 30}) {
    Matrix m(2, d);
    m(1, 0) = 1e150;
    for (const char* text : {"rbf(ell=1)", "laplace(ell=1)", "exponential(ell=1)", "matern(nu=0.5, ell=1)",
                             "matern(nu=1.5, ell=1)", "matern(nu=2.5, ell=1)"}) {
      EXPECT_EQ(gram(parse(text), rows(m))(1, 0), 0) << text << ", d = " << d;
    }
    EXPECT_NEAR(gram(rq(1, 0.5), rows(m))(1, 0), 1e-150, 1e-162);
  }
}

TEST(Evaluate, ExponentialsUpToTheLargestDouble) {
  const Matrix k = gram(exp(linear()), rows(Matrix{{1.0}, {26.6}}));
  EXPECT_NEAR(k(0, 0), std::exp(1.0), 1e-15);
  EXPECT_NEAR(k(1, 1) / std::exp(26.6 * 26.6), 1, 1e-12);
  for (const double large : {26.7, 30.0, 50.0, 100.0}) {
    expect_error([&] { gram(exp(linear()), rows(Matrix{{1.0}, {large}})); }, "NumericError", {"row 2 with itself"});
  }
  for (const double large : {1000.0, 1e6}) {
    expect_error([&] { gram(exp(linear()), rows(Matrix{{1.0}, {large}})); }, "NumericError", {"rows 1 and 2"});
  }
}

TEST(Evaluate, ConstantsTakeAnyInputs) {
  EXPECT_EQ(gram(constant(2), strings({"a", "b"})), Matrix(2, 2, 2.0));
  EXPECT_EQ(gram(constant(2), rows(Matrix(2, 1))), Matrix(2, 2, 2.0));
  EXPECT_EQ(diagonal(constant(2) * constant(3), strings({"a"})), Vector{6});
}

TEST(Evaluate, TileAndThreadsDoNotChangeTheNumbers) {
  const Points x = rows(random_matrix(70, 30, 9, 0, 2));
  for (const std::string& text : real_kernels()) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    const Matrix one = gram(k, x, {.tile = 16, .threads = 1});  // 15 tiles
    EXPECT_EQ(gram(k, x, {.tile = 16, .threads = 2}), one);
    EXPECT_EQ(gram(k, x, {.tile = 16, .threads = 5}), one);
    for (const Index tile : {1, 7, 64, 1000}) test::expect_near(gram(k, x, {.tile = tile}), one, 1e-12);
  }
}

// Sets large enough for a BLAS to use threads of its own, were it let.
TEST(Evaluate, ThreadsDoNotChangeTheBitsOfLargerWork) {
  const Points x = rows(random_matrix(300, 60, 20, 0, 2));
  const Matrix w = random_matrix(300, 300, 21), v = random_matrix(300, 40, 22);
  const Kernel k = rbf(Vector(60, 3.0)) + 0.5 * linear() + periodic(2, 5);
  const auto all = [&](int threads) {
    const Execution how{.tile = 128, .threads = threads};
    const Vector g = gradient(k, x, w, how);
    Matrix first(1, static_cast<Index>(g.size()));
    std::copy(g.begin(), g.end(), first.data());
    return std::vector<Matrix>{first, gram(k, x, how), multiply(k, x, x, v, how), input_gradient(k, x, x, w, how)};
  };
  const std::vector<Matrix> one = all(1), three = all(3);
  EXPECT_EQ(one[0], three[0]) << "gradient";
  EXPECT_EQ(one[1], three[1]) << "gram";
  EXPECT_EQ(one[2], three[2]) << "multiply";
  EXPECT_EQ(one[3], three[3]) << "input_gradient";
}

TEST(Evaluate, TileBelowOneIsOne) {
  const Points x = rows(random_matrix(5, 2, 10));
  test::expect_near(gram(rbf(1.0), x, {.tile = 0}), gram(rbf(1.0), x), 1e-15);
  test::expect_near(gram(rbf(1.0), x, {.tile = -3}), gram(rbf(1.0), x), 1e-15);
}

TEST(Evaluate, WritesIntoAPartOfALargerMatrix) {
  const Points x = rows(random_matrix(5, 2, 11));
  Matrix whole(9, 11, -1.0);
  gram(rbf(1.0), x, whole.ref().block({2, 7}, {3, 8}));
  const Matrix expected = gram(rbf(1.0), x);
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 11; ++j) {
      const bool inside = i >= 2 && i < 7 && j >= 3 && j < 8;
      EXPECT_EQ(whole(i, j), inside ? expected(i - 2, j - 3) : -1);
    }
  }
}

TEST(Evaluate, OutputsOfTheWrongShapeAreRefused) {
  const Points x = rows(Matrix(3, 2)), y = rows(Matrix(4, 2));
  Matrix out(3, 4);
  expect_error([&] { gram(rbf(1.0), x, out.ref()); }, "ShapeError", {"gram", "3 x 3", "3 x 4"});
  expect_error([&] { cross(rbf(1.0), y, x, out.ref()); }, "ShapeError", {"cross", "4 x 3", "3 x 4"});
  expect_error([&] { multiply(rbf(1.0), x, y, Matrix(3, 1)); }, "ShapeError", {"multiply", "4 x 1", "3 x 1"});
  expect_error([&] { gradient(rbf(1.0), x, Matrix(3, 4)); }, "ShapeError", {"gradient", "3 x 3"});
  expect_error([&] { gradient(rbf(1.0), x, y, Matrix(4, 3)); }, "ShapeError", {"gradient", "3 x 4"});
  expect_error([&] { input_gradient(rbf(1.0), x, y, Matrix(3, 3)); }, "ShapeError", {"input_gradient", "3 x 4"});
}

TEST(Evaluate, ColumnCountsMustFit) {
  const Points two = rows(Matrix(3, 2)), three = rows(Matrix(3, 3));
  for (const std::string& text : real_kernels()) {
    if (text.starts_with("const") || text.starts_with("on(")) continue;
    expect_error([&] { cross(parse(text), two, three); }, "ShapeError", {"2 columns", "3"});
  }
  expect_error(
      [&] {
        gram(rbf(Vector{1, 2, 3}), two);
      },
      "ShapeError", {"rbf(): ell has 3 values, the data have 2 columns"});
  expect_error([&] { gram(laplace(1) * rbf(Vector{1, 2, 3}), two); }, "ShapeError", {"rbf(): ell has 3 values"});
  expect_error([&] { gram(quadratic(Matrix{{1}}), two); }, "ShapeError", {"A is 1 x 1, the data have 2 columns"});
  expect_error([&] { gram(on(3, linear()), two); }, "DomainError", {"on(3)", "2 columns"});
}

TEST(Evaluate, KernelsOfAnotherDomainSayWhatToDo) {
  const Points text = strings({"a", "b"}), numbers = rows(Matrix(2, 2));
  const Points both = table({{"age", rows(Matrix(2, 1))}, {"doc", text}});
  for (const std::string& kernel : real_kernels()) {
    if (kernel.starts_with("const")) continue;
    EXPECT_TRUE(test::error_of([&] { gram(parse(kernel), text); }).starts_with("DomainError: ")) << kernel;
  }
  expect_error([&] { gram(rbf(1.0), text); }, "DomainError", {"rbf() needs numbers, and a column holds text"});
  expect_error([&] { gram(rbf(1.0), both); }, "DomainError",
               {"rbf() needs numbers, and column \"doc\" holds text", "age, doc",
                "put each kernel on its column: on(age, ...)"});
  expect_error([&] { gram(spectrum(3), numbers); }, "DomainError",
               {"spectrum(k=3) needs strings", "reals(2)", "on(COLUMN, spectrum(k=3))"});
  expect_error([&] { gram(spectrum(3), both); }, "DomainError", {"spectrum(k=3) needs strings", "table"});
  expect_error([&] { gram(on("doc", rbf(1.0)), both); }, "DomainError", {"rbf() needs numbers", "holds text"});
  expect_error([&] { gram(on("age", spectrum(2)), both); }, "DomainError", {"needs strings"});
  expect_error([&] { input_gradient(spectrum(2), text, text, Matrix(2, 2)); }, "DomainError",
               {"input_gradient", "strings"});
}

TEST(Evaluate, MinNamesTheNegativeEntry) {
  const Points x = named(rows(Matrix{{1, 2}, {3, -0.25}}), {"time", "dose"});
  expect_error([&] { gram(min(), x); }, "DomainError", {"min(): needs x >= 0; row 2, column \"dose\" is -0.25"});
  expect_error([&] { gram(on("dose", min()), x); }, "DomainError", {"row 2, column \"dose\" is -0.25"});
  EXPECT_EQ(gram(on("time", min()), x), (Matrix{{1, 1}, {1, 3}}));
}

TEST(Evaluate, MonitorSeesEachStage) {
  const Points x = rows(random_matrix(40, 2, 12));
  std::vector<std::string> stages;
  double last = 0;
  const Execution how{.tile = 4, .monitor = Monitor([&](const Progress& p) {
                                   if (stages.empty() || stages.back() != p.stage) stages.emplace_back(p.stage);
                                   EXPECT_GT(p.fraction, 0);
                                   EXPECT_LE(p.fraction, 1);
                                   last = p.fraction;
                                   return true;
                                 })};
  gram(rbf(1.0), x, how);
  EXPECT_EQ(last, 1);
  multiply(rbf(1.0), x, x, Matrix(40, 1), how);
  EXPECT_EQ(last, 1);
  gradient(rbf(1.0), x, Matrix(40, 40), how);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(stages, (std::vector<std::string>{"gram", "multiply", "gradient"}));
}

TEST(Evaluate, MonitorCancelsEveryCall) {
  const Points x = rows(random_matrix(40, 2, 13));
  const Execution how{.tile = 4, .monitor = Monitor([](const Progress&) { return false; })};
  expect_error([&] { gram(rbf(1.0), x, how); }, "Cancelled", {"gram: stopped on request"});
  expect_error([&] { cross(rbf(1.0), x, x, how); }, "Cancelled", {"stopped on request"});
  expect_error([&] { multiply(rbf(1.0), x, x, Matrix(40, 1), how); }, "Cancelled", {"multiply"});
  expect_error([&] { gradient(rbf(1.0), x, Matrix(40, 40), how); }, "Cancelled", {"gradient"});
  expect_error([&] { input_gradient(rbf(1.0), x, x, Matrix(40, 40), how); }, "Cancelled", {"gradient"});
}

// ---- gradients of what the laws cannot draw ----

TEST(Evaluate, GradientsStayFiniteAtDuplicatesAndZeroVectors) {
  const Points x = rows(Matrix{{0, 0}, {0, 0}, {1, 2}, {1, 2}});
  const Matrix w(4, 4, 1.0);
  for (const std::string& text : real_kernels()) {
    const Kernel k = parse(text);
    for (const double g : gradient(k, x, w)) EXPECT_TRUE(std::isfinite(g)) << text;
    const Matrix gx = input_gradient(k, x, x, w);
    for (Index i = 0; i < 8; ++i) EXPECT_TRUE(std::isfinite(gx.data()[i])) << text;
  }
}

TEST(Evaluate, GradientOfACrossWithItselfIsThatOfTheGram) {
  const Matrix m = random_matrix(9, 3, 14, 0.1, 2);
  const Matrix w = random_matrix(9, 9, 15);
  for (const std::string& text : real_kernels()) {
    const Kernel k = parse(text);
    const Vector a = gradient(k, rows(m), w, {.tile = 4}), b = gradient(k, rows(m), rows(m), w);
    for (std::size_t p = 0; p < a.size(); ++p) {
      EXPECT_NEAR(a[p], b[p], 1e-11 * std::max(1.0, std::abs(b[p]))) << text << ", parameter " << p;
    }
  }
}

// Many points in single precision are prepared part by part: the numbers are the same, and so are the rows in errors.
TEST(Evaluate, ManySinglePrecisionPoints) {
  const Index n = 40000;
  std::vector<float> numbers = test::to_float(test::random_matrix(n, 3, 5, 0.5, 2));
  const FloatMatrixView view(numbers.data(), n, 3);
  Matrix doubles(n, 3);
  std::copy(numbers.begin(), numbers.end(), doubles.data());
  const Points single = rows(view), same = rows(doubles.view()), few = rows(test::random_matrix(50, 3, 6, 0.5, 2));
  const Matrix v = test::random_matrix(50, 2, 7);
  const Kernel k = parse("2*rbf(ell=0.7) + min()*linear()");
  test::expect_near(multiply(k, single, few, v), multiply(k, same, few, v), 1e-12);
  EXPECT_EQ(diagonal(k, single), diagonal(k, same));
  numbers[3 * 30000 + 1] = -1;
  test::expect_error([&] { multiply(k, rows(view), few, v); }, "DomainError", {"row 30001"});
  numbers[3 * 30000 + 1] = std::numeric_limits<float>::quiet_NaN();
  test::expect_error([&] { multiply(k, rows(view), few, v); }, "DataError", {"row 30001"});
  test::expect_error([&] { diagonal(k, rows(view)); }, "DataError", {"row 30001"});
}

}  // namespace
}  // namespace mercer::evaluate_test
