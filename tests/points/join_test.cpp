#include "points/join.hpp"

#include <gtest/gtest.h>

#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::join_test {
namespace {

using test::expect_error;
using test::random_matrix;

TEST(Join, KeepsStorageAndRefusesOthers) {
  const Matrix a = random_matrix(4, 3, 13), b = random_matrix(2, 3, 14);
  const std::vector<float> fa = test::to_float(a), fb = test::to_float(b);
  Matrix all(6, 3);
  for (Index i = 0; i < 6; ++i) std::copy_n(i < 4 ? a.row(i) : b.row(i - 4), 3, all.row(i));
  const Kernel k = parse("linear()");
  const Matrix expected = gram(k, rows(all));
  test::expect_near(gram(k, join(rows(a), rows(b))), expected, 1e-14);
  test::expect_near(gram(k, join(rows(test::to_sparse(a)), rows(test::to_sparse(b)))), expected, 1e-14);
  test::expect_near(gram(k, join(rows(test::to_sparse(a)), rows(b))), expected, 1e-14);
  const Points floats = join(rows(FloatMatrixView(fa.data(), 4, 3)), rows(FloatMatrixView(fb.data(), 2, 3)));
  test::expect_near(gram(k, floats), expected, 1e-6);
  EXPECT_EQ(join(named(rows(a), {"x", "y", "z"}), rows(b)).column_names(), (std::vector<std::string>{"x", "y", "z"}));
  expect_error([&] { join(rows(a), rows(random_matrix(2, 2, 1))); }, "DomainError", {"reals(3)", "reals(2)"});
  expect_error([&] { join(rows(a), strings({"q"})); }, "DomainError", {"strings"});
  expect_error(
      [&] {
        join(named(rows(a), {"x", "y", "z"}), named(rows(b), {"x", "z", "y"}));
      },
      "DomainError", {"x, z, y"});
}

}  // namespace
}  // namespace mercer::join_test
