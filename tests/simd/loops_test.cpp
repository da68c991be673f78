// Each vector loop against the plain one, at every length up to several vectors, so that tails are met.
#include "simd/loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "simd/target.hpp"
#include "support.hpp"

namespace mercer::loops_test {
namespace {

using simd::Size;
using test::random_vector;

constexpr Size kLongest = 40;
constexpr double kUntouched = -12345;

Vector draw(Size n, unsigned seed, double low = -2, double high = 2) {
  return random_vector(static_cast<Index>(n), seed, low, high);
}

// An output with a guard number behind its end that no loop may touch.
struct Output {
  explicit Output(Size n, double start = kUntouched) : values(n + 1, start), size(n) { values[n] = kUntouched; }
  double* data() { return values.data(); }
  double operator[](Size i) const { return values[i]; }
  ~Output() { EXPECT_EQ(values[size], kUntouched) << "wrote behind the end of " << size; }
  Vector values;
  Size size;
};

// A factor 1 + x y near 0 loses a digit or two to cancellation, and a fused multiply-add loses others than a plain one.
void expect_close(double a, double b) { EXPECT_NEAR(a, b, 1e-13 * std::max(1.0, std::abs(b))); }

TEST(Loops, TargetHasAName) { EXPECT_GT(simd::target().name.size(), 0u); }

TEST(Loops, AddScaledAndFillMatchPlainLoops) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector a = draw(n, 3);
    Output sum(n, 1.5), filled(n);
    simd::add_scaled(-0.75, a.data(), n, sum.data());
    simd::fill(4.25, n, filled.data());
    for (Size j = 0; j < n; ++j) {
      expect_close(sum[j], 1.5 - 0.75 * a[j]);
      EXPECT_EQ(filled[j], 4.25);
    }
  }
}

TEST(Loops, ReductionsIgnoreWhatLiesBehindTheEnd) {
  for (Size n = 0; n <= kLongest; ++n) {
    Vector a = draw(n, 4), b = draw(n, 5);
    double sum = 0, dot = 0;
    for (Size j = 0; j < n; ++j) {
      sum += a[j];
      dot += a[j] * b[j];
    }
    a.resize(n + 16, 1e300);
    b.resize(n + 16, 1e300);
    expect_close(simd::sum(a.data(), n), sum);
    expect_close(simd::dot(a.data(), b.data(), n), dot);
  }
}

// Point i of a packed set, column k.
double packed_at(const Vector& packed, Size d, Size i, Size k) {
  return packed[i / simd::kPanel * simd::kPanel * d + k * simd::kPanel + i % simd::kPanel];
}

TEST(Loops, PackShiftsAndFillsPanelsWithZeros) {
  for (const Size n : {Size{0}, Size{1}, Size{7}, Size{23}, Size{24}, Size{25}, Size{60}}) {
    for (const Size d : {Size{0}, Size{1}, Size{5}}) {
      const Size stride = d + 2;
      const Vector rows = draw(n * stride, 90), shift = draw(d, 91);
      Vector packed(simd::packed_size(n, d) + 1, kUntouched), norms(n + 1, kUntouched);
      simd::pack(rows.data(), stride, shift.data(), n, d, packed.data(), norms.data());
      EXPECT_EQ(packed.back(), kUntouched);
      EXPECT_EQ(norms.back(), kUntouched);
      for (Size i = 0; i < (n + simd::kPanel - 1) / simd::kPanel * simd::kPanel; ++i) {
        double norm = 0;
        for (Size k = 0; k < d; ++k) {
          const double expected = i < n ? rows[i * stride + k] - shift[k] : 0;
          EXPECT_EQ(packed_at(packed, d, i, k), expected);
          norm += expected * expected;
        }
        if (i < n) expect_close(norms[i], norm);
      }
    }
  }
}

double plain_pair(simd::Pairing pairing, const double* x, const double* y, Size d) {
  double dot = 0, square = 0, absolute = 0, least = 1, multilinear = 1, equal = 0, chi2 = 0;
  for (Size k = 0; k < d; ++k) {
    dot += x[k] * y[k];
    square += (x[k] - y[k]) * (x[k] - y[k]);
    absolute += std::abs(x[k] - y[k]);
    least *= std::min(x[k], y[k]);
    multilinear *= 1 + x[k] * y[k];
    equal += x[k] == y[k];
    if (x[k] + y[k] != 0) chi2 += (x[k] - y[k]) * (x[k] - y[k]) / (x[k] + y[k]);
  }
  switch (pairing) {
    case simd::Pairing::dot: return dot;
    case simd::Pairing::squared_distance: return square;
    case simd::Pairing::absolute_distance: return absolute;
    case simd::Pairing::min_product: return least;
    case simd::Pairing::multilinear_product: return multilinear;
    case simd::Pairing::equal_columns: return equal;
    case simd::Pairing::chi2_distance: return chi2;
  }
  return 0;
}

TEST(Loops, PairTilesOfAnyRangesMatchPlainLoops) {
  constexpr Size n = 61, m = 55;
  for (const auto pairing : {simd::Pairing::dot, simd::Pairing::squared_distance, simd::Pairing::absolute_distance,
                             simd::Pairing::min_product, simd::Pairing::multilinear_product}) {
    for (const Size d : {Size{0}, Size{1}, Size{25}, Size{136}, Size{137}, Size{300}}) {
      const double largest = d > 25 ? 0.1 : 1;  // products of hundreds of factors stay of moderate size
      const Vector x = draw(n * d, 92, -largest, largest), y = draw(m * d, 93, -largest, largest), zero(d, 0.0);
      Vector px(simd::packed_size(n, d)), py(simd::packed_size(m, d)), norms(n);
      simd::pack(x.data(), d, zero.data(), n, d, px.data(), norms.data());
      simd::pack(y.data(), d, zero.data(), m, d, py.data(), norms.data());
      const std::vector<std::pair<Size, Size>> i_ranges{{0, n},  {0, 8},   {24, 48}, {3, 4},
                                                        {5, 29}, {60, 61}, {9, 9},   {8, 8}};
      const std::vector<std::pair<Size, Size>> j_ranges{{0, m}, {0, 24}, {24, 48}, {1, 2}, {23, 50}, {54, 55}, {7, 7}};
      for (const auto& [i0, i1] : i_ranges) {
        for (const auto& [j0, j1] : j_ranges) {
          const Size stride = j1 - j0 + 3;
          Vector out((i1 - i0) * stride + 1, kUntouched);
          simd::pair_tile(pairing, {px.data(), i0, i1}, {py.data(), j0, j1}, d, out.data(), stride);
          for (Size i = i0; i < i1; ++i) {
            for (Size j = 0; j < stride; ++j) {
              const double found = out[(i - i0) * stride + j];
              if (j0 + j >= j1) {
                ASSERT_EQ(found, kUntouched);
              } else {
                ASSERT_NEAR(found, plain_pair(pairing, x.data() + i * d, y.data() + (j0 + j) * d, d), 1e-12);
              }
            }
          }
          ASSERT_EQ(out.back(), kUntouched);
        }
      }
    }
  }
}

TEST(Loops, DistancesFromDotsClampAtZero) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector y2 = draw(n, 6, 0.5, 3), dots = draw(n, 7, -2, 2);
    Output out(n);
    std::copy(dots.begin(), dots.end(), out.data());
    simd::distances_from_dots(1.25, y2.data(), 0, n, out.data(), out.data());
    for (Size j = 0; j < n; ++j) {
      expect_close(out[j], std::max(0.0, 1.25 + y2[j] - 2 * dots[j]));
      EXPECT_GE(out[j], 0);
    }
  }
}

TEST(Loops, DistancesFromDotsFlagsCancellationAnywhere) {
  constexpr double kGuard = 1e-3;
  for (Size n = 1; n <= kLongest; ++n) {
    const Vector y2(n, 2.0);
    Vector fine(n, 1.0);  // 2 + 2 - 2 = 2, far from cancelling
    EXPECT_FALSE(simd::distances_from_dots(2.0, y2.data(), kGuard, n, fine.data(), fine.data())) << n;
    for (Size lossy = 0; lossy < n; ++lossy) {
      Vector dots(n, 1.0);
      dots[lossy] = 2.0 - 1e-3;  // leaves 0.002 of 4, below the guard's 0.004
      EXPECT_TRUE(simd::distances_from_dots(2.0, y2.data(), kGuard, n, dots.data(), dots.data()))
          << lossy << " of " << n;
    }
    Vector above(n, 2.0 - 3e-3);  // leaves 0.006
    EXPECT_FALSE(simd::distances_from_dots(2.0, y2.data(), kGuard, n, above.data(), above.data())) << n;
  }
}

// Central differences of `loop` in each of its inputs against its reverse.
template <class Forward, class Backward>
void expect_slope(Forward forward, Backward backward, double low, double high) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector a = draw(n, 8, low, high), w = draw(n, 9);
    Output adjoint(n, 0.5);
    backward(a.data(), w.data(), n, adjoint.data());
    constexpr double h = 1e-6;
    Vector up(a), down(a), plus(n), minus(n);
    for (Size j = 0; j < n; ++j) {
      up[j] += h;
      down[j] -= h;
    }
    forward(up.data(), n, plus.data());
    forward(down.data(), n, minus.data());
    for (Size j = 0; j < n; ++j) {
      const double slope = w[j] * (plus[j] - minus[j]) / (2 * h);
      EXPECT_NEAR(adjoint[j], 0.5 + slope, 2e-8 * std::max(1.0, std::abs(slope))) << j << " of " << n;
    }
  }
}

// The same for a loop's parameter p, whose reverse is a sum over all entries.
template <class Forward>
double parameter_slope(Forward forward, const Vector& a, const Vector& w, double p) {
  constexpr double h = 1e-6;
  Vector plus(a.size()), minus(a.size());
  forward(p + h, a.data(), a.size(), plus.data());
  forward(p - h, a.data(), a.size(), minus.data());
  double total = 0;
  for (Size j = 0; j < a.size(); ++j) total += w[j] * (plus[j] - minus[j]) / (2 * h);
  return total;
}

TEST(Loops, SquareRootAndItsReverse) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector a = draw(n, 10, 0, 4);
    Output out(n);
    simd::square_root(a.data(), n, out.data());
    for (Size j = 0; j < n; ++j) EXPECT_DOUBLE_EQ(out[j], std::sqrt(a[j]));
  }
  expect_slope([](const double* a, Size n, double* out) { simd::square_root(a, n, out); },
               [](const double* a, const double* w, Size n, double* wa) {
                 Vector root(n);
                 simd::square_root(a, n, root.data());
                 simd::square_root_backward(root.data(), w, n, wa);
               },
               0.5, 4);
}

TEST(Loops, SquareRootOfAnySize) {
  Vector a = {0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::min(), 4.9e-324};
  for (double v = 1e-310; v < 1e308; v *= 3.7) a.push_back(v);
  const Size n = a.size();
  Output out(n);
  simd::square_root(a.data(), n, out.data());
  for (Size j = 0; j < n; ++j) {
    EXPECT_DOUBLE_EQ(out[j], std::sqrt(a[j])) << a[j];
    double alone = 0;
    simd::square_root(&a[j], 1, &alone);
    EXPECT_EQ(out[j], alone) << "depends on the lanes beside " << a[j];
  }
}

TEST(Loops, SquareRootHasNoInfiniteSlopeAtZero) {
  const Vector root(5, 0.0), w(5, 1.0);
  Vector wa(5, 0.25);
  simd::square_root_backward(root.data(), w.data(), 5, wa.data());
  for (const double v : wa) EXPECT_EQ(v, 0.25);
}

double plain_monomial(const simd::Monomial& term, Size j) {
  double value = term.scale, power = 0;
  for (Size f = 0; f < term.n_factors; ++f) value *= term.factors[f][j];
  for (Size t = 0; t < term.n_exponents; ++t) power += term.coefficients[t] * term.exponents[t][j];
  return value * std::exp(power);
}

TEST(Loops, MonomialOfEveryShapeMatchesPlainLoop) {
  for (Size n = 0; n <= kLongest; ++n) {
    for (Size factors = 0; factors <= 4; ++factors) {
      for (Size exponents = 0; exponents <= 4; ++exponents) {
        std::vector<Vector> f, e;
        std::vector<const double*> fp, ep;
        for (unsigned k = 0; k < factors; ++k) f.push_back(draw(n, 20 + k));
        for (unsigned k = 0; k < exponents; ++k) e.push_back(draw(n, 30 + k));
        for (const Vector& v : f) fp.push_back(v.data());
        for (const Vector& v : e) ep.push_back(v.data());
        const Vector c = draw(exponents, 40);
        const simd::Monomial term{1.75, factors, fp.data(), exponents, ep.data(), c.data()};
        Output out(n), added(n, 0.125), tape(n);
        simd::monomial(term, false, n, out.data(), tape.data());
        simd::monomial(term, true, n, added.data(), nullptr);
        for (Size j = 0; j < n; ++j) {
          const double expected = plain_monomial(term, j);
          EXPECT_NEAR(out[j], expected, 1e-14 * std::max(1.0, std::abs(expected)));
          EXPECT_NEAR(added[j], 0.125 + expected, 1e-14 * std::max(1.0, std::abs(expected)));
        }
      }
    }
  }
}

TEST(Loops, MonomialReverseMatchesCentralDifferences) {
  for (const Size n : {Size{1}, Size{3}, Size{8}, Size{13}}) {
    for (Size factors = 0; factors <= 3; ++factors) {
      for (Size exponents = 0; exponents <= 3; ++exponents) {
        std::vector<Vector> f, e;
        for (unsigned k = 0; k < factors; ++k) f.push_back(draw(n, 50 + k, 0.5, 2));
        for (unsigned k = 0; k < exponents; ++k) e.push_back(draw(n, 60 + k, -1, 1));
        Vector c = draw(exponents, 70, 0.5, 1.5);
        const Vector w = draw(n, 80);
        double scale = 1.5;
        const auto loss = [&] {  // sum_j w_j term_j
          std::vector<const double*> fp, ep;
          for (const Vector& v : f) fp.push_back(v.data());
          for (const Vector& v : e) ep.push_back(v.data());
          const simd::Monomial term{scale, factors, fp.data(), exponents, ep.data(), c.data()};
          double total = 0;
          for (Size j = 0; j < n; ++j) total += w[j] * plain_monomial(term, j);
          return total;
        };
        const auto slope = [&](double& of) {
          constexpr double h = 1e-6;
          const double kept = of;
          of = kept + h;
          const double plus = loss();
          of = kept - h;
          const double minus = loss();
          of = kept;
          return (plus - minus) / (2 * h);
        };
        std::vector<const double*> fp, ep;
        std::vector<Vector> fa(factors, Vector(n, 0.0)), ea(exponents, Vector(n, 0.0));
        std::vector<double*> fap, eap;
        for (Size k = 0; k < factors; ++k) {
          fp.push_back(f[k].data());
          fap.push_back(fa[k].data());
        }
        for (Size k = 0; k < exponents; ++k) {
          ep.push_back(e[k].data());
          eap.push_back(ea[k].data());
        }
        const simd::Monomial term{scale, factors, fp.data(), exponents, ep.data(), c.data()};
        Vector out(n), tape(n), sums(exponents);
        simd::monomial(term, false, n, out.data(), tape.data());
        const double total =
            simd::monomial_backward(term, tape.data(), w.data(), n, fap.data(), eap.data(), sums.data());
        const double tolerance = 1e-7 * static_cast<double>(n) * 10;
        EXPECT_NEAR(total, slope(scale), tolerance);
        for (Size k = 0; k < exponents; ++k) EXPECT_NEAR(sums[k], slope(c[k]), tolerance);
        for (Size j = 0; j < n; ++j) {
          for (Size k = 0; k < factors; ++k) EXPECT_NEAR(fa[k][j], slope(f[k][j]), tolerance);
          for (Size k = 0; k < exponents; ++k) EXPECT_NEAR(ea[k][j], slope(e[k][j]), tolerance);
        }
        // Adjoints that are not wanted are left alone, and the sums stay the same.
        std::vector<double*> none(std::max(factors, exponents) + 1, nullptr);
        Vector again(exponents);
        EXPECT_EQ(simd::monomial_backward(term, tape.data(), w.data(), n, none.data(), none.data(), again.data()),
                  total);
        EXPECT_EQ(again, sums);
      }
    }
  }
}

TEST(Loops, ExponentialsOfAnySizeEndInInfinityOrZero) {
  const double inf = std::numeric_limits<double>::infinity();
  const Vector powers{0, 1, 700, 709, 711, 800, 1024, 1500, 2500, 1e4, 1e6, 1e12, 1e300, inf};
  const Vector one{1};
  for (const double sign : {1.0, -1.0}) {
    for (const double power : powers) {
      const Vector exponent{sign * power};
      const double* exponents[] = {exponent.data()};
      double out = 0;
      simd::monomial({1.0, 0, nullptr, 1, exponents, one.data()}, false, 1, &out, nullptr);
      const double expected = std::exp(sign * power);
      if (std::isinf(expected)) {
        EXPECT_EQ(out, inf) << sign * power;
      } else {
        EXPECT_NEAR(out, expected, 1e-15 * expected + 1e-307) << sign * power;
      }
    }
  }
}

TEST(Loops, PolynomialAndItsReverse) {
  const Vector c{0.5, 2, 0, 1.25, 3};
  for (Size degree = 0; degree < c.size(); ++degree) {
    for (Size n = 0; n <= kLongest; ++n) {
      const Vector a = draw(n, 11), w = draw(n, 12);
      Output out(n);
      simd::polynomial(c.data(), degree, a.data(), n, out.data());
      Vector sums(degree + 1, 0.75);
      simd::polynomial_backward(c.data(), degree, a.data(), w.data(), n, nullptr, sums.data());
      for (Size j = 0; j < n; ++j) {
        double expected = 0;
        for (Size k = 0; k <= degree; ++k) expected += c[k] * std::pow(a[j], static_cast<double>(k));
        EXPECT_NEAR(out[j], expected, 1e-13);
      }
      for (Size k = 0; k <= degree; ++k) {
        double expected = 0.75;
        for (Size j = 0; j < n; ++j) expected += w[j] * std::pow(a[j], static_cast<double>(k));
        EXPECT_NEAR(sums[k], expected, 1e-12);
      }
    }
    expect_slope([&](const double* a, Size n, double* out) { simd::polynomial(c.data(), degree, a, n, out); },
                 [&](const double* a, const double* w, Size n, double* wa) {
                   Vector sums(degree + 1);
                   simd::polynomial_backward(c.data(), degree, a, w, n, wa, sums.data());
                 },
                 -1, 1);
  }
}

TEST(Loops, PowerAndItsReverse) {
  for (const Size degree : {Size{1}, Size{2}, Size{3}, Size{7}, Size{64}}) {
    const auto forward = [&](double c, const double* a, Size n, double* out) { simd::power(c, degree, a, n, out); };
    for (Size n = 0; n <= kLongest; ++n) {
      const Vector a = draw(n, 13, -0.5, 0.5), w = draw(n, 14);
      Output out(n);
      simd::power(0.25, degree, a.data(), n, out.data());
      for (Size j = 0; j < n; ++j) {
        const double expected = std::pow(a[j] + 0.25, static_cast<double>(degree));
        EXPECT_NEAR(out[j], expected, 1e-13 * std::abs(expected));
      }
      const double total = simd::power_backward(0.25, degree, a.data(), w.data(), n, nullptr);
      EXPECT_NEAR(total, parameter_slope(forward, a, w, 0.25), 1e-7);
    }
    expect_slope(
        [&](const double* a, Size n, double* out) { simd::power(0.25, degree, a, n, out); },
        [&](const double* a, const double* w, Size n, double* wa) { simd::power_backward(0.25, degree, a, w, n, wa); },
        -0.5, 0.5);
  }
}

TEST(Loops, PowerReverseIgnoresWhatLiesBehindTheEnd) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector a(n, 2.0), w(n, 1.0);  // d (a + 0.5)^3 / dc = 3 * 2.5^2
    EXPECT_NEAR(simd::power_backward(0.5, 3, a.data(), w.data(), n, nullptr), 18.75 * static_cast<double>(n), 1e-11);
  }
}

TEST(Loops, LogarithmAndItsReverse) {
  const auto forward = [](double b, const double* a, Size n, double* out) { simd::log1p_scaled(b, a, n, out); };
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector a = draw(n, 15, 0, 5), w = draw(n, 16);
    Output out(n);
    simd::log1p_scaled(0.3, a.data(), n, out.data());
    for (Size j = 0; j < n; ++j) EXPECT_NEAR(out[j], std::log1p(0.3 * a[j]), 1e-15);
    const double total = simd::log1p_scaled_backward(0.3, a.data(), w.data(), n, nullptr);
    EXPECT_NEAR(total, 0.3 * parameter_slope(forward, a, w, 0.3), 1e-7);
  }
  expect_slope(
      [](const double* a, Size n, double* out) { simd::log1p_scaled(0.3, a, n, out); },
      [](const double* a, const double* w, Size n, double* wa) { simd::log1p_scaled_backward(0.3, a, w, n, wa); }, 0.5,
      5);
}

TEST(Loops, LogarithmKeepsSmallArguments) {
  const Vector a{1e-300, 1e-18, 1e-12, 1e-6};
  Vector out(a.size());
  simd::log1p_scaled(2, a.data(), a.size(), out.data());
  for (Size j = 0; j < a.size(); ++j) EXPECT_NEAR(out[j] / std::log1p(2 * a[j]), 1, 1e-14);
}

TEST(Loops, LogarithmKeepsLargeArguments) {
  const Vector a{1, 1e3, 1e10, 1e100, 1e300, std::numeric_limits<double>::max()};
  Vector out(a.size());
  simd::log1p_scaled(1, a.data(), a.size(), out.data());
  for (Size j = 0; j < a.size(); ++j) EXPECT_NEAR(out[j] / std::log1p(a[j]), 1, 1e-14) << a[j];
}

double plain_arccos(int order, double r2) {
  const double c = 1 - r2 / 2, t = std::acos(c);
  return order == 0 ? 1 - t / std::numbers::pi : (std::sin(t) + (std::numbers::pi - t) * c) / std::numbers::pi;
}

double plain_ntk(int depth, double r2) {
  double tangent = 1 - r2 / 2;
  for (int layer = 0; layer < depth; ++layer) {
    const double next = plain_arccos(1, r2);
    tangent = tangent * plain_arccos(0, r2) + next;
    r2 = 2 - 2 * next;
  }
  return tangent;
}

TEST(Loops, AngularKernelsMatchTheirFormulas) {
  for (Size n = 0; n <= kLongest; ++n) {
    const Vector r2 = draw(n, 17, 0.05, 3.95);
    for (const int order : {0, 1}) {
      Output out(n);
      simd::arccos(order, r2.data(), n, out.data());
      for (Size j = 0; j < n; ++j) EXPECT_NEAR(out[j], plain_arccos(order, r2[j]), 1e-14);
    }
    for (const int depth : {1, 2, 6}) {
      Output out(n);
      simd::ntk(depth, r2.data(), n, out.data());
      for (Size j = 0; j < n; ++j) EXPECT_NEAR(out[j], plain_ntk(depth, r2[j]), 1e-13);
    }
  }
}

TEST(Loops, AngularKernelsAtTheEndsOfTheirRange) {
  // Equal; opposite, by |u-v|^2 with some rounding and by -|u+v|^2.
  const Vector r2{0, 4, 4 + 1e-15, -std::numeric_limits<double>::min()};
  Vector out(r2.size());
  simd::arccos(0, r2.data(), r2.size(), out.data());
  EXPECT_EQ(out[0], 1);
  EXPECT_NEAR(out[1], 0, 1e-15);
  EXPECT_NEAR(out[2], 0, 1e-15);
  EXPECT_NEAR(out[3], 0, 1e-150);
  simd::arccos(1, r2.data(), r2.size(), out.data());
  EXPECT_EQ(out[0], 1);
  EXPECT_NEAR(out[1], 0, 1e-15);
  simd::ntk(3, r2.data(), r2.size(), out.data());
  EXPECT_EQ(out[0], 4);  // each layer adds |x|^2
}

TEST(Loops, AngularKernelsKeepSmallAngles) {
  for (const double angle : {1e-10, 1e-7, 1e-4, 1e-2}) {
    const double chord = 2 * std::sin(angle / 2), r2 = chord * chord;
    double out = 0;
    simd::arccos(0, &r2, 1, &out);
    EXPECT_NEAR((1 - out) * std::numbers::pi / angle, 1, 1e-15 / angle + 1e-13);
    simd::arccos(1, &r2, 1, &out);
    // (sin t + (pi - t) cos t)/pi = cos t + t^3/(3 pi) + O(t^5)
    EXPECT_NEAR(out, std::cos(angle) + angle * angle * angle / (3 * std::numbers::pi), 2e-12);
  }
}

TEST(Loops, AngularKernelsKeepAnglesNearOpposite) {
  for (const double rest : {1e-10, 1e-7, 1e-4, 1e-2}) {  // theta = pi - rest
    const double half = 2 * std::sin(rest / 2), chord = -half * half;
    double out = 0;
    simd::arccos(0, &chord, 1, &out);
    EXPECT_NEAR(out * std::numbers::pi / rest, 1, 1e-15 / rest + 1e-13);
  }
}

TEST(Loops, AngularReverseMatchesCentralDifferences) {
  for (const int order : {0, 1}) {
    expect_slope(
        [&](const double* a, Size n, double* out) { simd::arccos(order, a, n, out); },
        [&](const double* a, const double* w, Size n, double* wa) { simd::arccos_backward(order, a, w, n, wa); }, 0.2,
        3.8);
  }
  for (const int depth : {1, 2, 5}) {
    expect_slope([&](const double* a, Size n, double* out) { simd::ntk(depth, a, n, out); },
                 [&](const double* a, const double* w, Size n, double* wa) { simd::ntk_backward(depth, a, w, n, wa); },
                 0.2, 3.8);
  }
}

TEST(Loops, AngularReverseIsFiniteForEqualVectors) {
  const Vector r2(7, 0.0), w(7, 1.0);
  for (const int order : {0, 1}) {
    Vector wa(7, 0.0);
    simd::arccos_backward(order, r2.data(), w.data(), 7, wa.data());
    for (const double v : wa) EXPECT_TRUE(std::isfinite(v));
  }
  Vector wa(7, 0.0);
  simd::ntk_backward(3, r2.data(), w.data(), 7, wa.data());
  for (const double v : wa) EXPECT_TRUE(std::isfinite(v));
}

TEST(Loops, TileProductsMatchPlainLoops) {
  for (const Size rows : {Size{0}, Size{1}, Size{4}, Size{7}, Size{8}, Size{17}}) {
    for (Size cols = 0; cols <= kLongest; ++cols) {
      const Vector tile = draw(rows * cols, 60), v = draw(cols, 61), w = draw(rows, 62);
      Output out(rows, 0.5), back(cols, 0.25), alone(rows, 0.5);
      simd::tile_products(tile.data(), cols, rows, cols, v.data(), out.data(), w.data(), back.data());
      simd::tile_products(tile.data(), cols, rows, cols, v.data(), alone.data(), nullptr, nullptr);
      for (Size i = 0; i < rows; ++i) {
        double expected = 0.5;
        for (Size j = 0; j < cols; ++j) expected += tile[i * cols + j] * v[j];
        expect_close(out[i], expected);
        EXPECT_EQ(alone[i], out[i]);
      }
      for (Size j = 0; j < cols; ++j) {
        double expected = 0.25;
        for (Size i = 0; i < rows; ++i) expected += tile[i * cols + j] * w[i];
        expect_close(back[j], expected);
      }
      Output back_alone(cols, 0.25);
      simd::tile_products(tile.data(), cols, rows, cols, nullptr, nullptr, w.data(), back_alone.data());
      for (Size j = 0; j < cols; ++j) expect_close(back_alone[j], back[j]);
    }
  }
}

// Of floats the sums are those of the same numbers as doubles, to the last bit.
TEST(Loops, TileProductsOfFloatsAddDoubles) {
  for (const Size rows : {Size{0}, Size{1}, Size{4}, Size{7}, Size{8}, Size{17}}) {
    for (Size cols = 0; cols <= kLongest; ++cols) {
      const Vector numbers = draw(rows * cols, 63), v = draw(cols, 61), w = draw(rows, 62);
      std::vector<float> tile(rows * cols);
      simd::round_to_floats(numbers.data(), numbers.size(), tile.data());
      Vector same(rows * cols);
      for (Size i = 0; i < tile.size(); ++i) {
        ASSERT_EQ(tile[i], static_cast<float>(numbers[i]));
        same[i] = tile[i];
      }
      Output out(rows, 0.5), back(cols, 0.25), out_of_same(rows, 0.5), back_of_same(cols, 0.25);
      simd::tile_products(tile.data(), cols, rows, cols, v.data(), out.data(), w.data(), back.data());
      simd::tile_products(same.data(), cols, rows, cols, v.data(), out_of_same.data(), w.data(), back_of_same.data());
      for (Size i = 0; i < rows; ++i) EXPECT_EQ(out[i], out_of_same[i]);
      for (Size j = 0; j < cols; ++j) EXPECT_EQ(back[j], back_of_same[j]);
    }
  }
}

TEST(Loops, StoresCopyAndTransposeWithStrides) {
  for (const Size rows : {Size{0}, Size{1}, Size{7}, Size{16}, Size{600}}) {
    for (Size cols = 0; cols <= 20; ++cols) {
      const Size from = cols + 3, to = std::max(rows, cols) + 5;
      const Vector tile = draw(rows * from, 18);
      for (const Size shift : {Size{0}, Size{1}, Size{3}}) {  // streaming stores meet every alignment
        Vector plain(shift + std::max(rows, cols) * to, kUntouched), turned(plain);
        simd::store(tile.data(), rows, cols, from, plain.data() + shift, to);
        simd::store_transposed(tile.data(), rows, cols, from, turned.data() + shift, to);
        Size written = 0, turned_written = 0;
        for (const double v : plain) written += v != kUntouched;
        for (const double v : turned) turned_written += v != kUntouched;
        ASSERT_EQ(written, rows * cols);
        ASSERT_EQ(turned_written, rows * cols);
        for (Size i = 0; i < rows; ++i) {
          for (Size j = 0; j < cols; ++j) {
            ASSERT_EQ(plain[shift + i * to + j], tile[i * from + j]);
            ASSERT_EQ(turned[shift + j * to + i], tile[i * from + j]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer::loops_test
