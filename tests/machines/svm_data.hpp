// Small training sets with a shape, and what is asked of models: for the tests of support vector machines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/machines.hpp"

namespace mercer::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

struct Sample {
  std::string name;
  Matrix x;
  Vector target;  // numbers: classes 0, 1, ... or values

  Index size() const { return x.rows(); }
  Labels labels() const { return Labels::from(VectorView(target)); }
  Points points() const { return rows(x.view()); }  // borrows: keep the sample
};

// Points whose coordinates and class `draw` fills in, given a row of x and returning the target.
template <class Draw>
Sample sample(std::string name, Index n, Index d, unsigned seed, Draw draw) {
  Sample out{std::move(name), Matrix(n, d), Vector(at(n))};
  Random random(seed);
  for (Index i = 0; i < n; ++i) out.target[at(i)] = draw(random, i, out.x.row(i));
  return out;
}

// k clouds on a circle; `spread` 0.3 keeps them apart, 1 mixes them.
inline Sample blobs(Index n, Index k, double spread, unsigned seed = 1) {
  return sample("blobs", n, 2, seed, [=](Random& random, Index i, double* x) {
    const double c = static_cast<double>(i % k), angle = 2 * std::numbers::pi * c / static_cast<double>(k);
    x[0] = 2 * std::cos(angle) + spread * random.normal();
    x[1] = 2 * std::sin(angle) + spread * random.normal();
    return c;
  });
}

inline Sample moons(Index n, double noise, unsigned seed = 2) {
  return sample("moons", n, 2, seed, [=](Random& random, Index i, double* x) {
    const double side = static_cast<double>(i % 2), angle = std::numbers::pi * random.uniform();
    x[0] = side == 0 ? std::cos(angle) : 1 - std::cos(angle);
    x[1] = side == 0 ? std::sin(angle) : 0.5 - std::sin(angle);
    for (int k = 0; k < 2; ++k) x[k] += noise * random.normal();
    return side;
  });
}

inline Sample squares(Index n, unsigned seed = 3) {  // exclusive or
  return sample("xor", n, 2, seed, [](Random& random, Index, double* x) {
    x[0] = random.uniform(-1, 1);
    x[1] = random.uniform(-1, 1);
    return x[0] * x[1] > 0 ? 1.0 : 0.0;
  });
}

inline Sample spirals(Index n, Index k, unsigned seed = 4) {
  return sample("spirals", n, 2, seed, [=](Random& random, Index i, double* x) {
    const double c = static_cast<double>(i % k), t = random.uniform();
    const double angle = 2 * std::numbers::pi * (c / static_cast<double>(k) + 1.2 * t);
    x[0] = (0.2 + t) * std::cos(angle) + 0.03 * random.normal();
    x[1] = (0.2 + t) * std::sin(angle) + 0.03 * random.normal();
    return c;
  });
}

inline Sample rings(Index n, Index k, unsigned seed = 5) {
  return sample("rings", n, 2, seed, [=](Random& random, Index i, double* x) {
    const double c = static_cast<double>(i % k), angle = random.uniform(0, 2 * std::numbers::pi);
    const double radius = 1 + c + 0.35 * random.normal();
    x[0] = radius * std::cos(angle);
    x[1] = radius * std::sin(angle);
    return c;
  });
}

// One point in twelve is of class 1.
inline Sample unbalanced(Index n, unsigned seed = 6) {
  return sample("unbalanced", n, 3, seed, [](Random& random, Index i, double* x) {
    const double c = i % 12 == 0 ? 1 : 0;
    for (int k = 0; k < 3; ++k) x[k] = random.normal() + 1.2 * c;
    return c;
  });
}

// Few different points, each many times and of both classes.
inline Sample duplicates(Index n, unsigned seed = 7) {
  return sample("duplicates", n, 2, seed, [](Random& random, Index, double* x) {
    x[0] = static_cast<double>(random.below(4));
    x[1] = static_cast<double>(random.below(4));
    return x[0] + x[1] + 1.5 * random.normal() > 3 ? 1.0 : 0.0;
  });
}

// Words in documents: 3 of 100 columns are set, those of the classes differ.
inline Sample documents(Index n, Index k, unsigned seed = 8) {
  return sample("documents", n, 100, seed, [=](Random& random, Index i, double* x) {
    const Index c = i % k;
    for (int w = 0; w < 6; ++w) x[random.uniform() < 0.4 ? 10 * c + random.below(10) : random.below(100)] = 1;
    return static_cast<double>(c);
  });
}

inline Sample sine(Index n, unsigned seed = 9) {
  return sample("sine", n, 1, seed, [](Random& random, Index, double* x) {
    x[0] = random.uniform(-3, 3);
    return std::sin(2 * x[0]) + 0.2 * random.normal();
  });
}

// Friedman's first benchmark, in units of its spread.
inline Sample friedman(Index n, unsigned seed = 10) {
  return sample("friedman", n, 6, seed, [](Random& random, Index, double* x) {
    for (int k = 0; k < 6; ++k) x[k] = random.uniform();
    const double y = 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] +
                     5 * x[4] + random.normal();
    return (y - 14) / 5;
  });
}

// ---- models ----

inline double figure(const Model& m, std::string_view name) {
  const auto value = m.report().figure(name);
  EXPECT_TRUE(value.has_value()) << name;
  return value.value_or(std::nan(""));
}

// The alphas at every training point.
inline Vector alphas(const Model& m, Index output = 0) {
  const Expansion::Parts& f = m.expansion().parts();
  Vector out(at(f.training_size));
  for (std::size_t i = 0; i < f.support.size(); ++i) out[at(f.support[i])] = f.alpha(static_cast<Index>(i), output);
  return out;
}

inline Vector column(const Matrix& m, Index j = 0) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}

inline void expect_close(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << "at " << i;
  }
}

inline Sample reordered(const Sample& s) {
  Sample out = s;
  for (Index i = 0; i < s.size(); ++i) {
    const Index from = (i * 37 + 11) % s.size();  // 37 has no factor in common with the sizes used
    std::copy_n(s.x.row(from), s.x.cols(), out.x.row(i));
    out.target[at(i)] = s.target[at(from)];
  }
  return out;
}

inline Sample repeated(const Sample& s, std::span<const Index> which) {
  Sample out{s.name, Matrix(s.size() + static_cast<Index>(which.size()), s.x.cols()), s.target};
  for (Index i = 0; i < s.size(); ++i) std::copy_n(s.x.row(i), s.x.cols(), out.x.row(i));
  for (std::size_t r = 0; r < which.size(); ++r) {
    std::copy_n(s.x.row(which[r]), s.x.cols(), out.x.row(s.size() + static_cast<Index>(r)));
    out.target.push_back(s.target[at(which[r])]);
  }
  return out;
}

}  // namespace mercer::test
