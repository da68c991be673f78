#include "machines/processes/regression/checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/processes/inducing_points.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "points/distinct.hpp"
#include "selection/equal_points.hpp"

namespace mercer::detail {

int matrices_of(const GaussianProcess& config) { return config.objective == GaussianProcess::Objective::loo ? 2 : 1; }

bool by_pairs(const GaussianProcess& config, const ProcessData& data) {
  return config.inducing == 0 && config.nearest == 0 && method_for(config, data) == Method::dense;
}

namespace {

// Neighbours that may be asked for.
constexpr Index kMostNearest = 500;

void require_something_to_learn(const Matrix& y) {
  if (y.rows() > 1) return;
  fail(ErrorKind::data,
       "gp: one point says nothing about length scales and noise; give more points, or fix the noise and use "
       "objective=none");
}

[[noreturn]] void fail_two_values(Index row, Index other, double y, double z) {
  fail(ErrorKind::data,
       "gp: rows {} and {} have the same inputs and the targets {} and {}: without noise no function passes "
       "through both; give a noise above 0, or leave one of the rows out",
       row + 1, other + 1, y, z);
}

// Points of the same content, where not all pairs are looked at.
void require_one_value_per_point(const ProcessData& data, const std::vector<Index>& rows) {
  const std::vector<Index> equal_to = first_equal(*data.x);
  for (Index i = 0; i < data.y.rows(); ++i) {
    const Index j = equal_to[at(i)];
    const bool noiseless = data.known.empty() || (data.known[at(i)] == 0 && data.known[at(j)] == 0);
    for (Index t = 0; t < data.y.cols() && noiseless; ++t) {
      if (data.y(i, t) != data.y(j, t)) fail_two_values(rows[at(j)], rows[at(i)], data.y(j, t), data.y(i, t));
    }
  }
}

// Without noise, two targets at one place contradict each other: what the kernel cannot tell apart is one place.
void require_one_value_per_place(const ProcessData& data, const std::vector<Index>& rows, const Execution& how) {
  Matrix K = Matrix::uninitialized(data.y.rows(), data.y.rows());
  data.K.fill(K, how);
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const bool noiseless = data.known.empty() || (data.known[at(i)] == 0 && data.known[at(j)] == 0);
      if (!noiseless || K(i, i) + K(j, j) - 2 * K(i, j) > 1e-14 * (K(i, i) + K(j, j))) continue;
      for (Index t = 0; t < data.y.cols(); ++t) {
        if (data.y(i, t) == data.y(j, t)) continue;
        fail_two_values(rows[at(j)], rows[at(i)], data.y(j, t), data.y(i, t));
      }
    }
  }
}

void require_nearest(const GaussianProcess& config, const ProcessData& data) {
  if (config.nearest > kMostNearest) {
    fail(ErrorKind::usage, "gp: nearest={}; more than {} neighbours of each point take longer than the exact process",
         config.nearest, kMostNearest);
  }
  if (!data.x) {
    fail(ErrorKind::usage, "gp: nearest={} needs points and a kernel, not a matrix of numbers; leave it away",
         config.nearest);
  }
  if (config.objective == GaussianProcess::Objective::loo || config.loo) {
    fail(ErrorKind::usage,
         "gp: with nearest={} the leave-one-out density is not computed; use objective=lml without loo",
         config.nearest);
  }
}

void require_inducing(const GaussianProcess& config, const ProcessData& data) {
  require_inducing_points("gp", config.inducing, data.y.rows(), data.x.has_value());
  if (config.objective == GaussianProcess::Objective::loo || config.loo) {
    fail(ErrorKind::usage, "gp: inducing points know no leave-one-out density; fit without `inducing`, or without it");
  }
  const bool noiseless = config.noise.value && *config.noise.value == 0;
  if (noiseless && (data.known.empty() || *std::min_element(data.known.begin(), data.known.end()) <= 0)) {
    fail(ErrorKind::usage,
         "gp: inducing points need noise, and it is 0; give a noise above 0, or fit without `inducing`");
  }
}

void require_line(const GaussianProcess& config, const ProcessData& data) {
  if (config.objective == GaussianProcess::Objective::loo) {
    fail(ErrorKind::usage, "gp: objective=loo is learnt by all pairs; use solver=dense, or objective=lml");
  }
  solve::require_state_space(data.K);
}

void require_steps(const GaussianProcess& config, const ProcessData& data) {
  if (config.objective == GaussianProcess::Objective::loo || config.loo) {
    fail(ErrorKind::usage, "gp: solver=iterative knows no leave-one-out density; use objective=lml without loo");
  }
  const bool same = std::ranges::all_of(data.shape, [&](double w) { return w == data.shape.front(); });
  if (!same || !data.known.empty()) {
    fail(ErrorKind::usage,
         "gp: solver=iterative needs the same noise at all points, and weights or known variances give each its own; "
         "use solver=dense");
  }
  if (config.noise.value && *config.noise.value == 0) {
    fail(ErrorKind::usage, "gp: solver=iterative needs noise, and it is 0; give a noise above 0, or use solver=dense");
  }
}

void require_memory(const GaussianProcess& config, const Training& training, Index points) {
  const bool some_equal = matrices_of(config) > 1 && count_points(training, first_equal(training.K)).some_equal();
  detail::require_matrices("gp", training, points, some_equal ? kEqualLeftOut : matrices_of(config));
}

void require_values(const GaussianProcess& config, const Training& training, const ProcessData& data,
                    const std::vector<Index>& rows) {
  const bool learning = config.objective != GaussianProcess::Objective::none;
  if (!config.point_noise.empty()) {
    for (const double v : config.point_noise) {
      if (!(v >= 0) || std::isinf(v)) fail(ErrorKind::data, "gp: the noise of a point is {}; it must be >= 0", v);
    }
  }
  const std::optional<double> noise = config.noise.value;
  if (noise && (!(*noise >= 0) || std::isinf(*noise))) {
    fail(ErrorKind::usage, "gp: the noise is a variance, 0 or more, not {}", *noise);
  }
  if (learning && noise && *noise == 0 && !config.noise.fixed) {
    fail(ErrorKind::usage,
         "gp: noise=0 is no place to start from; write noise=fixed(0) for none at all, or a start above 0");
  }
  if (!learning && !noise) fail(ErrorKind::usage, "gp: with objective=none nothing is learnt, so give the noise");
  if (config.signal.value && !(*config.signal.value > 0)) {
    fail(ErrorKind::usage, "gp: the signal is a variance above 0, not {}", *config.signal.value);
  }
  if (learning) require_something_to_learn(data.y);
  if (noise && *noise == 0 && by_pairs(config, data)) {
    require_one_value_per_place(data, rows, training.how);
  } else if (noise && *noise == 0 && data.x) {
    require_one_value_per_point(data, rows);
  }
}

}  // namespace

void require_fit(const GaussianProcess& config, const Training& training, const ProcessData& data,
                 const std::vector<Index>& rows) {
  if (config.solver == GaussianProcess::Solver::state_space) require_line(config, data);
  if (config.solver == GaussianProcess::Solver::iterative) require_steps(config, data);
  if (config.inducing > 0) {
    require_inducing(config, data);
  } else if (config.nearest > 0) {
    require_nearest(config, data);
  } else if (by_pairs(config, data)) {
    require_memory(config, training, static_cast<Index>(rows.size()));
  }
  require_values(config, training, data, rows);
}

}  // namespace mercer::detail
