#include "machines/processes/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/posterior.hpp"

namespace mercer::detail {

namespace {

// Of log |A|, where that is not computed.
constexpr Index kProbes = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kLogTwoPi = std::log(2 * std::numbers::pi);

// Both triangles from the lower one, by blocks that stay in cache.
void mirror(MatrixRef a) {
  constexpr Index block = 32;
  for (Index i0 = 0; i0 < a.rows(); i0 += block) {
    for (Index j0 = 0; j0 <= i0; j0 += block) {
      for (Index i = i0; i < std::min(a.rows(), i0 + block); ++i) {
        for (Index j = j0; j < std::min(i, j0 + block); ++j) a(j, i) = a(i, j);
      }
    }
  }
}

}  // namespace

double log_likelihood(const Approach::At& where, VectorView q, Index n, double log_determinant, Vector& signal) {
  const auto points = static_cast<double>(n);
  double value = 0;
  signal.clear();
  for (const double own : q) {
    // A target without any spread has no scale; any positive number does.
    const double s = where.signal ? *where.signal : std::max(own / points, std::numeric_limits<double>::min());
    signal.push_back(s);
    value += -0.5 * own / s - 0.5 * points * (kLogTwoPi + std::log(s)) - 0.5 * log_determinant;
  }
  return value;
}

void add_by_signal(VectorView q, Index n, Approach::Value& out) {
  for (std::size_t t = 0; t < q.size(); ++t) {
    const double s = out.signal[t];
    out.by_signal += 0.5 * (q[t] / s - static_cast<double>(n)) / s;
  }
}

void add_by_shift(const ProcessData& data, const Approach::At& where, Index i, double slope, Approach::Value& out) {
  out.by_noise += slope * data.shape[at(i)];
  if (!data.known.empty()) out.by_signal -= slope * data.known[at(i)] / *where.signal / *where.signal;
}

ProcessSystem::ProcessSystem(const ProcessData& data, GaussianProcess::Objective objective, Execution how,
                             Method method)
    : data_(data), objective_(objective), method_(method), how_(std::move(how)) {
  if (objective_ != GaussianProcess::Objective::loo) return;
  groups_ = data_.x ? groups_of_equals(*data_.x) : groups_of_equals(data_.K);
}

solve::Equations ProcessSystem::equations(const At& where) const {
  solve::Equations out{.K = where.kernel ? lazy(*where.kernel, *data_.x) : data_.K, .shift = shift_at(data_, where)};
  if (method_ == Method::iterative) out.shift.resize(1);  // the same of all points: checks.cpp
  return out;
}

solve::Made ProcessSystem::system(const solve::Equations& equations, solve::Wishes wishes) const {
  wishes.method = method_;
  if (method_ == Method::iterative) {
    wishes.probes = kProbes;
    wishes.room = available_memory();
  }
  return solve::system_for(equations, wishes, how_);
}

void ProcessSystem::fit_trend(const solve::System& A) {
  log_determinant_ = A.log_determinant();
  std::optional<solve::Regression> found = solve::regression(A, data_.H, data_.y);
  if (!found) fail_inseparable_trend();
  fit_ = std::move(*found);
}

double ProcessSystem::quadratic(Index target) const {
  double sum = 0;
  for (Index i = 0; i < fit_.alpha.rows(); ++i) sum += data_.y(i, target) * fit_.alpha(i, target);
  return std::max(sum, 0.0);
}

Vector ProcessSystem::quadratics() const {
  Vector out;
  for (Index t = 0; t < fit_.alpha.cols(); ++t) out.push_back(quadratic(t));
  return out;
}

double ProcessSystem::likelihood(const At& where, Vector& signal) const {
  return log_likelihood(where, quadratics(), data_.y.rows(), log_determinant_.middle(), signal);
}

// The same from what is certain of its parts.
solve::Interval ProcessSystem::between(const At& where, const Vector& signal, const solve::System& A) const {
  Vector same = signal;
  const double value = likelihood(where, same);
  solve::Interval out{value, value};
  if (method_ != Method::iterative) return out;
  const Index n = data_.y.rows();
  const Matrix rest = residuals(signal);
  Vector e(at(n)), solved(at(n));
  for (Index t = 0; t < rest.cols(); ++t) {
    const double root = std::sqrt(signal[at(t)]);
    for (Index i = 0; i < n; ++i) {
      e[at(i)] = rest(i, t);
      solved[at(i)] = fit_.alpha(i, t) / root;
    }
    const solve::Interval q = A.quadratic(e, solved, how_.monitor);
    const double middle = quadratic(t) / signal[at(t)];
    out.low -= 0.5 * (q.high - middle + log_determinant_.high - log_determinant_.middle());
    out.high += 0.5 * (middle - q.low + log_determinant_.middle() - log_determinant_.low);
  }
  return out;
}

// (y - H b) / sqrt(s) of each target.
Matrix ProcessSystem::residuals(const Vector& signal) const {
  Matrix out = data_.y;
  if (data_.H.cols() > 0) linalg::multiply(-1, data_.H, fit_.b, 1, out);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index t = 0; t < out.cols(); ++t) out(i, t) /= std::sqrt(signal[at(t)]);
  }
  return out;
}

Approach::Value ProcessSystem::evaluate(const At& where, bool gradient) {
  std::optional<solve::Equations> at_hand;
  solve::Made made;
  try {
    at_hand = equations(where);
    made = system(*at_hand, {.storage = storage_});
  } catch (const Error& error) {  // a kernel that overflows here is out of the question, as an indefinite matrix is
    if (error.kind() != ErrorKind::numeric) throw;
  }
  if (!made.system) return {.objective = -kInfinity, .signal = {}};
  fit_trend(*made.system);
  const Gram* const K = gradient ? &at_hand->K : nullptr;
  return objective_ == GaussianProcess::Objective::loo ? finish_leave_one_out(where, std::move(*made.system), K)
                                                       : finish_likelihood(where, std::move(*made.system), K);
}

// With W = 1/2 (sum_t alpha_t alpha_t' / s_t - T A^-1), d value / d A = W; b and s are at their best, where small
// changes of theirs do not matter.
Approach::Value ProcessSystem::finish_likelihood(const At& where, solve::System&& A, const Gram* K) {
  Value out{.objective = 0, .signal = {}};
  out.objective = likelihood(where, out.signal);
  if (!std::isfinite(out.objective)) out.objective = -kInfinity;
  if (K == nullptr || !std::isfinite(out.objective)) return out;
  const Matrix& alpha = fit_.alpha;
  const Index n = data_.y.rows(), targets = alpha.cols();
  add_by_signal(quadratics(), n, out);
  Matrix solved = alpha;
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < targets; ++t) solved(i, t) /= std::sqrt(out.signal[at(t)]);
  }
  if (std::optional<solve::System::Slopes> found = A.slopes(residuals(out.signal), solved)) {
    for (Index i = 0; i < n; ++i) add_by_shift(data_, where, i, found->by_shift[at(i)], out);
    out.by_kernel = std::move(found->by_parameter);
    return out;
  }
  const std::unique_ptr<solve::Inverse> inverse = std::move(A).inverse(how_.monitor);
  const Vector diagonal = inverse->diagonal();
  const auto count = static_cast<double>(targets);
  for (Index i = 0; i < n; ++i) {
    double w = -count * diagonal[at(i)];
    for (Index t = 0; t < targets; ++t) w += alpha(i, t) * alpha(i, t) / out.signal[at(t)];
    add_by_shift(data_, where, i, 0.5 * w, out);
  }
  if (!where.kernel) return out;
  out.by_kernel = K->gradient(
      [&](Range i, Range j, double* w) {
        inverse->tile(i, j, w);
        for (Index a = i.begin; a < i.end; ++a) {
          for (Index b = 0; b < j.size(); ++b) w[b] = -count * w[b];
          for (Index t = 0; t < targets; ++t) {
            const double own = alpha(a, t) / out.signal[at(t)];
            for (Index b = 0; b < j.size(); ++b) w[b] += own * alpha(j.begin + b, t);
          }
          if (i.begin == j.begin) {
            w[a - i.begin] *= 0.5;
            std::fill(w + (a - i.begin) + 1, w + j.size(), 0.0);
          }
          w += j.size();
        }
      },
      how_);
  return out;
}

// Points that are equal, F, are predicted from the others with the errors e = M alpha_F and the variances s v, v = diag
// M, where M = P_FF^-1, P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1 and alpha = P y. With g = d value / d e, h = d value /
// d v and dM = -M dP_FF M,
//     d value / d alpha_F = M g,     -d value / d P_FF = sym(M g e') + M diag(h) M = -C_F,
// and since dP = -P dA P,
//     d value / d A = -sum_t sym(u_t alpha_t') - P C P,   u_t = P d value / d alpha_t.
// Of a point by itself C is a positive number, and the last term of such points a symmetric product.
Approach::Value ProcessSystem::finish_leave_one_out(const At& where, solve::System&& A, const Gram* K) {
  const Matrix& alpha = fit_.alpha;
  const Index n = data_.y.rows(), targets = alpha.cols();
  Matrix& P = storage_->square = std::move(*std::move(A).inverse(how_.monitor)).lower();
  mirror(P);
  if (data_.H.cols() > 0) {
    Matrix half = fit_.trend.solved;  // rows become those of A^-1 H L^-T
    for (Index i = 0; i < n; ++i) linalg::solve_lower(fit_.trend.factor, MatrixRef(half.row(i), half.cols(), 1));
    linalg::multiply_transposed(-1, half, half, 1, P);
  }
  const auto block = [&](const Group& F) {
    Matrix own(static_cast<Index>(F.size()), static_cast<Index>(F.size()));
    for (Index a = 0; a < own.rows(); ++a) {
      for (Index b = 0; b < own.rows(); ++b) own(a, b) = P(F[at(a)], F[at(b)]);
    }
    return own;
  };
  Value out{.objective = 0, .signal = {}};
  const std::optional<GroupsLeftOut> left = leave_groups_out(groups_, alpha, block);
  if (!left) return {.objective = -kInfinity, .signal = Vector(at(targets), where.signal.value_or(1))};
  for (Index t = 0; t < targets; ++t) {
    double mean_square = 0, logs = 0;
    for (Index i = 0; i < n; ++i) {
      const double e = left->error(i, t), v = left->variance[at(i)];
      mean_square += e * e / v / static_cast<double>(n);
      logs -= std::log(v);
    }
    const double s = where.signal ? *where.signal : std::max(mean_square, std::numeric_limits<double>::min());
    out.signal.push_back(s);
    out.objective += 0.5 * (logs - static_cast<double>(n) * (std::log(s) + kLogTwoPi + mean_square / s));
    out.by_signal += 0.5 * static_cast<double>(n) * (mean_square / s - 1) / s;
  }
  if (!std::isfinite(out.objective)) out.objective = -kInfinity;
  if (K == nullptr || !std::isfinite(out.objective)) return out;
  Matrix pull(n, targets);    // d value / d alpha
  std::vector<Matrix> slope;  // C of each group
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Group& F = groups_[k];
    const Matrix& M = left->covariance[k];
    Matrix& C = slope.emplace_back(M.rows(), M.rows());
    for (Index a = 0; a < M.rows(); ++a) {
      const Index i = F[at(a)];
      const double v = left->variance[at(i)];
      double h = -0.5 * static_cast<double>(targets) / v;
      for (Index t = 0; t < targets; ++t) {
        const double e = left->error(i, t), g = -e / (v * out.signal[at(t)]);
        h -= 0.5 * g * e / v;
        for (Index b = 0; b < M.rows(); ++b) pull(F[at(b)], t) += M(b, a) * g;
      }
      for (Index b = 0; b < M.rows(); ++b) {
        for (Index c = 0; c < M.rows(); ++c) C(b, c) -= h * M(b, a) * M(a, c);
      }
    }
    for (Index t = 0; t < targets; ++t) {
      for (Index b = 0; b < M.rows(); ++b) {
        for (Index c = 0; c < M.rows(); ++c) {
          C(b, c) -=
              0.5 * (pull(F[at(b)], t) * left->error(F[at(c)], t) + pull(F[at(c)], t) * left->error(F[at(b)], t));
        }
      }
    }
  }
  Matrix u = Matrix::uninitialized(n, targets);
  linalg::multiply(1, P, pull, 0, u);
  multiply_by_blocks(P, slope);
  for (Index i = 0; i < n; ++i) {
    double w = -second_(i, i);
    for (Index t = 0; t < targets; ++t) w -= u(i, t) * alpha(i, t);
    out.by_noise += w * data_.shape[at(i)];
    if (!data_.known.empty()) out.by_signal -= w * data_.known[at(i)] / *where.signal / *where.signal;
  }
  if (!where.kernel) return out;
  out.by_kernel = K->gradient(
      [&](Range i, Range j, double* w) {
        for (Index a = i.begin; a < i.end; ++a) {
          std::fill_n(w, j.size(), 0.0);
          for (Index b = j.begin; b < std::min(j.end, a + 1); ++b) {
            double both = -2 * second_(a, b);
            for (Index t = 0; t < targets; ++t) both -= u(a, t) * alpha(b, t) + u(b, t) * alpha(a, t);
            w[b - j.begin] = b < a ? both : both / 2;
          }
          w += j.size();
        }
      },
      how_);
  return out;
}

// second_ = P C P, from the blocks of C; P is used up.
void ProcessSystem::multiply_by_blocks(Matrix& P, const std::vector<Matrix>& slope) {
  const Index n = P.rows();
  if (second_.rows() != n) second_ = Matrix::uninitialized(n, n);
  if (static_cast<Index>(groups_.size()) == n) {
    Vector root(at(n));
    for (std::size_t k = 0; k < slope.size(); ++k) root[at(groups_[k].front())] = std::sqrt(slope[k](0, 0));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) P(i, j) *= root[at(j)];
    }
    linalg::symmetric_product(P, second_, how_.monitor);
    return;
  }
  Matrix half(n, n);
  for (std::size_t k = 0; k < slope.size(); ++k) {
    const Group& F = groups_[k];
    for (std::size_t a = 0; a < F.size(); ++a) {
      for (std::size_t b = 0; b < F.size(); ++b) {
        const double c = slope[k](static_cast<Index>(a), static_cast<Index>(b));
        for (Index j = 0; j < n; ++j) half(F[a], j) += c * P(F[b], j);
      }
    }
  }
  linalg::multiply(1, P, half, 0, second_);
}

namespace {

// Above this, fewer than four digits of alpha can be trusted.
constexpr double kIllConditioned = 1e12;

void say(const solve::Certificate& certificate, Approach::Solution& of) {
  if (certificate.method == "state space") {
    of.figures.push_back({"states", static_cast<double>(certificate.rank)});
    if (certificate.lines > 1) of.figures.push_back({"series", static_cast<double>(certificate.lines)});
    if (!certificate.in_order) {
      of.notes.emplace_back("the points were not in order along their column, and were sorted to be filtered");
    }
  }
  if (certificate.probes > 0) {
    of.figures.push_back({"probes", static_cast<double>(certificate.probes)});
    of.figures.push_back({"preconditioner", static_cast<double>(certificate.rank)});
    of.notes.push_back(
        fmt::format("the log marginal likelihood is between {:.6g} and {:.6g}: log |K + noise| from {} probes, three "
                    "standard errors to both sides",
                    of.log_likelihood.low, of.log_likelihood.high, certificate.probes));
    return;
  }
  of.figures.push_back({"condition", *certificate.condition});
  if (certificate.jitter > 0) {
    of.figures.push_back({"jitter", certificate.jitter});
    of.notes.push_back(
        fmt::format("K + noise was not positive definite in floating point; {:.1g} was added to its "
                    "diagonal",
                    certificate.jitter));
  } else if (*certificate.condition > kIllConditioned) {
    of.notes.push_back(
        fmt::format("K + noise has a condition number of about {:.1g}; the variances have few "
                    "correct digits, more noise would give more",
                    *certificate.condition));
  }
}

}  // namespace

Approach::Solution ProcessSystem::solution_so_far(const At& where) const {
  Solution out{.alpha = fit_.alpha, .b = fit_.b};
  const double value = likelihood(where, out.signal);
  const double unsure =
      0.5 * static_cast<double>(out.alpha.cols()) * (log_determinant_.high - log_determinant_.middle());
  out.log_likelihood = {value - unsure, value + unsure};
  if (where.kernel) out.posterior = Posterior{.shift = shift_at(data_, where)};
  return out;
}

Approach::Solution ProcessSystem::solve(const At& where) {
  solve::Made made = system(equations(where), {.jitter = true, .doubtful = 0.0});
  if (!made.system) {
    fail(ErrorKind::numeric,
         "gp: K + noise is not positive definite in floating point (pivot {} of {}), even with {:.1g} added to its "
         "diagonal; give the noise a larger value, or leave out duplicated points",
         made.pivot, data_.y.rows(), made.jitter);
  }
  fit_trend(*made.system);
  Solution out = ProcessSystem::solution_so_far(where);  // of what was just solved
  out.log_likelihood = between(where, out.signal, *made.system);
  say(made.system->certificate(), out);
  if (!fit_.accuracy.reached) {
    out.notes.push_back(fmt::format(
        "conjugate gradients stopped after {} steps at a residual of {:.1g} of the targets: means are exact "
        "to that; more noise, or solver=dense, would do better",
        fit_.accuracy.steps, fit_.accuracy.residual));
  }
  if (!out.posterior || method_ == Method::iterative) return out;  // made again when it is asked for, without probes
  for (double& shift : out.posterior->shift) shift += made.system->certificate().jitter;
  out.posterior = process_with(std::move(*out.posterior), std::move(made.system), std::move(fit_.trend));
  return out;
}

}  // namespace mercer::detail
