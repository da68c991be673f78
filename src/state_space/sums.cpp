#include "state_space/sums.hpp"

#include "base/dot.hpp"
#include "base/parallel.hpp"
#include "state_space/line.hpp"
#include "state_space/pieces.hpp"

namespace mercer::state_space {

// A centre at t_i says Phi(t - t_i) P h alpha_i of the state at t, and by symmetry as much of one before it.
Sums::Sums(StateSpace model, VectorView times, MatrixView alpha)
    : model_(std::move(model)), states_(model_.blocks()), outputs_(alpha.cols()) {
  const std::vector<Index> order = in_order(times);
  const Index n = static_cast<Index>(order.size()), J = states_.states();
  for (const Index i : order) times_.push_back(times[at(i)]);
  for (const Block& b : model_.blocks()) moving_ += b.motion.moves() ? b.states() : 0;  // which come first
  left_ = Matrix::uninitialized(n, outputs_ * moving_);
  right_ = Matrix::uninitialized(n, outputs_ * moving_);
  Vector P(at(J * J)), seen(at(J));
  states_.stationary(P.data());
  const Series series{.times = times_};
  Piece piece(model_, series);
  const Index size = piece_size(n, J), pieces = (n + size - 1) / size;
  const auto range_of = [&](Index p) { return Range{p * size, std::min(n, (p + 1) * size)}; };
  const auto add = [&](Index i, Vector& g, Matrix& to) {
    states_.observe(P.data(), piece.phi(i), seen.data());
    for (Index o = 0; o < outputs_; ++o) {
      for (Index j = 0; j < J; ++j) g[at(o * J + j)] += alpha(order[at(i)], o) * seen[at(j)];
      std::copy_n(g.data() + o * J, moving_, to.row(i) + o * moving_);
    }
  };
  Vector g(at(outputs_ * J));
  for (Index p = 0; p < pieces; ++p) {
    piece.load(range_of(p));
    for (Index i = piece.range().begin; i < piece.range().end; ++i) {
      for (Index o = 0; o < outputs_ && i > 0; ++o) states_.advance(g.data() + o * J, piece.transition(i));
      add(i, g, left_);
    }
  }
  still_ = Matrix(MatrixView(g.data(), outputs_, J));
  std::fill(g.begin(), g.end(), 0.0);
  for (Index p = pieces; p-- > 0 && moving_ > 0;) {
    piece.load(range_of(p));
    for (Index i = piece.range().end; i-- > piece.range().begin;) {
      add(i, g, right_);
      for (Index o = 0; o < outputs_ && i > 0; ++o) states_.advance(g.data() + o * J, piece.transition(i));
    }
  }
}

Matrix Sums::at_times(VectorView times, const Execution& how) const {
  constexpr Index kAtOnce = 1024;
  const Index count = static_cast<Index>(times.size()), n = static_cast<Index>(times_.size()), J = states_.states();
  Matrix out = Matrix::uninitialized(count, outputs_);
  parallel_for((count + kAtOnce - 1) / kAtOnce, thread_count(how.threads), how.monitor, "predict", [&](Index b, int) {
    const Range block{b * kAtOnce, std::min(count, (b + 1) * kAtOnce)};
    const VectorView some = times.subspan(at(block.begin), at(block.size()));
    Matrix phi = Matrix::uninitialized(block.size(), model_.features());
    model_.features(some, phi);
    Vector step(at(transition_size(model_.blocks()))), state(at(J));
    const auto from = [&](const double* kept, double dt, const double* own) {
      std::copy_n(kept, moving_, state.data());
      std::fill(state.begin() + moving_, state.end(), 0.0);
      Piece::fill_transitions(model_, dt, step.data());
      states_.advance(state.data(), step.data());
      return states_.seen(own, state.data());
    };
    for (Index i = 0; i < block.size(); ++i) {
      const double t = some[at(i)];
      const Index after = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
      const double* const own = phi.row(i);
      for (Index o = 0; o < outputs_; ++o) {
        std::fill_n(state.begin(), moving_, 0.0);
        std::copy_n(still_.row(o) + moving_, J - moving_, state.begin() + moving_);
        double sum = states_.seen(own, state.data());
        if (moving_ > 0 && after > 0) sum += from(left_.row(after - 1) + o * moving_, t - times_[at(after - 1)], own);
        if (moving_ > 0 && after < n) sum += from(right_.row(after) + o * moving_, times_[at(after)] - t, own);
        out(block.begin + i, o) = sum;
      }
    }
  });
  return out;
}

SumsAlongLines::SumsAlongLines(AlongLines lines, const Points& x, MatrixView alpha)
    : lines_(std::move(lines)), placed_(placed(lines_, x)), sums_(placed_->lines.size()), outputs_(alpha.cols()) {
  parallel_for(static_cast<Index>(sums_.size()), thread_count(0), {}, "predict", [&](Index l, int) {
    const Range own = placed_->lines[at(l)];
    Matrix ordered = Matrix::uninitialized(own.size(), outputs_);
    for (Index i = 0; i < own.size(); ++i) {
      std::copy_n(alpha.row(placed_->order[at(own.begin + i)]), outputs_, ordered.row(i));
    }
    const VectorView times = VectorView(placed_->times).subspan(at(own.begin), at(own.size()));
    sums_[at(l)] = std::make_unique<const Sums>(lines_.model, times, ordered);
  });
}

Matrix SumsAlongLines::at_points(const Points& x, const Execution& how) const {
  if (!placed_->names) return sums_.front()->at_times(times_of(lines_, x), how);
  const Placed there = placed_among(*placed_, lines_, x);
  Matrix out(x.size(), outputs_);
  parallel_for(static_cast<Index>(sums_.size()), thread_count(how.threads), how.monitor, "predict", [&](Index l, int) {
    const Range own = there.lines[at(l)];
    if (own.size() == 0) return;
    const Matrix found = sums_[at(l)]->at_times(VectorView(there.times).subspan(at(own.begin), at(own.size())), {});
    for (Index i = 0; i < own.size(); ++i) {
      std::copy_n(found.row(i), outputs_, out.row(there.order[at(own.begin + i)]));
    }
  });
  return out;
}

}  // namespace mercer::state_space
