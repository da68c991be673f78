#include "mercer/gram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::gram_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

constexpr Index kSize = 23;

Points inputs() { return rows(random_matrix(kSize, 3, 1)); }
Kernel kernel() { return parse("2*rbf(ell=0.8) + normalize(1 + linear())*periodic(period=2, ell=1)"); }

// All verbs agree with the matrix `expected`.
void expect_is(const Gram& k, const Matrix& expected, double tolerance = 1e-12, const Execution& how = {}) {
  const Index n = expected.rows();
  ASSERT_EQ(k.size(), n);
  const Vector diagonal = k.diagonal();
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], expected(i, i), tolerance);
  const std::vector<Index> which{n - 1, 0, n / 2, 0};
  const Matrix some = k.rows(which, how);
  ASSERT_EQ(some.rows(), 4);
  for (std::size_t r = 0; r < which.size(); ++r) {
    for (Index j = 0; j < n; ++j) EXPECT_NEAR(some(static_cast<Index>(r), j), expected(which[r], j), tolerance);
  }
  const Matrix v = random_matrix(n, 3, 2);
  expect_near(k.multiply(v, how), test::product(expected, v), 10 * tolerance);
  const Vector one = test::random_vector(n, 3), product = k.multiply(VectorView(one));
  const Matrix column(MatrixView(one.data(), n, 1)), expected_product = test::product(expected, column);
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(product[static_cast<std::size_t>(i)], expected_product(i, 0), 1e-11);
  if (!k.dense().empty()) expect_near(Matrix(k.dense()), expected, tolerance);
}

Matrix naive_centred(const Matrix& k) {
  const Index n = k.rows();
  Matrix h(n, n, -1.0 / static_cast<double>(n));
  for (Index i = 0; i < n; ++i) h(i, i) += 1;
  return test::product(test::product(h, k), h);
}

// ---- kinds ----

TEST(Gram, ExactAndLazyAgreeWithTheMatrix) {
  const Matrix expected = gram(kernel(), inputs());
  expect_is(exact(kernel(), inputs()), expected);
  for (const Index tile : {4, 7, 256}) expect_is(lazy(kernel(), inputs()), expected, 1e-12, {.tile = tile});
  expect_is(cached(lazy(kernel(), inputs()), 1 << 20), expected);
  expect_is(cached(exact(kernel(), inputs()), 200), expected);
  expect_is(precomputed(expected), expected);
}

TEST(Gram, OnlyDenseOnesAreInMemory) {
  EXPECT_FALSE(exact(kernel(), inputs()).dense().empty());
  EXPECT_FALSE(precomputed(Matrix{{1.0}}).dense().empty());
  EXPECT_TRUE(lazy(kernel(), inputs()).dense().empty());
  EXPECT_TRUE(shifted(exact(kernel(), inputs()), 1).dense().empty());
  EXPECT_TRUE(centred(exact(kernel(), inputs())).dense().empty());
}

TEST(Gram, RowsAndDiagonalOfLazyAreThoseOfGramToTheLastBit) {
  for (const char* text : {"linear()", "poly(degree=3, c=1)", "arccos(order=1)", "normalize(poly(degree=2, c=1))"}) {
    const Points x = rows(random_matrix(9, 30, 4));
    const Gram k = lazy(parse(text), x);
    const Vector diagonal = k.diagonal();
    const Matrix all = gram(parse(text), x);
    for (Index i = 0; i < 9; ++i) {
      const std::vector<Index> which{i};
      EXPECT_EQ(k.rows(which)(0, i), diagonal[static_cast<std::size_t>(i)]) << text;
      EXPECT_EQ(all(i, i), diagonal[static_cast<std::size_t>(i)]) << text;
    }
  }
}

TEST(Gram, LazyMultiplyIsTheSameForAnyNumberOfThreads) {
  const Points x = rows(random_matrix(400, 3, 5));
  for (const Index columns : {1, 2, 40}) {
    const Matrix v = random_matrix(400, columns, 6);
    for (const Index tile : {16, 128}) {
      const Matrix one = lazy(kernel(), x).multiply(v, {.tile = tile, .threads = 1});
      for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(lazy(kernel(), x).multiply(v, {.tile = tile, .threads = threads}), one) << tile << ", " << columns;
      }
    }
  }
}

TEST(Gram, RemembersItsKernelAndPoints) {
  for (const Gram& k : {exact(kernel(), inputs()), lazy(kernel(), inputs()), cached(lazy(kernel(), inputs()), 1000),
                        centred(lazy(kernel(), inputs())), shifted(exact(kernel(), inputs()), 1)}) {
    EXPECT_EQ(k.kernel(), kernel());
    ASSERT_TRUE(k.points().has_value());
    EXPECT_EQ(k.points()->size(), kSize);
  }
  EXPECT_FALSE(precomputed(Matrix{{1.0}}).kernel().has_value());
  EXPECT_FALSE(precomputed(Matrix{{1.0}}).points().has_value());
}

TEST(Gram, FillsWhatItsRowsAre) {
  const Gram plain = lazy(kernel(), inputs());
  for (const Gram& k : {exact(kernel(), inputs()), plain, cached(plain, 1000), centred(plain), shifted(plain, 7),
                        select(plain, {3, 1, 4}), select(centred(plain), {5, 0})}) {
    std::vector<Index> all(static_cast<std::size_t>(k.size()));
    std::iota(all.begin(), all.end(), Index{0});
    Matrix filled(k.size(), k.size());
    k.fill(filled);
    expect_near(filled, k.rows(all), 0);
    expect_error([&] { k.fill(Matrix(3, 2)); }, "ShapeError", {"3 x 2 was given"});
  }
}

TEST(Gram, HasTheGradientOfItsKernel) {
  const Matrix w = random_matrix(kSize, kSize, 9);
  const Vector expected = gradient(kernel(), inputs(), w);
  const WeightTile tile = [&](Range i, Range j, double* out) {
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index b = j.begin; b < j.end; ++b) *out++ = b < a ? w(a, b) + w(b, a) : b == a ? w(a, a) : 0;
    }
  };
  const Gram plain = lazy(kernel(), inputs());
  for (const Gram& k : {exact(kernel(), inputs()), plain, cached(plain, 1000)}) {
    const Vector found = k.gradient(tile);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t p = 0; p < found.size(); ++p)
      EXPECT_NEAR(found[p], expected[p], 1e-10 * (1 + std::abs(expected[p])));
  }
  expect_error([&] { (void)shifted(plain, 1).gradient(tile); }, "UsageError", {"not that of its kernel"});
}

TEST(Gram, RefusesRowsAndShapesThatAreNotThere) {
  const std::vector<Index> high{0, kSize}, low{-1}, fine{0, 1};
  Matrix wrong(2, 3);
  for (const Gram& k : {exact(kernel(), inputs()), lazy(kernel(), inputs()), cached(lazy(kernel(), inputs()), 1000),
                        centred(lazy(kernel(), inputs())), shifted(exact(kernel(), inputs()), 1)}) {
    expect_error([&] { (void)k.rows(high); }, "ShapeError", {"no row 23 among 23"});
    expect_error([&] { (void)k.rows(low); }, "ShapeError", {"no row -1"});
    expect_error([&] { k.rows(fine, wrong); }, "ShapeError", {"2 x 23 matrix is needed, 2 x 3"});
    expect_error([&] { (void)k.multiply(Matrix(4, 1)); }, "ShapeError", {"K has 23 rows, v has 4"});
    EXPECT_EQ(k.rows(std::span<const Index>()).rows(), 0);
    EXPECT_EQ(k.multiply(Matrix(kSize, 0)).cols(), 0);
  }
}

TEST(Gram, OfNoPoints) {
  const Points none = rows(Matrix(0, 3));
  for (const Gram& k :
       {exact(kernel(), none), lazy(kernel(), none), precomputed(Matrix()), shifted(exact(kernel(), none), 1)}) {
    EXPECT_EQ(k.size(), 0);
    EXPECT_TRUE(k.diagonal().empty());
    EXPECT_EQ(k.multiply(Matrix(0, 2)).rows(), 0);
  }
  expect_error([&] { centred(exact(kernel(), none)); }, "ShapeError", {"empty"});
}

TEST(Gram, OfNoPointsCanBeCached) {
  const Gram k = cached(exact(kernel(), rows(Matrix(0, 3))), 1000);
  EXPECT_EQ(k.size(), 0);
  EXPECT_EQ(k.rows(std::span<const Index>()).rows(), 0);
}

TEST(Gram, OfOnePoint) {
  const Points x = rows(Matrix{{1, 2, 3}});
  expect_is(exact(kernel(), x), gram(kernel(), x));
  expect_is(lazy(kernel(), x), gram(kernel(), x));
  EXPECT_NEAR(centred(exact(kernel(), x)).diagonal()[0], 0, 1e-15);
}

TEST(Gram, MonitorsCancelLazyWork) {
  const Execution how{.monitor = Monitor([](const Progress&) { return false; })};
  const Gram plain = lazy(kernel(), inputs());
  const std::vector<Index> which{0};
  for (const Gram& k : {plain, cached(plain, 1 << 16), select(plain, {2, 0}), centred(plain), shifted(plain, 1)}) {
    expect_error([&] { (void)k.multiply(Matrix(k.size(), 1), how); }, "Cancelled", {"multiply"});
    expect_error([&] { (void)k.rows(which, how); }, "Cancelled", {"rows"});
    EXPECT_EQ(k.rows(which).rows(), 1);
  }
  expect_error([&] { centred(plain, how); }, "Cancelled", {"multiply"});
  expect_error([&] { exact(kernel(), inputs(), how); }, "Cancelled", {"gram"});
}

TEST(Gram, BadInputsAreRefusedWhenBuilt) {
  const Points nan = rows(Matrix{{1.0}, {std::nan("")}});
  expect_error([&] { exact(rbf(1.0), nan); }, "DataError", {"row 2"});
  expect_error([&] { lazy(rbf(1.0), nan); }, "DataError", {"row 2"});
  expect_error([&] { lazy(rbf(1.0), strings({"a"})); }, "DomainError", {"rbf() needs numbers", "text"});
}

// ---- cached ----

// Counts what is asked of the Gram behind a cache.
class Counting final : public GramSource {
 public:
  explicit Counting(Matrix k) : k_(std::move(k)) {}
  Index size() const override { return k_.rows(); }
  void diagonal(VectorRef out) const override {
    for (Index i = 0; i < size(); ++i) out[static_cast<std::size_t>(i)] = k_(i, i);
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    for (std::size_t r = 0; r < which.size(); ++r) {
      asked.push_back(which[r]);
      std::copy_n(k_.row(which[r]), size(), out.row(static_cast<Index>(r)));
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution&) const override {
    const Matrix product = test::product(k_, Matrix(v));
    for (Index i = 0; i < size(); ++i) std::copy_n(product.row(i), v.cols(), out.row(i));
  }
  mutable std::vector<Index> asked;

 private:
  Matrix k_;
};

struct CachedCase {
  explicit CachedCase(std::size_t rows_kept, Index n = 5)
      : matrix(gram(linear() + 1.0, rows(random_matrix(n, 2, 9)))),
        source(std::make_shared<Counting>(matrix)),
        k(cached(Gram(source), rows_kept * static_cast<std::size_t>(n) * sizeof(double))) {}
  void ask(const std::vector<Index>& which) {
    const Matrix found = k.rows(which);
    for (std::size_t r = 0; r < which.size(); ++r) {
      for (Index j = 0; j < k.size(); ++j) EXPECT_EQ(found(static_cast<Index>(r), j), matrix(which[r], j));
    }
  }
  std::vector<Index> asked() const {
    std::vector<Index> out = source->asked;
    source->asked.clear();
    return out;
  }
  Matrix matrix;
  std::shared_ptr<Counting> source;
  Gram k;
};

using Numbers = std::vector<Index>;

TEST(CachedGram, ComputesARowOnce) {
  CachedCase c(5);
  c.ask({1, 3});
  EXPECT_EQ(c.asked(), (Numbers{1, 3}));
  c.ask({3, 2, 1});
  EXPECT_EQ(c.asked(), (Numbers{2}));
  const CacheStatistics s = cache_statistics(c.k);
  EXPECT_EQ(s.hits, 2u);
  EXPECT_EQ(s.misses, 3u);
  EXPECT_EQ(s.rows_kept, 3u);
  EXPECT_EQ(s.capacity, 5u);
}

TEST(CachedGram, DropsTheRowNotUsedForLongest) {
  CachedCase c(2);
  c.ask({0});
  c.ask({1});
  c.ask({0});  // now 1 is the older one
  c.ask({2});
  EXPECT_EQ(c.asked(), (Numbers{0, 1, 2}));
  c.ask({0});
  EXPECT_EQ(c.asked(), (Numbers{}));
  c.ask({1});
  EXPECT_EQ(c.asked(), (Numbers{1}));
  c.ask({2});
  EXPECT_EQ(c.asked(), (Numbers{2}));
  EXPECT_EQ(cache_statistics(c.k).rows_kept, 2u);
}

TEST(CachedGram, MoreRowsThanItHoldsAtOnce) {
  CachedCase c(2);
  c.ask({0, 1, 2, 3, 4});
  c.ask({4, 3, 2, 1, 0});
  EXPECT_EQ(cache_statistics(c.k).rows_kept, 2u);
  EXPECT_EQ(cache_statistics(c.k).hits, 2u);
}

TEST(CachedGram, TheSameRowTwiceInOneCall) {
  CachedCase c(3);
  c.ask({2, 2, 2});
  c.ask({2, 0, 2});
  EXPECT_EQ(cache_statistics(c.k).rows_kept, 2u);
}

TEST(CachedGram, WithoutRoomComputesEveryTime) {
  CachedCase c(0);
  c.ask({1});
  c.ask({1});
  EXPECT_EQ(c.asked(), (Numbers{1, 1}));
  const CacheStatistics s = cache_statistics(c.k);
  EXPECT_EQ(s.hits, 0u);
  EXPECT_EQ(s.misses, 2u);
  EXPECT_EQ(s.rows_kept, 0u);
  EXPECT_EQ(s.capacity, 0u);
}

TEST(CachedGram, StatisticsBelongToCachesOnly) {
  expect_error([] { cache_statistics(precomputed(Matrix{{1.0}})); }, "UsageError", {"not made by cached()"});
}

TEST(CachedGram, ManyThreadsMayAsk) {
  const Points x = rows(random_matrix(40, 3, 10));
  const Matrix expected = gram(rbf(1.0), x);
  const Gram k = cached(lazy(rbf(1.0), x), 7 * 40 * sizeof(double));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (Index i = 0; i < 100; ++i) {
        const std::vector<Index> which{(i * 7 + static_cast<Index>(t)) % 40};
        const Matrix row = k.rows(which);
        for (Index j = 0; j < 40; ++j) wrong[t] += std::abs(row(0, j) - expected(which[0], j)) > 1e-13;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
  EXPECT_EQ(cache_statistics(k).hits + cache_statistics(k).misses, 400u);
}

// ---- precomputed ----

TEST(PrecomputedGram, ChecksTheNumbers) {
  expect_error([] { precomputed(Matrix(2, 3)); }, "ShapeError", {"2 x 3", "square"});
  expect_error(
      [] {
        precomputed(Matrix{{1, 2}, {3, 1}});
      },
      "DataError", {"not symmetric", "K(2, 1) = 3", "K(1, 2) = 2", "(K + K')/2"});
  expect_error([] { precomputed(Matrix{{1, 0}, {0, std::nan("")}}); }, "DataError", {"row 2, column 2 is nan"});
  expect_error(
      [] {
        precomputed(Matrix{{1, std::numeric_limits<double>::infinity()}, {0, 1}});
      },
      "DataError", {"row 1, column 2 is inf"});
}

TEST(PrecomputedGram, TakesRoundingAsSymmetric) {
  EXPECT_NO_THROW(precomputed(Matrix{{1, 0.5}, {0.5 + 1e-15, 1}}));
  EXPECT_NO_THROW(precomputed(Matrix{{0, 0}, {0, 0}}));
}

// ---- centred and shifted ----

TEST(CentredGram, IsHkh) {
  const Matrix expected = naive_centred(gram(kernel(), inputs()));
  for (const Gram& k : {exact(kernel(), inputs()), lazy(kernel(), inputs()), cached(lazy(kernel(), inputs()), 2000),
                        precomputed(gram(kernel(), inputs()))}) {
    expect_is(centred(k), expected);
  }
  const Vector sums = centred(exact(kernel(), inputs())).multiply(VectorView(Vector(kSize, 1.0)));
  for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-12);
}

TEST(CentredGram, IsTheGramOfCentredFeatures) {
  const Matrix x = random_matrix(9, 3, 11), fresh = random_matrix(4, 3, 12);
  Vector mean(3, 0.0);
  for (Index i = 0; i < 9; ++i) {
    for (std::size_t c = 0; c < 3; ++c) mean[c] += x(i, static_cast<Index>(c)) / 9;
  }
  const auto without_mean = [&](Matrix m) {
    for (Index i = 0; i < m.rows(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) m(i, static_cast<Index>(c)) -= mean[c];
    }
    return m;
  };
  const Gram k = centred(exact(linear(), rows(x)));
  expect_is(k, gram(linear(), rows(without_mean(x))));
  const Matrix v = random_matrix(9, 2, 13);
  expect_near(k.expansion(v)(rows(fresh)), multiply(linear(), rows(without_mean(fresh)), rows(without_mean(x)), v),
              1e-12);
}

TEST(CentredGram, CentresNewInputsWithTheOldMean) {
  const Matrix v = random_matrix(kSize, 2, 14);
  const Gram k = centred(lazy(kernel(), inputs()));
  expect_near(k.expansion(v)(inputs()), k.multiply(v), 1e-11);
  const Points fresh = rows(random_matrix(6, 3, 15));
  const Matrix all = gram(kernel(), inputs()), at_new = cross(kernel(), fresh, inputs());
  Matrix expected(6, kSize);
  const auto n = static_cast<double>(kSize);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < kSize; ++j) {
      double row = 0, column = 0, total = 0;
      for (Index a = 0; a < kSize; ++a) {
        row += at_new(i, a) / n;
        column += all(a, j) / n;
        for (Index b = 0; b < kSize; ++b) total += all(a, b) / (n * n);
      }
      expected(i, j) = at_new(i, j) - row - column + total;
    }
  }
  expect_near(k.expansion(v)(fresh), test::product(expected, v), 1e-11);
}

TEST(CentredGram, CentringTwiceChangesNothing) {
  const Gram once = centred(exact(kernel(), inputs()));
  expect_is(centred(once), naive_centred(gram(kernel(), inputs())));
}

TEST(ShiftedGram, AddsTheRidgeToTheDiagonalOnly) {
  Matrix expected = gram(kernel(), inputs());
  for (Index i = 0; i < kSize; ++i) expected(i, i) += 0.25;
  for (const Gram& k : {exact(kernel(), inputs()), lazy(kernel(), inputs()), cached(lazy(kernel(), inputs()), 2000)}) {
    expect_is(shifted(k, 0.25), expected);
    expect_is(cached(shifted(k, 0.25), 2000), expected);
  }
  expect_is(shifted(exact(kernel(), inputs()), 0), gram(kernel(), inputs()));
}

TEST(ShiftedGram, RefusesARidgeBelowZero) {
  const Gram k = precomputed(Matrix{{1.0}});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-9, inf, std::nan("")}) {
    expect_error([&] { shifted(k, bad); }, "UsageError", {"ridge must be a finite number >= 0"});
  }
}

// ---- a source of the user's own ----

// The identity of size n, never stored.
class Identity final : public GramSource {
 public:
  explicit Identity(Index n) : n_(n) {}
  Index size() const override { return n_; }
  void diagonal(VectorRef out) const override { std::fill(out.begin(), out.end(), 1.0); }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    for (std::size_t r = 0; r < which.size(); ++r) {
      std::fill_n(out.row(static_cast<Index>(r)), n_, 0.0);
      out(static_cast<Index>(r), which[r]) = 1;
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution&) const override {
    for (Index i = 0; i < n_; ++i) std::copy_n(v.row(i), v.cols(), out.row(i));
  }

 private:
  Index n_;
};

TEST(CustomGram, AnswersAndIsDecorated) {
  Matrix identity(6, 6);
  for (Index i = 0; i < 6; ++i) identity(i, i) = 1;
  const Gram k(std::make_shared<const Identity>(6));
  expect_is(k, identity);
  expect_is(centred(k), naive_centred(identity));
  expect_is(cached(k, 100), identity);
  Matrix twice = identity;
  for (Index i = 0; i < 6; ++i) twice(i, i) = 2;
  expect_is(shifted(k, 1), twice);
  EXPECT_TRUE(k.dense().empty());
  EXPECT_FALSE(k.kernel().has_value());
}

// However many points and columns: a product tells how far it is, and ends when told to.
TEST(Lazy, ProductsListen) {
  for (const Index n : {300, 4097}) {
    const Gram K = lazy(linear(), rows(test::random_matrix(n, 1, 3)));
    for (const Index columns : {1, 2}) {
      const Execution how{.monitor = Monitor([](const Progress&) { return false; })};
      expect_error([&] { K.multiply(Matrix(n, columns, 1.0).view(), how); }, "Cancelled", {});
    }
  }
}

// To the last bit, on and off the diagonal, whatever rows are asked for with it.
TEST(Lazy, RowsAreThoseOfTheMatrix) {
  Matrix x = test::random_matrix(70, 3, 5, 0.1, 2);
  for (Index k = 0; k < 3; ++k) x(9, k) = x(4, k);
  const Points points = rows(x), wide = rows(test::random_matrix(40, 20, 6, 0.1, 2));
  std::vector<std::string> texts = {"scaled(norm, arccos(order=1))*normalize(ntk(depth=2))", "matern(nu=0.7)",
                                    "matern(nu=2.5)*arccos(order=0)", "normalize(poly(degree=3))"};
  for (const CatalogRow& row : catalog()) {
    if (!row.is_rule && row.domain == "reals" && !row.example.empty() && row.name != "assume_psd") {
      texts.push_back(row.example);
    }
  }
  for (const std::string& text : texts) {
    const Kernel k = parse(text);
    for (const Points& at : {points, wide, rows(test::to_sparse(x))}) {
      if (k.domain().dimension > 0 && k.domain().dimension != at.domain().dimension) continue;
      const Matrix K = gram(k, at), some = lazy(k, at).rows(std::vector<Index>{31, 4, 9});
      for (Index j = 0; j < K.cols(); ++j) {
        EXPECT_EQ(some(0, j), K(31, j)) << text << " " << j;
        EXPECT_EQ(some(1, j), K(4, j)) << text << " " << j;
        EXPECT_EQ(some(2, j), K(9, j)) << text << " " << j;
      }
    }
  }
}

TEST(Assumed, AnAsymmetricFunctionIsRefused) {
  const Points x = rows(Matrix{{1, 2}, {3, 5}, {0, 1}});
  for (const char* text : {"assume_psd(x[1]*y[2], \"no\")", "assume_psd(exp(x[1]-2*y[1]), \"no\")"}) {
    expect_error([&] { gram(parse(text), x); }, "KernelError", {"not symmetric", "rows", "the other way round"});
    expect_error([&] { lazy(parse(text), x).rows(std::vector<Index>{0}); }, "KernelError", {"not symmetric"});
  }
  const Kernel own = assume_psd(
      Similarity::function("mine", [](VectorView a, VectorView b) { return a[0] * b[0] + (a[0] > b[0] ? 1e-3 : 0); }),
      "no");
  expect_error([&] { gram(own, x); }, "KernelError", {"not symmetric"});
  // One pair among many.
  Matrix many = test::random_matrix(80, 1, 3);
  many(33, 0) = 7;
  many(61, 0) = 8;
  const Kernel one =
      assume_psd(Similarity::function(
                     "one", [](VectorView a, VectorView b) { return a[0] * b[0] + (a[0] == 7 && b[0] == 8 ? 1 : 0); }),
                 "no");
  expect_error([&] { gram(one, rows(many)); }, "KernelError", {"not symmetric", "62", "34"});
  // Rounding is no asymmetry.
  EXPECT_NO_THROW(gram(parse("assume_psd((x[1]+y[1])^2-x[1]^2-y[1]^2, \"2 x y\")"), x));
}

}  // namespace
}  // namespace mercer::gram_test
