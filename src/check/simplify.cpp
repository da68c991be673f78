// From some points with a negative eigenvalue to few points with round coordinates and small whole weights.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "check/suspect.hpp"

namespace mercer::checking {

namespace {

// Steps of 1/parts. Rounding divides by them: 3/10 is the double that prints as 0.3, 3*0.1 is not.
constexpr std::array steps = {1.0, 2.0, 4.0, 10.0, 20.0, 100.0, 200.0, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10};

double rounded(double value, double parts) { return std::round(value * parts) / parts + 0.0; }  // + 0.0: no -0

class Simplifier {
 public:
  Simplifier(const Suspect& k, Inputs inputs, Matrix points) : k_(k), inputs_(inputs), points_(std::move(points)) {}

  std::optional<Counterexample> run() {
    const auto start = examine(points_);
    if (!start || !verified(k_, points_, start->weights)) return std::nullopt;
    lowest_ = *start;
    drop(0.02);
    sort();
    round_points();
    drop(0.3);
    round_each();
    sort();
    return round_weights();
  }

 private:
  std::optional<Lowest> examine(const Matrix& points) const {
    for (Index i = 0; i < points.rows(); ++i) {
      if (!inside(inputs_, row(points, i))) return std::nullopt;
    }
    const Matrix gram = gram_of(k_, points);
    return all_finite(gram) ? lowest(gram) : std::nullopt;
  }

  // Takes the new points if they keep at least `share` of the negativity.
  bool accept(const Matrix& points, double share) {
    const auto found = examine(points);
    if (!found || found->eigenvalue > share * lowest_.eigenvalue || !verified(k_, points, found->weights)) return false;
    points_ = points;
    lowest_ = *found;
    return true;
  }

  // Leaves out points, those of small weight first, while `share` of the negativity we came with remains. A point that
  // could not go once need not be tried again: with fewer points the smallest eigenvalue only rises (Cauchy).
  void drop(double share) {
    const double enough = share * lowest_.eigenvalue;
    std::vector<bool> needed(static_cast<std::size_t>(points_.rows()));
    while (points_.rows() > 1) {
      Index lightest = -1;
      double least = 0;
      for (Index i = 0; i < points_.rows(); ++i) {
        // By share of the eigenvector, not of c: c carries the scale of k.
        const VectorView x = row(points_, i);
        const double weight = lowest_.weights[i] * lowest_.weights[i] * std::abs(k_.value(x, x));
        if (needed[i] || (lightest >= 0 && weight >= least)) continue;
        lightest = i;
        least = weight;
      }
      if (lightest < 0) return;
      if (accept(without_row(points_, lightest), enough / lowest_.eigenvalue)) {
        needed.erase(needed.begin() + lightest);
      } else {
        needed[lightest] = true;
      }
    }
  }

  void sort() {
    std::vector<Vector> rows;
    for (Index i = 0; i < points_.rows(); ++i) rows.emplace_back(points_.row(i), points_.row(i) + points_.cols());
    std::sort(rows.begin(), rows.end());
    Matrix sorted = points_;
    for (Index i = 0; i < points_.rows(); ++i) std::copy(rows[i].begin(), rows[i].end(), sorted.row(i));
    accept(sorted, 0.99);
  }

  void round_points() {
    Matrix at_origin = points_;
    for (Index i = 0; i < points_.rows(); ++i) {
      for (Index j = 0; j < points_.cols(); ++j) at_origin(i, j) -= points_(0, j);
    }
    const Matrix as_found = points_;
    for (const double parts : steps) {
      for (const Matrix* variant : {&std::as_const(at_origin), &as_found}) {
        Matrix round = *variant;
        for (Index i = 0; i < round.rows() * round.cols(); ++i) round.data()[i] = rounded(round.data()[i], parts);
        if (accept(round, 0.2)) return;
      }
    }
  }

  // Some numbers may bear coarser rounding than all of them together; equal ones stay equal, to keep a grid a grid.
  void round_each() {
    const double enough = 0.7 * lowest_.eigenvalue;
    Vector values(points_.data(), points_.data() + points_.rows() * points_.cols());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const double value : values) {
      for (const double parts : steps) {
        const double round = rounded(value, parts);
        if (round == value) break;
        Matrix points = points_;
        std::replace(points.data(), points.data() + points.rows() * points.cols(), value, round);
        if (accept(points, enough / lowest_.eigenvalue)) break;
      }
    }
  }

  // Divided by the squared length of c in the scale of K, to compare weights with the eigenvalue.
  double quotient(const Counterexample& found) const {
    double length = 0;
    for (Index i = 0; i < found.gram.rows(); ++i) {
      length += found.weights[i] * found.weights[i] * std::abs(found.gram(i, i));
    }
    return length > 0 ? found.value / length : -HUGE_VAL;
  }

  std::optional<Counterexample> with_weights(const Vector& target, double unit, double share) const {
    Matrix points = points_;
    Vector weights;
    for (Index i = 0, at = 0; i < std::ssize(target); ++i) {
      const double w = std::round(target[i] * unit) / (unit > 20 ? unit : 1);
      if (w == 0) {
        points = without_row(points, at);
      } else {
        weights.push_back(w);
        ++at;
      }
    }
    if (weights.empty()) return std::nullopt;
    auto found = verified(k_, points, weights);
    if (!found || quotient(*found) > share * lowest_.eigenvalue) return std::nullopt;
    return found;
  }

  std::optional<Counterexample> round_weights() const {
    Vector target = lowest_.weights;
    double most = 0;
    for (const double w : target) most = std::max(most, std::abs(w));
    const auto first = std::find_if(target.begin(), target.end(), [&](double w) { return std::abs(w) > 1e-6 * most; });
    const double scale = (*first < 0 ? -1 : 1) / most;
    for (double& w : target) w *= scale;
    for (const double share : {0.5, 0.1}) {
      for (int unit = 1; unit <= 20; ++unit) {
        if (auto found = with_weights(target, unit, share)) return found;
      }
    }
    for (double unit = 1e2; unit < 1e16; unit *= 10) {
      if (auto found = with_weights(target, unit, 0.5)) return found;
    }
    return verified(k_, points_, target);
  }

  const Suspect& k_;
  Inputs inputs_;
  Matrix points_;
  Lowest lowest_;
};

}  // namespace

std::optional<Counterexample> simplified(const Suspect& k, const Matrix& points, Inputs inputs) {
  return Simplifier(k, inputs, points).run();
}

}  // namespace mercer::checking
