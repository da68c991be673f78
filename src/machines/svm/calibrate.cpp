#include "machines/svm/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"

namespace mercer::detail {

namespace {

// The scores shifted and scaled to [-1, 1] around their mean: z = (f / unit - centre) / scale. The unit is the largest
// of them, so that none is too large to add.
struct Scores {
  Vector z, target, weight;
  double unit = 0, centre = 0, scale = 0;
};

// In the coordinates of z.
struct Line {
  double slope = 0, offset = 0;
};

Scores prepare(VectorView scores, VectorView signs, VectorView weights) {
  if (signs.size() != scores.size() || (!weights.empty() && weights.size() != scores.size())) {
    fail(ErrorKind::shape, "calibrate: {} scores, {} signs and {} weights", scores.size(), signs.size(),
         weights.size());
  }
  Scores s;
  double positive = 0, negative = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (!std::isfinite(scores[i])) fail(ErrorKind::data, "calibrate: score {} is {}", i + 1, scores[i]);
    if (!(w >= 0) || std::isinf(w)) fail(ErrorKind::data, "calibrate: weight {} is {}", i + 1, w);
    if (std::abs(signs[i]) != 1) fail(ErrorKind::data, "calibrate: sign {} is {}; give +1 or -1", i + 1, signs[i]);
    (signs[i] > 0 ? positive : negative) += w;
    s.unit = std::max(s.unit, std::abs(scores[i]));
  }
  const double total = positive + negative;
  if (!(total > 0)) fail(ErrorKind::data, "calibrate: no score has a weight; give at least one");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (w == 0) continue;
    s.z.push_back(s.unit < 1e-290 ? 0 : scores[i] / s.unit);
    s.target.push_back(signs[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2));
    s.weight.push_back(w / total);
    s.centre += w / total * s.z.back();
  }
  for (const double f : s.z) s.scale = std::max(s.scale, std::abs(f - s.centre));
  // Scores that differ by no more than rounding are one score.
  if (s.scale <= 1e-14) s.scale = 0;
  for (double& z : s.z) z = s.scale == 0 ? 0 : (z - s.centre) / s.scale;
  return s;
}

// -t log p - (1 - t) log(1 - p) with p = 1 / (1 + exp(u)).
double loss(double u, double t) {
  return u >= 0 ? t * u + std::log1p(std::exp(-u)) : (t - 1) * u + std::log1p(std::exp(u));
}

double objective(const Scores& s, Line line) {
  double sum = 0;
  for (std::size_t i = 0; i < s.z.size(); ++i)
    sum += s.weight[i] * loss(line.slope * s.z[i] + line.offset, s.target[i]);
  return sum;
}

// With slope 0 the best p is the mean of the targets.
Line constant(const Scores& s) {
  double mean = 0;
  for (std::size_t i = 0; i < s.z.size(); ++i) mean += s.weight[i] * s.target[i];
  return {0, std::log((1 - mean) / mean)};
}

struct Derivatives {
  double slope = 0, offset = 0;                                 // first
  double slope_slope = 0, slope_offset = 0, offset_offset = 0;  // second
};

Derivatives derivatives(const Scores& s, Line line) {
  Derivatives d;
  for (std::size_t i = 0; i < s.z.size(); ++i) {
    const double u = line.slope * s.z[i] + line.offset, e = std::exp(-std::abs(u));
    const double p = u >= 0 ? e / (1 + e) : 1 / (1 + e), curvature = s.weight[i] * e / ((1 + e) * (1 + e));
    const double gradient = s.weight[i] * (s.target[i] - p);
    d.slope += gradient * s.z[i];
    d.offset += gradient;
    d.slope_slope += curvature * s.z[i] * s.z[i];
    d.slope_offset += curvature * s.z[i];
    d.offset_offset += curvature;
  }
  return d;
}

Line newton(const Scores& s, Line line) {
  constexpr int most_steps = 200;
  constexpr double tolerance = 1e-13, rounding = 1e-15;
  double value = objective(s, line);
  for (int step = 0; step < most_steps; ++step) {
    const Derivatives d = derivatives(s, line);
    if (std::max(std::abs(d.slope), std::abs(d.offset)) < tolerance) break;
    // A grain of ridge keeps the 2 x 2 system solvable where all curvature has vanished.
    const double a = d.slope_slope + 1e-14, b = d.slope_offset, c = d.offset_offset + 1e-14;
    const double determinant = a * c - b * b;
    const Line move = {-(c * d.slope - b * d.offset) / determinant, -(a * d.offset - b * d.slope) / determinant};
    const double descent = move.slope * d.slope + move.offset * d.offset;
    double length = 1;
    bool better = false;
    for (; length > 1e-12 && !better; length /= 2) {
      const Line next = {line.slope + length * move.slope, line.offset + length * move.offset};
      const double next_value = objective(s, next);
      if (next_value <= value + 1e-4 * length * descent + rounding) {
        line = next;
        value = next_value;
        better = true;
      }
    }
    if (!better) break;  // as low as rounding lets it
  }
  return line;
}

}  // namespace

Sigmoid fit_sigmoid(VectorView scores, VectorView signs, VectorView weights) {
  const Scores s = prepare(scores, signs, weights);
  const Line flat = constant(s);
  // The problem is convex: where it does not fall towards negative slopes at the best constant, the bound binds.
  if (s.scale == 0 || derivatives(s, flat).slope <= 1e-15) return {0, flat.offset};
  const Line best = newton(s, flat);
  const double slope = std::min(best.slope / s.scale, 0.0);
  return {slope / s.unit, best.offset - slope * s.centre};
}

}  // namespace mercer::detail
