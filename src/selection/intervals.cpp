#include "mercer/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/tune.hpp"
#include "model/needs.hpp"
#include "model/posterior/posterior.hpp"
#include "points/distinct.hpp"
#include "selection/equal_points.hpp"
#include "selection/errors_held_out.hpp"

namespace mercer {

namespace {

constexpr std::string_view kResiduals = "residuals";

// Test points whose columns P k_x are held at once.
constexpr Index kPointsAtOnce = 256;

// Less of a point's own precision than this left by the trend: the trend goes through the point by itself.
constexpr double kLeastPrecision = 1e-10;

bool is_process(const Model& model) {
  return model.has_posterior() && model.posterior().kind == Posterior::Kind::process &&
         model.posterior().scale.empty() && model.posterior().likelihood == Likelihood::none;
}

// The price of |f|^2 of a model that is least squares on all of its points; none of others. Where equal points share
// one coefficient, or points have weights, alpha alone does not tell.
std::optional<double> price_of(const Model& model) {
  const Report& report = model.report();
  const auto& f = model.expansion().parts();
  if (model.has_posterior() || !machine(model.parts().machine).leave_one_out) return std::nullopt;
  if (report.figure("centres") || !f.centres) return std::nullopt;
  const Report::Table* const residuals = report.table(kResiduals);
  if (residuals != nullptr) {
    return residuals->rows.rows() == model.expansion().size() ? report.figure("ridge") : std::nullopt;
  }
  const bool plain = model.expansion().size() == f.training_size && model.parts().provenance.weights.empty();
  if (!plain || f.training_size > solve::kManyPoints || !report.figure("ridge")) return std::nullopt;
  const std::vector<Index> equal_to = first_equal(*f.centres);
  for (Index i = 0; i < f.training_size; ++i) {
    if (equal_to[at(i)] != i) return std::nullopt;
  }
  return report.figure("ridge");
}

// A factor and what becomes of it.
double bytes_for(Index points) {
  return 2.0 * sizeof(double) * static_cast<double>(points) * static_cast<double>(points);
}

bool in_closed_form(const Model& model) {
  const Index n = model.expansion().size();
  return model.expansion().parts().kernel && n > 0 && bytes_for(n) <= available_memory() &&
         (is_process(model) || price_of(model));
}

}  // namespace

namespace detail {

// Training points left out in closed form.
class EachLeftOut {
 public:
  EachLeftOut(const Model& model, bool adaptive, const Execution& how);

  Index points() const { return size_; }
  const Vector& count() const { return count_; }
  // Of targets t: band(i, t) for points x, scaled.
  void fill(const Points& x, MatrixView predictions, double coverage, Band& band, const Execution& how) const;

 private:
  void set_precision(const solve::System& A, const Monitor& monitor);
  void set_errors(const Model& model, std::optional<double> price);
  // P k_x, one column for each of x.
  Matrix moved(const Points& x, const Execution& how) const;
  // Of an observation about f at x, in units of the signal of each target.
  Matrix unsure(const Points& x, const Execution& how) const;

  Model model_;
  bool adaptive_;
  Index size_;
  Vector scale_;  // of the system; empty: 1
  std::unique_ptr<solve::System> A_;
  Trend trend_ = Trend::none;
  solve::TrendPart trend_part_;
  Vector precision_;  // P_ii
  Vector part_;       // of each point that is left out; empty: all of it
  Vector count_;      // empty: 1
  Matrix error_;      // r_i
};

EachLeftOut::EachLeftOut(const Model& model, bool adaptive, const Execution& how)
    : model_(model), adaptive_(adaptive), size_(model.expansion().size()) {
  const Expansion::Parts& f = model.expansion().parts();
  const std::optional<double> price = is_process(model) ? std::nullopt : price_of(model);
  solve::Equations equations{.K = lazy(*f.kernel, *f.centres)};
  if (price) {
    equations.shift = {*price};
    if (const Report::Table* const kept = model.report().table(kResiduals)) {
      for (Index i = 0; i < size_; ++i) {
        count_.push_back(kept->rows(i, 0));
        part_.push_back(std::min(1.0, 1 / kept->rows(i, 0)));
        scale_.push_back(std::sqrt(kept->rows(i, 0)));
      }
    }
    equations.scale = scale_;
  } else {
    equations.shift = model.posterior().shift;
    trend_ = model.posterior().trend;
    const auto [least, most] = std::minmax_element(equations.shift.begin(), equations.shift.end());
    if (*least == *most) equations.shift.resize(1);
  }
  solve::Made made = solve::system_for(equations, {.jitter = !price}, how);
  if (!made.system) {
    fail(ErrorKind::numeric,
         "intervals: the model's matrix is not positive definite in floating point; fit it again with more noise, or a "
         "larger ridge");
  }
  A_ = std::move(made.system);
  if (trend_ != Trend::none) {
    const Matrix H = detail::trend_basis(trend_, *f.centres, detail::trend_centre(trend_, *f.centres));
    std::optional<solve::TrendPart> trend = solve::trend_part(*A_, H);
    if (!trend) fail(ErrorKind::numeric, "intervals: the model's mean function cannot be told apart from its parts");
    trend_part_ = std::move(*trend);
  }
  set_precision(*A_, how.monitor);
  set_errors(model, price);
}

void EachLeftOut::set_precision(const solve::System& A, const Monitor& monitor) {
  precision_ = std::move(*A.clone()).inverse_diagonal(monitor).values;
  if (trend_ != Trend::none) {
    Matrix rows = trend_part_.solved;
    linalg::solve_lower_rows(trend_part_.factor, rows);
    for (Index i = 0; i < size_; ++i) {
      const double own = precision_[at(i)];
      for (Index j = 0; j < rows.cols(); ++j) precision_[at(i)] -= rows(i, j) * rows(i, j);
      if (precision_[at(i)] > kLeastPrecision * own) continue;
      fail(ErrorKind::numeric,
           "intervals: without point {} the model's mean function is not determined; fit more points or a simpler mean",
           i + 1);
    }
  }
  for (std::size_t i = 0; i < scale_.size(); ++i) precision_[i] *= scale_[i] * scale_[i];
}

// With e_i = y_i - f(x_i) = N_ii alpha_i and 1 - h_i = N_ii P_ii, leaving out the part q of a point leaves
// r_i = e_i / (1 - q h_i) of its error.
void EachLeftOut::set_errors(const Model& model, std::optional<double> price) {
  const Matrix& alpha = model.expansion().parts().alpha;
  error_ = Matrix(size_, alpha.cols());
  const Report::Table* const kept = price ? model.report().table(kResiduals) : nullptr;
  for (Index i = 0; i < size_; ++i) {
    for (Index t = 0; t < alpha.cols(); ++t) {
      if (kept == nullptr) {
        error_(i, t) = alpha(i, t) / precision_[at(i)];
        continue;
      }
      const double left = *price / count_[at(i)] * precision_[at(i)], q = part_[at(i)];
      error_(i, t) = kept->rows(i, 1 + t) / (1 - q + q * left);
    }
  }
}

Matrix EachLeftOut::moved(const Points& x, const Execution& how) const {
  const Expansion::Parts& f = model_.expansion().parts();
  Matrix out = cross(*f.kernel, *f.centres, x, how);
  const auto scaled = [&] {
    for (Index i = 0; i < out.rows() && !scale_.empty(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) out(i, j) *= scale_[at(i)];
    }
  };
  scaled();
  Matrix rest;  // (H' A^-1 H)^-1 (h(x) - H' A^-1 k_x)
  if (trend_ != Trend::none) {
    const Matrix h = detail::trend_basis(trend_, x, detail::trend_centre(trend_, *f.centres));
    rest = Matrix(h.cols(), h.rows());
    linalg::multiply_left_transposed(-1, trend_part_.solved, out, 0, rest);
    for (Index i = 0; i < h.rows(); ++i) {
      for (Index j = 0; j < h.cols(); ++j) rest(j, i) += h(i, j);
    }
    linalg::cholesky_solve(trend_part_.factor, rest);
  }
  A_->solve(out);
  scaled();
  if (trend_ != Trend::none) linalg::multiply(1, trend_part_.solved, rest, 1, out);
  return out;
}

Matrix EachLeftOut::unsure(const Points& x, const Execution& how) const {
  const Posterior& posterior = model_.posterior();
  Matrix out = detail::variances(model_.parts(), x, how);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index t = 0; t < out.cols(); ++t) {
      out(i, t) = posterior.signal[at(t)] > 0 ? (out(i, t) + posterior.noise[at(t)]) / posterior.signal[at(t)] : 0;
    }
  }
  return out;
}

void EachLeftOut::fill(const Points& x, MatrixView predictions, double coverage, Band& band,
                       const Execution& how) const {
  const int threads = thread_count(how.threads);
  const auto n = at(size_);
  for (Index first = 0; first < x.size(); first += kPointsAtOnce) {
    const Range block{first, std::min(x.size(), first + kPointsAtOnce)};
    const Points some = x.slice(block);
    const Matrix change = moved(some, how);
    const Matrix variance = adaptive_ ? unsure(some, how) : Matrix();
    parallel_for(block.size(), threads, how.monitor, "intervals", [&](Index j, int) {
      Vector low(n), high(n);
      for (Index t = 0; t < predictions.cols(); ++t) {
        const double f = predictions(first + j, t);
        for (std::size_t i = 0; i < n; ++i) {
          const auto row = static_cast<Index>(i);
          const double c = change(row, j), r = error_(row, t);
          const double without = f - c * r * (part_.empty() ? 1 : part_[i]);
          double width = std::abs(r);
          if (adaptive_) width *= std::sqrt(precision_[i] * variance(j, t) + c * c);
          low[i] = width - without;
          high[i] = without + width;
        }
        band.low(first + j, t) = -quantile(low, count_, coverage);
        band.high(first + j, t) = quantile(high, count_, coverage);
      }
    });
  }
}

}  // namespace detail

namespace {

// What of a model comes from the points that intervals are made of.
std::vector<std::string> chosen_by_data(const Model& model) {
  std::vector<std::string> out;
  const Machine& row = machine(model.parts().machine);
  if (!model.report().chosen.empty()) out.emplace_back("what was chosen");
  for (const auto& [name, value] : model.parts().settings) {
    if (value == "auto" && model.report().figure(name) && !row.by_evidence) out.push_back(name);
  }
  const auto& kernel = model.expansion().parts().kernel;
  const bool free = kernel && !kernel->params().free().empty();
  if (row.by_evidence && (free || !row.by_evidence->learnt(model).empty())) out.emplace_back("what was learnt");
  return out;
}

std::string words_of(const Model& model, const IntervalOptions& options, double points, bool closed) {
  const double percent = 100 * options.coverage;
  std::string out = fmt::format("intervals of {:.4g} %: ", percent);
  if (closed) {
    out += fmt::format("jackknife+ of {:.6g} points{}; about {:.4g} % of new points like these lie inside", points,
                       options.adaptive ? ", wide where the process knows little" : "", percent);
    const std::vector<std::string> chosen = chosen_by_data(model);
    if (!chosen.empty()) {
      out += fmt::format(", approximate, because {} comes from the same points", fmt::join(chosen, " and "));
    } else if (options.coverage > 0.5) {
      out += fmt::format(", and at least {:.4g} % for certain", 2 * percent - 100);
    }
  } else {
    out += fmt::format(
        "errors of {:.6g} points held out in folds; about {:.4g} % of new points like these lie inside, approximate",
        points, percent);
  }
  return out + detail::too_few_words(options.coverage, points);
}

[[noreturn]] void fail_unknown(const Model& model) {
  const std::string& name = model.parts().machine;
  const Index n = model.expansion().size();
  if (!detail::predicts_numbers(model)) {
    fail(ErrorKind::usage, "intervals: {} predicts no numbers, and intervals are of numbers; fit a regression", name);
  }
  const bool too_many = bytes_for(n) > available_memory();
  fail(ErrorKind::usage,
       "intervals: this model of {} {} and holds no errors of points held out; fit it again with `intervals`", name,
       too_many ? fmt::format("takes {} to leave out each of {} points", detail::in_bytes(bytes_for(n)), n)
                : "cannot leave its training points out in closed form");
}

}  // namespace

struct Intervals::Parts {
  IntervalOptions options;
  Model model;
  std::optional<detail::EachLeftOut> left_out;
  Vector half = {};  // of each target: half of the width, where it is the same everywhere
  std::string words = {};
};

bool Intervals::known(const Model& model) {
  return detail::predicts_numbers(model) && (detail::errors_held_out(model) != nullptr || in_closed_form(model));
}

Intervals::Intervals(const Model& model, const IntervalOptions& options, const Execution& how) {
  detail::require_coverage(options.coverage);
  if (!known(model)) fail_unknown(model);
  const Report::Table* const kept = detail::errors_held_out(model);
  if (options.adaptive && (kept != nullptr || !is_process(model))) {
    fail(ErrorKind::usage,
         "intervals: only a process on all of its points (gp) knows where it is less sure; leave `adaptive` out");
  }
  const Threads threads(how.threads);
  auto parts = std::make_shared<Parts>(Parts{.options = options, .model = model, .left_out = std::nullopt});
  double points = 0;
  if (kept != nullptr) {
    const Vector count = detail::weights_in(*kept);
    points = count.empty() ? static_cast<double>(kept->rows.rows()) : std::accumulate(count.begin(), count.end(), 0.0);
    for (Index t = 1; t < kept->rows.cols(); ++t) {
      Vector sizes;
      for (Index i = 0; i < kept->rows.rows(); ++i) sizes.push_back(std::abs(kept->rows(i, t)));
      parts->half.push_back(detail::quantile(sizes, count, options.coverage));
    }
  } else {
    if (const Report::Table* const own = model.report().table(kResiduals);
        !is_process(model) && own != nullptr && !detail::is_table_of_errors(*own, model)) {
      fail(ErrorKind::data, "intervals: the residuals in the model are damaged; fit it again");
    }
    parts->left_out.emplace(model, options.adaptive, how);
    const Vector& count = parts->left_out->count();
    points = count.empty() ? static_cast<double>(parts->left_out->points())
                           : std::accumulate(count.begin(), count.end(), 0.0);
  }
  parts->words = words_of(model, options, points, kept == nullptr);
  parts_ = std::move(parts);
}

Band Intervals::operator()(const Points& x, MatrixView predictions, const Execution& how) const {
  const Threads threads(how.threads);
  Band out{Matrix(predictions), Matrix(predictions)};
  if (parts_->left_out) {
    const Model::Parts& model = parts_->model.parts();
    model.inputs.require(x);
    parts_->left_out->fill(model.scaling.apply(x), predictions, parts_->options.coverage, out, how);
    return out;
  }
  for (Index i = 0; i < predictions.rows(); ++i) {
    for (Index t = 0; t < predictions.cols(); ++t) {
      out.low(i, t) -= parts_->half[at(t)];
      out.high(i, t) += parts_->half[at(t)];
    }
  }
  return out;
}

const std::string& Intervals::words() const { return parts_->words; }
bool Intervals::same_everywhere() const { return !parts_->left_out; }

}  // namespace mercer
