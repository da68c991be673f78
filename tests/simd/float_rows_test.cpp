// Rows of kernel values in single precision against plain loops in double, on every instruction set.
#include "simd/float_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::float_rows_test {
namespace {

using simd::ExactProfile;
using simd::FloatProfile;
using simd::Size;
using Kind = FloatProfile::Kind;

constexpr Size kPanel = simd::kFloatPanel, kGroup = simd::kFloatGroup;
constexpr double kUnit = 0x1p-24;  // rounding of single precision
constexpr float kUntouched = -12345;

// Points packed by panels, and their numbers after rounding.
struct Columns {
  Columns(const Matrix& x, const Vector& shift, const Vector& factor)
      : n(static_cast<Size>(x.rows())),
        d(static_cast<Size>(x.cols())),
        panels(simd::padded_to(n, kPanel) * d, kUntouched),
        exact_norms(simd::padded_to(n, kPanel), -1) {
    simd::pack_floats(x.data(), d, shift.data(), factor.data(), n, d, panels.data(), exact_norms.data());
    norms.assign(exact_norms.begin(), exact_norms.end());
  }
  explicit Columns(const Matrix& x)
      : Columns(x, Vector(static_cast<Size>(x.cols())), Vector(static_cast<Size>(x.cols()), 1.0)) {}

  double at(Size i, Size k) const {
    return static_cast<double>(panels[i / kPanel * kPanel * d + k * kPanel + i % kPanel]);
  }
  Size panel_count() const { return (n + kPanel - 1) / kPanel; }

  Size n, d;
  std::vector<float> panels, norms;
  Vector exact_norms;
};

// Some of them as rows.
struct Group {
  Group(const Columns& from, const std::vector<Size>& which)
      : count(which.size()),
        points(simd::padded_to(count, kGroup) * from.d),
        norms(simd::padded_to(count, kGroup)),
        exact_norms(norms.size()) {
    for (Size r = 0; r < count; ++r) {
      simd::copy_point(from.panels.data(), which[r], from.d, points.data(), r);
      norms[r] = from.norms[which[r]];
      exact_norms[r] = from.exact_norms[which[r]];
    }
  }
  Size count;
  std::vector<float> points, norms;
  Vector exact_norms;
};

std::vector<Size> some_of(Size n, Size count) {
  std::vector<Size> which;
  for (Size r = 0; r < count; ++r) which.push_back((r * 17 + 5) % n);
  return which;
}

struct Output {
  Output(Size rows, Size panels) : stride(panels * kPanel + 1), values(rows * stride, kUntouched) {
    for (Size r = 0; r < rows; ++r) to.push_back(values.data() + r * stride);
  }
  float operator()(Size r, Size j) const { return values[r * stride + j]; }
  void expect_ends_untouched() const {
    for (Size end = stride - 1; end < values.size(); end += stride) EXPECT_EQ(values[end], kUntouched);
  }
  Size stride;
  std::vector<float> values;
  std::vector<float*> to;
};

Output rows_of(const FloatProfile& profile, const Group& x, const Columns& y, Size first, Size last) {
  Output out(x.count, last - first);
  simd::float_rows(profile, x.points.data(), x.norms.data(), x.count, y.panels.data(), y.norms.data(), first, last, y.d,
                   out.to.data());
  out.expect_ends_untouched();
  return out;
}

struct Expected {
  double value, error;  // and how far single precision may be from it
};

Expected expected(const FloatProfile& p, const Columns& y, Size i, Size j) {
  double dot = 0, size = 0, r2 = 0;
  for (Size k = 0; k < y.d; ++k) {
    const double product = y.at(i, k) * y.at(j, k), difference = y.at(i, k) - y.at(j, k);
    dot += product;
    size += std::abs(product);
    r2 += difference * difference;
  }
  const double factor = static_cast<double>(p.factor), scale = static_cast<double>(p.scale);
  const double shift = static_cast<double>(p.shift), sums = (static_cast<double>(y.d) + 8) * kUnit;
  switch (p.kind) {
    case Kind::exponential: {
      const double value = scale * std::exp(-factor * r2);
      const double distance = p.differences ? r2 : 2 * size + y.exact_norms[i] + y.exact_norms[j];
      return {value, value * (std::expm1(factor * sums * distance) + 6 * kUnit) + scale * 1e-37};
    }
    case Kind::linear: return {scale * factor * dot, scale * factor * sums * size};
    case Kind::power: break;
  }
  const double base = factor * dot + shift, off = sums * (factor * size + std::abs(shift));
  const double most = scale * std::pow(std::abs(base) + off, p.degree);
  return {scale * std::pow(base, p.degree),
          most - scale * std::pow(std::abs(base), p.degree) + 2 * p.degree * kUnit * most};
}

std::vector<FloatProfile> profiles(Size d) {
  const auto share = 1 / static_cast<float>(d);
  std::vector<FloatProfile> out{{.kind = Kind::exponential, .factor = share},
                                {.kind = Kind::exponential, .differences = true, .factor = share, .scale = 2.5F},
                                {.kind = Kind::linear, .factor = 0.7F, .scale = 1.5F}};
  for (int degree = 1; degree <= 5; ++degree) {
    out.push_back({.kind = Kind::power, .factor = share, .shift = 0.5F, .degree = degree, .scale = 0.75F});
  }
  return out;
}

std::string name_of(const FloatProfile& p, Size d) {
  return "kind " + std::to_string(static_cast<int>(p.kind)) + " degree " + std::to_string(p.degree) +
         (p.differences ? " by differences" : "") + ", d = " + std::to_string(d);
}

TEST(FloatRows, PackedPointsAreShiftedScaledAndFilledUpWithZeros) {
  for (const Index n : {1, 47, 48, 49, 96, 100}) {
    const Matrix x = test::random_matrix(n, 3, 1);
    const Vector shift{0.5, -1, 0}, factor{1, 2, 0.25};
    const Columns packed(x, shift, factor);
    for (Size i = 0; i < packed.panel_count() * kPanel; ++i) {
      double norm = 0;
      for (Size k = 0; k < 3; ++k) {
        const double value =
            i < packed.n ? factor[k] * (x(static_cast<Index>(i), static_cast<Index>(k)) - shift[k]) : 0.0;
        EXPECT_EQ(packed.at(i, k), static_cast<double>(static_cast<float>(value)));
        norm += packed.at(i, k) * packed.at(i, k);
      }
      EXPECT_DOUBLE_EQ(packed.exact_norms[i], norm);
    }
    EXPECT_EQ(packed.panels.size() % kPanel, 0u);
  }
}

TEST(FloatRows, MatchPlainLoopsForAllProfilesAndSizes) {
  test::for_each_target([] {
    for (const Size d : {1, 2, 16, 17, 127, 128, 129, 300}) {
      const Size n = d > 100 ? 61 : 100;
      const Columns y(test::random_matrix(static_cast<Index>(n), static_cast<Index>(d), 2));
      for (const FloatProfile& profile : profiles(d)) {
        SCOPED_TRACE(name_of(profile, d));
        const std::vector<Size> which = some_of(n, d % 2 == 0 ? 13 : 21);
        const Output out = rows_of(profile, Group(y, which), y, 0, y.panel_count());
        double worst = 0;
        for (Size r = 0; r < which.size(); ++r) {
          for (Size j = 0; j < n; ++j) {
            const Expected e = expected(profile, y, which[r], j);
            worst = std::max(worst, std::abs(static_cast<double>(out(r, j)) - e.value) / e.error);
          }
        }
        EXPECT_LE(worst, 1);
        EXPECT_GT(worst, 0);
      }
    }
  });
}

// Leaving out columns that are 0 in all rows of a block changes no bit.
TEST(FloatRows, ZerosAreLeftOutWithoutATrace) {
  test::for_each_target([] {
    for (const Size d : {1, 17, 54, 128, 129}) {
      const Size n = 100;
      Matrix numbers = test::random_matrix(static_cast<Index>(n), static_cast<Index>(d), 9);
      for (Index i = 0; i < numbers.rows(); ++i) {
        for (Index k = 0; k < numbers.cols(); ++k) {
          if (k % 5 != i / 8 % 5 && i != 50) numbers(i, k) = 0;
        }
      }
      const Columns y(numbers);
      for (FloatProfile profile : profiles(d)) {
        SCOPED_TRACE(name_of(profile, d));
        for (const Size count : {1, 4, 7, 8, 29}) {
          const Group x(y, some_of(n, count));
          const Output whole = rows_of(profile, x, y, 1, y.panel_count());
          profile.mostly_zero = true;
          const Output part = rows_of(profile, x, y, 1, y.panel_count());
          profile.mostly_zero = false;
          ASSERT_EQ(part.values, whole.values);
        }
      }
    }
  });
}

TEST(FloatRows, NoColumnsAtAll) {
  const Columns y(Matrix(3, 0));
  const Output out = rows_of({.kind = Kind::exponential, .scale = 3}, Group(y, {0, 2}), y, 0, 1);
  EXPECT_EQ(out(1, 2), 3);
  EXPECT_EQ(rows_of({.kind = Kind::power, .shift = 2, .degree = 3}, Group(y, {1}), y, 0, 1)(0, 0), 8);
}

// The value of a pair is the same bits wherever its row stands and whichever panels are asked for with it.
TEST(FloatRows, BatchesDoNotShow) {
  test::for_each_target([] {
    for (const Size d : {1, 17, 128, 129, 300}) {
      const Size n = 150;
      const Columns y(test::random_matrix(static_cast<Index>(n), static_cast<Index>(d), 3));
      const std::vector<Size> which = some_of(n, 29);
      const Group together(y, which);
      for (const FloatProfile& profile : profiles(d)) {
        if (profile.kind == Kind::power && profile.degree != 3) continue;
        SCOPED_TRACE(name_of(profile, d));
        const Output all = rows_of(profile, together, y, 0, y.panel_count());
        for (Size first = 0; first < y.panel_count(); ++first) {
          const Output part = rows_of(profile, together, y, first, y.panel_count());
          const Output one = rows_of(profile, together, y, first, first + 1);
          for (Size r = 0; r < which.size(); ++r) {
            for (Size j = first * kPanel; j < n; ++j) ASSERT_EQ(part(r, j - first * kPanel), all(r, j));
            for (Size j = 0; j < kPanel; ++j) ASSERT_EQ(one(r, j), all(r, first * kPanel + j));
          }
        }
        for (const Size count : {1, 4, 5, 8, 11}) {
          const Size last = which.size() - count;
          const Output few = rows_of(profile, Group(y, {which.begin() + static_cast<Index>(last), which.end()}), y, 0,
                                     y.panel_count());
          for (Size r = 0; r < count; ++r) {
            for (Size j = 0; j < n; ++j) ASSERT_EQ(few(r, j), all(last + r, j)) << count << " rows";
          }
        }
      }
    }
  });
}

// So many columns that rows no longer stay in the cache together and are taken in several batches.
TEST(FloatRows, ManyColumnsAndManyRows) {
  const Size n = 70, d = 9000;
  const Columns y(test::random_matrix(static_cast<Index>(n), static_cast<Index>(d), 4));
  const std::vector<Size> which = some_of(n, 27);
  const FloatProfile profile{.kind = Kind::linear};
  const Output out = rows_of(profile, Group(y, which), y, 0, y.panel_count());
  for (Size r = 0; r < which.size(); ++r) {
    for (Size j = 0; j < n; ++j) {
      const Expected e = expected(profile, y, which[r], j);
      ASSERT_NEAR(static_cast<double>(out(r, j)), e.value, e.error);
    }
  }
}

// With x = 0 and y = k / 64 the exponent is exact: what is left is the exponential itself.
TEST(FloatRows, ExponentialIsWithinAFewUnitsInTheLastPlace) {
  test::for_each_target([] {
    Matrix x(1200, 1);
    for (Index i = 0; i < x.rows(); ++i) x(i, 0) = static_cast<double>(i) / 64;
    const Columns y(x);
    for (const bool differences : {true, false}) {
      for (const float factor : {1.0F, 0.0625F}) {
        const FloatProfile profile{.kind = Kind::exponential, .differences = differences, .factor = factor};
        const Output out = rows_of(profile, Group(y, {0}), y, 0, y.panel_count());
        EXPECT_EQ(out(0, 0), 1);
        for (Size j = 0; j < y.n; ++j) {
          const double exponent = static_cast<double>(factor) * y.at(j, 0) * y.at(j, 0);
          const auto value = static_cast<double>(out(0, j));
          const double truth = std::exp(-exponent), error = exponent < 87 ? 4 * kUnit * truth : truth;
          EXPECT_NEAR(value, exponent > 88 ? 0 : truth, exponent > 88 ? 0 : error) << exponent;
        }
      }
    }
  });
}

TEST(FloatRows, FarApartIsZero) {
  const Columns y(Matrix{{0, 0}, {1e18, 1e18}, {-1e19, 0}});
  for (const bool differences : {true, false}) {
    const FloatProfile profile{.kind = Kind::exponential, .differences = differences};
    const Output out = rows_of(profile, Group(y, {0, 1, 2}), y, 0, 1);
    for (Size r = 0; r < 3; ++r) {
      for (Size j = 0; j < 3; ++j) EXPECT_EQ(out(r, j), r == j ? 1 : 0) << r << ' ' << j;
    }
  }
}

TEST(FloatRows, WeightedSumsMatchPlainLoops) {
  test::for_each_target([] {
    for (const Size n : {0, 1, 3, 7, 8, 15, 16, 17, 33, 70}) {
      for (const Size count : {0, 1, 3, 4, 5, 9}) {
        const std::vector<float> values =
            test::to_float(test::random_matrix(static_cast<Index>(count), static_cast<Index>(n), 5));
        const Vector weights = test::random_vector(static_cast<Index>(count), 6);
        std::vector<const float*> rows;
        for (Size r = 0; r < count; ++r) rows.push_back(values.data() + r * n);
        Vector sums(n + 1, 0.25);
        simd::add_float_rows(rows.data(), weights.data(), count, n, sums.data());
        for (Size j = 0; j < n; ++j) {
          double sum = 0.25;
          for (Size r = 0; r < count; ++r) sum += weights[r] * static_cast<double>(rows[r][j]);
          EXPECT_NEAR(sums[j], sum, 1e-14);
        }
        EXPECT_EQ(sums[n], 0.25) << "wrote behind the end";
      }
    }
  });
}

// ---- whole numbers ----

Matrix whole_numbers(Index n, Index d, double low, double high) {
  Matrix out = test::random_matrix(n, d, 7, low, high + 1);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = std::floor(out.data()[i]);
  return out;
}

double exact_value(const ExactProfile& p, const Columns& y, Size i, Size j) {
  double dot = 0, r2 = 0;
  for (Size k = 0; k < y.d; ++k) {
    dot += y.at(i, k) * y.at(j, k);
    r2 += (y.at(i, k) - y.at(j, k)) * (y.at(i, k) - y.at(j, k));
  }
  if (p.kind == Kind::exponential) return p.scale * std::exp(-p.factor * r2);
  if (p.kind == Kind::linear) return p.scale * p.factor * dot;
  return p.scale * std::pow(p.factor * dot + p.shift, p.degree);
}

TEST(ExactRows, OfWholeNumbersAreThoseOfDoublePrecision) {
  test::for_each_target([] {
    for (const Size d : {1, 17, 255, 256, 257, 513}) {
      for (const double lowest : {0.0, -255.0}) {
        const Size n = 61;
        const Columns y(whole_numbers(static_cast<Index>(n), static_cast<Index>(d), lowest, 255));
        const double share = 1 / (255.0 * 255 * static_cast<double>(d));
        for (const ExactProfile& profile :
             {ExactProfile{.kind = Kind::exponential, .factor = 3 * share, .scale = 1.5, .exact_columns = 256},
              ExactProfile{.kind = Kind::linear, .factor = share, .scale = 0.3, .exact_columns = 256},
              ExactProfile{.kind = Kind::power, .factor = share, .shift = 1, .degree = 3, .exact_columns = 256}}) {
          for (const Size count : {1, 8, 21}) {
            SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(profile.kind) << ", d = " << d << ", from "
                                              << lowest << ", " << count << " rows");
            const std::vector<Size> which = some_of(n, count);
            const Group x(y, which);
            const Vector weights = test::random_vector(static_cast<Index>(count), 8);
            for (Size first = 0; first < y.panel_count(); ++first) {
              const Size room = (y.panel_count() - first) * kPanel;
              Vector sums(room + 1, 0.125);
              simd::add_exact_rows(profile, x.points.data(), x.exact_norms.data(), weights.data(), count,
                                   y.panels.data(), y.exact_norms.data(), first, y.panel_count(), d, sums.data());
              EXPECT_EQ(sums[room], 0.125) << "wrote behind the end";
              for (Size j = first * kPanel; j < n; ++j) {
                double sum = 0.125, size = 0.125;
                for (Size r = 0; r < count; ++r) {
                  const double term = weights[r] * exact_value(profile, y, which[r], j);
                  sum += term;
                  size += std::abs(term);
                }
                ASSERT_NEAR(sums[j - first * kPanel], sum, 1e-13 * size);
              }
            }
          }
        }
      }
    }
  });
}

// Any number of outputs and of columns, also fewer than a vector has.
TEST(FloatRows, ProductsWithSeveralWeights) {
  test::for_each_target([] {
    for (const Size n : {Size{1}, Size{31}, Size{32}, Size{33}, Size{96}, Size{100}}) {
      for (const Size outputs : {Size{1}, Size{3}, Size{5}, Size{6}, Size{11}}) {
        const Size count = 7, step = 120;
        const Matrix values = test::random_matrix(count, step, 1), weights = test::random_matrix(outputs, 9, 2);
        const std::vector<float> single = test::to_float(values);
        std::vector<const float*> rows;
        for (Size r = 0; r < count; ++r) rows.push_back(single.data() + r * step);
        Vector sums(outputs * step, 0.5);
        simd::add_float_products(rows.data(), count, n, weights.data(), 9, outputs, sums.data(), step);
        for (Size o = 0; o < outputs; ++o) {
          for (Size j = 0; j < step; ++j) {
            double expected = 0.5;
            for (Size r = 0; r < count && j < n; ++r) {
              expected += weights(static_cast<Index>(o), static_cast<Index>(r)) * static_cast<double>(rows[r][j]);
            }
            ASSERT_NEAR(sums[o * step + j], expected, 1e-13) << n << ' ' << outputs << ' ' << o << ' ' << j;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace mercer::float_rows_test
