#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "domains/graphs/walks.hpp"
#include "linalg/conjugate_gradient.hpp"
#include "simd/loops.hpp"

namespace mercer {

void ProductGraph::assign(const LabelledGraph& x, const LabelledGraph& y, MatrixView likeness) {
  const Graph &g = x.graph, &h = y.graph;
  number_.assign(at(g.nodes() * h.nodes()), -1);
  start_.clear();
  const auto number = [&](Index i, Index j) -> std::int32_t& { return number_[at(i * h.nodes() + j)]; };
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < h.nodes(); ++j) {
      if (!x.node_labels.empty() && !y.node_labels.empty() && x.node_labels[at(i)] != y.node_labels[at(j)]) continue;
      number(i, j) = static_cast<std::int32_t>(start_.size());
      start_.push_back(likeness.empty() ? 1.0 : std::sqrt(likeness(i, j)));
    }
  }
  offsets_.assign(1, 0);
  neighbours_.clear();
  weights_.clear();
  const bool labels = !x.edge_labels.empty() && !y.edge_labels.empty();
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < h.nodes(); ++j) {
      const std::int32_t here = number(i, j);
      if (here < 0) continue;
      for (Index p = g.offsets()[at(i)]; p < g.offsets()[at(i) + 1]; ++p) {
        for (Index q = h.offsets()[at(j)]; q < h.offsets()[at(j) + 1]; ++q) {
          const std::int32_t there = number(g.neighbours()[at(p)], h.neighbours()[at(q)]);
          if (there < 0 || (labels && x.edge_labels[at(p)] != y.edge_labels[at(q)])) continue;
          neighbours_.push_back(there);
          weights_.push_back(g.weights()[at(p)] * h.weights()[at(q)]);
        }
      }
      offsets_.push_back(static_cast<Index>(neighbours_.size()));
    }
  }
}

double ProductGraph::reached(VectorView v, std::size_t i) const {
  double total = 0;
  for (Index e = offsets_[i]; e < offsets_[i + 1]; ++e) {
    const auto there = at(neighbours_[at(e)]);
    total += weights_[at(e)] * start_[there] * v[there];
  }
  return total;
}

void ProductGraph::multiply(VectorView v, VectorRef out) const {
  for (std::size_t i = 0; i < start_.size(); ++i) out[i] = start_[i] * reached(v, i);
}

WalkSum ProductGraph::sum(const WalkSeries& series) const {
  switch (series.kind) {
    case WalkKind::geometric: return geometric(series.lambda);
    case WalkKind::exponential: return exponential(series.lambda);
    default: return steps(series.lambda, series.steps);
  }
}

// (I - lambda W) v = start
Vector ProductGraph::solve(double lambda) const {
  constexpr double enough = 1e-26;
  const auto n = start_.size();
  const linalg::LinearSystem system{.apply = [&](MatrixView v, MatrixView, MatrixRef out) {  // of one column
    multiply({v.data(), n}, {out.data(), n});
    for (std::size_t i = 0; i < n; ++i) out.data()[i] = v.data()[i] - lambda * out.data()[i];
  }};
  const Matrix side(MatrixView(start_.data(), static_cast<Index>(n), 1));
  const Matrix x = linalg::conjugate_gradients(system, side, {.enough = enough, .most = 10000}).x;
  return Vector(x.data(), x.data() + n);
}

// k = start'v and dk/dlambda = v'W v. What conjugate gradients are off by enters k squared.
WalkSum ProductGraph::geometric(double lambda) const {
  const auto n = start_.size();
  const Vector v = solve(lambda);
  Vector w(n);
  multiply(v, w);
  return {simd::dot(start_.data(), v.data(), n), simd::dot(v.data(), w.data(), n)};
}

// A walk comes to a pair and leaves it: k grows by the likeness of the pair times the square of the walks that begin
// there, v / start = 1 + lambda (what is reached), which is a number for pairs of likeness 0 as well.
double ProductGraph::geometric_slopes(double lambda, MatrixRef slopes) const {
  const auto n = start_.size();
  const Vector v = solve(lambda);
  Vector w(n);
  multiply(v, w);
  for (Index i = 0; i < slopes.rows(); ++i) {
    for (Index j = 0; j < slopes.cols(); ++j) {
      const std::int32_t pair = number_[at(i * slopes.cols() + j)];
      const double through = pair < 0 ? 0 : 1 + lambda * reached(v, at(pair));
      slopes(i, j) = through * through;
    }
  }
  return simd::dot(v.data(), w.data(), n);
}

// The terms start' (lambda W)^s / s! start, until (lambda r)^s / s!, with r the largest sum of a row of |W|, says that
// the rest does not count.
WalkSum ProductGraph::exponential(double lambda) const {
  constexpr double rounding = std::numeric_limits<double>::epsilon() / 16;
  const auto n = start_.size();
  double r = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (Index e = offsets_[i]; e < offsets_[i + 1]; ++e) {
      row += std::abs(weights_[at(e)]) * start_[i] * start_[at(neighbours_[at(e)])];
    }
    r = std::max(r, row);
  }
  WalkSum out;
  Vector v = start_, w(n);
  double bound = simd::dot(start_.data(), start_.data(), n);
  for (int s = 0;; ++s) {
    out.value += simd::dot(start_.data(), v.data(), n);
    multiply(v, w);
    out.slope += simd::dot(start_.data(), w.data(), n);
    bound *= lambda * r / (s + 1);
    const bool falling = s + 2 > 2 * lambda * r;  // each further term is less than half of the one before
    if ((falling && bound * (1 + r) <= rounding * std::abs(out.value)) || !std::isfinite(out.value)) return out;
    for (std::size_t i = 0; i < n; ++i) v[i] = lambda / (s + 1) * w[i];
  }
}

WalkSum ProductGraph::steps(double lambda, int steps) const {
  const auto n = start_.size();
  Vector v = start_, w(n), counts;
  for (int s = 0; s <= steps; ++s) {
    counts.push_back(simd::dot(start_.data(), v.data(), n));
    multiply(v, w);
    v.swap(w);
  }
  return walk_sum(lambda, counts, Vector(counts.size(), 1.0));
}

}  // namespace mercer
