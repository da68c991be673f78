// A Gram says what its numbers are, and makes the f that goes with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::kind_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

constexpr Index kSize = 20;

Points inputs() { return rows(random_matrix(kSize, 2, 72)); }
Gram plain() { return lazy(rbf(0.8), inputs()); }
Gram numbers() { return precomputed(gram(rbf(0.8), inputs())); }

// K(X, Z) K(Z, Z)^-1 K(Z, X) with one landmark z: k(x, z) k(z, x') / k(z, z).
class OneLandmark final : public GramSource {
 public:
  Index size() const override { return kSize; }
  void diagonal(VectorRef out) const override {
    for (Index i = 0; i < kSize; ++i) out[static_cast<std::size_t>(i)] = column_(i, 0) * column_(i, 0);
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    for (Index r = 0; r < out.rows(); ++r) {
      for (Index j = 0; j < kSize; ++j) out(r, j) = column_(which[static_cast<std::size_t>(r)], 0) * column_(j, 0);
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution&) const override {
    const Vector sums = along(v);
    for (Index i = 0; i < kSize; ++i) {
      for (Index c = 0; c < v.cols(); ++c) out(i, c) = column_(i, 0) * sums[static_cast<std::size_t>(c)];
    }
  }
  GramKind kind() const override { return GramKind::approximation; }
  std::optional<Kernel> kernel() const override { return rbf(0.8); }
  std::optional<Points> points() const override { return inputs(); }
  Expansion expansion(Expansion::Parts found, const Execution&) const override {
    Matrix own(1, found.alpha.cols());
    for (Index i = 0; i < found.alpha.rows(); ++i) {
      for (Index c = 0; c < own.cols(); ++c) {
        own(0, c) += column_(found.support[static_cast<std::size_t>(i)], 0) * found.alpha(i, c);
      }
    }
    return Expansion({.kernel = kernel(), .centres = landmark_, .alpha = own, .bias = found.bias});
  }

 private:
  Vector along(MatrixView v) const {
    Vector out(static_cast<std::size_t>(v.cols()));
    for (Index i = 0; i < kSize; ++i) {
      for (Index c = 0; c < v.cols(); ++c) out[static_cast<std::size_t>(c)] += column_(i, 0) * v(i, c);
    }
    return out;
  }

  Points landmark_ = mercer::rows(Matrix{{0.3, -0.2}});
  Matrix column_ = mercer::cross(rbf(0.8), inputs(), landmark_);
};

Gram landmark() { return Gram(std::make_shared<const OneLandmark>()); }

TEST(GramKind, IsSaidByWhoMakesIt) {
  for (const Gram& K : {plain(), exact(rbf(0.8), inputs()), cached(plain(), 1 << 16), select(plain(), {3, 1, 4}),
                        shifted(plain(), 0)}) {
    EXPECT_EQ(K.kind(), GramKind::kernel);
  }
  for (const Gram& K : {centred(plain()), select(centred(plain()), {3, 1, 4}), centred(landmark()),
                        centred(lazy(linear(), rows(Matrix{{1}, {-1}})))}) {  // though it changes no number
    EXPECT_EQ(K.kind(), GramKind::centred);
  }
  for (const Gram& K : {shifted(plain(), 1e-6), centred(shifted(plain(), 1)), cached(shifted(landmark(), 1), 10)}) {
    EXPECT_EQ(K.kind(), GramKind::shifted);
  }
  for (const Gram& K : {numbers(), centred(numbers()), shifted(numbers(), 1), select(numbers(), {1, 2})}) {
    EXPECT_EQ(K.kind(), GramKind::numbers);
  }
  EXPECT_EQ(cached(landmark(), 10).kind(), GramKind::approximation);
}

// The values of f at the points are K alpha + b, and elsewhere what cross() says.
TEST(GramExpansion, IsTheFunctionThatKMeans) {
  const Points others = rows(random_matrix(7, 2, 73));
  const Vector bias = {0.5, -2, 0};
  for (const Gram& K : {plain(), exact(rbf(0.8), inputs()), cached(plain(), 1 << 16), centred(plain()),
                        shifted(centred(plain()), 0), select(plain(), {3, 1, 4}), select(centred(plain()), {3, 1, 4}),
                        centred(select(plain(), {3, 1, 4, 9})), landmark(), centred(landmark())}) {
    Matrix alpha = random_matrix(K.size(), 3, 74);
    for (Index c = 0; c < 3; ++c) alpha(1, c) = 0;
    const Expansion f = K.expansion(alpha, bias), without = K.expansion(alpha);
    const auto with_bias = [&](Matrix values) {
      for (Index i = 0; i < values.rows(); ++i) {
        for (Index c = 0; c < 3; ++c) values(i, c) += bias[static_cast<std::size_t>(c)];
      }
      return values;
    };
    std::vector<Index> which(static_cast<std::size_t>(K.size()));
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = static_cast<Index>(i);
    const Points own = *K.points();
    expect_near(without(own), K.multiply(alpha), 1e-12);
    expect_near(f(own), with_bias(K.multiply(alpha)), 1e-12);
    if (K.kind() != GramKind::kernel || f.parts().support.empty()) continue;
    expect_near(f(others), with_bias(test::product(cross(*K.kernel(), others, *K.points()), alpha)), 1e-12);
  }
}

TEST(GramExpansion, IsRefusedWhereThereIsNone) {
  const Matrix alpha(kSize, 1, 1.0);
  for (const Gram& K : {shifted(plain(), 1e-3), centred(shifted(plain(), 1)), shifted(landmark(), 1)}) {
    expect_error([&] { K.expansion(alpha); }, "UsageError", {"shifted()", "the ridge to the machine"});
  }
  // Of numbers everything is as the caller says.
  EXPECT_EQ(shifted(numbers(), 1).expansion(alpha).size(), kSize);
}

Matrix times_own_transpose(const Matrix& a) {
  Matrix out(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.rows(); ++j) {
      for (Index k = 0; k < a.cols(); ++k) out(i, j) += a(i, k) * a(j, k);
    }
  }
  return out;
}

TEST(GramFactor, IsTheFeaturesOfThePoints) {
  Matrix numbers = random_matrix(kSize, 3, 75);
  const Points x = rows(numbers.view());
  const struct {
    const char* kernel;
    Index columns;
  } cases[] = {{"linear()", 3},          {"2*linear() + 0.5", 4},    {"on(2:3, linear())*on(1, linear() + 1)", 4},
               {"(1 + linear())^2", 16}, {"poly(degree=2, c=0)", 9}, {"const(c=3)", 1}};
  for (const auto& [text, columns] : cases) {
    const Kernel k = parse(text);
    const Matrix K = gram(k, x);
    for (const Gram& G : {lazy(k, x), exact(k, x), cached(lazy(k, x), 1 << 16), shifted(lazy(k, x), 0)}) {
      const auto F = G.factor(columns);
      ASSERT_TRUE(F.has_value()) << text;
      EXPECT_EQ(F->cols(), columns) << text;
      expect_near(times_own_transpose(*F), K, 1e-12);
      EXPECT_FALSE(G.factor(columns - 1).has_value()) << text;
    }
    for (const Gram& G : {centred(lazy(k, x)), select(lazy(k, x), {7, 2, 5}), select(centred(lazy(k, x)), {7, 2, 5})}) {
      const auto F = G.factor(columns);
      ASSERT_TRUE(F.has_value()) << text;
      std::vector<Index> all(static_cast<std::size_t>(G.size()));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
      expect_near(times_own_transpose(*F), G.rows(all), 1e-12);
    }
    EXPECT_FALSE(shifted(lazy(k, x), 1).factor(100).has_value());
    EXPECT_FALSE(precomputed(K).factor(100).has_value());
  }
  for (const char* const text : {"rbf(ell=1)", "linear() + rbf(ell=1)", "exp(linear())", "normalize(linear())"}) {
    EXPECT_FALSE(lazy(parse(text), x).factor(1000).has_value()) << text;
  }
}

}  // namespace
}  // namespace mercer::kind_test
