// Maps of rows: what every row of their catalog obeys, what each of them does, and texts that are none.
#include "mercer/row_maps.hpp"

#include "base/parallel.hpp"
#include "mercer/scaling.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::row_maps_test {
namespace {

using test::expect_error;

constexpr Index kHeight = 7, kWidth = 9, kPixels = kHeight * kWidth;

Matrix values(const Points& x) { return Matrix(dense_rows(x).values); }

Matrix mapped(const std::string& text, const Matrix& x, Index copy = 0) {
  return values(row_map(text).apply(rows(x.view()), copy));
}

// A soft spot somewhere, with nothing near the border.
Matrix spots(Index n, double ground = 0) {
  const Matrix where = test::random_matrix(n, 3, 5, -0.6, 0.6);
  Matrix out(n, kPixels, ground);
  for (Index i = 0; i < n; ++i) {
    for (Index r = 2; r < kHeight - 2; ++r) {
      for (Index c = 2; c < kWidth - 2; ++c) {
        const double down = static_cast<double>(r) - 3 - where(i, 0), right = static_cast<double>(c) - 4 - where(i, 1);
        out(i, r * kWidth + c) = ground + std::exp(-(down * down + right * right - down * right * where(i, 2)));
      }
    }
  }
  return out;
}

// One of each row, for pictures of kHeight x kWidth.
std::vector<RowMap> one_of_each() {
  std::vector<RowMap> out;
  for (const RowMapRow& row : row_maps()) {
    std::string text = row.example;
    for (const std::string size : {"28x28", "32x32"}) {
      if (const auto place = text.find(size); place != std::string::npos) text.replace(place, size.size(), "7x9");
    }
    out.push_back(row_map(text));
  }
  out.push_back(row_map("unit_norm"));
  out.push_back(row_map("shift(7x9, 2)"));
  out.push_back(row_map("flip(7x9, up_down)"));
  return out;
}

TEST(RowMaps, TextsComeBack) {
  ASSERT_GE(row_maps().size(), 6u);
  for (const RowMapRow& row : row_maps()) {
    const RowMap map = row_map(row.example);
    EXPECT_EQ(map.str(), row.example);
    EXPECT_EQ(row_map(map.str()), map);
    EXPECT_EQ(map.use(), row.use);
    EXPECT_TRUE(row.use == RowMap::Use::invariance || map.copies() == 1) << row.name;
  }
  EXPECT_EQ(row_map(" shift( 28x28 ,2 ) ").str(), "shift(28x28, 2)");
  EXPECT_EQ(row_map("flip(3x4, left_right)").str(), "flip(3x4)");
  const std::vector<RowMap> both = row_map_list("deskew(28x28), shift(28x28, 1),unit_norm");
  EXPECT_EQ(str(both), "deskew(28x28), shift(28x28, 1), unit_norm");
}

TEST(RowMaps, EachRowDecidesForItselfWhateverTheStorageAndTheThreads) {
  const Matrix x = test::random_matrix(130, kPixels, 3, 0, 1);
  for (const RowMap& map : one_of_each()) {
    for (Index copy = 0; copy < map.copies(); ++copy) {
      const Matrix all = values(map.apply(rows(x.view()), copy));
      {
        const Threads one(1);
        EXPECT_EQ(values(map.apply(rows(x.view()), copy)), all) << map.str();
      }
      EXPECT_EQ(values(map.apply(rows(test::to_sparse(x)), copy)), all) << map.str();
      const Points last = map.apply(rows(x.view()).slice({129, 130}), copy);
      EXPECT_EQ(values(last), Matrix(all.view().block({129, 130}, {0, kPixels}))) << map.str();
    }
  }
}

TEST(RowMaps, CopiesAreAsManyAsSaidAndDiffer) {
  const Matrix x = test::random_matrix(1, kPixels, 4, 0, 1);
  for (const RowMap& map : one_of_each()) {
    std::vector<Matrix> seen = {x};
    for (Index copy = 0; copy < map.copies(); ++copy) {
      seen.push_back(values(map.apply(rows(x.view()), copy)));
      for (std::size_t k = 0; k + 1 < seen.size(); ++k) EXPECT_FALSE(seen[k] == seen.back()) << map.str() << copy;
    }
  }
  EXPECT_EQ(row_map("shift(7x9, 1)").copies(), 8);
  EXPECT_EQ(row_map("shift(7x9, 2)").copies(), 24);
}

// Of pictures: the ground and the unit of the pixels are nobody's business.
TEST(RowMaps, PicturesKeepTheirGroundAndTheirUnit) {
  const Matrix x = spots(20), lifted = spots(20, -1);
  Matrix doubled = x;
  for (Index i = 0; i < 20 * kPixels; ++i) doubled.data()[i] *= 2;
  for (const RowMap& map : one_of_each()) {
    if (map.str().starts_with("unit_norm")) continue;
    for (Index copy = 0; copy < map.copies(); ++copy) {
      const Matrix plain = values(map.apply(rows(x.view()), copy));
      const Matrix low = values(map.apply(rows(lifted.view()), copy));
      const Matrix high = values(map.apply(rows(doubled.view()), copy));
      for (Index i = 0; i < 20 * kPixels; ++i) {
        EXPECT_NEAR(low.data()[i], plain.data()[i] - 1, 1e-12) << map.str();
        EXPECT_EQ(high.data()[i], 2 * plain.data()[i]) << map.str();
      }
    }
  }
}

TEST(RowMaps, WithoutInkNothingChanges) {
  for (const double ground : {0.0, 3.0, -1.0}) {
    const Matrix x(1, kPixels, ground);
    for (const RowMap& map : one_of_each()) {
      if (map.str().starts_with("unit_norm") && ground != 0) continue;
      for (Index copy = 0; copy < map.copies(); ++copy) EXPECT_EQ(values(map.apply(rows(x.view()), copy)), x);
    }
  }
  EXPECT_EQ(mapped("deskew(1x1)", Matrix{{5}}), (Matrix{{5}}));
  EXPECT_EQ(mapped("rotate(1x1, 30)", Matrix{{5}}), (Matrix{{5}}));
}

TEST(RowMaps, ShiftsAreAllPlacesAround) {
  const Matrix x{{1, 2, 3, 4, 5, 6}};                                              // 2 x 3
  EXPECT_EQ(mapped("shift(2x3, 1)", x, 0), (Matrix{{2 + 3 * 1, 6, 1, 1, 1, 1}}));  // up and left
  EXPECT_EQ(mapped("shift(2x3, 1)", x, 1), (Matrix{{4, 5, 6, 1, 1, 1}}));          // up
  EXPECT_EQ(mapped("shift(2x3, 1)", x, 3), (Matrix{{2, 3, 1, 5, 6, 1}}));          // left
  EXPECT_EQ(mapped("shift(2x3, 1)", x, 4), (Matrix{{1, 1, 2, 1, 4, 5}}));          // right
  EXPECT_EQ(mapped("shift(2x3, 1)", x, 7), (Matrix{{1, 1, 1, 1, 1, 2}}));          // down and right
}

TEST(RowMaps, AShiftAndItsOppositeAreNothingAwayFromTheBorder) {
  const Matrix x = spots(5);
  for (const std::string text : {"shift(7x9, 1)", "shift(7x9, 2)"}) {
    const RowMap map = row_map(text);
    for (Index copy = 0; copy < map.copies(); ++copy) {
      EXPECT_EQ(values(map.apply(map.apply(rows(x.view()), copy), map.copies() - 1 - copy)), x) << text << copy;
    }
  }
}

TEST(RowMaps, FlipsAreMirrors) {
  const Matrix x{{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(mapped("flip(2x3)", x), (Matrix{{3, 2, 1, 6, 5, 4}}));
  EXPECT_EQ(mapped("flip(2x3, up_down)", x), (Matrix{{4, 5, 6, 1, 2, 3}}));
}

TEST(RowMaps, AQuarterTurnIsATransposition) {
  const Matrix x{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  test::expect_near(mapped("rotate(3x3, 90)", x, 0), Matrix{{3, 6, 9, 2, 5, 8, 1, 4, 7}}, 1e-14);
  test::expect_near(mapped("rotate(3x3, 90)", x, 1), Matrix{{7, 4, 1, 8, 5, 2, 9, 6, 3}}, 1e-14);
}

TEST(RowMaps, ScaleLooksAtMultiplesOfThePlace) {
  const Matrix x{{0, 1, 4, 9, 16}};  // 1 x 5, middle 4
  EXPECT_EQ(mapped("scale(1x5, 2)", x, 0), (Matrix{{1, 2.5, 4, 6.5, 9}}));
  EXPECT_EQ(mapped("scale(1x5, 2)", x, 1), (Matrix{{0, 0, 4, 16, 0}}));
}

struct Moments {
  double row = 0, column = 0, slope = 0;
};
Moments moments_of(const double* pixels) {
  double ink = 0, rows = 0, columns = 0, along = 0, across = 0;
  for (Index p = 0; p < kPixels; ++p) {
    ink += pixels[p];
    rows += pixels[p] * static_cast<double>(p / kWidth);
    columns += pixels[p] * static_cast<double>(p % kWidth);
  }
  for (Index p = 0; p < kPixels; ++p) {
    const double down = static_cast<double>(p / kWidth) - rows / ink;
    along += pixels[p] * down * down;
    across += pixels[p] * down * (static_cast<double>(p % kWidth) - columns / ink);
  }
  return {rows / ink, columns / ink, across / along};
}

TEST(RowMaps, DeskewedPicturesStandUprightInTheMiddle) {
  // A stroke that leans by one column a row, one row too high: 5 x 5 of the 7 x 9.
  Matrix x(1, kPixels);
  for (Index r = 0; r < 5; ++r) x(0, r * kWidth + 6 - r) = 2;
  Matrix upright(1, kPixels);
  for (Index r = 1; r < 6; ++r) upright(0, r * kWidth + 4) = 2;
  test::expect_near(mapped("deskew(7x9)", x), upright, 1e-12);
  EXPECT_EQ(mapped("deskew(7x9)", upright), upright);

  const Matrix many = spots(30), once = mapped("deskew(7x9)", many), twice = mapped("deskew(7x9)", once);
  for (Index i = 0; i < 30; ++i) {
    const Moments after = moments_of(once.row(i));
    EXPECT_NEAR(after.row, 3, 0.02);
    EXPECT_NEAR(after.column, 4, 0.02);
    EXPECT_LT(std::abs(after.slope), 0.1);  // four pixels blur what stands between them
    for (Index p = 0; p < kPixels; ++p) EXPECT_NEAR(twice(i, p), once(i, p), 0.04);
  }
}

TEST(RowMaps, UnitNormsAreOne) {
  const Matrix x = test::random_matrix(40, 12, 8), unit = mapped("unit_norm", x), levels = mapped("unit_norm(50)", x);
  for (Index i = 0; i < 40; ++i) {
    double squares = 0;
    for (Index k = 0; k < 12; ++k) {
      squares += unit(i, k) * unit(i, k);
      EXPECT_NEAR(levels(i, k), unit(i, k), 0.5 / 50 + 1e-15);
      EXPECT_EQ(levels(i, k), std::nearbyint(50 * levels(i, k)) / 50);
    }
    EXPECT_NEAR(squares, 1, 1e-14);
  }
  EXPECT_EQ(mapped("unit_norm", Matrix{{3, -4}, {0, 0}, {3e140, 4e140}}), (Matrix{{0.6, -0.8}, {0, 0}, {0.6, 0.8}}));
}

TEST(RowMaps, NamesOfColumnsStay) {
  const Points x = named(rows(Matrix{{3, 4}}), {"left", "right"});
  EXPECT_EQ(row_map("unit_norm").apply(x).column_names(), x.column_names());
}

TEST(RowMaps, TextsThatAreNoneSayWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "begins with its name"},
      {"deskw(28x28)", "did you mean deskew?"},
      {"deskew", "needs the size of a picture"},
      {"deskew()", "needs the size of a picture"},
      {"deskew(28)", "ROWSxCOLUMNS"},
      {"deskew(0x28)", "ROWSxCOLUMNS"},
      {"deskew(-3x28)", "ROWSxCOLUMNS"},
      {"deskew(2.5x28)", "ROWSxCOLUMNS"},
      {"deskew(28x28x3)", "ROWSxCOLUMNS"},
      {"deskew(28x28, 3)", "it takes no \"3\""},
      {"deskew(28x28", "one closes at the end"},
      {"deskew(28x28))", "one closes at the end"},
      {"shift(28x28)", "a number is missing"},
      {"shift(28x28, 0)", "from 1 to 27"},
      {"shift(28x28, -1)", "from 1 to 27"},
      {"shift(28x28, 28)", "from 1 to 27"},
      {"shift(28x28, 1.5)", "from 1 to 27"},
      {"shift(28x28, far)", "\"far\" is no number"},
      {"shift(1x9, 1)", "at least two rows and columns"},
      {"rotate(28x28, 0)", "above 0 and below 180"},
      {"rotate(28x28, nan)", "is no number"},
      {"scale(28x28, 1)", "above 1"},
      {"scale(28x28, 0.5)", "above 1"},
      {"flip(28x28, inside_out)", "none of left_right, up_down"},
      {"unit_norm(0)", "a whole number of levels"},
      {"unit_norm(28x28)", "is no number"},
  };
  for (const auto& [text, words] : wrong) {
    expect_error([&text = text] { (void)row_map(text); }, "UsageError", {words});
  }
  expect_error([&] { (void)row_map_list("unit_norm,"); }, "UsageError", {"begins with its name"});
}

TEST(RowMaps, InputsThatAreNoSuchPicturesAreRefused) {
  const RowMap map = row_map("deskew(28x28)");
  expect_error([&] { (void)map.apply(rows(Matrix(2, 256))); }, "DomainError", {"784 pixels", "256 columns"});
  expect_error([&] { (void)map.apply(strings({"a"})); }, "DomainError", {"rows of numbers"});
  Matrix x(2, 784);
  x(1, 3) = std::nan("");
  expect_error([&] { (void)map.apply(rows(x.view())); }, "DataError", {"row 2"});
}

TEST(RowMaps, FunctionsKeepTheShape) {
  const RowMap negative = row_map("negative", [](MatrixView x) {
    Matrix out(x);
    for (Index i = 0; i < x.rows() * x.cols(); ++i) out.data()[i] *= -1;
    return out;
  });
  EXPECT_EQ(values(negative.apply(rows(Matrix{{1, 2}}))), (Matrix{{-1, -2}}));
  EXPECT_FALSE(negative == row_map("negative", [](MatrixView x) { return Matrix(x); }));
  const RowMap wider = row_map("wider", [](MatrixView x) { return Matrix(x.rows(), x.cols() + 1); });
  expect_error([&] { (void)wider.apply(rows(Matrix{{1, 2}})); }, "ShapeError", {"wider", "1 rows of 3", "1 rows of 2"});
  const RowMap broken = row_map("broken", [](MatrixView x) { return Matrix(x.rows(), x.cols(), std::nan("")); });
  expect_error([&] { (void)broken.apply(rows(Matrix{{1, 2}})); }, "DataError", {"broken", "column 1 of row 1"});
}

TEST(RowMaps, ScalingTakesThemFirst) {
  const Matrix x{{3, 4}, {6, 8}, {0, 2}};
  const Scaling s = Scaling::of(Scaling::Kind::minmax, rows(x.view()), row_map_list("unit_norm"));
  test::expect_near(values(s.apply(rows(x.view()))), Matrix{{1, 0}, {1, 0}, {0, 1}}, 1e-15);
  EXPECT_FALSE(s.leaves_inputs());
  const Scaling alone = Scaling::of(Scaling::Kind::none, rows(x.view()), row_map_list("unit_norm"));
  EXPECT_FALSE(alone.leaves_inputs());
  EXPECT_EQ(values(alone.apply(rows(Matrix{{0, 5}}))), (Matrix{{0, 1}}));
  // What a machine adds behind them.
  const Scaling moved = alone.then(Scaling{Scaling::Kind::centred, {1, 1}, {1, 1}});
  EXPECT_EQ(values(moved.apply(rows(Matrix{{0, 5}}))), (Matrix{{-1, 0}}));
  expect_error([&] { (void)Scaling::of(Scaling::Kind::none, rows(x.view()), row_map_list("shift(1x2, 1)")); },
               "UsageError", {"at least two rows"});
  expect_error([&] { (void)Scaling::of(Scaling::Kind::none, rows(Matrix(1, 4)), row_map_list("shift(2x2, 1)")); },
               "UsageError", {"give it as an invariance"});
}

}  // namespace
}  // namespace mercer::row_maps_test
