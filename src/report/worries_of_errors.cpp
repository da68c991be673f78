// Worries about errors: larger than the model expects, alike among neighbours, growing with what is predicted; and
// probabilities that are not what happens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/process.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/checks.hpp"
#include "report/matrix_of.hpp"
#include "report/parts.hpp"
#include "report/worries.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostCompared = 500;  // points whose covariance is looked at

// How errors at these points go together, had the model been right.
Matrix covariance_of_errors(const Subject& subject, const std::vector<Index>& which, Index target) {
  const Model& model = subject.model;
  if (answers(subject).evidence != Evidence::leave_one_out) {
    Matrix out = model.covariance(subject.x.select(which), target, subject.how);
    for (Index i = 0; i < out.rows(); ++i) out(i, i) += model.posterior().noise[at(target)];
    return out;
  }
  // Errors of leaving one out are A^-1 y over its diagonal: they go together as A^-1 does.
  const detail::Process process = detail::regression_of("report", model, subject.how);
  Matrix rows(static_cast<Index>(which.size()), process.size(), 0);
  for (std::size_t i = 0; i < which.size(); ++i) rows(static_cast<Index>(i), which[i]) = 1;
  process.factors.A->solve_root(rows);
  Matrix out(rows.rows(), rows.rows());
  linalg::multiply_transposed(1, rows, rows, 0, out);
  return out;
}

double largest_size(const Vector& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, std::abs(v));
  return out;
}

struct Found {
  double chance;
  Worry worry;
};

// Of the numbers of one target.
struct Errors {
  Vector predicted, error, z;  // z: over the deviation that is expected; empty where none is
};

Errors errors_of(const Subject& subject, Index target) {
  const HeldOut& said = answers(subject).said;
  Errors out;
  for (Index i = 0; i < subject.y.rows(); ++i) {
    out.predicted.push_back(said.values(i, target));
    out.error.push_back(subject.y(i, target) - said.values(i, target));
    if (said.variances.rows() > 0) out.z.push_back(out.error.back() / std::sqrt(said.variances(i, target)));
  }
  return out;
}

void add_size(const Subject& subject, const Errors& errors, Index target, const std::string& name,
              std::vector<Found>& out) {
  const Vector& z = errors.z;
  const std::vector<Index> which = evenly(static_cast<Index>(z.size()), kMostCompared);
  const double freedom = independent_ones(covariance_of_errors(subject, which, target));
  double squares = 0;
  for (const double v : z) squares += v * v;
  out.push_back({chance_of_size(picked(z, which), freedom),
                 {true,
                  fmt::format("Errors{} are {:.3g} times the size that the model expects.", name,
                              std::sqrt(squares / static_cast<double>(z.size()))),
                  "Its bands are too narrow: the truth is outside them more often than they say.",
                  "Let it learn the noise; try another kernel, or a machine whose bands do not rest on the normal "
                  "distribution (quantile)."}});
  const auto far = std::max_element(z.begin(), z.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  out.push_back(
      {chance_of_largest(z),
       {true,
        fmt::format("Row {} is {:.1f} deviations away from its prediction{}.", far - z.begin() + 1, std::abs(*far),
                    name),
        fmt::format("Of {} points none should be so far: it is not like the others, or errors have longer tails than "
                    "the model believes.",
                    z.size()),
        "Look at the row; if it is right, use a machine with a robust loss (svr)."}});
}

// Of a machine that does not say how large errors are, against the other errors.
void add_farthest(const Subject& subject, const Errors& errors, const std::string& name, std::vector<Found>& out) {
  const FarthestCheck far = check_farthest(errors.error);
  const bool robust = !borders_of(subject).tube.empty();  // beyond a tube the loss is that of the absolute error
  out.push_back(
      {far.chance,
       {true,
        fmt::format("Row {} is {:.1f} deviations of the other errors away from its prediction{}.", far.row + 1,
                    far.deviations, name),
        fmt::format("Of {} normal errors of one size none should be so far: it is not like the others, or errors have "
                    "longer tails.",
                    errors.error.size()),
        robust ? fmt::format("Look at the row; if it is right, {} weighs it no more than others that are missed.",
                             subject.model.parts().machine)
               : "Look at the row; if it is right, use a machine with a robust loss (svr)."}});
}

void add_numbers(const Subject& subject, Index target, std::vector<Found>& out) {
  const Errors errors = errors_of(subject, target);
  if (!all_finite(errors.predicted) || !all_finite(errors.z)) return;
  const std::string name = subject.y.cols() == 1 ? "" : fmt::format(" of {}", target_name(subject.model, target));
  const bool banded = !errors.z.empty();
  // Of a target that is met but for rounding nothing is said.
  const double met = 1e-9 * largest_size(errors.predicted);
  if (banded) {
    add_size(subject, errors, target, name, out);
  } else if (largest_size(errors.error) > met) {
    add_farthest(subject, errors, name, out);
  }
  const Vector& scaled = banded ? errors.z : errors.error;
  const OrderCheck order = check_order(scaled);
  out.push_back(
      {order.chance,
       {true,
        fmt::format("Rows that follow each other err alike{}: the correlation is {:.2f}.", name, order.correlation),
        "The order of the rows says something of the target that the model does not know; the intervals of "
        "the figures, which take rows to be independent, are too narrow.",
        "Add what the order stands for (time, place, group) to the inputs, or use a shorter length; leave "
        "out whole stretches of rows when you judge it."}});
  const OrderCheck growth = check_growth(errors.predicted, scaled);
  out.push_back(
      {growth.chance,
       {true,
        fmt::format("Errors{} {} with what is predicted: the rank correlation is {:.2f}.", name,
                    growth.correlation > 0 ? "grow" : "shrink", growth.correlation),
        banded ? "One noise for all points is assumed: bands are too wide at one end and too narrow at the other."
               : "One size of error does not stand for all points: RMSE is that of the largest.",
        "Predict the logarithm of the target, or give points weights."}});
}

// The classes that pictures show, too.
void add_probabilities(const Subject& subject, std::vector<Found>& out) {
  if (!reliability_applies(subject)) return;
  const Matrix& p = answers(subject).said.probabilities;
  if (p.rows() < kFewestChecked) return;
  const ProbabilityCheck found = check_probabilities(p, subject.labels.of, classes_shown(subject));
  const Bin& bin = found.bins[found.worst];
  out.push_back(
      {found.chance,
       {true,
        fmt::format("Probabilities are not what happens: where the model says {} for {}, it is {}.",
                    percent(bin.sum / bin.count), subject.labels.classes[at(bin.cls)], percent(bin.hits / bin.count)),
        "Decisions that weigh chances, and costs that are computed from them, will be off.",
        "Calibrate on other points, or use the classes alone."}});
}

}  // namespace

std::vector<Worry> about_errors(const Subject& subject) {
  if (!is_regression(subject) && !is_classification(subject)) return {};
  const Evidence evidence = answers(subject).evidence;
  if (subject.x.size() < kFewestChecked || evidence == Evidence::training) return {};
  std::vector<Found> found;
  if (is_classification(subject)) add_probabilities(subject, found);
  for (Index t = 0; is_regression(subject) && t < subject.y.cols(); ++t) add_numbers(subject, t, found);
  std::vector<Worry> out;
  const double level = kOverallLevel / static_cast<double>(found.size());
  for (Found& one : found) {
    if (!(one.chance <= level)) continue;
    one.worry.what.insert(
        one.worry.what.size() - 1,
        fmt::format(" (chance {:.2g}; {} of this kind, which together raise a false alarm in {:.0f} "
                    "of 100 cases)",
                    one.chance, found.size() == 1 ? "one check" : fmt::format("{} checks", found.size()),
                    100 * kOverallLevel));
    out.push_back(std::move(one.worry));
  }
  return out;
}

}  // namespace mercer::report
