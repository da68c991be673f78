// K in single precision, kept or computed again.
#include "gram/rounded.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::rounded_test {
namespace {

Points cloud(Index n) { return rows(test::random_matrix(n, 3, 5)); }

TEST(RoundedGram, MultipliesWhatFloatsHold) {
  for (const char* const text : {"matern(nu=0.5,ell=1)", "3*rbf(ell=0.7) + on(1, periodic(ell=1,period=2))"}) {
    for (const Index n : {1, 7, 143, 144, 145, 289, 300}) {
      const Points x = cloud(n);
      const Gram K = exact(parse(text), x);
      ASSERT_TRUE(detail::can_be_rounded(lazy(parse(text), x)));
      const Gram rounded = detail::rounded(lazy(parse(text), x), 1e9, {});
      for (const Index columns : {1, 3}) {
        const Matrix v = test::random_matrix(n, columns, 2);
        const Matrix found = rounded.multiply(v.view());
        for (Index i = 0; i < n; ++i) {
          for (Index c = 0; c < columns; ++c) {
            double sum = 0, size = 0;
            for (Index j = 0; j < n; ++j) {
              const double term = static_cast<double>(static_cast<float>(K.dense()(i, j))) * v(j, c);
              sum += term;
              size += std::abs(term);
            }
            EXPECT_NEAR(found(i, c), sum, 1e-14 * size) << text << ' ' << n << ' ' << i;
          }
        }
      }
    }
  }
}

TEST(RoundedGram, RoomAndThreadsChangeNoBit) {
  constexpr Index n = 700;
  const Gram K = lazy(parse("laplace(ell=2)"), cloud(n));
  const double all = detail::rounded_bytes(n);
  for (const Index columns : {1, 2}) {
    const Matrix v = test::random_matrix(n, columns, 3);
    const Matrix kept = detail::rounded(K, all, {.threads = 1}).multiply(v.view(), {.threads = 1});
    for (const double bytes : {0.0, 1e5, 0.5 * all, 0.99 * all, 2 * all}) {
      for (const int threads : {1, 2, 3}) {
        const Matrix other = detail::rounded(K, bytes, {.threads = threads}).multiply(v.view(), {.threads = threads});
        for (Index i = 0; i < n * columns; ++i) ASSERT_EQ(kept.data()[i], other.data()[i]) << bytes << ' ' << threads;
      }
    }
  }
}

TEST(RoundedGram, BytesAreThoseOfTheTriangle) {
  for (const double n : {144.0, 1000.0, 41157.0}) {
    const double bytes = detail::rounded_bytes(static_cast<Index>(n));
    EXPECT_GE(bytes, 2 * n * n);
    EXPECT_LE(bytes, 2 * n * n + 2 * 144 * n + 1);
  }
}

TEST(RoundedGram, RowsAndDiagonalAgree) {
  const Points x = cloud(150);
  const Gram K = lazy(parse("rbf(ell=1)"), x), rounded = detail::rounded(K, 1e9, {});
  const std::vector<Index> which = {3, 149};
  const Matrix exact = K.rows(which), found = rounded.rows(which);
  for (Index i = 0; i < 300; ++i) EXPECT_EQ(found.data()[i], static_cast<float>(exact.data()[i]));
  EXPECT_EQ(rounded.kind(), GramKind::approximation);
  EXPECT_EQ(rounded.diagonal(), K.diagonal());
}

TEST(RoundedGram, NotWhereProductsGoAnotherWayOrOverflow) {
  const Points x = cloud(40);
  EXPECT_TRUE(detail::can_be_rounded(lazy(parse("rbf(ell=1)"), x)));
  EXPECT_FALSE(detail::can_be_rounded(lazy(parse("linear()"), x)));
  EXPECT_FALSE(detail::can_be_rounded(exact(parse("rbf(ell=1)"), x)));
  EXPECT_FALSE(detail::can_be_rounded(centred(lazy(parse("rbf(ell=1)"), x))));
  EXPECT_FALSE(detail::can_be_rounded(precomputed(Matrix(exact(parse("rbf(ell=1)"), x).dense()))));
  EXPECT_FALSE(detail::can_be_rounded(lazy(parse("1e40*rbf(ell=1)"), x)));
}

}  // namespace
}  // namespace mercer::rounded_test
