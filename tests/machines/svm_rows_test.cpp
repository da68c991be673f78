// Rows of K for support vector machines against K itself.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "machines/svm/kernel_rows.hpp"
#include "machines/svm/row_store_state.hpp"
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::svm_rows_test {
namespace {

using namespace test;
using detail::Rows;
using detail::RowStore;

using Numbers = std::vector<Index>;

// With kernel values of about 1.
struct Case {
  std::string name;
  Gram K;
};

Matrix bytes_over_255(Index n, Index d) {
  Matrix out = random_matrix(n, d, 31, 0, 255);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = std::floor(out.data()[i]) / 255;
  return out;
}

Matrix zeros_and_ones(Index n, Index d, double share) {
  Matrix out = random_matrix(n, d, 37, 0, 1);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = out.data()[i] < share ? 3 : 0;
  return out;
}

std::vector<std::string> words(Index n) {
  std::vector<std::string> out;
  Random random(32);
  for (Index i = 0; i < n; ++i) {
    std::string word;
    for (Index c = 0; c < 12; ++c) word += static_cast<char>('a' + random.below(3));
    out.push_back(word);
  }
  return out;
}

std::vector<Case> cases(Index n) {
  const Points narrow = rows(random_matrix(n, 3, 33)), wide = rows(random_matrix(n, 20, 34, -1, 1));
  const Points far = rows(random_matrix(n, 20, 35, 1e4, 1e4 + 1)), digits = rows(bytes_over_255(n, 300));
  const Points sparse = rows(to_sparse(documents(n, 3).x));
  const Points mixed = table({{"x", rows(random_matrix(n, 2, 36))}, {"word", strings(words(n))}});
  const Points text = strings(words(n));
  Matrix given = gram(rbf(1), narrow);
  return {{"rbf", lazy(rbf(0.8), narrow)},
          {"rbf of many columns", lazy(3 * rbf(2), wide)},
          {"rbf far from 0", lazy(rbf(2), far)},
          {"rbf, a length scale per column", lazy(rbf({0.5, 1, 2}), narrow)},
          {"rbf on some columns", lazy(2 * on("2:3", 0.5 * rbf(0.7)), narrow)},
          {"linear", lazy(0.1 * linear(), wide)},
          {"poly", lazy(0.001 * poly(3, 0.5), wide)},
          {"bytes", lazy(rbf(4), digits)},
          {"bytes, linear", lazy(0.01 * linear(), digits)},
          {"bytes, poly", lazy(1e-4 * poly(2, 1), digits)},
          {"bits", lazy(rbf(8), rows(zeros_and_ones(n, 30, 0.4)))},
          {"bits, sparse", lazy(rbf(8), rows(to_sparse(zeros_and_ones(n, 90, 0.1))))},
          {"bits of many columns", lazy(2 * rbf(50), rows(zeros_and_ones(n, 700, 0.5)))},
          {"bits, linear", lazy(0.01 * linear(), rows(zeros_and_ones(n, 30, 0.4)))},
          {"bits, poly", lazy(1e-4 * poly(2, 1), rows(zeros_and_ones(n, 30, 0.4)))},
          {"sparse", lazy(rbf(1.5), sparse)},
          {"sparse, linear", lazy(linear(), sparse)},
          {"a column of numbers and a table", lazy(on("x", rbf(1)), mixed)},
          {"matern", lazy(matern(1.5, 0.7), narrow)},
          {"sum", lazy(rbf(0.7) + 0.1 * linear(), narrow)},
          {"matern of sparse", lazy(matern(0.5, 2), sparse)},
          {"strings", lazy(parse("normalize(spectrum(k=2))"), text)},
          {"table", lazy(on("x", rbf(1)) * on("word", parse("normalize(spectrum(k=2))")), mixed)},
          {"in memory", exact(rbf(0.8), narrow)},
          {"cached", cached(lazy(rbf(0.8), narrow), 1 << 16)},
          {"numbers", precomputed(std::move(given))}};
}

std::vector<Index> thirds(Index n) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) out.push_back(i % 7 == 0 ? 1 : i % 2 * 2);
  return out;
}

Matrix all_of(const Gram& K) {
  std::vector<Index> which(at(K.size()));
  std::iota(which.begin(), which.end(), Index{0});
  return K.rows(which);
}

// Everything Rows offers against the matrix itself.
void expect_rows_of(const Rows& rows, const Matrix& K) {
  const std::vector<Index>& points = rows.points();
  const auto truth = [&](Index a, Index b) { return K(points[at(a)], points[at(b)]); };
  const Index n = rows.size();
  const Vector diagonal = rows.diagonal();
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(diagonal[at(i)], truth(i, i), 1e-12);

  std::vector<Index> which;
  for (Index i = 0; i < n; i += 2) which.push_back((i * 5 + 3) % n);
  which.push_back(which.front());  // twice, as regression asks for it
  const auto count = static_cast<Index>(which.size()), stride = (count + 47) / 48 * 48 + 48;
  std::vector<float> single(at(count * stride));
  Vector twice(at(count * stride));
  rows.tile(which, single.data(), stride, 2);
  rows.tile(which, twice.data(), stride, 2);
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const double value = truth(which[at(a)], which[at(b)]);
      ASSERT_NEAR(static_cast<double>(single[at(a * stride + b)]), value, 2e-6) << a << ' ' << b;
      ASSERT_NEAR(twice[at(a * stride + b)], value, 1e-12);
    }
  }

  const Vector weights = random_vector(count, 40);
  Vector expected(at(n), 0.5), kept = expected, again = expected, streamed = expected, exact = expected;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < count; ++k) expected[at(i)] += weights[at(k)] * truth(i, which[at(k)]);
  }
  rows.add(which, weights, streamed, 2, false);
  rows.add(which, weights, kept, 2, true);
  rows.add(which, weights, again, 2, true);
  rows.add_exact(which, weights, exact, 2);
  for (std::size_t i = 0; i < at(n); ++i) {
    ASSERT_NEAR(kept[i], expected[i], 2e-6 * static_cast<double>(count));
    ASSERT_NEAR(exact[i], expected[i], 1e-12 * static_cast<double>(count)) << i;
  }
  EXPECT_EQ(again, kept);
  EXPECT_EQ(streamed, kept);
  const Vector before = kept;
  rows.add({}, {}, kept, 2);
  rows.add_exact({}, {}, kept, 2);
  EXPECT_EQ(kept, before);
}

TEST(SvmRows, AgreeWithTheMatrix) {
  const Index n = 110;
  for (const Case& c : cases(n)) {
    const Matrix K = all_of(c.K);
    for (const std::size_t memory : {std::size_t{0}, std::size_t{20'000}, std::size_t{1}}) {
      SCOPED_TRACE(c.name + ", memory " + std::to_string(memory));
      expect_rows_of(Rows(std::make_shared<RowStore>(c.K, Numbers{}, memory, Execution{})), K);
      const auto store = std::make_shared<RowStore>(c.K, thirds(n), memory, Execution{});
      expect_rows_of(Rows(store), K);
      expect_rows_of(Rows(store, {1}), K);
      expect_rows_of(Rows(store, {0, 2}), K);
      expect_rows_of(Rows(store, {2, 1, 0}), K);
      if (HasFatalFailure()) return;
    }
  }
}

// Of so many numbers points are prepared for products a part at a time.
TEST(SvmRows, InPartsAgreeWithTheMatrix) {
  const Index n = 4500, d = 1100;
  const Points x = rows(random_matrix(n, d, 38, -0.03, 0.03));
  const Kernel k = rbf(1);
  std::vector<Index> second(at(n));
  for (Index i = 0; i < n; ++i) second[at(i)] = i % 2;
  const Rows rows(std::make_shared<RowStore>(lazy(k, x), second, 0, Execution{}));
  const std::vector<Index> few = {0, 1, 2249, 2250, 4095, 4096, 4499};
  std::vector<Index> all(at(n));
  std::iota(all.begin(), all.end(), Index{0});
  Vector weights(at(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1e-3 * static_cast<double>(i % 7) - 2e-3;
  Vector f(at(n), 1.0);
  rows.add_exact(few, VectorView(weights).first(few.size()), f, 2);
  const Vector at_few = rows.exact_at(few, all, weights, 2);
  std::vector<Index> points;
  for (const Index position : few) points.push_back(rows.points()[at(position)]);
  const Matrix K = cross(k, x.select(rows.points()), x.select(points));
  for (Index i = 0; i < n; ++i) {
    double sum = 1;
    for (Index c = 0; c < K.cols(); ++c) sum += weights[at(c)] * K(i, c);
    ASSERT_NEAR(f[at(i)], sum, 1e-13) << i;
  }
  for (Index c = 0; c < K.cols(); ++c) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += weights[at(i)] * K(i, c);
    ASSERT_NEAR(at_few[at(c)], sum, 1e-11) << c;
  }
}

// A matrix of which nobody knows a kernel, and which is not in memory.
class Elsewhere final : public GramSource {
 public:
  explicit Elsewhere(Matrix k) : k_(precomputed(std::move(k))) {}
  Index size() const override { return k_.size(); }
  void diagonal(VectorRef out) const override { k_.source().diagonal(out); }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    k_.source().rows(which, out, how);
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override { k_.source().multiply(v, out, how); }

 private:
  Gram k_;
};

TEST(SvmRows, OfMorePointsThanAreTakenAtATime) {
  const Index n = 600;
  const Matrix K = gram(rbf(0.5), rows(random_matrix(n, 2, 7)));
  const Rows rows(
      std::make_shared<RowStore>(Gram(std::make_shared<const Elsewhere>(K)), std::span<const Index>{}, 0, Execution{}));
  std::vector<Index> which;
  for (Index i = 0; i < n; i += 2) which.push_back(i);
  const Vector weights = random_vector(static_cast<Index>(which.size()), 8);
  Vector f(at(n)), expected(at(n));
  rows.add_exact(which, weights, f, 1);
  for (std::size_t k = 0; k < which.size(); ++k) {
    for (Index i = 0; i < n; ++i) expected[at(i)] += weights[k] * K(which[k], i);
  }
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(f[at(i)], expected[at(i)], 1e-12);
}

TEST(SvmRows, OneTwoAndThreePoints) {
  for (const Index n : {1, 2, 3}) {
    for (const Case& c : cases(n)) {
      SCOPED_TRACE(c.name + ", n = " + std::to_string(n));
      expect_rows_of(Rows(std::make_shared<RowStore>(c.K, Numbers{}, 0, Execution{})), all_of(c.K));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SvmRows, AClassWithoutPointsIsAnEmptySegment) {
  const Index n = 60;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    Numbers segment = thirds(n);
    for (Index& s : segment) s = s == 1 ? 3 : s;
    const auto store = std::make_shared<RowStore>(c.K, segment, 0, Execution{});
    expect_rows_of(Rows(store), all_of(c.K));
    expect_rows_of(Rows(store, {0, 3}), all_of(c.K));
    EXPECT_EQ(Rows(store, {1}).size(), 0);
    if (HasFatalFailure()) return;
  }
}

TEST(SvmRows, CountWhatTheyCompute) {
  const auto store =
      std::make_shared<RowStore>(lazy(rbf(1), rows(random_matrix(100, 2, 41))), Numbers{}, 0, Execution{});
  const Rows rows(store);
  Vector f(100);
  rows.add(Numbers{1, 2, 3}, Vector{1, 1, 1}, f, 1);
  rows.add(Numbers{2, 3, 4, 5}, Vector{1, 1, 1, 1}, f, 1);
  EXPECT_EQ(store->statistics().rows_computed, 5);
  EXPECT_EQ(store->statistics().rows_reused, 2);
  rows.add_exact(Numbers{1, 7}, Vector{1, 1}, f, 1);
  EXPECT_EQ(store->statistics().rows_computed, 7);
  std::vector<double> tile(at(20 * 20));
  Numbers some(20);
  std::iota(some.begin(), some.end(), Index{0});
  rows.tile(some, tile.data(), 20, 1);
  EXPECT_EQ(store->statistics().rows_computed, 11);
  EXPECT_NE(store->plan().find("all 100"), std::string::npos) << store->plan();
  const RowStore little(lazy(rbf(1), mercer::rows(random_matrix(100, 2, 41))), Numbers{}, 10 * 144 * sizeof(float), {});
  EXPECT_NE(little.plan().find("up to "), std::string::npos) << little.plan();
  const RowStore none(lazy(rbf(1), mercer::rows(random_matrix(100, 2, 41))), Numbers{}, 1, {});
  EXPECT_NE(none.plan().find("none kept"), std::string::npos) << none.plan();
  const RowStore cheap(lazy(rbf(1), mercer::rows(zeros_and_ones(100, 30, 0.5))), Numbers{}, 0, {});
  EXPECT_NE(cheap.plan().find("computed when wanted"), std::string::npos) << cheap.plan();
}

// Cut up however small it is: 1500 columns are four pieces.
TEST(SvmRows, ThreadsDoNotShow) {
  const Index n = 1500;
  const Points wide = rows(random_matrix(n, 40, 42, -1, 1)), narrow = rows(random_matrix(n, 3, 43));
  for (const Case& c :
       {Case{"rbf", lazy(rbf(3), wide)}, Case{"rbf of few columns", lazy(rbf(1), narrow)},
        Case{"bytes", lazy(rbf(4), rows(bytes_over_255(n, 40)))}, Case{"matern", lazy(matern(1.5, 1), narrow)},
        Case{"numbers", precomputed(gram(rbf(1), narrow))}}) {
    SCOPED_TRACE(c.name);
    Numbers which;
    for (Index i = 0; i < n; i += 5) which.push_back((i * 7 + 3) % n);
    const auto count = static_cast<Index>(which.size()), stride = (count + 47) / 48 * 48;
    const Vector weights = random_vector(count, 44);
    std::vector<float> first_tile;
    Vector first_f, first_exact;
    for (const int threads : {1, 2, 5}) {
      const auto store =
          std::make_shared<RowStore>(c.K, Numbers{}, std::size_t{1} << 20, Execution{.threads = threads});
      store->state().small_work = 0;
      const Rows rows(store);
      std::vector<float> tile(at(count * stride));
      Vector f(at(n)), exact(at(n));
      rows.tile(which, tile.data(), stride, threads);
      for (Index a = 0; a < count; ++a) std::fill_n(tile.begin() + a * stride + count, stride - count, 0.0F);
      rows.add(which, weights, f, threads);
      rows.add_exact(which, weights, exact, threads);
      if (threads == 1) {
        first_tile = tile;
        first_f = f;
        first_exact = exact;
      }
      EXPECT_EQ(tile, first_tile);
      EXPECT_EQ(f, first_f);
      EXPECT_EQ(exact, first_exact);
    }
  }
}

}  // namespace
}  // namespace mercer::svm_rows_test
