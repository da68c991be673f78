#include "machines/processes/approach.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/processes/evidence.hpp"
#include "machines/processes/inducing_process.hpp"
#include "machines/processes/line_process.hpp"
#include "machines/processes/nearest/nearest_process.hpp"
#include "state_space/line.hpp"

namespace mercer::detail {

namespace {

Matrix select_rows(const Matrix& m, std::span<const Index> which) {
  Matrix out = Matrix::uninitialized(static_cast<Index>(which.size()), m.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(m.row(which[at(i)]), m.cols(), out.row(i));
  return out;
}

Vector select_numbers(const Vector& v, std::span<const Index> which) {
  Vector out;
  for (const Index i : which) {
    if (!v.empty()) out.push_back(v[at(i)]);
  }
  return out;
}

}  // namespace

ProcessData ProcessData::select(std::span<const Index> which) const {
  ProcessData out{.K = mercer::select(K, {which.begin(), which.end()}),
                  .y = select_rows(y, which),
                  .H = select_rows(H, which),
                  .shape = select_numbers(shape, which),
                  .known = select_numbers(known, which)};
  if (x) out.x = x->select(which);
  return out;
}

Vector shift_at(const ProcessData& data, const Approach::At& where) {
  Vector out;
  for (std::size_t i = 0; i < data.shape.size(); ++i) {
    const double known = data.known.empty() ? 0 : data.known[i] / *where.signal;
    out.push_back(where.noise * data.shape[i] + known);
  }
  return out;
}

void fail_inseparable_trend() {
  fail(ErrorKind::numeric,
       "gp: the mean function cannot be told apart from its parts on these points: a column of the inputs is constant "
       "or follows from others; use mean=constant or zero");
}

void Approach::Solution::multiply_targets(double unit, Index points) {
  for (Matrix* const m : {&alpha, &b}) {
    for (Index i = 0; i < m->rows() * m->cols(); ++i) m->data()[i] *= unit;
  }
  for (double& s : signal) s *= unit * unit;
  const double more = static_cast<double>(points * alpha.cols()) * std::log(unit);
  log_likelihood.low -= more;
  log_likelihood.high -= more;
}

Method method_of(const GaussianProcess& config, Index n, Index states) {
  if (config.solver == GaussianProcess::Solver::state_space) return Method::state_space;
  if (config.solver == GaussianProcess::Solver::iterative) return Method::iterative;
  const bool any = config.solver == GaussianProcess::Solver::automatic;
  const bool likelihood = config.objective != GaussianProcess::Objective::loo;
  return any && likelihood && state_space::is_shorter(states, n) ? Method::state_space : Method::dense;
}

Method method_for(const GaussianProcess& config, const ProcessData& data) {
  std::optional<state_space::AlongLines> lines;
  if (data.x) lines = state_space::along_lines(*data.K.kernel(), *data.x);
  return method_of(config, data.y.rows(), lines ? lines->model.states() : 0);
}

std::unique_ptr<Approach> approach_for(const GaussianProcess& config, const ProcessData& data, const Execution& how) {
  if (config.inducing > 0) {
    const InducingWishes wishes{
        .count = config.inducing, .by = config.fitc ? InducingBy::fitc : InducingBy::bound, .seed = config.seed};
    return std::make_unique<InducingProcess>(data, wishes, how);
  }
  if (config.nearest > 0) return std::make_unique<NearestProcess>(data, config.nearest, config.seed, how);
  const Method method = method_for(config, data);
  if (method == Method::state_space) return std::make_unique<LineProcess>(data, how);
  return std::make_unique<ProcessSystem>(data, config.objective, how, method);
}

}  // namespace mercer::detail
