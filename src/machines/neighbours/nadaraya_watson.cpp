#include "mercer/machines/nadaraya_watson.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "selection/equal_points.hpp"

namespace mercer {

namespace {

// Far from all points both sums are these alone, and their ratio is the mean; anywhere else they vanish in rounding.
constexpr double kFaint = 1e-290;

// One column w_i y_i per target, and w_i last.
Matrix coefficients(const Training& t, const Vector& weights) {
  Matrix alpha(t.y.rows(), t.y.cols() + 1);
  for (Index i = 0; i < alpha.rows(); ++i) {
    for (Index j = 0; j < t.y.cols(); ++j) alpha(i, j) = weights[at(i)] * t.y(i, j);
    alpha(i, t.y.cols()) = weights[at(i)];
  }
  return alpha;
}

Vector faint_means(const Matrix& alpha) {
  Vector sums(at(alpha.cols()));
  for (Index i = 0; i < alpha.rows(); ++i) {
    for (Index j = 0; j < alpha.cols(); ++j) sums[at(j)] += alpha(i, j);
  }
  const double weight = sums.back();
  for (double& sum : sums) sum = kFaint * (sum / weight);
  return sums;
}

class MeanSquare {
 public:
  void add(double weight, double residual) {
    total_ += weight * residual * residual;
    weight_ += weight;
  }
  double root() const { return std::sqrt(total_ / weight_); }
  bool empty() const { return weight_ == 0; }

 private:
  double total_ = 0, weight_ = 0;
};

// The sums at a point without what it and those equal to it add themselves. Where that is nearly all of them, they are
// added up anew: the difference would be rounding.
class Others {
 public:
  Others(const Training& t, const Matrix& alpha, const Matrix& sums)
      : t_(t),
        alpha_(alpha),
        sums_(sums),
        diagonal_(t.K.diagonal()),
        equal_to_(detail::first_equal(t.K)),
        together_(alpha.rows(), alpha.cols()) {
    for (Index i = 0; i < alpha.rows(); ++i) {
      for (Index j = 0; j < alpha.cols(); ++j) together_(equal_to_[at(i)], j) += alpha(i, j);
    }
  }

  detail::Counted counted() const { return detail::count_points(t_, equal_to_); }

  Vector at_point(Index i) const {
    const Index first = equal_to_[at(i)], last = alpha_.cols() - 1;
    Vector out(at(alpha_.cols()));
    for (Index j = 0; j <= last; ++j) out[at(j)] = sums_(i, j) - diagonal_[at(i)] * together_(first, j);
    if (out[at(last)] > 1e-12 * sums_(i, last)) return out;
    double weight = 0;
    for (Index p = 0; p < alpha_.rows(); ++p) weight += equal_to_[at(p)] == first ? 0 : alpha_(p, last);
    std::fill(out.begin(), out.end(), 0.0);
    if (weight == 0) return out;
    const Matrix row = t_.K.rows(std::vector<Index>{i});
    for (Index p = 0; p < alpha_.rows(); ++p) {
      const double k = equal_to_[at(p)] == first ? 0 : row(0, p) + kFaint / weight;
      for (Index j = 0; j <= last; ++j) out[at(j)] += k * alpha_(p, j);
    }
    return out;
  }

 private:
  const Training& t_;
  const Matrix &alpha_, &sums_;
  Vector diagonal_;
  std::vector<Index> equal_to_;
  Matrix together_;  // alpha of all that are equal to a first point
};

Report report_on(const Training& t, const Vector& weights, const Matrix& alpha) {
  const Matrix sums = t.K.multiply(alpha.view(), t.how);
  const Others without(t, alpha, sums);
  const Index m = t.y.cols();
  MeanSquare fit, left_out;
  for (Index i = 0; i < sums.rows(); ++i) {
    const double w = weights[at(i)], below = sums(i, m);
    if (!(below > 0) && w > 0) {
      fail(
          ErrorKind::domain,
          "nadaraya_watson: at row {} the kernel values add up to {:.3g}; it needs a kernel that is never negative and "
          "positive nearby, such as rbf",
          i + 1, below);
    }
    if (w == 0) continue;
    const Vector others = without.at_point(i);
    for (Index j = 0; j < m; ++j) {
      fit.add(w, t.y(i, j) - sums(i, j) / below);
      if (others[at(m)] > 0) left_out.add(w, t.y(i, j) - others[at(j)] / others[at(m)]);
    }
  }
  Report report;
  report.add("rmse", fit.root());
  if (left_out.empty()) return report;
  report.add("leave_one_out_rmse", left_out.root());
  if (without.counted().some_equal()) report.notes.push_back(detail::left_out_together(without.counted()));
  return report;
}

}  // namespace

Model NadarayaWatson::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("nadaraya_watson", Task::regression, training);
  detail::require_plain(training.K);
  training.how.monitor.report({"nadaraya_watson", 0});
  const Vector weights = detail::weights_of(training);
  const Matrix alpha = coefficients(training, weights);
  Report report = report_on(training, weights, alpha);
  Model::Parts parts = detail::parts_of("nadaraya_watson", training,
                                        training.K.expansion(alpha, faint_means(alpha), training.how), Reading::ratio);
  parts.report = std::move(report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model NadarayaWatson::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

std::vector<Machine> detail::nadaraya_watson_rows() {
  return {{
      .name = "nadaraya_watson",
      .purpose = "the mean of the targets, weighted by the kernel",
      .problem = "f(x) = argmin_c  sum_i w_i k(x_i, x) (y_i - c)^2",
      .task = Task::regression,
      .options = {},
      .fit = [](const Settings&, const Training& training) { return NadarayaWatson{}.fit(training); },
      .choosing =
          [](const Settings&, const Training*) {
            return Choosing{.stages = {{{"ell",
                                         {1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.06, 0.045, 0.03},
                                         Trial::Unit::automatic}}},
                            .figure = "leave_one_out_rmse",
                            .most = 10000};
          },
      .needs = [](const Settings&, const Extent& extent) { return by_passes(extent, "one product with K", 1); },
  }};
}

}  // namespace mercer
