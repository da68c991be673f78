#include "mercer/machines/gd.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

constexpr Index kPathRows = 200;

Needs needs_of_descent(Index iterations, const Extent& extent) {
  const auto n = static_cast<double>(extent.points), steps = static_cast<double>(iterations);
  if (auto few = extent.in_memory ? std::nullopt
                                  : detail::by_features(extent, extent.points, extent.points / 4, "gradient descent")) {
    few->flops = 4 * n * static_cast<double>(extent.features) * steps * static_cast<double>(extent.outputs);
    return *few;
  }
  Needs out = detail::by_all_pairs(extent.points, extent.in_memory ? 0 : 1, "gradient descent", 0);
  out.flops = 2 * n * n * steps * static_cast<double>(extent.outputs);
  if (extent.in_memory || out.squares() <= extent.share()) return out;
  return detail::by_passes(extent, "gradient descent", steps);
}

// K, in memory when there is room for it.
Gram held(const Training& t) {
  if (needs_of_descent(1, extent_of(t)).matrices == 0) return t.K;
  Matrix K = Matrix::uninitialized(t.K.size(), t.K.size());
  t.K.fill(K, t.how);
  return precomputed(std::move(K));
}

double norm_of(const Matrix& m) {
  double total = 0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) total += m.data()[i] * m.data()[i];
  return std::sqrt(total);
}

// The largest eigenvalue of W^1/2 K W^1/2 from below, within about a per cent, by power iteration. A step of
// 1 / estimate is safe as long as the estimate is more than half of it.
double largest_eigenvalue(const Gram& K, const Vector& weights, const Execution& how) {
  constexpr int kLongest = 100;
  Random random(1);
  Matrix v(K.size(), 1);
  for (Index i = 0; i < v.rows(); ++i) v(i, 0) = weights[at(i)] > 0 ? 0.5 + random.uniform() : 0;
  double estimate = 0;
  for (int round = 0; round < kLongest; ++round) {
    const double size = norm_of(v);
    if (size == 0) return estimate;
    Matrix scaled(v);
    for (Index i = 0; i < v.rows(); ++i) {
      v(i, 0) /= size;
      scaled(i, 0) = std::sqrt(weights[at(i)]) * v(i, 0);
    }
    const Matrix next = K.multiply(scaled.view(), how);
    double quotient = 0;
    for (Index i = 0; i < v.rows(); ++i) quotient += next(i, 0) * scaled(i, 0);
    for (Index i = 0; i < v.rows(); ++i) v(i, 0) = std::sqrt(weights[at(i)]) * next(i, 0);
    const bool settled = quotient - estimate <= 1e-3 * quotient;
    estimate = std::max(estimate, quotient);
    if (settled && round > 2) break;
  }
  return estimate;
}

// The course of the descent, thinned out as it grows: every 1st, then 2nd, then 4th iteration, ...
class Course {
 public:
  void add(Index iteration, double rmse, double validation_rmse) {
    if (iteration % stride_ != 0) return;
    if (rows_.size() == at(kPathRows)) {
      stride_ *= 2;
      std::erase_if(rows_, [&](const Row& row) { return static_cast<Index>(row.iteration) % stride_ != 0; });
      if (iteration % stride_ != 0) return;
    }
    rows_.push_back({static_cast<double>(iteration), rmse, validation_rmse});
  }
  Report::Table table(bool validated) const {
    Report::Table out{"path", {"iteration", "rmse"}, Matrix(static_cast<Index>(rows_.size()), validated ? 3 : 2)};
    if (validated) out.columns.emplace_back("validation_rmse");
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double* row = out.rows.row(static_cast<Index>(r));
      row[0] = rows_[r].iteration;
      row[1] = rows_[r].rmse;
      if (validated) row[2] = rows_[r].validation_rmse;
    }
    return out;
  }

 private:
  struct Row {
    double iteration, rmse, validation_rmse;
  };
  std::vector<Row> rows_;
  Index stride_ = 1;
};

// Weights of the descent and of the validation: each point belongs to one of them.
struct Split {
  Vector training, validation;
};

Split split_points(const GradientDescent& config, const Training& t) {
  Split split{detail::weights_of(t), Vector(at(t.K.size()))};
  if (config.validation == 0) return split;
  std::vector<Index> points = detail::weighted_points(t);
  const auto n = static_cast<Index>(points.size());
  const auto held_out = static_cast<Index>(std::llround(config.validation * static_cast<double>(n)));
  if (held_out < 1 || held_out >= n) {
    fail(ErrorKind::usage, "gd: a validation share of {} leaves {} of {} points to validate; give a share between",
         config.validation, held_out, n);
  }
  Random random(config.seed);
  for (Index i = 0; i < held_out; ++i) {
    std::swap(points[at(i)], points[at(i + random.below(n - i))]);
    std::swap(split.training[at(points[at(i)])], split.validation[at(points[at(i)])]);
  }
  return split;
}

double weighted_rmse(const Matrix& residuals, const Vector& weights) {
  double total = 0, weight = 0;
  for (Index i = 0; i < residuals.rows(); ++i) {
    weight += weights[at(i)];
    for (Index j = 0; j < residuals.cols(); ++j) total += weights[at(i)] * residuals(i, j) * residuals(i, j);
  }
  return weight > 0 ? std::sqrt(total / weight) : 0;
}

struct Descent {
  Matrix alpha;
  Report report;
};

Descent descend(const GradientDescent& config, const Training& t, const Gram& K, const Split& split, double step) {
  Descent out{Matrix(t.y.rows(), t.y.cols()), {}};
  Report& report = out.report;
  const bool validated = config.validation > 0;
  Course course;
  Matrix alpha(out.alpha), residuals(t.y);
  const double first = weighted_rmse(residuals, split.training);
  double rmse = first, validation = weighted_rmse(residuals, split.validation), best = validation;
  Index best_at = 0;
  course.add(0, rmse, validation);
  report.converged = false;
  report.stopped = "iteration limit";
  try {
    while (report.iterations < config.max_iterations) {
      t.how.monitor.report(
          {"descent", static_cast<double>(report.iterations) / static_cast<double>(config.max_iterations)});
      for (Index i = 0; i < alpha.rows(); ++i) {
        for (Index j = 0; j < alpha.cols(); ++j) alpha(i, j) += step * split.training[at(i)] * residuals(i, j);
      }
      const Matrix f = K.multiply(alpha.view(), t.how);
      Matrix change(residuals);
      for (Index e = 0; e < f.rows() * f.cols(); ++e) {
        residuals.data()[e] = t.y.data()[e] - f.data()[e];
        change.data()[e] -= residuals.data()[e];
      }
      ++report.iterations;
      rmse = weighted_rmse(residuals, split.training);
      validation = weighted_rmse(residuals, split.validation);
      course.add(report.iterations, rmse, validation);
      if (!(rmse <= 1e3 * first))
        fail(ErrorKind::numeric, "gd: the descent diverges; use a smaller step than {}", step);
      if (!validated || validation < best) {
        out.alpha = alpha;
        best = validation;
        best_at = report.iterations;
      } else if (report.iterations - best_at >= config.patience) {
        report.converged = true;
        report.stopped = "no better on the validation points";
        break;
      }
      if (weighted_rmse(change, split.training) <= config.tolerance * first) {
        report.converged = true;
        report.stopped = "the residuals no longer change";
        break;
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    report.stopped = "interrupted";
  }
  report.add("rmse", rmse);
  if (validated) {
    report.add("validation_rmse", best);
    report.add("best_iteration", static_cast<double>(best_at));
  }
  report.tables.push_back(course.table(validated));
  return out;
}

void check_config(const GradientDescent& c) {
  if (c.step && (!(*c.step > 0) || std::isinf(*c.step))) {
    fail(ErrorKind::usage, "gd: the step must be a finite number > 0, not {}", *c.step);
  }
  if (!(c.tolerance >= 0)) fail(ErrorKind::usage, "gd: the tolerance must be a number >= 0, not {}", c.tolerance);
  if (c.max_iterations < 1 || c.patience < 1) {
    fail(ErrorKind::usage, "gd: max_iterations and patience must be at least 1, not {} and {}", c.max_iterations,
         c.patience);
  }
  if (!(c.validation >= 0 && c.validation < 1)) {
    fail(ErrorKind::usage, "gd: the validation share must be at least 0 and below 1, not {}", c.validation);
  }
}

}  // namespace

Model GradientDescent::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("gd", Task::regression, training);
  detail::require_unshifted(training.K);
  check_config(*this);
  const Split split = split_points(*this, training);
  const Gram K = held(training);
  const double lambda = largest_eigenvalue(K, split.training, training.how);
  if (step && *step * lambda >= 2) {
    fail(ErrorKind::usage, "gd: with a step of {} the descent diverges; it must be below 2 / {:.3g} = {:.3g}", *step,
         lambda, 2 / lambda);
  }
  const double used = step ? *step : lambda > 0 ? 1 / lambda : 1;
  Descent descent = descend(*this, training, K, split, used);
  Model::Parts parts =
      detail::parts_of("gd", training, training.K.expansion(descent.alpha, {}, training.how), Reading::value);
  parts.report = std::move(descent.report);
  parts.report.add("step", used);
  parts.report.add("largest_eigenvalue", lambda);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model GradientDescent::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

std::vector<Machine> detail::gd_rows() {
  const GradientDescent defaults;
  const auto text = [](auto value) { return number(static_cast<double>(value)); };
  return {{
      .name = "gd",
      .purpose = "kernel least squares by gradient descent, which regularises when stopped early",
      .problem = "min_f  1/2 sum_i w_i (y_i - f(x_i))^2, descending from f = 0",
      .task = Task::regression,
      .options =
          {
              {"step", "auto", "The step, below 2 / the largest eigenvalue of K; auto: half of that"},
              {"tolerance", text(defaults.tolerance),
               "Stop when the residuals change by less, relative to the targets"},
              {"max_iterations", text(defaults.max_iterations), "Stop after so many"},
              {"validation", text(defaults.validation), "Share of the points to watch for early stopping"},
              {"patience", text(defaults.patience), "Iterations to wait for a better error on the watched points"},
              {"seed", text(defaults.seed), "Draws the watched points"},
          },
      .fit =
          [](const Settings& settings, const Training& training) {
            const SettingsReader read(machine("gd"), settings);
            GradientDescent config;
            if (read.text("step") != "auto") config.step = read.positive("step");
            config.tolerance = read.number("tolerance");
            config.max_iterations = read.whole("max_iterations", 1);
            config.validation = read.number("validation");
            config.patience = read.whole("patience", 1);
            config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
            return config.fit(training);
          },
      .iterative = true,
      // How far it descends is as it was asked for; only trials are cut short.
      .choosing =
          [](const Settings& given, const Training*) {
            Choosing plan{.stages = {{{"ell", {4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}}, .most = 400};
            if (!given.contains("max_iterations")) plan.while_trying = {{"max_iterations", "500"}};
            return plan;
          },
      .centres = OnCentres::as_features,
      .needs =
          [](const Settings& settings, const Extent& extent) {
            return needs_of_descent(SettingsReader(machine("gd"), settings).whole("max_iterations", 1), extent);
          },
  }};
}

}  // namespace mercer
