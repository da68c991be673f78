// Dense double, dense float and CSR rows of the same numbers give the same values and gradients.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::sparse_test {
namespace {

using test::expect_near;

// Multiples of 1/8 in [0, 3], most of them 0: exact in float. The first two rows are all 0, two rows are equal.
Matrix sparse_numbers(Index n, Index d, unsigned seed) {
  Matrix m = test::random_matrix(n, d, seed, 0, 4);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) m(i, j) = m(i, j) < 3 || i < 2 ? 0 : std::floor(8 * (m(i, j) - 3)) * 0.375;
  }
  if (n > 4) std::copy_n(m.row(3), d, m.row(4));
  return m;
}

std::vector<std::string> kernels(Index d) {
  std::string ells;
  for (Index k = 0; k < d; ++k) ells += (k == 0 ? "" : ", ") + std::to_string(1 + k % 3);
  std::vector<std::string> out{"linear()",
                               "const(c=2)",
                               "poly(degree=3, c=1)",
                               "rbf(ell=2)",
                               "rbf(ell=[" + ells + "])",
                               "laplace(ell=2)",
                               "laplace(ell=[" + ells + "])",
                               "exponential(ell=2)",
                               "matern(nu=0.5, ell=2)",
                               "matern(nu=1.5, ell=[" + ells + "])",
                               "matern(nu=2.5, ell=2)",
                               "rq(ell=2, alpha=0.8)",
                               "periodic(period=5, ell=2)",
                               "min()",
                               "multilinear()",
                               "cosine()",
                               "equal()",
                               "hamming()",
                               "tanimoto()",
                               "chi2(gamma=0.5)",
                               "arccos(order=0)",
                               "arccos(order=1)",
                               "ntk(depth=2)",
                               "on(1:3, rbf(ell=1))*on([4, 2], linear())",
                               "warp(sqrt, rbf(ell=1))",
                               "warp(cos, rbf(ell=1))",
                               "sho(omega=0.7, q=2)",
                               "wave(period=2.5)",
                               "wendland(k=2, ell=6)",
                               "warp(tanh, linear())",
                               "scaled(norm, rbf(ell=1))",
                               "normalize(1 + linear())",
                               "exp(0.1*linear()) + polynomial([1, 2], cosine())"};
  std::string a;
  for (Index i = 0; i < d; ++i) {
    a += i == 0 ? "[" : ", [";
    for (Index j = 0; j < d; ++j)
      a += std::string(j == 0 ? "" : ", ") + (i == j ? "3" : std::abs(i - j) == 1 ? "1" : "0");
    a += "]";
  }
  out.push_back("quadratic(A=[" + a + "])");
  return out;
}

// Every catalog kernel on reals stands in the list, so that a new one is not forgotten.
TEST(Sparse, EveryKernelOnRealsIsTested) {
  std::string all;
  for (const std::string& text : kernels(6)) all += text;
  for (const CatalogRow& row : catalog()) {
    const bool on_reals = row.domain == "reals" || row.domain == "any";
    if (row.is_rule || !on_reals || row.name == "features" || row.name == "assume_psd") continue;
    if (row.name == "coregion") continue;  // of one column: the laws have it on sparse rows
    EXPECT_NE(all.find(row.name + "("), std::string::npos) << row.name;
  }
}

TEST(Sparse, GramCrossAndDiagonalAgreeWithDense) {
  for (const Index d : {6, 40}) {
    const Matrix m = sparse_numbers(21, d, 1), other = sparse_numbers(13, d, 2);
    const std::vector<float> m_float = test::to_float(m);
    const Points dense = rows(m), csr = rows(test::to_sparse(m)), single = rows(FloatMatrixView(m_float.data(), 21, d));
    const Points dense_other = rows(other), csr_other = rows(test::to_sparse(other));
    for (const std::string& text : kernels(d)) {
      SCOPED_TRACE(text);
      const Kernel k = parse(text);
      const Matrix expected = gram(k, dense), expected_cross = cross(k, dense, dense_other);
      expect_near(gram(k, csr, {.tile = 8}), expected, 1e-13);
      expect_near(gram(k, single, {.tile = 8}), expected, 1e-13);
      expect_near(cross(k, csr, csr_other, {.tile = 8}), expected_cross, 1e-13);
      expect_near(cross(k, csr, dense_other), expected_cross, 1e-13);
      expect_near(cross(k, dense, csr_other), expected_cross, 1e-13);
      expect_near(cross(k, single, csr_other), expected_cross, 1e-13);
      const Vector a = diagonal(k, dense), b = diagonal(k, csr), c = diagonal(k, single);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], b[i], 1e-13 * std::max(1.0, a[i]));
        EXPECT_NEAR(a[i], c[i], 1e-13 * std::max(1.0, a[i]));
      }
      const Matrix g = gram(k, csr);
      for (Index i = 0; i < 21; ++i) EXPECT_EQ(g(i, i), b[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(Sparse, GradientsAgreeWithDense) {
  const Index d = 6;
  const Matrix m = sparse_numbers(11, d, 3), other = sparse_numbers(9, d, 4);
  const std::vector<float> m_float = test::to_float(m);
  const Points dense = rows(m), csr = rows(test::to_sparse(m)), single = rows(FloatMatrixView(m_float.data(), 11, d));
  const Points dense_other = rows(other), csr_other = rows(test::to_sparse(other));
  const Matrix w = test::random_matrix(11, 9, 5);
  for (const std::string& text : kernels(d)) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    const Vector expected = gradient(k, dense, dense_other, w);
    for (const Vector& found :
         {gradient(k, csr, csr_other, w), gradient(k, csr, dense_other, w), gradient(k, single, csr_other, w)}) {
      for (std::size_t p = 0; p < expected.size(); ++p) {
        EXPECT_NEAR(found[p], expected[p], 1e-11 * std::max(1.0, std::abs(expected[p])));
      }
    }
    const Matrix by_input = input_gradient(k, dense, dense_other, w);
    expect_near(input_gradient(k, csr, csr_other, w), by_input, 1e-11);
    expect_near(input_gradient(k, dense, csr_other, w), by_input, 1e-11);
  }
}

TEST(Sparse, GramsServeRowsOfSparsePoints) {
  const Matrix m = sparse_numbers(12, 7, 6);
  const Points csr = rows(test::to_sparse(m));
  for (const char* text : {"rbf(ell=2)", "linear()", "normalize(poly(degree=2, c=1))", "laplace(ell=1)"}) {
    SCOPED_TRACE(text);
    const Matrix expected = gram(parse(text), rows(m));
    const std::vector<Index> which{11, 0, 3};
    const Matrix found = lazy(parse(text), csr).rows(which);
    for (std::size_t r = 0; r < which.size(); ++r) {
      for (Index j = 0; j < 12; ++j) EXPECT_NEAR(found(static_cast<Index>(r), j), expected(which[r], j), 1e-13);
    }
  }
}

TEST(Sparse, ColumnCountsMustFit) {
  const Points a = rows(SparseMatrix{1, 3, {0, 1}, {2}, {1.0}}), b = rows(SparseMatrix{1, 4, {0, 1}, {2}, {1.0}});
  test::expect_error([&] { cross(linear(), a, b); }, "ShapeError", {"3 columns, the other 4"});
  test::expect_error([&] { cross(rbf(1.0), a, rows(Matrix(1, 4))); }, "ShapeError", {"3 columns, the other 4"});
}

TEST(Sparse, NegativeEntriesOfMinAreNamed) {
  const Points x = rows(SparseMatrix{2, 3, {0, 1, 2}, {0, 2}, {1.0, -2.0}});
  test::expect_error([&] { gram(min(), x); }, "DomainError", {"row 2, column 3 is -2"});
}

TEST(Sparse, WideRowsTakeNoDenseMemory) {
  // 10^6 columns: dense rows would take 16 GB.
  SparseMatrix m{2000, 1000000, {0}, {}, {}};
  for (Index i = 0; i < m.rows; ++i) {
    m.columns.push_back(static_cast<std::int32_t>(i));
    m.columns.push_back(static_cast<std::int32_t>(500000 + i * 7 % 1000));
    m.values.insert(m.values.end(), {1.0, 2.0});
    m.offsets.push_back(static_cast<Index>(m.columns.size()));
  }
  const Points x = rows(std::move(m));
  const Matrix g = gram(rbf(1.0) + 0.5 * linear(), x.slice({0, 300}));
  EXPECT_EQ(g(0, 0), 1 + 0.5 * 5);
  EXPECT_NEAR(g(1, 0), std::exp(-5.0), 1e-16);
  EXPECT_EQ(gram(cosine(), x.slice({0, 2}))(0, 1), 0);
}

// A few rows with more than 2^18 entries, of counts and of numbers, full and not: against a plain loop.
TEST(Sparse, AFewLongRowsAreMerged) {
  constexpr Index kColumns = 200'000;
  for (const double unit : {1.0, 0.1}) {
    SparseMatrix m{.rows = 3, .cols = kColumns, .offsets = {0}, .columns = {}, .values = {}};
    Matrix dense(3, kColumns);
    for (Index i = 0; i < 3; ++i) {
      for (Index c = 0; c < kColumns; ++c) {
        if (i > 0 && (c * 7 + i) % 3 == 0) continue;
        dense(i, c) = unit * static_cast<double>(1 + (c * 13 + i * 5) % 9);
        m.columns.push_back(static_cast<std::int32_t>(c));
        m.values.push_back(dense(i, c));
      }
      m.offsets.push_back(static_cast<Index>(m.columns.size()));
    }
    const Matrix K = gram(linear(), rows(std::move(m)));
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        long double sum = 0;
        for (Index c = 0; c < kColumns; ++c) sum += static_cast<long double>(dense(i, c)) * dense(j, c);
        EXPECT_NEAR(K(i, j), static_cast<double>(sum), unit == 1 ? 0 : 1e-11 * static_cast<double>(sum));
        EXPECT_EQ(K(i, j), K(j, i));
      }
    }
  }
}

TEST(Sparse, NearDuplicatesKeepTheirDigits) {
  // |x - y|^2 is 1e-20 beside |x|^2 = 2: only differences taken directly know it.
  const Points x = rows(SparseMatrix{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1.0, 1.0, 1.0, 1.0 + 0x1p-33}});
  EXPECT_NEAR(gram(exponential(1.0), x)(0, 1), std::exp(-0x1p-33), 1e-16);
  EXPECT_NEAR(gram(rbf(0x1p-33), x)(0, 1), std::exp(-0.5), 1e-14);
}

// Rows of which much is stored are multiplied as dense ones: to the same bits.
TEST(Sparse, FullRowsAreDense) {
  const Matrix m = test::random_matrix(40, 9, 7, 0.5, 1), other = test::random_matrix(30, 9, 8, 0.5, 1);
  for (const char* const text : {"rbf(ell=2)", "linear()", "matern(nu=1.5, ell=2)", "laplace(ell=2)"}) {
    const Kernel k = parse(text);
    EXPECT_EQ(gram(k, rows(test::to_sparse(m))), gram(k, rows(m))) << text;
    EXPECT_EQ(cross(k, rows(test::to_sparse(m)), rows(test::to_sparse(other))), cross(k, rows(m), rows(other))) << text;
  }
}

// One length scale per column: memory follows the entries, and not rows times columns, which here were 2 x 2 GB.
TEST(Sparse, GradientsInManyLengthScales) {
  constexpr Index columns = 1'000'000;
  std::mt19937_64 engine(3);
  SparseMatrix x;
  x.rows = 256;
  x.cols = columns;
  Matrix few(x.rows, 4);  // the columns that are not 0
  const std::vector<Index> used = {5, 70'000, 500'000, 999'999};
  for (Index i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (engine() % 2 == 0) continue;
      few(i, static_cast<Index>(k)) = std::normal_distribution<double>()(engine);
      x.columns.push_back(static_cast<std::int32_t>(used[k]));
      x.values.push_back(few(i, static_cast<Index>(k)));
    }
    x.offsets.push_back(static_cast<Index>(x.columns.size()));
  }
  Vector ell(static_cast<std::size_t>(columns), 1.0), own = {1.5, 0.5, 2, 1};
  for (std::size_t k = 0; k < used.size(); ++k) ell[static_cast<std::size_t>(used[k])] = own[k];
  const Matrix w = test::random_matrix(x.rows, x.rows, 9);
  const Kernel k = rbf(ell);
  const Points points = rows(x);
  const auto peak = [] {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;  // in kB
  };
  const long before = peak();
  const Vector found = gradient(k, points, w, {.threads = 1});
  EXPECT_LT(peak() - before, 1'000'000);
  const Vector expected = gradient(rbf(own), rows(few), w);
  for (std::size_t k = 0; k < used.size(); ++k) {
    EXPECT_NEAR(found[static_cast<std::size_t>(used[k])], expected[k], 1e-9 * (1 + std::abs(expected[k])));
  }
  EXPECT_EQ(found[6], 0);
}

}  // namespace
}  // namespace mercer::sparse_test
