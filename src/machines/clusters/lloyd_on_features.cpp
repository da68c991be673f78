#include "machines/clusters/lloyd_on_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "machines/clusters/lloyd_steps.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kChunk = 2048;    // points that a thread takes at a time
constexpr Index kGathered = 128;  // of these, whose distances are computed at a time
// Bounds that are nearer to each other than this part of them leave it open: they have been rounded.
constexpr double kMargin = 1e-9;

// The sum of w_i phi_i of the points of each cluster: clusters x features. Chunks are added in their order.
Matrix sums_of_features(const WeightedPoints& points, MatrixView F, const std::vector<Index>& of, Index clusters,
                        int threads) {
  const Index n = F.rows(), r = F.cols(), chunks = (n + kChunk - 1) / kChunk;
  constexpr Index kParts = 16;  // matrices of sums beside each other
  const Index of_part = (chunks + kParts - 1) / kParts;
  std::vector<Matrix> parts(at((chunks + of_part - 1) / of_part));
  parallel_for(static_cast<Index>(parts.size()), thread_count(threads), {}, "clusters", [&](Index p, int) {
    Matrix part(clusters, r);
    for (Index i = p * of_part * kChunk; i < std::min(n, (p + 1) * of_part * kChunk); ++i) {
      const double w = points.weights[at(i)];
      double* const to = part.row(of[at(i)]);
      for (Index j = 0; j < r; ++j) to[j] += w * F(i, j);
    }
    parts[at(p)] = std::move(part);
  });
  Matrix out = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (Index e = 0; e < clusters * r; ++e) out.data()[e] += parts[p].data()[e];
  }
  return out;
}

class OnFeatures {
 public:
  OnFeatures(const WeightedPoints& points, MatrixView F, Index clusters, const Lloyd& options, const Execution& how)
      : points_(points),
        F_(F),
        n_(F.rows()),
        r_(F.cols()),
        k_(clusters),
        options_(options),
        how_(how),
        rise_(points, options) {
    for (Index i = 0; i < n_; ++i) scale_ += points.weights[at(i)] * points.diagonal[at(i)];
  }

  Partition run(std::vector<Index> start) {
    now_.of = std::move(start);
    add_up();
    measure();
    try {
      for (Index t = 0; t < options_.max_iterations && !now_.settled; ++t) {
        how_.monitor.report({"clusters", static_cast<double>(t) / static_cast<double>(options_.max_iterations)});
        step();
      }
      if (now_.settled) return std::move(now_);
      settle();
      now_.settled = moved_.empty();  // what ends at the limit may have settled
      if (now_.settled) now_.of = next_;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      now_.interrupted = true;
    }
    return std::move(now_);
  }

 private:
  void step() {
    assign();
    if (moved_.empty() && !is_exact_) settle();
    if (moved_.empty()) {
      now_.settled = true;
      now_.of = next_;  // points of weight 0 move nothing
      return;
    }
    move();
    const double before = now_.objective;
    measure();
    rise_.require_none(before, now_.objective, now_.course.size() - 1);
    now_.settled = before - now_.objective < options_.tolerance * before;
  }

  // Whether no point would move, from sums and distances that are computed anew.
  void settle() {
    add_up();
    find_means();
    bounded_ = false;
    assign();
    is_exact_ = true;
  }

  void add_up() {
    sums_ = sums_of_features(points_, F_, now_.of, k_, how_.threads);
    weigh();
  }

  void weigh() {
    now_.masses.assign(at(k_), 0);
    for (Index i = 0; i < n_; ++i) now_.masses[at(now_.of[at(i)])] += points_.weights[at(i)];
  }

  // Where few points move the sums follow them, in the order of these.
  void move() {
    is_exact_ = false;
    if (static_cast<Index>(moved_.size()) > n_ / 4) {
      now_.of = next_;
      add_up();
      return;
    }
    for (const Index i : moved_) {
      const double w = points_.weights[at(i)];
      double* const less = sums_.row(now_.of[at(i)]);
      double* const more = sums_.row(next_[at(i)]);
      for (Index j = 0; j < r_; ++j) {
        less[j] -= w * F_(i, j);
        more[j] += w * F_(i, j);
      }
    }
    now_.of = next_;
    weigh();
  }

  // Means from the sums, and by how much each has moved.
  void find_means() {
    const Matrix before = std::move(means_);
    means_ = Matrix(k_, r_);
    shifts_.assign(at(k_), 0);
    now_.squares.assign(at(k_), kInfinity);
    for (Index c = 0; c < k_; ++c) {
      const double mass = now_.masses[at(c)];
      if (mass == 0) {
        bounded_ = false;
        continue;
      }
      double square = 0, shift = 0;
      for (Index j = 0; j < r_; ++j) {
        means_(c, j) = sums_(c, j) / mass;
        square += means_(c, j) * means_(c, j);
        if (before.rows() > 0) shift += (means_(c, j) - before(c, j)) * (means_(c, j) - before(c, j));
      }
      now_.squares[at(c)] = square;
      shifts_[at(c)] = std::sqrt(shift);
    }
  }

  void measure() {
    find_means();
    now_.objective = scale_;
    for (std::size_t c = 0; c < at(k_); ++c) {
      if (now_.masses[c] > 0) now_.objective -= now_.squares[c] * now_.masses[c];
    }
    now_.course.push_back(now_.objective);
  }

  void assign() {
    next_.resize(at(n_));
    if (below_.rows() == 0) {
      below_ = Matrix(n_, k_);
      above_.assign(at(n_), 0);
      bounded_ = false;
    }
    const Index chunks = (n_ + kChunk - 1) / kChunk;
    parallel_for(chunks, thread_count(how_.threads), {}, "clusters", [&](Index chunk, int) {
      const Range rows{chunk * kChunk, std::min(n_, (chunk + 1) * kChunk)};
      if (!bounded_) return compare(rows);
      compare(open_of(rows));
    });
    if (const bool all = !bounded_; has_empty()) {
      bounded_ = false;
      if (!all) return assign();
      Vector distances(above_);
      for (double& d : distances) d *= d;
      fill_empty(points_, k_, next_, distances, how_);
    } else {
      bounded_ = true;
    }
    moved_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (points_.weights[at(i)] > 0 && next_[at(i)] != now_.of[at(i)]) moved_.push_back(i);
    }
  }

  bool has_empty() const {
    Vector masses(at(k_));
    for (Index i = 0; i < n_; ++i) masses[at(next_[at(i)])] += points_.weights[at(i)];
    return std::ranges::count(masses, 0.0) > 0;
  }

  // Bounds go with the means; points that these leave open.
  std::vector<Index> open_of(Range rows) {
    std::vector<Index> out;
    for (Index i = rows.begin; i < rows.end; ++i) {
      const Index own = now_.of[at(i)];
      double& above = above_[at(i)];
      above += shifts_[at(own)];
      double* const below = below_.row(i);
      bool is_open = false;
      for (Index c = 0; c < k_; ++c) {
        below[c] -= shifts_[at(c)];
        is_open = is_open || (c != own && !(above * (1 + kMargin) < below[c]));
      }
      next_[at(i)] = own;
      if (is_open) out.push_back(i);
    }
    return out;
  }

  void compare(Range rows) {
    Matrix products = Matrix::uninitialized(rows.size(), k_);
    multiply(F_.block(rows, {0, r_}), products);
    for (Index i = rows.begin; i < rows.end; ++i) choose(i, products.row(i - rows.begin));
  }

  // Some at a time, so that they stay in the cache.
  void compare(const std::vector<Index>& which) {
    const auto all = static_cast<Index>(which.size()), most = std::min(kGathered, all);
    Matrix some = Matrix::uninitialized(most, r_), products = Matrix::uninitialized(most, k_);
    for (Index first = 0; first < all; first += kGathered) {
      const Index count = std::min(kGathered, all - first);
      for (Index s = 0; s < count; ++s) std::copy_n(F_.row(which[at(first + s)]), r_, some.row(s));
      multiply(some.view().block({0, count}, {0, r_}), products.ref().block({0, count}, {0, k_}));
      for (Index s = 0; s < count; ++s) choose(which[at(first + s)], products.row(s));
    }
  }

  void multiply(MatrixView some, MatrixRef products) const {
    linalg::blas::gemm(linalg::blas::Op::plain, linalg::blas::Op::transposed, 1, some, means_, 0, products);
  }

  void choose(Index i, const double* products) {
    const Index own = now_.of[at(i)];
    const auto square = [&](Index c) {
      return now_.masses[at(c)] == 0 ? kInfinity : points_.diagonal[at(i)] - 2 * products[c] + now_.squares[at(c)];
    };
    const NearestMean found =
        nearest_of(k_, own, kMoveSlack * (std::abs(points_.diagonal[at(i)]) + now_.squares[at(own)]), square);
    double* const below = below_.row(i);
    for (Index c = 0; c < k_; ++c) below[c] = std::sqrt(std::max(0.0, square(c)));
    next_[at(i)] = found.cluster;
    above_[at(i)] = std::sqrt(std::max(0.0, found.square));
  }

  const WeightedPoints& points_;
  MatrixView F_;
  Index n_, r_, k_;
  const Lloyd& options_;
  const Execution& how_;
  Rise rise_;
  double scale_ = 0;  // sum w_i |phi_i|^2
  Partition now_;
  std::vector<Index> next_, moved_;
  Matrix sums_, means_;  // of w phi, and of phi: clusters x features
  Vector shifts_;        // of the means, since the bounds were brought up to date
  Matrix below_;
  Vector above_;
  bool bounded_ = false, is_exact_ = true;
};

}  // namespace

Partition improve_on_features(const WeightedPoints& points, MatrixView F, std::vector<Index> start, Index clusters,
                              const Lloyd& how_far, const Execution& how) {
  return OnFeatures(points, F, clusters, how_far, how).run(std::move(start));
}

Matrix sums_on_features(const WeightedPoints& points, MatrixView F, const Partition& found, const Execution& how) {
  const auto clusters = static_cast<Index>(found.masses.size());
  Matrix out = Matrix::uninitialized(F.rows(), clusters);
  linalg::multiply_transposed(1, F, sums_of_features(points, F, found.of, clusters, how.threads), 0, out);
  return out;
}

}  // namespace mercer::detail
