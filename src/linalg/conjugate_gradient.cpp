#include "linalg/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "mercer/error.hpp"

namespace mercer::linalg {

namespace {

// a'b of each column.
Vector products(const Matrix& a, const Matrix& b) {
  Vector out(at(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index c = 0; c < a.cols(); ++c) out[at(c)] += a(i, c) * b(i, c);
  }
  return out;
}

// Each column of to = from + factor to
void turn(const Matrix& from, const Vector& factor, Matrix& to) {
  for (Index i = 0; i < to.rows(); ++i) {
    for (Index c = 0; c < to.cols(); ++c) to(i, c) = from(i, c) + factor[at(c)] * to(i, c);
  }
}

template <class T>
void keep(std::vector<T>& v, const std::vector<Index>& which) {
  for (std::size_t k = 0; k < which.size(); ++k) v[k] = v[at(which[k])];
  v.resize(which.size());
}

void keep(Matrix& m, const std::vector<Index>& which) {
  Matrix out = Matrix::uninitialized(m.rows(), static_cast<Index>(which.size()));
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index c = 0; c < out.cols(); ++c) out(i, c) = m(i, which[at(c)]);
  }
  m = std::move(out);
}

// The columns that are under way.
class Search {
 public:
  Search(const LinearSystem& system, Matrix r, const Stop& stop)
      : system_(system), by_squares_(!stop.squares.empty()), r_(std::move(r)) {
    out_.x = Matrix(r_.rows(), r_.cols());
    out_.steps.assign(at(r_.cols()), 0);
    out_.reached.assign(at(r_.cols()), 0);
    out_.lengths.resize(at(r_.cols()));
    out_.ratios.resize(at(r_.cols()));
    p_ = preconditioned(r_);
    G_p_ = times_metric(p_);
    rz_ = products(r_, G_p_);
    for (Index c = 0; c < r_.cols(); ++c) column_.push_back(c);
    left_ = by_squares_ ? products(r_, r_) : rz_;
    target_ = stop.squares;
    for (std::size_t k = 0; k < rz_.size() && !by_squares_; ++k) target_.push_back(stop.enough * rz_[k]);
    first_ = left_;
    stuck_.assign(column_.size(), 0);
  }

  // Lets go of those that are done; false where none is left.
  bool under_way() {
    std::vector<Index> rest;
    for (std::size_t k = 0; k < column_.size(); ++k) {
      const bool reached = left_[k] <= target_[k];
      out_.reached[at(column_[k])] = reached ? 1 : 0;
      if (left_[k] > target_[k] && stuck_[k] == 0) rest.push_back(static_cast<Index>(k));
    }
    if (rest.size() == column_.size()) return !rest.empty();
    for (Matrix* m : {&r_, &p_, &G_p_}) keep(*m, rest);
    keep(rz_, rest);
    keep(left_, rest);
    keep(target_, rest);
    keep(column_, rest);
    keep(stuck_, rest);
    return !rest.empty();
  }

  void step() {
    Matrix H_p = Matrix(r_.rows(), r_.cols());
    system_.apply(p_, G_p_, H_p);
    Vector length = products(H_p, G_p_);
    for (std::size_t k = 0; k < length.size(); ++k) {
      length[k] = rz_[k] / length[k];
      if (std::isfinite(length[k])) continue;
      stuck_[k] = 1;
      length[k] = 0;
    }
    for (Index i = 0; i < r_.rows(); ++i) {
      for (std::size_t k = 0; k < column_.size(); ++k) {
        if (stuck_[k] != 0) continue;
        const auto c = static_cast<Index>(k);
        out_.x(i, column_[k]) += length[k] * p_(i, c);
        r_(i, c) += -length[k] * H_p(i, c);
      }
    }
    if (std::all_of(stuck_.begin(), stuck_.end(), [](char s) { return s != 0; })) return;
    const Matrix z = preconditioned(r_), G_z = times_metric(z);
    const Vector next = products(r_, G_z);
    Vector ratio = next;
    for (std::size_t k = 0; k < ratio.size(); ++k) {
      if (stuck_[k] != 0) continue;
      ratio[k] /= rz_[k];
      rz_[k] = next[k];
      out_.lengths[at(column_[k])].push_back(length[k]);
      out_.ratios[at(column_[k])].push_back(ratio[k]);
      ++out_.steps[at(column_[k])];
    }
    left_ = by_squares_ ? products(r_, r_) : rz_;
    turn(z, ratio, p_);
    turn(G_z, ratio, G_p_);
  }

  // From 0 to 1, of the column that has the longest way to go.
  double done() const {
    double out = 1;
    for (std::size_t k = 0; k < column_.size(); ++k) {
      const double first = first_[at(column_[k])], all = std::log(first / target_[k]);
      const double behind = std::log(first / left_[k]) / all;
      out = std::min(out, std::isfinite(behind) ? std::max(0.0, behind) : 0);
    }
    return out;
  }

  Vector state(int taken) const {
    Vector out = {static_cast<double>(taken), static_cast<double>(out_.x.rows()), static_cast<double>(out_.x.cols()),
                  static_cast<double>(column_.size())};
    const auto add = [&](const auto& numbers) { out.insert(out.end(), numbers.begin(), numbers.end()); };
    const auto add_all = [&](const Matrix& m) { out.insert(out.end(), m.data(), m.data() + m.rows() * m.cols()); };
    add(column_);
    add(stuck_);
    for (const Vector* const v : {&rz_, &left_, &target_, &first_}) add(*v);
    add(out_.steps);
    add(out_.reached);
    for (const Matrix* const m : {&out_.x, &r_, &p_, &G_p_}) add_all(*m);
    return out;
  }

  // The number of steps that were taken.
  int go_on_from(const Vector& state) {
    const auto rows = static_cast<double>(out_.x.rows()), columns = static_cast<double>(out_.x.cols());
    const double active = state.size() < 4 ? 0 : state[3];
    const double size = 4 + 5 * active + 3 * columns + rows * (columns + 3 * active);
    if (state.size() < 4 || state[1] != rows || state[2] != columns || !(active >= 0) || active > columns ||
        static_cast<double>(state.size()) != size) {
      throw Error(ErrorKind::shape, "conjugate gradients: this is no state of a search in such a system");
    }
    std::size_t next = 4;
    const auto take = [&](auto& numbers, std::size_t count) {
      numbers.resize(count);
      for (auto& number : numbers) number = static_cast<std::decay_t<decltype(number)>>(state[next++]);
    };
    const auto take_all = [&](Matrix& m, Index cols) {
      m = Matrix(out_.x.rows(), cols);
      std::copy_n(state.data() + next, at(m.rows() * m.cols()), m.data());
      next += at(m.rows() * m.cols());
    };
    const auto k = static_cast<std::size_t>(active);
    take(column_, k);
    take(stuck_, k);
    for (Vector* const v : {&rz_, &left_, &target_}) take(*v, k);
    take(first_, at(out_.x.cols()));
    take(out_.steps, at(out_.x.cols()));
    take(out_.reached, at(out_.x.cols()));
    take_all(out_.x, out_.x.cols());
    for (Matrix* const m : {&r_, &p_, &G_p_}) take_all(*m, static_cast<Index>(k));
    return static_cast<int>(state[0]);
  }

  ConjugateGradients result() && { return std::move(out_); }

 private:
  Matrix preconditioned(Matrix v) const {
    if (system_.precondition) system_.precondition(v);
    return v;
  }
  Matrix times_metric(const Matrix& v) const {
    if (!system_.metric) return v;
    Matrix out(v.rows(), v.cols());
    system_.metric(v, out);
    return out;
  }

  const LinearSystem& system_;
  bool by_squares_;
  Matrix r_, p_, G_p_;
  Vector rz_;
  Vector left_, target_;       // what is looked at, and what it must fall to
  Vector first_;               // what it was, of all columns
  std::vector<Index> column_;  // of the right-hand sides
  std::vector<char> stuck_;    // rounding leaves nothing to gain
  ConjugateGradients out_;
};

}  // namespace

int ConjugateGradients::most_steps() const { return steps.empty() ? 0 : *std::max_element(steps.begin(), steps.end()); }

bool ConjugateGradients::all_reached() const {
  return std::all_of(reached.begin(), reached.end(), [](char r) { return r != 0; });
}

ConjugateGradients conjugate_gradients(const LinearSystem& system, Matrix r, const Stop& stop, const Steps& steps) {
  Search search(system, std::move(r), stop);
  int taken = steps.from.empty() ? 0 : search.go_on_from(steps.from);
  bool cancelled = false;
  const Steps::State state = [&] { return search.state(taken); };
  try {
    for (; search.under_way() && taken < stop.most; ++taken) {
      if (steps.before) steps.before(search.done(), state);
      search.step();
    }
  } catch (const Error& error) {
    if (!stop.gentle || error.kind() != ErrorKind::cancelled) throw;
    cancelled = true;
    if (steps.cancelled) steps.cancelled(state);  // a step that was begun has changed nothing
  }
  ConjugateGradients out = std::move(search).result();
  out.cancelled = cancelled;
  return out;
}

}  // namespace mercer::linalg
