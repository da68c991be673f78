#include "machines/svm/linear/primal_newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

constexpr Index kMostColumns = 1000;
constexpr Index kBlock = 256;  // rows that are multiplied at a time
constexpr int kMostSteps = 50, kMostHalvings = 40;

class Newton {
 public:
  Newton(const FeatureMatrix& x, const LinearProblem& problem, std::span<const Index> points, Vector start)
      : x_(x), p_(problem), points_(points), size_(x.columns() + 1), w_(std::move(start)), f_(values_of(w_)) {}

  Vector run(const Monitor& monitor) {
    for (int step = 0; step < kMostSteps; ++step) {
      monitor.report({"solve", 0});
      const Vector slope = gradient();
      Matrix H = curvature();
      if (linalg::cholesky(H) != 0) break;
      Matrix direction(size_, 1);
      for (Index k = 0; k < size_; ++k) direction(k, 0) = -slope[at(k)];
      linalg::cholesky_solve(H, direction);
      if (!move(Vector(direction.data(), direction.data() + size_), slope)) break;  // as low as rounding lets it be
    }
    return std::move(w_);
  }

 private:
  Vector values_of(const Vector& w) const {
    Vector out;
    for (const Index i : points_) out.push_back(x_.dot(i, w.data()) + p_.bias_scale * w.back());
    return out;
  }

  double objective(const Vector& w, const Vector& f) const {
    double sum = 0;
    for (const double weight : w) sum += weight * weight;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const double b = dual_at(p_, points_[k], f[k]);
      sum += p_.ridge[at(points_[k])] * b * b;
    }
    return sum / 2;
  }

  // w - sum_i b_i (x_i, s)
  Vector gradient() const {
    Vector out(at(size_));
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const double b = dual_at(p_, points_[k], f_[k]);
      if (b == 0) continue;
      x_.add(points_[k], -b, out.data());
      out.back() -= p_.bias_scale * b;
    }
    for (Index c = 0; c < size_; ++c) out[at(c)] += w_[at(c)];
    return out;
  }

  // I + the sum of (x_i, s) (x_i, s)' / d_i over points that lose something
  Matrix curvature() const {
    Matrix out(size_, size_), block(kBlock, size_);
    for (Index c = 0; c < size_; ++c) out(c, c) = 1;
    Index filled = 0;
    const auto flush = [&] {
      const MatrixView rows = block.view().block({0, filled}, {0, size_});
      if (filled > 0) linalg::multiply_left_transposed(1, rows, rows, 1, out);
      std::fill_n(block.data(), kBlock * size_, 0.0);
      filled = 0;
    };
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (dual_at(p_, points_[k], f_[k]) == 0) continue;
      const double root = std::sqrt(1 / p_.ridge[at(points_[k])]);
      x_.add(points_[k], root, block.row(filled));
      block(filled, size_ - 1) = root * p_.bias_scale;
      if (++filled == kBlock) flush();
    }
    flush();
    return out;
  }

  // Along the direction, half as far and half again until it goes down. False where nothing does.
  bool move(const Vector& direction, const Vector& slope) {
    constexpr double kEnough = 1e-4;
    const Vector along = values_of(direction);
    double descent = 0;
    for (Index c = 0; c < size_; ++c) descent += slope[at(c)] * direction[at(c)];
    const double now = objective(w_, f_);
    if (!(descent < 0)) return false;
    double step = 1;
    for (int halving = 0; halving < kMostHalvings; ++halving, step /= 2) {
      Vector w = w_, f = f_;
      for (std::size_t c = 0; c < w.size(); ++c) w[c] += step * direction[c];
      for (std::size_t k = 0; k < f.size(); ++k) f[k] += step * along[k];
      if (!(objective(w, f) < now + kEnough * step * descent)) continue;
      w_ = std::move(w);
      f_ = std::move(f);
      return true;
    }
    return false;
  }

  const FeatureMatrix& x_;
  const LinearProblem& p_;
  std::span<const Index> points_;
  Index size_;
  Vector w_, f_;
};

}  // namespace

bool has_primal_newton(const FeatureMatrix& x, const LinearProblem& problem, std::span<const Index> points) {
  return x.columns() < kMostColumns && !points.empty() &&
         std::all_of(points.begin(), points.end(), [&](Index i) { return problem.ridge[at(i)] > 0; });
}

double dual_at(const LinearProblem& p, Index i, double f) {
  const double off = p.y[at(i)] - f;
  const double b = (off > p.epsilon ? off - p.epsilon : off < -p.epsilon ? off + p.epsilon : 0) / p.ridge[at(i)];
  return std::clamp(b, p.lower[at(i)], p.upper[at(i)]);
}

Vector primal_newton(const FeatureMatrix& x, const LinearProblem& problem, std::span<const Index> points, Vector start,
                     const Monitor& monitor) {
  return Newton(x, problem, points, std::move(start)).run(monitor);
}

}  // namespace mercer::detail
