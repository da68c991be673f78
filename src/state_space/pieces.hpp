// A series by pieces of consecutive points, each with what its steps need: features and transitions, made when the
// piece is worked on.
#pragma once

#include <cmath>

#include "state_space/filter.hpp"

namespace mercer::state_space {

// Points of a piece: their covariances, kept on the way back, take a megabyte, and there are not too many pieces, each
// of which has a covariance kept.
inline Index piece_size(Index n, Index states) {
  const Index fit = std::clamp<Index>((Index{1} << 17) / (states * states), 32, 1024);
  const auto few = static_cast<Index>(std::sqrt(static_cast<double>(n)) / 2);
  return std::max(fit, std::min<Index>(few, 1024));
}

class Piece {
 public:
  Piece(const StateSpace& model, const Series& series) : model_(model), series_(series) {
    phi_ = Matrix(0, model.features());
  }

  void load(Range range) {
    range_ = range;
    const VectorView times = VectorView(series_.times).subspan(at(range.begin), at(range.size()));
    if (phi_.rows() != range.size()) phi_ = Matrix::uninitialized(range.size(), model_.features());
    model_.features(times, phi_);
    if (!series_.factors.empty()) {
      for (Index i = 0; i < range.size(); ++i) {
        for (Index f = 0; f < phi_.cols(); ++f) phi_(i, f) *= series_.factors[at(range.begin + i)];
      }
    }
    const Index size = transition_size(model_.blocks());
    steps_.clear();
    at_.resize(at(range.size()));
    for (Index i = 0; i < range.size(); ++i) {
      if (range.begin + i > 0) {
        const double dt = step(range.begin + i);
        if (steps_.empty() || steps_.back() != dt) steps_.push_back(dt);
      }
      at_[at(i)] = size * (static_cast<Index>(steps_.size()) - 1);
    }
    transitions_.resize(steps_.size() * at(size));
    fill_transitions(model_, steps_, transitions_.data());
  }

  Range range() const { return range_; }
  const double* phi(Index i) const { return phi_.row(i - range_.begin); }
  const Matrix& features() const { return phi_; }
  const double* transition(Index i) const { return transitions_.data() + at_[at(i - range_.begin)]; }
  double step(Index i) const { return series_.times[at(i)] - series_.times[at(i - 1)]; }

  static void fill_transitions(const StateSpace& model, VectorView steps, double* to) {
    if (steps.empty()) return;  // and `to` may be null
    const Index size = transition_size(model.blocks());
    for (const Block& b : model.blocks()) {
      if (!b.motion.moves()) continue;
      b.motion.transitions(steps, size, to);
      to += 2 * b.motion.size() * b.motion.size();
    }
  }
  static void fill_transitions(const StateSpace& model, double dt, double* to) {
    fill_transitions(model, VectorView(&dt, 1), to);
  }

 private:
  const StateSpace& model_;
  const Series& series_;
  Range range_;
  Matrix phi_;
  Vector steps_;  // different ones in a row
  Vector transitions_;
  std::vector<Index> at_;  // of each point, its transition
};

}  // namespace mercer::state_space
