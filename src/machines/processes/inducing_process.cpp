#include "machines/processes/inducing_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "model/posterior/posterior.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

InducingProcess::InducingProcess(const ProcessData& data, InducingWishes wishes, Execution how)
    : data_(data),
      wishes_(std::move(wishes)),
      how_(std::move(how)),
      pieces_(centres::pieces_of(*data.x)),
      drawn_(wishes_.points ? std::nullopt
                            : std::optional<InducingPoints>(std::in_place, *data.x, wishes_.count, wishes_.seed)) {}

Points InducingProcess::chosen_for(const Kernel& k) const {
  return wishes_.points ? *wishes_.points : drawn_->drawn_for(k, how_);
}

InducingProcess::Place InducingProcess::place(const At& where, const Points& z) const {
  Place out{.centres = Centres(*where.kernel, z, how_), .A = {}, .signal = {}};
  const centres::Pass pass(*where.kernel, out.centres.points(), pieces_);
  out.A = reduce({data_, out.centres, pass, how_}, shift_at(data_, where), wishes_.by);
  out.signal = signals(out.A, where.signal, data_.y.rows());
  return out;
}

Approach::Value InducingProcess::evaluate(const At& where, bool gradient) {
  Value out{.objective = -kInfinity, .signal = {}};
  try {
    if (!z_) z_ = chosen_for(*where.kernel);
    last_ = place(where, *z_);
    out.signal = last_->signal;
    const double value = last_->A.separable ? log_evidence(last_->A, out.signal, data_.y.rows()) : -kInfinity;
    if (gradient && std::isfinite(value)) {
      const centres::Pass pass(*where.kernel, last_->centres.points(), pieces_);
      add_slopes({data_, last_->centres, pass, how_}, last_->A, where, wishes_.by, out);
    }
    if (std::isfinite(value)) out.objective = value;
  } catch (const Error& error) {  // a kernel that overflows here is out of the question, as an indefinite matrix is
    if (error.kind() != ErrorKind::numeric) throw;
    return out;
  }
  if (!last_->A.separable) fail_inseparable_trend();
  return out;
}

// Posterior::covariance is the factor of the joint precision of what is known of phi and h, [B, Phi'D^-1 H; ., H'D^-1
// H]: that of B, below it H'D^-1 Phi L_B^-T, and the factor of H'A^-1 H. h is that of the posterior, about the middle
// of its own centres, and so a unit lower triangle times that of the data.
Approach::Solution InducingProcess::solution(const Place& p) const {
  const Index m = p.centres.size(), functions = data_.H.cols(), all = m + functions;
  Solution out{.centres = p.centres.points(), .alpha = p.A.w, .b = p.A.b, .signal = p.signal};
  linalg::solve_lower_transposed(p.centres.root(), out.alpha);
  const double value = log_evidence(p.A, p.signal, data_.y.rows());
  out.log_likelihood = {value, wishes_.by == InducingBy::fitc ? value : kInfinity};

  Matrix joint(all, all);
  for (Index i = 0; i < m; ++i) std::copy_n(p.A.factor.row(i), i + 1, joint.row(i));
  for (Index i = 0; i < functions; ++i) {
    // L_B^-1 Phi'D^-1 H = L_B' B^-1 Phi'D^-1 H
    for (Index j = 0; j < m; ++j) {
      for (Index k = j; k < m; ++k) joint(m + i, j) += p.A.factor(k, j) * p.A.by_trend(k, i);
    }
    std::copy_n(p.A.trend.row(i), i + 1, joint.row(m + i) + m);
  }
  if (functions > 1) {
    const Vector of_data = trend_centre(Trend::linear, *data_.x), own = trend_centre(Trend::linear, *out.centres);
    for (Index i = 1; i < functions; ++i) {
      const double moved = of_data[at(i - 1)] - own[at(i - 1)];
      for (Index j = 0; j <= m; ++j) joint(m + i, j) += moved * joint(m, j);
    }
  }
  Posterior posterior{
      .kind = Posterior::Kind::reduced, .shift = Vector(at(m), p.centres.jitter()), .covariance = std::move(joint)};
  out.posterior = reduced_with(std::move(posterior), Matrix(p.centres.root()));
  return out;
}

Approach::Solution InducingProcess::solution_so_far(const At&) const { return solution(*last_); }

Approach::Solution InducingProcess::solve(const At& where) {
  const Place found = place(where, chosen_for(*where.kernel));
  if (!found.A.separable) fail_inseparable_trend();
  Solution out = solution(found);
  if (wishes_.by == InducingBy::bound) {
    // K <= Q + tr (K - Q) I, and |K + D| >= |Q + D|.
    Vector more = shift_at(data_, where);
    for (double& d : more) d += found.A.rest;
    const centres::Pass pass(*where.kernel, found.centres.points(), pieces_);
    Reduced above = reduce({data_, found.centres, pass, how_}, std::move(more), InducingBy::bound);
    above.log_determinant = found.A.log_determinant;
    above.lost = 0;
    out.log_likelihood.high = std::max(out.log_likelihood.low, log_evidence(above, out.signal, data_.y.rows()));
  }
  say(found, out);
  return out;
}

void InducingProcess::say(const Place& found, Solution& of) const {
  const Index n = data_.y.rows(), m = found.centres.size();
  const double left = found.A.trace > 0 ? found.A.rest / found.A.trace : 0;
  of.figures = {{"inducing", static_cast<double>(m)}, {"trace_left_out", left}};
  const bool fitc = wishes_.by == InducingBy::fitc;
  of.notes.push_back(fmt::format(
      "approximated: {} inducing points of {} stand for all, and leave {:.2g} of the trace of K; {}", m, n, left,
      fitc ? "the log marginal likelihood is that of FITC, another process"
           : fmt::format("the log marginal likelihood is between {:.6g} and {:.6g}", of.log_likelihood.low,
                         of.log_likelihood.high)));
  const double lost = found.A.lost * static_cast<double>(data_.y.cols()) / 2;
  if (lost > kMuchLostOfAPoint * static_cast<double>(n)) {
    of.notes.push_back(
        fmt::format("more inducing points would help: of the bound, {:.3g} nats are what these cannot explain", lost));
  }
}

}  // namespace mercer::detail
