#include "machines/sparse_bayes/sparse_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// A column of which less than this is left when its part in the span of the model is taken away is all rounding error.
constexpr double kInSpan = 1e-12;
constexpr double kTie = 1e-6;           // of a gain: rounding errors must not choose
constexpr double kNothingLeft = 1e-13;  // of a column that is in the span
constexpr Index kSpare = 32;            // directions that no column in the model needs any more
constexpr std::size_t kShortList = 32;
constexpr int kMostRounds = 200;      // of settling
constexpr double kStill = 1e-16;      // of a gain that Newton's method still promises
constexpr double kNear = 1e-5;        // of such a gain: the end is near
constexpr double kLongest = 4;        // step of a logarithm
constexpr double kMuchTheSame = 0.1;  // of squared cosines of columns to be added together
constexpr double kRounding = 1e-12;   // of the evidence, relatively

void add_multiple(double factor, const Vector& from, Vector& to) {
  simd::add_scaled(factor, from.data(), to.size(), to.data());
}

double dot(const Vector& a, const Vector& b) { return simd::dot(a.data(), b.data(), a.size()); }

}  // namespace

bool SparseBayes::pose(Vector point_weights, Vector weighted_z, double precision) {
  point_weights_ = std::move(point_weights);
  weighted_z_ = std::move(weighted_z);
  total_ = std::accumulate(point_weights_.begin(), point_weights_.end(), 0.0);
  weights_.precision = precision;
  squares_.clear();
  span_.clear();
  looked_ = false;
  Matrix rows = Matrix::uninitialized(size(), basis_->points());
  Vector root(point_weights_.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = std::sqrt(point_weights_[i]);
  for (Index k = 0; k < size(); ++k) {
    const double* const phi = values(k).data();
    double* const row = rows.row(k);
    for (std::size_t i = 0; i < root.size(); ++i) row[i] = root[i] * phi[i];
    weights_.moments[at(k)] = dot(values(k), weighted_z_);
  }
  weights_.root = linalg::factor_of_product(std::move(rows));
  return look();
}

bool SparseBayes::look() {
  if (looked_) return true;
  if (!weights_.update()) return false;
  looked_ = true;
  fitted_ = fit(weights_.mean);
  if (size() == 0) return true;
  const Vector left = residual();
  Vector projected(at(size()));
  for (Index m = 0; m < size(); ++m) projected[at(m)] = dot(values(m), left);
  weights_.refine(projected);
  fitted_ = fit(weights_.mean);
  return true;
}

Vector SparseBayes::fit(const Vector& w) const {
  Vector f(at(basis_->points()));
  for (Index m = 0; m < size(); ++m) add_multiple(w[at(m)], values(m), f);
  return f;
}

Vector SparseBayes::residual() const {
  Vector out = weighted_z_;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= point_weights_[i] * fitted_[i];
  return out;
}

double SparseBayes::misfit() const {
  const Vector left = residual();
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (point_weights_[i] > 0) sum += left[i] * left[i] / point_weights_[i];
  }
  return sum;
}

double SparseBayes::log_evidence() const {
  const double b = weights_.precision;
  return -(total_ * std::log(2 * std::numbers::pi / b) + weights_.log_determinant + b * misfit() + weights_.penalty()) /
         2;
}

std::vector<Index> SparseBayes::active() const {
  std::vector<Index> out;
  for (const auto& column : columns_) out.push_back(column->index);
  return out;
}

// ---- to the maximum ----

bool SparseBayes::settle(const std::optional<Bounds>& noise, const Monitor& monitor, const Progress& progress) {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds; ++round) {
    monitor.report(progress);
    if (!look()) return false;
    // A bound that the noise is pushed against holds it.
    bool learn = noise.has_value();
    if (learn) {
      const double slope = total_ - weights_.well_determined() - weights_.precision * misfit();
      const double now = 1 / weights_.precision;
      learn = !(now <= noise->lower && slope > 0) && !(now >= noise->upper && slope < 0);
    }
    auto slopes = weights_.slopes(learn ? std::optional(misfit()) : std::nullopt, total_);
    for (std::size_t m = 0; m < push_.size(); ++m) slopes.first[m] += push_[m];
    const NewtonStep newton = newton_step(slopes, 0);
    if (erase_worst(newton.promised)) {
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    if (newton.promised <= kStill) return true;
    // Near the end the evidence is all rounding error. The promises tell how far it is, until they are too.
    const bool near = newton.promised < kNear;
    if (near && newton.promised > before / 2) return true;
    before = near ? newton.promised : std::numeric_limits<double>::infinity();
    if (!climb(newton, noise, near)) return look();
  }
  return true;
}

double SparseBayes::pushed() const {
  double sum = 0;
  for (std::size_t m = 0; m < push_.size(); ++m) sum += push_[m] * std::log(weights_.alpha[m]);
  return sum;
}

void SparseBayes::erase(Index m) {
  columns_.erase(columns_.begin() + m);
  weights_.erase(m);
  looked_ = false;
  if (!push_.empty()) push_.erase(push_.begin() + m);
}

// Takes out the column that is pushed most where its alpha would run off, else the one that is best left out, if that
// gains more than all of Newton's step would, or that has ended.
bool SparseBayes::erase_worst(double promised) {
  Index worst = -1;
  double gain = 0, most = 0;
  for (Index m = 0; m < size() && !push_.empty(); ++m) {
    if (push_[at(m)] <= most * (1 + kTie) || weights_.alone(m).holds(push_[at(m)])) continue;
    worst = m;
    most = push_[at(m)];
  }
  if (worst >= 0) {
    erase(worst);
    return true;
  }
  for (Index m = 0; m < size(); ++m) {
    const WeightPosterior::Alone stats = weights_.alone(m);
    if (!std::isinf(stats.best_alpha())) continue;
    const double without = -stats.gain(weights_.alpha[at(m)]);
    if (worst < 0 || without > gain * (1 + kTie)) {
      worst = m;
      gain = without;
    }
  }
  if (worst < 0 || (gain < promised && promised > kNear)) return false;
  erase(worst);
  return true;
}

bool SparseBayes::climb(const NewtonStep& newton, const std::optional<Bounds>& noise, bool near) {
  const WeightPosterior from = weights_;
  const double now = log_evidence() + pushed(), rounding = kRounding * (1 + std::abs(now));
  double longest = 0;
  for (const double e : newton.step) longest = std::max(longest, std::abs(e));
  for (double length = std::min(1.0, kLongest / longest); length * longest > 1e-10; length /= 4) {
    for (std::size_t m = 0; m < from.alpha.size(); ++m)
      weights_.alpha[m] = from.alpha[m] * std::exp(length * newton.step[m]);
    if (newton.step.size() > from.alpha.size()) {
      const double wanted = std::exp(-length * newton.step.back()) / from.precision;
      weights_.precision = 1 / std::clamp(wanted, noise->lower, noise->upper);
    }
    looked_ = false;
    if (look() && (near || log_evidence() + pushed() >= now - rounding)) return true;
  }
  weights_ = from;
  looked_ = false;
  return false;
}

// ---- other columns ----

// Gram and Schmidt, twice.
Vector SparseBayes::in_span(const Vector& phi) {
  Vector left = phi, out(span_.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] *= std::sqrt(point_weights_[i]);
  const double size = std::sqrt(dot(left, left));
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < span_.size(); ++k) {
      const double part = dot(span_[k]->unit, left);
      add_multiple(-part, span_[k]->unit, left);
      out[k] += part;
    }
  }
  const double rest = std::sqrt(dot(left, left));
  if (rest <= kNothingLeft * size) return out;
  for (double& e : left) e /= rest;
  span_.push_back(std::make_shared<const Direction>(Direction{std::move(left), {}}));
  out.push_back(rest);
  return out;
}

void SparseBayes::span_columns() {
  span_.clear();
  std::vector<Vector> rows;
  for (Index m = 0; m < size(); ++m) rows.push_back(in_span(values(m)));
  weights_.root = Matrix(size(), static_cast<Index>(span_.size()));
  looked_ = false;
  for (Index m = 0; m < size(); ++m) std::copy(rows[at(m)].begin(), rows[at(m)].end(), weights_.root.row(m));
}

// A column is p in coordinates of the span and `outside` beside it: S = precision outside^2 + p'(1/precision + root'
// A^-1 root)^-1 p. Q = precision phi'W (z - Phi mean).
void SparseBayes::compute_statistics() {
  const Index m = size();
  if (span_.empty() || static_cast<Index>(span_.size()) > 2 * m + kSpare) span_columns();
  const auto r = static_cast<Index>(span_.size());
  std::vector<Index> missing;
  for (Index k = 0; k < r; ++k) {
    if (span_[at(k)]->overlap.empty()) missing.push_back(k);
  }
  const auto count = static_cast<Index>(missing.size());
  Matrix rows = Matrix::uninitialized(count + 1, basis_->points());
  for (Index k = 0; k < count; ++k) {
    const Vector& unit = span_[at(missing[at(k)])]->unit;
    for (Index i = 0; i < rows.cols(); ++i) rows(k, i) = std::sqrt(point_weights_[at(i)]) * unit[at(i)];
  }
  const Vector left = residual();
  std::copy(left.begin(), left.end(), rows.row(count));
  const Matrix projected = basis_->project(rows);
  for (Index k = 0; k < count; ++k) {
    auto& direction = span_[at(missing[at(k)])];
    Vector overlap(projected.row(k), projected.row(k) + projected.cols());
    direction = std::make_shared<const Direction>(Direction{direction->unit, std::move(overlap)});
  }
  if (squares_.empty()) squares_ = basis_->squares(point_weights_);

  const double precision = weights_.precision;
  Matrix sides(r, m + r);
  for (Index k = 0; k < r; ++k) {
    for (Index i = 0; i < m; ++i) sides(k, i) = weights_.root(i, k) / std::sqrt(weights_.alpha[at(i)]);
    sides(k, m + k) = 1 / std::sqrt(precision);
  }
  inside_ = linalg::factor_of_product(std::move(sides));
  constexpr Index kColumns = 1024;  // a piece of work
  const Index columns = basis_->columns();
  s_.resize(at(columns));
  q_.resize(at(columns));
  parallel_for((columns + kColumns - 1) / kColumns, basis_->threads(), {}, "statistics", [&](Index piece, int) {
    const Index first = piece * kColumns, some = std::min(columns - first, kColumns);
    Matrix p = Matrix::uninitialized(r, some);
    Vector outside(squares_.begin() + first, squares_.begin() + first + some);
    for (Index k = 0; k < r; ++k) {
      std::copy_n(span_[at(k)]->overlap.data() + first, some, p.row(k));
      for (Index j = 0; j < some; ++j) outside[at(j)] -= p(k, j) * p(k, j);
    }
    if (r > 0) linalg::solve_lower(inside_, p);
    double *s = s_.data() + first, *q = q_.data() + first;
    for (Index j = 0; j < some; ++j) {
      s[j] = precision * std::max(0.0, outside[at(j)]);
      q[j] = precision * projected(count, first + j);
    }
    for (Index k = 0; k < r; ++k) {
      for (Index j = 0; j < some; ++j) s[j] += p(k, j) * p(k, j);
    }
  });
}

std::vector<SparseBayes::Candidate> SparseBayes::candidates(double least) const {
  std::vector<bool> taken = barred_;
  for (const auto& column : columns_) taken[at(column->index)] = true;
  std::vector<Candidate> out;
  for (Index j = 0; j < basis_->columns(); ++j) {
    const Candidate one{j, {s_[at(j)], q_[at(j)]}};
    if (taken[at(j)] || !(one.stats.s > kInSpan * weights_.precision * squares_[at(j)])) continue;
    if (one.gain() > least) out.push_back(one);
  }
  const std::size_t count = std::min(kShortList, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count), out.end(),
                    [](const Candidate& a, const Candidate& b) { return a.gain() > b.gain(); });
  out.resize(count);
  std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
  return out;
}

std::vector<SparseBayes::Candidate> SparseBayes::choose(double least, std::size_t most) {
  compute_statistics();
  std::vector<Candidate> list = candidates(least), out;
  while (out.size() < most) {
    const Candidate* best = nullptr;
    for (const Candidate& one : list) {
      if (one.gain() > (best == nullptr ? least : best->gain() * (1 + kTie))) best = &one;
    }
    if (best == nullptr) break;
    const Candidate chosen = *best;
    out.push_back(chosen);
    least = std::max(least, chosen.gain() / 2);
    // Others that tell much the same must wait until it has settled.
    std::erase_if(list, [&](const Candidate& other) {
      const double both = out.size() == most ? 0 : response(other.column, chosen.column);
      return other.column == chosen.column || both * both > kMuchTheSame * chosen.stats.s * other.stats.s;
    });
  }
  return out;
}

double SparseBayes::response(Index i, Index j) const {
  const Vector a = basis_->column(i), b = basis_->column(j);
  double outside = 0, inside = 0;
  for (std::size_t k = 0; k < a.size(); ++k) outside += point_weights_[k] * a[k] * b[k];
  const auto r = static_cast<Index>(span_.size());
  Matrix p(r, 2);
  for (Index k = 0; k < r; ++k) {
    p(k, 0) = span_[at(k)]->overlap[at(i)];
    p(k, 1) = span_[at(k)]->overlap[at(j)];
    outside -= p(k, 0) * p(k, 1);
  }
  if (r > 0) linalg::solve_lower(inside_, p);
  for (Index k = 0; k < r; ++k) inside += p(k, 0) * p(k, 1);
  return weights_.precision * outside + inside;
}

void SparseBayes::add(const Candidate& chosen) {
  Vector phi = basis_->column(chosen.column);
  weights_.append(chosen.stats.best_alpha(), dot(phi, weighted_z_), in_span(phi));
  looked_ = false;
  columns_.push_back(std::make_shared<const Column>(Column{chosen.column, std::move(phi)}));
  if (!push_.empty()) push_.push_back(0);
}

}  // namespace mercer::detail
