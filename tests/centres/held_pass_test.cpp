// Passes that are made many times, and sketches, against whole matrices.
#include "centres/held_pass.hpp"

#include <gtest/gtest.h>

#include "centres/sketch.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::centres::held_pass_test {
namespace {

void expect_same(const HeldPass::Sums& a, const HeldPass::Sums& b) {
  EXPECT_EQ(a.of_centres, b.of_centres);
  EXPECT_EQ(a.of_one, b.of_one);
}

TEST(HeldPass, IsThePassWhetherKeptOrNot) {
  const Kernel k = parse("rbf(ell=1.3)");
  const Points z = rows(test::random_matrix(37, 3, 1));
  for (const Index n : {1, 1023, 1024, 1025, 2600}) {
    const Points x = rows(test::random_matrix(n, 3, 2));
    const Pass pass(k, z, pieces_of(x));
    const HeldPass kept(pass, true, {.threads = 2}), not_kept(pass, false, {});
    const Matrix u = test::random_matrix(37, 2, 3), g = test::random_matrix(n, 2, 4), K = cross(k, x, z);
    const Between between{.times = g.view().block({0, n}, {0, 1})};
    Matrix f(n, 2), back(37, 2), through(37, 2), ones(1, 2);
    linalg::multiply(1, K, u, 0, f);
    linalg::multiply_left_transposed(1, K, g, 0, back);
    test::expect_near(kept.values(u, {}), f, 1e-12);
    test::expect_near(kept.back(g, {}).of_centres, back, 1e-11);
    between.apply(f);
    linalg::multiply_left_transposed(1, K, f, 0, through);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < 2; ++c) ones(0, c) += f(i, c);
    }
    test::expect_near(kept.through(u, between, {}).of_centres, through, 1e-10);
    test::expect_near(kept.through(u, between, {}).of_one, ones, 1e-10);

    EXPECT_EQ(kept.values(u, {.threads = 2}), not_kept.values(u, {.threads = 1}));
    expect_same(kept.back(g, {.threads = 2}), not_kept.back(g, {.threads = 1}));
    expect_same(kept.through(u, between, {.threads = 1}), not_kept.through(u, between, {.threads = 3}));
    for (const HeldPass* const one : {&kept, &not_kept}) {
      Index next = 0;
      one->slabs(pass.pieces(),
                 [&](Range some, MatrixView slab) {
                   EXPECT_EQ(some.begin, next);
                   next = some.end;
                   for (Index i = 0; i < some.size(); ++i) EXPECT_EQ(slab(i, 36), K(some.begin + i, 36));
                 },
                 {});
      EXPECT_EQ(next, n);
    }
  }
}

// (S A)'V(S A) is near A'V A: relative to it, its eigenvalues lie about 1. Rows of no weight are not there.
TEST(Sketch, IsNearWhatItStandsFor) {
  const Index n = 3000, m = 20;
  Matrix A = test::random_matrix(n, m, 5), weighted = A;
  for (Index j = 0; j < m; ++j)
    A(7, j) = weighted(7, j) = j == 3 ? 200 : 0;  // one row that says nearly all of a column
  const auto weight = [](Index i) { return i % 3 == 0 ? 0.0 : i % 3 == 1 ? 2.0 : 1.0; };
  Sketch sketch(n, m), other(n, m);
  sketch.add({0, n}, A, weight, 2);
  for (const Range some : {Range{0, 1000}, Range{1000, 1001}, Range{1001, n}}) {
    other.add(some, A.view().block(some, {0, m}), weight, 1);
  }
  EXPECT_EQ(sketch.numbers(), other.numbers());
  EXPECT_EQ(sketch.ones(), other.ones());
  EXPECT_EQ(sketch.numbers().rows(), 2 * m);
  double total = 0, ones = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) weighted(i, j) *= std::sqrt(weight(i));
    total += weight(i);
  }
  for (const double number : sketch.ones()) ones += number * number;
  EXPECT_NEAR(ones / total, 1, 0.6);
  Matrix exact(m, m), near(m, m);
  linalg::symmetric_left_product(weighted, 0, exact);
  linalg::symmetric_left_product(sketch.numbers(), 0, near);
  double mean = 0;
  for (Index j = 0; j < m; ++j) {
    EXPECT_NEAR(near(j, j) / exact(j, j), 1, 0.9) << j;
    mean += near(j, j) / exact(j, j) / static_cast<double>(m);
  }
  EXPECT_NEAR(mean, 1, 0.2);
  EXPECT_NEAR(near(3, 3) / exact(3, 3), 1, 0.2);  // the row that stands out is in it
  EXPECT_EQ(Sketch(5, m).numbers().rows(), m);

  Vector weights;
  for (Index i = 0; i < n; ++i) weights.push_back(weight(i));
  // In blocks of 64 m rows it is the same but for the order of its sums.
  std::vector<Range> seen;
  Sketch blocks = sketch_of({.rows = n,
                             .columns = m,
                             .pieces = 30,
                             .slabs =
                                 [&](Range pieces, const auto& use) {
                                   seen.push_back(pieces);
                                   const Range some = {pieces.begin * 100, pieces.end * 100};
                                   use(some, A.view().block(some, {0, m}));
                                 }},
                            weights, 1);
  EXPECT_EQ(seen, (std::vector<Range>{{0, 13}, {13, 26}, {26, 30}}));
  test::expect_near(blocks.numbers(), sketch.numbers(), 1e-12);
  for (std::size_t i = 0; i < sketch.ones().size(); ++i) EXPECT_NEAR(blocks.ones()[i], sketch.ones()[i], 1e-12);
}

}  // namespace
}  // namespace mercer::centres::held_pass_test
