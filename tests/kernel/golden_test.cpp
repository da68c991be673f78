// Every leaf and rule against values computed with 50 digits: tests/golden/make_golden.py writes the file.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "paths.hpp"
#include "support.hpp"

namespace mercer::golden_test {
namespace {

struct Golden {
  std::string kernel;
  bool normwise;  // errors relative to sqrt(k(x,x) k(y,y)), for sums of signed terms; else to the value itself
  Vector x, y;
  double xy, xx, yy;
  std::string text;
};

Vector numbers_in(const std::string& text) {
  Vector out;
  for (const std::string& piece : split(text, ' ')) out.push_back(parse_number(piece).value());
  return out;
}

// Values below the smallest double are written with exponents that no double has.
double value_in(const std::string& text) { return parse_number(text).value_or(0.0); }

std::vector<Golden> read_golden() {
  std::ifstream in(std::string(MERCER_TEST_SOURCE) + "/golden/kernels.tsv");
  std::vector<Golden> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = split(line, '\t');
    out.push_back({cells.at(0), cells.at(1) == "normwise", numbers_in(cells.at(2)), numbers_in(cells.at(3)),
                   value_in(cells.at(4)), value_in(cells.at(5)), value_in(cells.at(6)),
                   cells.at(0) + " at x = " + cells.at(2) + ", y = " + cells.at(3)});
  }
  return out;
}

const std::vector<Golden>& golden() {
  static const std::vector<Golden> all = read_golden();
  return all;
}

Matrix as_rows(const std::vector<Vector>& points) {
  Matrix out(static_cast<Index>(points.size()), static_cast<Index>(points.front().size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::copy(points[i].begin(), points[i].end(), out.row(static_cast<Index>(i)));
  }
  return out;
}

constexpr double kTolerance = 1e-12;

void expect_golden(double value, double expected, double scale, const std::string& what) {
  // Below 1e-300 a double loses digits by itself.
  EXPECT_LE(std::abs(value - expected), kTolerance * scale + 1e-300)
      << what << ": " << number(value) << " instead of " << number(expected);
}

TEST(Golden, FileCoversEveryAxiomAndRuleOnReals) {
  std::string all;
  for (const Golden& g : golden()) all += g.kernel + "\n";
  for (const CatalogRow& row : catalog()) {
    if (row.name == "features" || row.name == "assume_psd") continue;
    if (row.name == "random_features") continue;  // its numbers are drawn; its tests know their law
    if (row.domain != "reals" && row.domain != "any" && !row.domain.empty()) continue;
    if (row.name == "sum" || row.name == "product" || row.name == "scale" || row.name == "power") continue;
    EXPECT_NE(all.find(row.name + "("), std::string::npos) << row.name;
  }
  EXPECT_GT(golden().size(), 1000u);
}

TEST(Golden, GramHasTwelveDigits) {
  for (const Golden& g : golden()) {
    const Matrix k = gram(parse(g.kernel), rows(as_rows({g.x, g.y})));
    const double norms = std::sqrt(g.xx) * std::sqrt(g.yy);
    expect_golden(k(0, 1), g.xy, g.normwise ? norms : std::abs(g.xy), "gram of " + g.text);
    expect_golden(k(1, 0), g.xy, g.normwise ? norms : std::abs(g.xy), "gram of " + g.text);
    expect_golden(k(0, 0), g.xx, g.xx, "k(x,x) of " + g.text);
    expect_golden(k(1, 1), g.yy, g.yy, "k(y,y) of " + g.text);
  }
}

TEST(Golden, CrossHasTwelveDigits) {
  for (const Golden& g : golden()) {
    const Kernel kernel = parse(g.kernel);
    const Matrix k = cross(kernel, rows(as_rows({g.x})), rows(as_rows({g.y, g.x})));
    const double norms = std::sqrt(g.xx) * std::sqrt(g.yy);
    expect_golden(k(0, 0), g.xy, g.normwise ? norms : std::abs(g.xy), "cross of " + g.text);
    expect_golden(k(0, 1), g.xx, g.xx, "cross k(x,x) of " + g.text);
  }
}

TEST(Golden, DiagonalHasTwelveDigits) {
  for (const Golden& g : golden()) {
    const Vector d = diagonal(parse(g.kernel), rows(as_rows({g.x, g.y})));
    expect_golden(d[0], g.xx, g.xx, "diagonal of " + g.text);
    expect_golden(d[1], g.yy, g.yy, "diagonal of " + g.text);
  }
}

// The values of a pair do not depend on the other points of the set, nor on the path that tiles take.
TEST(Golden, PairsKeepTheirDigitsAmongManyOtherPoints) {
  for (const Golden& g : golden()) {
    const auto d = static_cast<Index>(g.x.size());
    if (d != 30) continue;
    std::vector<Vector> points;
    for (unsigned i = 0; i < 12; ++i) {
      Vector other = test::random_vector(d, i, 0.25, 3);
      for (Index k = 0; k < d; ++k) other[static_cast<std::size_t>(k)] += g.x[static_cast<std::size_t>(k)];
      if (g.kernel.find("min()") != std::string::npos || g.kernel.find("log") != std::string::npos) {
        for (double& v : other) v = std::abs(v);
      }
      points.push_back(other);
    }
    points[3] = g.x;
    points[9] = g.y;
    const Matrix k = gram(parse(g.kernel), rows(as_rows(points)), {.tile = 5});
    const double norms = std::sqrt(g.xx) * std::sqrt(g.yy);
    expect_golden(k(9, 3), g.xy, g.normwise ? norms : std::abs(g.xy), "gram of 12 with " + g.text);
    expect_golden(k(3, 3), g.xx, g.xx, "gram of 12 with " + g.text);
  }
}

// At the angle pi the angular kernels of x and -x have no digits to spare: 1 - cos(angle) must not be squared away.
TEST(Golden, AngularKernelsOfOppositeVectorsAreExact) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    for (const Index d : {2, 3, 30}) {
      const Vector x = test::random_vector(d, seed);
      Vector y = x;
      for (double& v : y) v = -v;
      const Points points = rows(as_rows({x, y}));
      EXPECT_NEAR(gram(arccos(0), points)(0, 1), 0, kTolerance) << "seed " << seed << ", d = " << d;
      EXPECT_NEAR(gram(normalize(arccos(1)), points)(0, 1), 0, kTolerance) << "seed " << seed << ", d = " << d;
      // T_1 = cos(pi) a0(pi) + a1(pi) = 0
      EXPECT_NEAR(gram(normalize(ntk(1)), points)(0, 1), 0, kTolerance) << "seed " << seed << ", d = " << d;
    }
  }
}

}  // namespace
}  // namespace mercer::golden_test
