// What the kernel sees: its matrix, the directions it has, the values it takes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "mercer/error.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/alignment.hpp"
#include "report/charts.hpp"
#include "report/histogram.hpp"
#include "report/matrix_of.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostRows = 512;

struct Looked {
  Ordered order;
  Matrix K;
};
Looked look(const Subject& subject) {
  Ordered order = ordered(subject, kMostRows);
  std::vector<Index> all = evenly(static_cast<Index>(order.which.size()), kMostRows);
  Matrix K = matrix_of(subject, order.which).rows(all, subject.how);
  return {std::move(order), std::move(K)};
}

std::string of_how_many(const Looked& looked, const Subject& subject) {
  const Index shown = looked.K.rows(), n = subject.x.size();
  return shown == n ? fmt::format("{} points", n) : fmt::format("{} of {} points, evenly taken", shown, n);
}

// The mean of k(x, y) / sqrt(k(x,x) k(y,y)) over pairs of one group and of two.
struct Likeness {
  double within = 0, between = 0;
  Index pairs_within = 0, pairs_between = 0;
};
Likeness likeness(const Looked& looked) {
  Likeness out;
  const Matrix& K = looked.K;
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double size = std::sqrt(K(i, i) * K(j, j));
      const double value = size > 0 ? K(i, j) / size : 0;
      const bool together = looked.order.groups.empty() || looked.order.groups[at(i)] == looked.order.groups[at(j)];
      (together ? out.within : out.between) += value;
      ++(together ? out.pairs_within : out.pairs_between);
    }
  }
  if (out.pairs_within > 0) out.within /= static_cast<double>(out.pairs_within);
  if (out.pairs_between > 0) out.between /= static_cast<double>(out.pairs_between);
  return out;
}

// How well the matrix goes with what is to be predicted; none where it is constant.
std::optional<double> alignment_with_target(const Looked& looked, const Subject& subject) {
  const auto n = static_cast<Index>(looked.order.which.size());
  Matrix y;
  if (subject.y.rows() == subject.x.size() && subject.y.cols() > 0) {
    y = Matrix(n, 1);
    for (Index i = 0; i < n; ++i) y(i, 0) = subject.y(looked.order.which[at(i)], 0);
  } else if (subject.labels.size() == subject.x.size() && !subject.model.finds_clusters()) {
    y = Matrix(n, static_cast<Index>(subject.labels.classes.size()));
    for (Index i = 0; i < n; ++i) y(i, subject.labels.of[at(looked.order.which[at(i)])]) = 1;
  } else {
    return std::nullopt;
  }
  try {
    return alignment(precomputed(looked.K), exact(linear(), rows(std::move(y))), subject.how);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return std::nullopt;
  }
}

Vector pairs_of(const Matrix& K) {
  Vector out;
  out.reserve(at(K.rows() * (K.rows() - 1) / 2));
  for (Index i = 0; i < K.rows(); ++i) out.insert(out.end(), K.row(i), K.row(i) + i);
  return out;
}

}  // namespace

Exhibit gram_picture(const Subject& subject) {
  const Looked looked = look(subject);
  const Likeness alike = likeness(looked);
  std::string finding = fmt::format("k(x, y) of {}, {}.", of_how_many(looked, subject), looked.order.words);
  if (alike.pairs_between > 0 && alike.pairs_within > 0) {
    finding += fmt::format(" Two points of one group are alike to {:.2f} on average, of two groups to {:.2f}.",
                           alike.within, alike.between);
  } else if (alike.pairs_within > 0) {
    finding += fmt::format(" Two points are alike to {:.2f} on average, a point to itself to 1.", alike.within);
  }
  if (const auto aligned = alignment_with_target(looked, subject)) {
    finding += fmt::format(" Centred alignment with what is to be predicted: {:.2f}.", *aligned);
  }
  const Index n = looked.K.rows();
  Json blocks = Json::array(), rows = Json::array();
  for (const Ordered::Block& block : looked.order.blocks) {
    blocks.push_back({{"name", block.name}, {"from", block.places.begin}, {"to", block.places.end}});
  }
  for (const Index i : looked.order.which) rows.push_back(i + 1);
  return {"gram",
          "gram",
          "What the kernel sees",
          std::move(finding),
          {{"size", n},
           {"n", subject.x.size()},
           {"values", bytes({looked.K.row(0), at(n * n)})},
           {"order", looked.order.words},
           {"rows", rows},
           {"blocks", blocks}}};
}

Exhibit spectrum_picture(const Subject& subject) {
  const Looked looked = look(subject);
  Vector values = linalg::eigenvalues(looked.K);
  std::ranges::reverse(values);
  double sum = 0, squares = 0;
  for (double& value : values) {
    value = std::max(value, 0.0);  // rounding
    sum += value;
    squares += value * value;
  }
  const double effective = squares > 0 ? sum * sum / squares : 0;
  Vector cumulative;
  double so_far = 0;
  Index enough = 0;
  for (const double value : values) {
    so_far += value;
    cumulative.push_back(sum > 0 ? so_far / sum : 0);
    if (cumulative.back() < 0.95) ++enough;
  }
  return {"spectrum",
          "spectrum",
          "How many directions the kernel has",
          fmt::format("Eigenvalues of the matrix of {}: {} of them make 95 % of its trace; it acts as if it had {:.1f} "
                      "directions.",
                      of_how_many(looked, subject), std::min<Index>(enough + 1, looked.K.rows()), effective),
          {{"eigenvalues", numbers(values)},
           {"n", looked.K.rows()},
           {"effective", effective},
           {"cumulative", numbers(cumulative)}}};
}

bool has_pairs(const Subject& subject) { return has_matrix(subject) && subject.x.size() >= 2; }

Exhibit entries_picture(const Subject& subject) {
  const Looked looked = look(subject);
  Vector values = pairs_of(looked.K);
  const Histogram counted = histogram(values);
  std::ranges::nth_element(values, values.begin() + static_cast<Index>(values.size() / 2));
  const double median = values[values.size() / 2];
  return {"entries",
          "histogram",
          "Values of the kernel",
          fmt::format("k(x, y) of all pairs among {}: half of them are above {:.3g}. A good kernel tells points apart: "
                      "neither nearly all values at 0 nor all at one height.",
                      of_how_many(looked, subject), median),
          {{"x", {{"label", "k(x, y)"}}},
           {"edges", counted.edges},
           {"counts", counted.counts},
           {"marks", Json::array({{{"x", median}, {"label", "median"}}})}}};
}

}  // namespace mercer::report
