#include "selection/equal_rows.hpp"

#include "base/at.hpp"
#include "model/training.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

EqualRows::EqualRows(const Training& training) : all_(training), together_(training) {
  const std::vector<Index> equal_to = first_equal(training.K), points = weighted_points(training);
  counted_ = count_points(training, equal_to);
  std::vector<Index> place(equal_to.size(), -1), first;
  for (const Index i : points) {
    Index& here = place[at(equal_to[at(i)])];
    if (here >= 0) continue;
    here = counted_.some_equal() ? static_cast<Index>(first.size()) : i;
    first.push_back(i);
  }
  for (const Index i : equal_to) place_.push_back(place[at(i)]);
  if (!counted_.some_equal()) return;

  const Vector weights = weights_of(training);
  const Matrix& y = training.y;
  together_ = part_of(training, first);
  together_.how = training.how;
  together_.checkpoints = training.checkpoints;
  together_.weights.assign(first.size(), 0);
  for (const Index i : points) together_.weights[at(place_[at(i)])] += weights[at(i)];
  Matrix moved(static_cast<Index>(first.size()), y.cols());  // from the first: where all agree, it is the mean
  for (const Index i : points) {
    const Index p = place_[at(i)];
    const double share = weights[at(i)] / together_.weights[at(p)];
    for (Index t = 0; t < y.cols(); ++t) moved(p, t) += share * (y(i, t) - y(first[at(p)], t));
  }
  for (Index p = 0; p < moved.rows(); ++p) {
    for (Index t = 0; t < y.cols(); ++t) together_.y(p, t) += moved(p, t);
  }
  for (const Index i : points) {
    for (Index t = 0; t < y.cols(); ++t) {
      const double apart = y(i, t) - together_.y(place_[at(i)], t);
      within_ += weights[at(i)] * apart * apart;
    }
  }
}

bool EqualRows::takes_part(Index i) const { return place_[at(i)] >= 0; }

Matrix EqualRows::coefficients(Matrix alpha) const {
  if (!counted_.some_equal()) return alpha;
  const Vector weights = weights_of(all_);
  Matrix out(all_.K.size(), alpha.cols());
  for (const Index i : weighted_points(all_)) {
    const Index p = place_[at(i)];
    const double share = weights[at(i)] / together_.weights[at(p)];
    for (Index t = 0; t < alpha.cols(); ++t) out(i, t) = share * alpha(p, t);
  }
  return out;
}

Matrix EqualRows::residuals(Matrix of_means) const {
  Matrix out(all_.K.size(), of_means.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    const Index p = place_[at(i)];
    if (p < 0) continue;
    for (Index t = 0; t < out.cols(); ++t) out(i, t) = of_means(p, t) + (all_.y(i, t) - together_.y(p, t));
  }
  return out;
}

}  // namespace mercer::detail
