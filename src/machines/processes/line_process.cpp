#include "machines/processes/line_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"

namespace mercer::detail {

namespace {

using state_space::Placed;
using state_space::Series;

// The rows of [y, H] as the filters have them.
Matrix sides_of(const ProcessData& data, const Placed& places) {
  Matrix out = Matrix::uninitialized(data.y.rows(), data.y.cols() + data.H.cols());
  for (Index p = 0; p < out.rows(); ++p) {
    const Index i = places.order[at(p)];
    std::copy_n(data.y.row(i), data.y.cols(), out.row(p));
    std::copy_n(data.H.row(i), data.H.cols(), out.row(p) + data.y.cols());
  }
  return out;
}

std::vector<Series> series_of(const Placed& places, const Vector& shift) {
  const bool one_shift = std::ranges::all_of(shift, [&](double own) { return own == shift.front(); });
  std::vector<Series> out;
  for (const Range& line : places.lines) {
    Series& own = out.emplace_back();
    own.times.assign(places.times.begin() + line.begin, places.times.begin() + line.end);
    if (one_shift) {
      own.shift = {shift.front()};
      continue;
    }
    for (Index p = line.begin; p < line.end; ++p) own.shift.push_back(shift[at(places.order[at(p)])]);
  }
  return out;
}

// Columns of [y, H] that make y - H b of each target, b by generalised least squares, from [y, H]'A^-1 [y, H].
Matrix residual_mix(const Matrix& products, Index targets) {
  const Index count = products.rows(), functions = count - targets;
  Matrix out(count, targets), b(functions, targets), factor(functions, functions);
  for (Index h = 0; h < functions; ++h) {
    for (Index t = 0; t < targets; ++t) b(h, t) = products(targets + h, t);
    for (Index g = 0; g < functions; ++g) factor(h, g) = products(targets + h, targets + g);
  }
  if (linalg::cholesky(factor) != 0) fail_inseparable_trend();
  linalg::cholesky_solve(factor, b);
  for (Index t = 0; t < targets; ++t) {
    out(t, t) = 1;
    for (Index h = 0; h < functions; ++h) out(targets + h, t) = -b(h, t);
  }
  return out;
}

}  // namespace

LineProcess::LineProcess(const ProcessData& data, Execution how)
    : ProcessSystem(data, GaussianProcess::Objective::lml, std::move(how), Method::state_space) {}

Approach::Value LineProcess::evaluate(const At& where, bool gradient) {
  const std::optional<state_space::AlongLines> lines =
      state_space::along_lines(where.kernel->resolve(*data().x), *data().x);
  Value out{.objective = -std::numeric_limits<double>::infinity(), .signal = {}};
  if (!lines) return out;  // more states than can be carried
  places_ = state_space::placed(*lines, *data().x);
  filters_.reset();  // its memory first
  filters_ = std::make_unique<state_space::Filters>(lines->model, series_of(*places_, shift_at(data(), where)),
                                                    how().monitor, sides_of(data(), *places_));
  if (filters_->failed_at() > 0) return out;
  const Index n = data().y.rows(), targets = data().y.cols();
  mix_ = residual_mix(filters_->products(), targets);
  q_ = filters_->quadratics(mix_);
  out.objective = log_likelihood(where, q_, n, filters_->log_determinant(), out.signal);
  if (!std::isfinite(out.objective)) out.objective = -std::numeric_limits<double>::infinity();
  if (!gradient || !std::isfinite(out.objective)) return out;
  add_by_signal(q_, n, out);
  Matrix in_units = mix_;
  for (Index c = 0; c < in_units.rows(); ++c) {
    for (Index t = 0; t < targets; ++t) in_units(c, t) /= std::sqrt(out.signal[at(t)]);
  }
  state_space::Filter::Slopes slopes = filters_->gradient(in_units);
  for (Index p = 0; p < n; ++p) add_by_shift(data(), where, places_->order[at(p)], slopes.by_shift[at(p)], out);
  out.by_kernel = std::move(slopes.by_parameter);
  return out;
}

Approach::Solution LineProcess::solution_so_far(const At& where) const {
  const Matrix solved = filters_->solve_sides(mix_);
  const Index functions = mix_.rows() - mix_.cols();
  Solution out{.alpha = Matrix::uninitialized(solved.rows(), solved.cols()), .b = Matrix(functions, mix_.cols())};
  for (Index p = 0; p < solved.rows(); ++p) {
    std::copy_n(solved.row(p), solved.cols(), out.alpha.row(places_->order[at(p)]));
  }
  for (Index h = 0; h < functions; ++h) {
    for (Index t = 0; t < mix_.cols(); ++t) out.b(h, t) = -mix_(mix_.cols() + h, t);
  }
  const double value = log_likelihood(where, q_, solved.rows(), filters_->log_determinant(), out.signal);
  out.log_likelihood = {value, value};
  out.posterior = Posterior{.shift = shift_at(data(), where)};
  return out;
}

}  // namespace mercer::detail
