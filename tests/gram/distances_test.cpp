#include "mercer/distances.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/domains.hpp"
#include "laws/oracle.hpp"
#include "mercer/kernels.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::distances_test {
namespace {

using test::expect_error;
using test::random_matrix;

// Never negative, 0 for equal points (x has its points twice), the same both ways, and what the formula says.
void expect_distances(const Kernel& k, const Points& once) {
  const Points x = join(once, once);
  const Index n = once.size();
  const Matrix K = gram(k, x), D = squared_distances(k, x);
  double scale = 0;
  for (Index i = 0; i < n; ++i) scale = std::max(scale, K(i, i));
  for (Index i = 0; i < 2 * n; ++i) {
    EXPECT_EQ(D(i, i), 0);
    EXPECT_EQ(D(i, (i + n) % (2 * n)), 0) << i;
    for (Index j = 0; j < 2 * n; ++j) {
      EXPECT_GE(D(i, j), 0);
      EXPECT_EQ(D(i, j), D(j, i)) << i << " " << j;
      EXPECT_NEAR(D(i, j), K(i, i) + K(j, j) - 2 * K(i, j), 1e-12 * scale) << i << " " << j;
    }
  }
  const Matrix E = squared_distances(k, once, x);
  for (Index i = 0; i < n; ++i) {
    EXPECT_EQ(E(i, i), 0);
    for (Index j = 0; j < 2 * n; ++j) EXPECT_NEAR(E(i, j), D(i, j), 1e-13 * scale);
  }
}

TEST(Distances, AreNeverMinusZero) {
  const Points x = rows(Matrix{{1, 2}, {1, 2}, {3, 4}});
  for (const char* const k : {"rbf(ell=2)", "linear()", "laplace(ell=1)", "matern(nu=1.5, ell=1)", "poly(degree=2)"}) {
    for (const Matrix& d : {distances(parse(k), x), distances(parse(k), x, x), squared_distances(parse(k), x)}) {
      for (Index i = 0; i < 9; ++i) EXPECT_FALSE(std::signbit(d.data()[i])) << k;
    }
  }
}

TEST(Distances, OfEveryCatalogExample) {
  for (const CatalogRow& row : catalog()) {
    if (row.example.empty() || row.name == "assume_psd" || row.domain == "gaussians") continue;
    const Kernel k = parse(row.example);
    if (k.domain().kind != "reals" && k.domain().kind != "any") continue;
    for (const Index d : {1, 2, 30}) {
      if (k.domain().dimension != Domain::any_dimension && k.domain().dimension != d) continue;
      if (row.name == "on" && d < 2) continue;
      SCOPED_TRACE(row.example + " in dimension " + std::to_string(d));
      const bool of_tasks = row.name == "coregion";
      expect_distances(k, rows(of_tasks ? Matrix{{1}, {2}, {2}, {1}, {2}} : random_matrix(9, d, 3, 0.1, 3)));
    }
  }
}

TEST(Distances, OnEveryDomain) {
  for (const detail::DomainRow& domain : detail::domains()) {
    if (domain.kind == "reals" || domain.kernels == nullptr) continue;
    for (const detail::Entry& row : domain.kernels()) {
      SCOPED_TRACE(row.example);
      const Kernel k = parse(row.example);
      if (k.domain().kind == domain.kind) expect_distances(k, domain.sample(7, 7));
    }
  }
}

// At a millionth of ell, 2 - 2 k has no digit left; d is |x - y| / ell. Far away, too, the order is that of |x - y|.
TEST(Distances, OfPointsThatAreCloseHaveTheirDigits) {
  const Points x = rows(Matrix{{0.25, 1}, {0.25 + 0x1p-30, 1}, {0.25, 1 + 0x1p-28}, {50, 0}, {90, 0}});
  for (const char* text : {"rbf(ell=2)", "0.5*rbf(ell=2) + 0.125*linear() + 3", "rq(ell=2, alpha=0.5)",
                           "0.25*(2*rbf(ell=2) + 0.5*(linear() + 1))",
                           "on(1:2, rbf(ell=4)*rbf(ell=[4, 4])*rq(ell=2.82842712474619, alpha=1))"}) {
    const Matrix D = distances(parse(text), x);
    EXPECT_NEAR(D(0, 1) / (0x1p-30 / 2), 1, 1e-14) << text;
    EXPECT_NEAR(D(0, 2) / (0x1p-28 / 2), 1, 1e-14) << text;
  }
  const Matrix D = squared_distances(rbf(2), x);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(D(i, 4), 2);
  const Neighbours far = neighbours(rbf(0.1), x, 4);
  EXPECT_EQ(std::vector(far.of(4).begin(), far.of(4).end()), (std::vector<Index>{3, 1, 0, 2}));
}

// The bound of the header, against long double arithmetic, and the exact ones.
TEST(Distances, AreWithinTheErrorThatIsSaid) {
  const Matrix base = random_matrix(12, 3, 5);
  Matrix near(24, 3);
  for (Index i = 0; i < 24; ++i) {
    for (Index c = 0; c < 3; ++c) near(i, c) = base(i / 2, c) + (i % 2) * 1e-5;
  }
  const Points x = rows(near);
  for (const char* text : {"rbf(ell=1)", "linear()", "laplace(ell=2)", "exponential(ell=2)", "rq(ell=1, alpha=2)",
                           "2*rbf(ell=1) + linear()", "poly(degree=3, c=1)", "matern(nu=1.5, ell=1)", "cosine()"}) {
    const Kernel k = parse(text);
    const bool exact = std::string(text) != "poly(degree=3, c=1)" && std::string(text) != "matern(nu=1.5, ell=1)" &&
                       std::string(text) != "cosine()";
    const Matrix D = squared_distances(k, x);
    for (Index i = 0; i < 24; ++i) {
      for (Index j = 0; j < 24; ++j) {
        const oracle::Point a(near.row(i), near.row(i) + 3), b(near.row(j), near.row(j) + 3);
        const auto value = [&](auto& p, auto& q) { return oracle::evaluate(k.node(), p, q); };
        const oracle::Real own = value(a, a) + value(b, b), d2 = own - 2 * value(a, b);
        const double slack = 1e-18 * static_cast<double>(own);  // of the oracle
        EXPECT_NEAR(D(i, j), static_cast<double>(d2),
                    slack + (exact ? 1e-13 * D(i, j) : 2e-15 * static_cast<double>(own)))
            << text << " " << i << " " << j;
      }
    }
  }
}

TEST(Distances, OfNumbersAndOfDecoratedMatrices) {
  const Points x = rows(random_matrix(10, 2, 1));
  const Matrix D = squared_distances(rbf(1), x);
  const Matrix numbers = squared_distances(precomputed(gram(rbf(1), x))),
               centre = squared_distances(centred(lazy(rbf(1), x)));
  for (Index i = 0; i < 10; ++i) {
    for (Index j = 0; j < 10; ++j) {
      EXPECT_NEAR(numbers(i, j), D(i, j), 1e-15);
      EXPECT_NEAR(centre(i, j), D(i, j), 1e-14);  // a common shift changes no distance
    }
  }
  EXPECT_EQ(squared_distances(lazy(rbf(1), x)), D);
}

std::vector<Index> by_sorting(const Matrix& D, Index i, Index count, bool without_itself) {
  std::vector<Index> order;
  for (Index j = 0; j < D.cols(); ++j) {
    if (!without_itself || j != i) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return D(i, a) < D(i, b); });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

TEST(Neighbours, AreThoseThatSortingGives) {
  Matrix grid = random_matrix(400, 2, 2);
  for (Index e = 0; e < 800; ++e) grid.data()[e] = std::round(2 * grid.data()[e]);  // with many ties
  for (const auto& [text, values] : {std::pair("linear()", grid), std::pair("rbf(ell=9)", random_matrix(300, 20, 3)),
                                     std::pair("poly(degree=2, c=1)", random_matrix(300, 3, 4))}) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    const Points x = rows(values), some = x.slice({0, 150});
    const Matrix D = squared_distances(k, x), E = squared_distances(k, some, x);
    for (const Index count : {Index{1}, Index{7}, x.size() - 1}) {
      const Neighbours own = neighbours(k, x, count), other = neighbours(k, some, x, count);
      for (Index i = 0; i < 150; ++i) {
        ASSERT_EQ(std::vector(own.of(i).begin(), own.of(i).end()), by_sorting(D, i, count, true)) << i;
        ASSERT_EQ(std::vector(other.of(i).begin(), other.of(i).end()), by_sorting(E, i, count, false)) << i;
        for (Index r = 0; r < count; ++r) ASSERT_DOUBLE_EQ(own.distances()(i, r), std::sqrt(D(i, own.which(i, r))));
      }
    }
    const Neighbours one = neighbours(k, x, 5, {.tile = 31, .threads = 1}), many = neighbours(k, x, 5, {.threads = 4});
    EXPECT_EQ(one.all(), many.all());
    EXPECT_EQ(one.distances(), many.distances());
  }
}

TEST(Neighbours, OfStrings) {
  const Points words = strings({"abab", "ba", "bb", "babab"});
  const Neighbours near = neighbours(parse("spectrum(k=2)"), words, strings({"ab", "bbb"}), 1);
  EXPECT_EQ(near.all(), (std::vector<Index>{0, 0, 1, 0}));
}

TEST(Neighbours, RefuseWhatCannotBe) {
  const Points x = rows(random_matrix(5, 2, 1));
  expect_error([&] { neighbours(rbf(1), x, 5); }, "UsageError", {"5 neighbours", "4 other points"});
  expect_error([&] { neighbours(rbf(1), x, x, 0); }, "UsageError", {"0 neighbours", "1 to 5"});
  expect_error([&] { distances(linear(), strings({"a"})); }, "DomainError", {"linear()"});
}

}  // namespace
}  // namespace mercer::distances_test
