#include "gram/neighbour_lists.hpp"

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::neighbour_lists_test {

namespace {

using detail::NeighbourLists;
using detail::NeighbourSearch;
using test::random_matrix;

// Of each point those nearest before it, by looking at all; of equals the first.
std::vector<std::vector<std::int32_t>> looked_up(const Matrix& z, std::size_t most) {
  std::vector<std::vector<std::int32_t>> out;
  for (Index i = 0; i < z.rows(); ++i) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (Index j = 0; j < i; ++j) {
      double far = 0;
      for (Index k = 0; k < z.cols(); ++k) far += (z(i, k) - z(j, k)) * (z(i, k) - z(j, k));
      all.emplace_back(far, static_cast<std::int32_t>(j));
    }
    std::sort(all.begin(), all.end());
    out.emplace_back();
    for (std::size_t r = 0; r < std::min(most, all.size()); ++r) out.back().push_back(all[r].second);
  }
  return out;
}

// Quarters, so that many points are equally far, and some are equal.
Matrix on_a_grid(Index n, Index columns) {
  Matrix out = random_matrix(n, columns, 3, 0, 3);
  for (Index i = 0; i < n * columns; ++i) out.data()[i] = std::round(4 * out.data()[i]) / 4;
  return out;
}

void expect_lists(const NeighbourLists& lists, const Matrix& z, std::size_t most) {
  const auto wanted = looked_up(z, most);
  for (Index i = 0; i < z.rows(); ++i) {
    const auto row = lists.of(i);
    ASSERT_EQ(std::vector(row.begin(), row.end()), wanted[static_cast<std::size_t>(i)]) << i;
  }
}

TEST(NeighbourLists, AreThoseOfALookAtAllPairs) {
  for (const Index columns : {1, 2, 5}) {
    for (const Index n : {1, 13, 1025}) {
      const Matrix z = on_a_grid(n, columns);
      const NeighbourSearch search(rbf(1), rows(z));
      EXPECT_TRUE(search.by_tree());
      expect_lists(search.earlier(7, {}), z, 7);
    }
  }
}

TEST(NeighbourLists, AreInTheMetricOfTheKernel) {
  const Matrix x = random_matrix(300, 2, 4);
  Matrix scaled = x;
  for (Index i = 0; i < 300; ++i) scaled(i, 1) /= 8;
  expect_lists(NeighbourSearch(parse("2*matern(nu=1.5, ell=[1, 8])"), rows(x)).earlier(9, {}), scaled, 9);
  const NeighbourSearch pairs(parse("linear()"), rows(x));
  EXPECT_FALSE(pairs.by_tree());
  expect_lists(pairs.earlier(9, {}), x, 9);
  // Many columns are no case for a tree.
  const Matrix wide = random_matrix(200, 20, 5);
  const NeighbourSearch far(parse("matern(nu=2.5, ell=3)"), rows(wide));
  EXPECT_FALSE(far.by_tree());
  expect_lists(far.earlier(9, {}), wide, 9);
}

TEST(NeighbourLists, OfSomeAndOfNewPoints) {
  const Matrix x = random_matrix(500, 3, 6), fresh = random_matrix(20, 3, 7, -4, 4);
  for (const char* const kernel : {"rbf(ell=1)", "rbf(ell=1) + linear()"}) {
    const NeighbourSearch search(parse(kernel), rows(x));
    const NeighbourLists all = search.earlier(6, {}), some = search.earlier(std::vector<Index>{4, 499, 77}, 6, {});
    const Index which[] = {4, 499, 77};
    for (Index s = 0; s < 3; ++s) {
      const auto a = some.of(s), b = all.of(which[s]);
      EXPECT_EQ(std::vector(a.begin(), a.end()), std::vector(b.begin(), b.end()));
    }
  }
  const NeighbourLists found = NeighbourSearch(rbf(1), rows(x)).of(rows(fresh), 4, {});
  for (Index i = 0; i < 20; ++i) {
    Matrix with(501, 3);
    std::copy_n(x.data(), 1500, with.data());
    std::copy_n(fresh.row(i), 3, with.row(500));
    const auto a = found.of(i);
    EXPECT_EQ(std::vector(a.begin(), a.end()), looked_up(with, 4).back());
  }
}

TEST(NeighbourLists, DriftIsWhatChangesTheOrder) {
  const Points x = rows(random_matrix(50, 2, 8));
  const NeighbourSearch search(parse("rbf(ell=[1, 2])"), x);
  EXPECT_NEAR(search.drift_to(parse("rbf(ell=[10, 20])")), 1, 1e-12);  // the same neighbours
  EXPECT_NEAR(search.drift_to(parse("rbf(ell=[3, 2])")), 3, 1e-12);
  EXPECT_NEAR(NeighbourSearch(parse("rbf(ell=1) + linear()"), x).drift_to(parse("rbf(ell=0.2) + linear()")), 5, 1e-12);
}

}  // namespace

}  // namespace mercer::neighbour_lists_test
