// Maps, weights and functions given by name or by the user: features, warp, scaled, assume_psd.
#include "kernel/maps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::maps_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

// (a, b) -> (a b, a^2, b)
FeatureMap quadratic_map() {
  return {"mixed",
          [](VectorView x) {
            return Vector{x[0] * x[1], x[0] * x[0], x[1]};
          },
          [](VectorView x, VectorView g) {
            return Vector{g[0] * x[1] + 2 * g[1] * x[0], g[0] * x[0] + g[2]};
          }};
}

WeightFunction bump() {
  return {"bump", [](VectorView x) { return 1 / (1 + x[0] * x[0]); },
          [](VectorView x) {
            const double f = 1 / (1 + x[0] * x[0]);
            Vector g(x.size(), 0.0);
            g[0] = -2 * x[0] * f * f;
            return g;
          }};
}

Matrix mapped(const Matrix& x) {
  Matrix out(x.rows(), 3);
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector phi = quadratic_map().apply({x.row(i), 2});
    std::copy(phi.begin(), phi.end(), out.row(i));
  }
  return out;
}

void expect_input_gradient(const Kernel& k, const Matrix& x, const Matrix& y) {
  SCOPED_TRACE(k.str());
  const Matrix w = random_matrix(x.rows(), y.rows(), 77);
  const Matrix g = input_gradient(k, rows(x), rows(y), w);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index c = 0; c < x.cols(); ++c) {
      constexpr double h = 1e-6;
      Matrix up = x, down = x;
      up(i, c) += h;
      down(i, c) -= h;
      const Matrix a = cross(k, rows(up), rows(y)), b = cross(k, rows(down), rows(y));
      double slope = 0;
      for (Index j = 0; j < y.rows(); ++j) slope += w(i, j) * (a(i, j) - b(i, j)) / (2 * h);
      EXPECT_NEAR(g(i, c), slope, 1e-6 * std::max(1.0, std::abs(slope)));
    }
  }
}

// ---- features ----

TEST(Features, AreInnerProductsOfTheMap) {
  const Matrix x = random_matrix(7, 2, 1), y = random_matrix(5, 2, 2);
  const Kernel k = features(quadratic_map());
  expect_near(gram(k, rows(x)), gram(linear(), rows(mapped(x))), 1e-14);
  expect_near(cross(k, rows(x), rows(y)), cross(linear(), rows(mapped(x)), rows(mapped(y))), 1e-14);
  EXPECT_EQ(k.domain().kind, "reals");
}

TEST(Features, GradientsUseThePullback) {
  expect_input_gradient(features(quadratic_map()), random_matrix(4, 2, 3), random_matrix(3, 2, 4));
  expect_input_gradient(warp(quadratic_map(), rbf(1.3)), random_matrix(4, 2, 3), random_matrix(3, 2, 4));
  expect_input_gradient(normalize(1.0 + features(quadratic_map())), random_matrix(4, 2, 3), random_matrix(3, 2, 4));
}

TEST(Features, WithoutPullbackHaveNoInputGradient) {
  FeatureMap phi = quadratic_map();
  phi.pullback = nullptr;
  const Points x = rows(random_matrix(3, 2, 5));
  for (const Kernel& k : {features(phi), warp(phi, rbf(1.0))}) {
    expect_error([&] { input_gradient(k, x, x, Matrix(3, 3, 1.0)); }, "UsageError", {"mixed", "FeatureMap::pullback"});
    EXPECT_NO_THROW(gradient(2.0 * k, x, Matrix(3, 3, 1.0)));
  }
}

TEST(Features, MustHaveOneLengthAndFiniteValues) {
  const FeatureMap uneven{"uneven", [](VectorView x) { return Vector(x[0] > 0 ? 1 : 2, 1.0); }, nullptr};
  expect_error(
      [&] {
        gram(features(uneven), rows(Matrix{{1.0}, {-1.0}}));
      },
      "ShapeError", {"features(uneven)", "2 numbers for row 2 and 1 before"});
  const FeatureMap broken{"broken", [](VectorView x) { return Vector{std::log(x[0])}; }, nullptr};
  expect_error([&] { gram(features(broken), rows(Matrix{{1.0}, {0.0}})); }, "DataError", {"row 2"});
  expect_error([&] { gram(features(quadratic_map()), strings({"a"})); }, "DomainError", {"features(mixed)", "text"});
}

TEST(Features, EqualByName) {
  FeatureMap other = quadratic_map();
  EXPECT_EQ(features(quadratic_map()), features(other));
  other.name = "other";
  EXPECT_NE(features(quadratic_map()), features(other));
  EXPECT_NE(warp(FeatureMap{"tanh", quadratic_map().apply, nullptr}, rbf(1.0)), warp("tanh", rbf(1.0)));
}

TEST(Features, TwoMapsOfOneNameStayApart) {
  const FeatureMap once{"f", [](VectorView x) { return Vector{x[0]}; }, nullptr};
  const FeatureMap twice{"f", [](VectorView x) { return Vector{2 * x[0]}; }, nullptr};
  const Points x = rows(Matrix{{1.0}, {3.0}});
  EXPECT_EQ(gram(features(once) + features(twice), x), (Matrix{{5, 15}, {15, 45}}));
  EXPECT_EQ(gram(warp(once, linear()) + warp(twice, linear()), x), (Matrix{{5, 15}, {15, 45}}));
}

TEST(Features, ErrorsOfTheUsersFunctionPassThrough) {
  const FeatureMap angry{"angry", [](VectorView) -> Vector { throw std::runtime_error("mine"); }, nullptr};
  EXPECT_THROW(gram(features(angry), rows(Matrix{{1.0}})), std::runtime_error);
}

// ---- warp ----

TEST(Warp, CustomMapsChangeTheInputs) {
  const Matrix x = random_matrix(7, 2, 6), y = random_matrix(5, 2, 7);
  const Kernel inner = rbf(Vector{1, 2, 3}) + linear();
  expect_near(gram(warp(quadratic_map(), inner), rows(x)), gram(inner, rows(mapped(x))), 1e-13);
  expect_near(cross(warp(quadratic_map(), inner), rows(x), rows(y)), cross(inner, rows(mapped(x)), rows(mapped(y))),
              1e-13);
}

TEST(Warp, EveryNamedMapChangesEachColumn) {
  const Matrix x = random_matrix(6, 2, 8, 0.2, 2);
  for (const std::string& name : map_names()) {
    SCOPED_TRACE(name);
    const detail::ElementMap* map = detail::find_map(name);
    ASSERT_NE(map, nullptr);
    Matrix image = x;
    for (Index i = 0; i < 12; ++i) image.data()[i] = map->value(image.data()[i]);
    expect_near(gram(warp(name, rbf(0.8)), rows(x)), gram(rbf(0.8), rows(image)), 1e-13);
    expect_input_gradient(warp(name, rbf(0.8)), x, random_matrix(4, 2, 9, 0.2, 2));
  }
  EXPECT_EQ(detail::find_map("nothing"), nullptr);
}

TEST(Warp, NamedMapsAreTheFunctionsTheySay) {
  const auto at = [](const char* name, double v) { return detail::find_map(name)->value(v); };
  EXPECT_DOUBLE_EQ(at("log", 2), std::log(2.0));
  EXPECT_DOUBLE_EQ(at("log1p", 2), std::log(3.0));
  EXPECT_DOUBLE_EQ(at("exp", 2), std::exp(2.0));
  EXPECT_DOUBLE_EQ(at("sqrt", 2), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(at("square", -3), 9);
  EXPECT_DOUBLE_EQ(at("cube", -3), -27);
  EXPECT_DOUBLE_EQ(at("abs", -3), 3);
  EXPECT_DOUBLE_EQ(at("tanh", 0.5), std::tanh(0.5));
  EXPECT_DOUBLE_EQ(at("sigmoid", 0), 0.5);
  EXPECT_DOUBLE_EQ(at("asinh", 2), std::asinh(2.0));
  EXPECT_DOUBLE_EQ(at("sin", 2), std::sin(2.0));
  EXPECT_DOUBLE_EQ(at("cos", 2), std::cos(2.0));
}

TEST(Warp, NamesTheEntryOutsideTheDomainOfTheMap) {
  const Points x = named(rows(Matrix{{1, 2}, {3, 0}}), {"a", "dose"});
  expect_error([&] { gram(warp("log", rbf(1.0)), x); }, "DomainError",
               {"warp(log, ...): needs x > 0; row 2, column \"dose\" is 0"});
  const Points y = rows(Matrix{{1.0}, {-4.0}});
  expect_error([&] { gram(warp("sqrt", rbf(1.0)), y); }, "DomainError", {"needs x >= 0; row 2, column 1 is -4"});
  expect_error([&] { gram(warp("log1p", rbf(1.0)), y); }, "DomainError", {"needs x > -1; row 2"});
  expect_error([&] { gram(warp("tanh", rbf(1.0)), strings({"a"})); }, "DomainError", {"warp(tanh, ...)", "text"});
}

TEST(Warp, OverflowIsAnErrorNotANumber) {
  EXPECT_NE(test::error_of([] { gram(warp("exp", rbf(1.0)), rows(Matrix{{1.0}, {1000.0}})); }), "no error");
}

// ---- scaled ----

TEST(Scaled, CustomWeightsMultiplyBothSides) {
  const Matrix x = random_matrix(7, 2, 10), y = random_matrix(5, 2, 11);
  const Matrix plain = cross(rbf(1.0), rows(x), rows(y)), found = cross(scaled(bump(), rbf(1.0)), rows(x), rows(y));
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 5; ++j) {
      EXPECT_NEAR(found(i, j), bump().apply({x.row(i), 2}) * plain(i, j) * bump().apply({y.row(j), 2}), 1e-15);
    }
  }
  expect_input_gradient(scaled(bump(), rbf(1.0)), x, y);
}

TEST(Scaled, NamedWeights) {
  const Points x = rows(Matrix{{3, 4}, {1, 0}});
  EXPECT_NEAR(gram(scaled("norm", constant(1)), x)(0, 1), 5, 1e-15);
  EXPECT_NEAR(gram(scaled("sum", constant(1)), x)(0, 1), 7, 1e-15);
  EXPECT_NEAR(gram(scaled("mean", constant(1)), x)(0, 0), 12.25, 1e-15);
  const Points line = rows(Matrix{{4.0}, {9.0}});
  EXPECT_NEAR(gram(scaled("sqrt", constant(1)), line)(0, 1), 6, 1e-15);
  for (const char* name : {"norm", "sum", "mean"}) {
    expect_input_gradient(scaled(name, rbf(1.0)), random_matrix(4, 2, 12), random_matrix(3, 2, 13));
  }
  expect_input_gradient(scaled("tanh", rbf(1.0)), random_matrix(4, 1, 14), random_matrix(3, 1, 15));
}

TEST(Scaled, RefusesWhatItCannotWeigh) {
  const Points two = rows(Matrix{{3, 4}, {1, 0}});
  expect_error([&] { gram(scaled("tanh", rbf(1.0)), two); }, "DomainError",
               {"tanh is a function of one number", "2 columns", "on(COLUMN, scaled(tanh, ...))"});
  expect_error(
      [&] {
        gram(scaled("log", rbf(1.0)), rows(Matrix{{1.0}, {-1.0}}));
      },
      "DomainError", {"needs x > 0; row 2, column 1 is -1"});
  const WeightFunction broken{"broken", [](VectorView) { return std::nan(""); }, nullptr};
  expect_error([&] { gram(scaled(broken, rbf(1.0)), two); }, "NumericError", {"broken", "row 1 is nan"});
  WeightFunction flat = bump();
  flat.gradient = nullptr;
  expect_error([&] { input_gradient(scaled(flat, rbf(1.0)), two, two, Matrix(2, 2, 1.0)); }, "UsageError",
               {"bump", "WeightFunction::gradient"});
}

TEST(Scaled, EqualByName) {
  WeightFunction other = bump();
  EXPECT_EQ(scaled(bump(), rbf(1.0)), scaled(other, rbf(1.0)));
  other.name = "other";
  EXPECT_NE(scaled(bump(), rbf(1.0)), scaled(other, rbf(1.0)));
}

// ---- assume_psd ----

TEST(Assume, FormulasComputeAndParseAgain) {
  const Kernel k = assume_psd(Similarity::formula("exp(-norm(x-y)^2/2)"), "it is rbf");
  const Points x = rows(random_matrix(6, 3, 16)), y = rows(random_matrix(4, 3, 17));
  expect_near(gram(k, x), gram(rbf(1.0), x), 1e-14);
  expect_near(cross(k, x, y), cross(rbf(1.0), x, y), 1e-14);
  EXPECT_EQ(diagonal(k, x), Vector(6, 1.0));
  EXPECT_EQ(parse(k.str()), k);
  EXPECT_TRUE(k.proof().assumes());
}

TEST(Assume, FunctionsCompute) {
  const Similarity s = Similarity::function("first", [](VectorView x, VectorView y) { return x[0] * y[0]; });
  const Kernel k = 2.0 * assume_psd(s, "rank one") + linear();
  EXPECT_EQ(gram(k, rows(Matrix{{1, 2}, {3, 4}})), (Matrix{{2 + 5, 6 + 11}, {6 + 11, 18 + 25}}));
  EXPECT_EQ(assume_psd(s, "a"), assume_psd(s, "a"));
  EXPECT_NE(assume_psd(s, "a"), assume_psd(s, "b"));
  EXPECT_NE(assume_psd(Similarity::function("x*y", [](VectorView, VectorView) { return 0.0; }), "a"),
            assume_psd(Similarity::formula("x*y"), "a"));
}

TEST(Assume, TwoFunctionsOfOneNameStayApart) {
  const Similarity one = Similarity::function("f", [](VectorView, VectorView) { return 1.0; });
  const Similarity two = Similarity::function("f", [](VectorView, VectorView) { return 2.0; });
  EXPECT_EQ(gram(assume_psd(one, "a") + assume_psd(two, "a"), rows(Matrix{{0.0}}))(0, 0), 3);
}

TEST(Assume, RefusesGradientsOfInputsAndValuesThatAreNoNumbers) {
  const Kernel k = assume_psd(Similarity::formula("log(dot(x,y))"), "no");
  const Points x = rows(Matrix{{1.0}, {-1.0}});
  expect_error([&] { gram(k, x); }, "NumericError", {"assume_psd(log(dot(x, y)))", "rows", "nan"});
  expect_error(
      [&] {
        input_gradient(k, x.slice({0, 1}), x.slice({0, 1}), Matrix(1, 1, 1.0));
      },
      "UsageError", {"no gradient"});
  EXPECT_NO_THROW(gradient(2.0 * k, x.slice({0, 1}), Matrix(1, 1, 1.0)));
  expect_error([&] { gram(k, strings({"a"})); }, "DomainError", {"text"});
  expect_error([] { Similarity::formula("dot(x"); }, "GrammarError", {"column"});
}

TEST(Assume, FormulasOfOneDimensionRefuseVectors) {
  const Kernel k = assume_psd(Similarity::formula("sin(x)*sin(y)"), "rank one");
  EXPECT_NO_THROW(gram(k, rows(Matrix{{1.0}})));
  EXPECT_NE(test::error_of([&] { gram(k, rows(Matrix{{1, 2}})); }), "no error");
}

}  // namespace
}  // namespace mercer::maps_test
