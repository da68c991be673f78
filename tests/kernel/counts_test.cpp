// Kernels on categories and counts, and inner products of rows of counts.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::counts_test {
namespace {

using test::expect_error;

SparseMatrix sparse(const Matrix& m) {
  SparseMatrix out;
  out.rows = m.rows();
  out.cols = m.cols();
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index k = 0; k < m.cols(); ++k) {
      if (m(i, k) == 0) continue;
      out.columns.push_back(static_cast<std::int32_t>(k));
      out.values.push_back(m(i, k));
    }
    out.offsets.push_back(static_cast<Index>(out.values.size()));
  }
  return out;
}

// Few entries in most columns, many in the first ones, so that both ways of adding them are taken.
Matrix counts(Index n, Index d, unsigned seed, unsigned largest) {
  std::mt19937 random(seed);
  Matrix out(n, d);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) {
      if (random() % (k < 20 ? 2 : 40) == 0) out(i, k) = static_cast<double>(1 + random() % largest);
    }
  }
  return out;
}

TEST(Counts, InnerProductsAreExactWhateverTheirSize) {
  for (const unsigned largest : {1U, 3U, 30U, 255U, 1000U}) {
    const Matrix a = counts(70, 300, 1, largest), b = counts(300, 300, 2, largest);
    const Matrix K = cross(linear(), rows(sparse(a)), rows(sparse(b)));
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < b.rows(); ++j) {
        double expected = 0;
        for (Index k = 0; k < a.cols(); ++k) expected += a(i, k) * b(j, k);
        ASSERT_EQ(K(i, j), expected) << largest;
      }
    }
  }
}

TEST(Counts, OfColumnsFarApart) {
  SparseMatrix x;
  x.cols = Index{1} << 31;
  for (const std::int32_t column : {5, 2147483647, 5, 100}) {
    x.columns.push_back(column);
    x.values.push_back(2);
    x.offsets.push_back(static_cast<Index>(x.values.size()));
    ++x.rows;
  }
  EXPECT_EQ(gram(linear(), rows(std::move(x))), (Matrix{{4, 0, 4, 0}, {0, 4, 0, 0}, {4, 0, 4, 0}, {0, 0, 0, 4}}));
}

TEST(Equal, TellsTextsNumbersAndTablesApart) {
  EXPECT_EQ(gram(equal(), strings({"a", "b", "a"})), (Matrix{{1, 0, 1}, {0, 1, 0}, {1, 0, 1}}));
  EXPECT_EQ(cross(equal(), strings({"a", "b"}), strings({"b", "", "a"})), (Matrix{{0, 0, 1}, {1, 0, 0}}));
  const Matrix x{{1, 2}, {1, 3}, {1, 2}};
  EXPECT_EQ(gram(equal(), rows(x)), (Matrix{{1, 0, 1}, {0, 1, 0}, {1, 0, 1}}));
  EXPECT_EQ(gram(equal(), rows(sparse(x))), gram(equal(), rows(x)));
  const Points both = table({{"name", strings({"a", "a", "b"})}, {"x", rows(Matrix{{1}, {2}, {1}})}});
  EXPECT_EQ(gram(equal(), both), (Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(gram(on("name", equal()) + on("x", equal()), both), (Matrix{{2, 1, 1}, {1, 2, 0}, {1, 0, 2}}));
}

TEST(Hamming, IsTheShareOfEqualColumns) {
  const Matrix x{{0, 1, 2, 0}, {0, 1, 3, 1}, {0, 0, 0, 0}};
  const Matrix expected{{1, 0.5, 0.5}, {0.5, 1, 0.25}, {0.5, 0.25, 1}};
  EXPECT_EQ(gram(hamming(), rows(x)), expected);
  EXPECT_EQ(gram(hamming(), rows(sparse(x))), expected);
  EXPECT_EQ(diagonal(hamming(), rows(sparse(x))), (Vector{1, 1, 1}));
}

TEST(Tanimoto, OfBitsAndOfTheZeroVector) {
  const Matrix x{{1, 1, 0, 1}, {1, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 2, 0}};
  const Matrix expected{{1, 2.0 / 3, 0, 0}, {2.0 / 3, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}};
  EXPECT_EQ(gram(tanimoto(), rows(x)), expected);
  EXPECT_EQ(gram(tanimoto(), rows(sparse(x))), expected);
}

TEST(Chi2, IsThatOfScikitLearn) {
  const Matrix x{{1, 0, 2}, {0, 0, 3}};
  const double expected = std::exp(-0.5 * (1 + 0 + 1.0 / 5));
  EXPECT_NEAR(gram(chi2(0.5), rows(x))(0, 1), expected, 1e-15);
  EXPECT_NEAR(gram(chi2(0.5), rows(sparse(x)))(0, 1), expected, 1e-15);
  SparseMatrix negative = sparse(Matrix{{1, 0, -2}});
  expect_error([&] { gram(chi2(1), rows(std::move(negative))); }, "DomainError",
               {"chi2(): needs x >= 0; row 1, column 3 is -2"});
}

}  // namespace
}  // namespace mercer::counts_test
