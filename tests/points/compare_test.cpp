#include <gtest/gtest.h>

#include "points/rep.hpp"

namespace mercer::compare_test {
namespace {

// Numbers are compared column by column, text by its bytes, tables part by part; how they are stored does not matter.
TEST(PointsCompare, IsDecidedByContent) {
  const Matrix x = {{0, 0, 1}, {0, -2, 5}, {0, 0, 1}, {1, 0, 0}, {0, 0, -1}, {0, 0, 0}};
  std::vector<float> single(x.data(), x.data() + 18);
  SparseMatrix sparse;
  sparse.rows = 6;
  sparse.cols = 3;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j) {
      if (x(i, j) == 0) continue;
      sparse.columns.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(x(i, j));
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.columns.size()));
  }
  for (const Points& p : {rows(x.view()), rows(FloatMatrixView(single.data(), 6, 3)), rows(sparse)}) {
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        const int order = p.rep().compare(i, j);
        const bool before = std::lexicographical_compare(x.row(i), x.row(i) + 3, x.row(j), x.row(j) + 3);
        const bool after = std::lexicographical_compare(x.row(j), x.row(j) + 3, x.row(i), x.row(i) + 3);
        EXPECT_EQ(order < 0, before) << i << ", " << j;
        EXPECT_EQ(order > 0, after) << i << ", " << j;
      }
    }
  }
  const Points text = strings({"b", "a", "b", "ab", "b", "b"});
  EXPECT_GT(text.rep().compare(0, 1), 0);
  EXPECT_LT(text.rep().compare(1, 3), 0);
  EXPECT_EQ(text.rep().compare(0, 2), 0);
  const Points both = table({{"t", text}, {"x", rows(x.view())}});
  EXPECT_GT(both.rep().compare(0, 1), 0);  // by text
  EXPECT_GT(both.rep().compare(0, 4), 0);  // then by numbers
  EXPECT_EQ(both.rep().compare(0, 2), 0);
}

}  // namespace
}  // namespace mercer::compare_test
