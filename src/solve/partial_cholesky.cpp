#include "solve/partial_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "gram/assemble.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"

namespace mercer::solve {

namespace {

// What is left of the trace is rounding.
constexpr double kRounding = 1e-13;
// What those before it in its batch leave of a pivot that was given, where that is no more than rounding.
constexpr double kNothingLeft = 1e-10;
// More pivots at a time are thinned out more, the fewer there are before them; fewer make thinner products, whose large
// factor is packed for each. A share of those that are there, between these.
constexpr Index kShareOfRank = 4, kLeastBatch = 150, kMostBatch = 600;

std::vector<Index> points_of(const Equations& e, const std::vector<Index>& which) {
  std::vector<Index> out;
  for (const Index i : which) out.push_back(e.point_of(i));
  return out;
}

}  // namespace

PartialCholesky::PartialCholesky(const Equations& equations, Index most, std::uint64_t seed)
    : equations_(equations), random_(seed), factor_(Matrix::uninitialized(most, equations.size())) {
  const Vector diagonal = equations_.K.diagonal();
  for (Index i = 0; i < equations_.size(); ++i) {
    const double s = equations_.scale_of(i);
    left_.push_back(s * diagonal[at(equations_.point_of(i))] / equations_.unit * s);
  }
  trace_ = rest();
}

double PartialCholesky::rest() const { return std::accumulate(left_.begin(), left_.end(), 0.0); }

// With replacement, by what is left; each point once.
std::vector<Index> PartialCholesky::draw(Index count) {
  Vector sums(left_.size());
  std::partial_sum(left_.begin(), left_.end(), sums.begin());
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) {
    const double at_sum = random_.uniform() * sums.back();
    auto found = std::upper_bound(sums.begin(), sums.end(), at_sum) - sums.begin();
    found = std::min(found, static_cast<std::ptrdiff_t>(sums.size()) - 1);
    if (left_[at(found)] > 0 && std::find(out.begin(), out.end(), found) == out.end()) out.push_back(found);
  }
  return out;
}

PartialCholesky::Kept PartialCholesky::thin_out(const std::vector<Index>& drawn, Index most, Thinning thinning,
                                                const Execution& how) {
  const auto b = static_cast<Index>(drawn.size());
  Matrix H = Matrix::uninitialized(b, b);
  detail::assemble(equations_.K, points_of(equations_, drawn), H, {.tile = how.tile, .threads = how.threads});
  Matrix columns = Matrix::uninitialized(b, rank());  // of F at the points that were drawn
  for (Index i = 0; i < b; ++i) {
    const double s = equations_.scale_of(drawn[at(i)]);
    for (Index j = 0; j < b; ++j) H(i, j) = s * H(i, j) / equations_.unit * equations_.scale_of(drawn[at(j)]);
    for (Index k = 0; k < rank(); ++k) columns(i, k) = factor_(k, drawn[at(i)]);
  }
  if (rank() > 0) linalg::multiply_transposed(-1, columns, columns, 1, H);

  Kept out;
  std::vector<Index> kept;  // numbers among those drawn
  Vector chance;
  for (Index j = 0; j < b; ++j) {
    chance.push_back(H(j, j));
    if (!(H(j, j) > 0)) left_[at(drawn[at(j)])] = 0;  // but for rounding
  }
  for (Index j = 0; j < b && static_cast<Index>(kept.size()) < most; ++j) {
    const double needed = thinning == Thinning::none ? kNothingLeft : random_.uniform();
    if (!(needed * chance[at(j)] < H(j, j))) continue;
    kept.push_back(j);
    const double root = std::sqrt(H(j, j));
    for (Index i = j; i < b; ++i) H(i, j) /= root;
    for (Index i = j + 1; i < b; ++i) {
      for (Index c = j + 1; c <= i; ++c) H(i, c) -= H(i, j) * H(c, j);
    }
  }
  const auto count = static_cast<Index>(kept.size());
  out.lower = Matrix(count, count);
  for (Index i = 0; i < count; ++i) {
    out.pivots.push_back(drawn[at(kept[at(i)])]);
    for (Index j = 0; j <= i; ++j) out.lower(i, j) = H(kept[at(i)], kept[at(j)]);
  }
  return out;
}

void PartialCholesky::append(const Kept& kept, const Execution& how) {
  const auto b = static_cast<Index>(kept.pivots.size());
  const Index n = size(), first = rank();
  const Range columns{0, n};
  MatrixRef G = factor_.ref().block({first, first + b}, columns);
  const std::vector<Index> points = points_of(equations_, kept.pivots);
  if (equations_.points.empty()) {
    equations_.K.rows(points, G, how);
  } else {
    const Matrix all = equations_.K.rows(points, how);
    for (Index i = 0; i < b; ++i) {
      for (Index j = 0; j < n; ++j) G(i, j) = all(i, equations_.point_of(j));
    }
  }
  Matrix at_pivots = Matrix::uninitialized(b, first);
  for (Index i = 0; i < b; ++i) {
    const double s = equations_.scale_of(kept.pivots[at(i)]);
    for (Index j = 0; j < n; ++j) G(i, j) = s * G(i, j) / equations_.unit * equations_.scale_of(j);
    for (Index k = 0; k < first; ++k) at_pivots(i, k) = factor_(k, kept.pivots[at(i)]);
  }
  if (first > 0) linalg::multiply(-1, at_pivots, factor_.view().block({0, first}, columns), 1, G, how.monitor);
  linalg::solve_lower(kept.lower, G);
  for (Index i = 0; i < b; ++i) {
    for (Index j = 0; j < n; ++j) left_[at(j)] = std::max(0.0, left_[at(j)] - G(i, j) * G(i, j));
  }
  for (const Index pivot : kept.pivots) left_[at(pivot)] = 0;
  pivots_.insert(pivots_.end(), kept.pivots.begin(), kept.pivots.end());
}

void PartialCholesky::grow(Index rank, const Execution& how) {
  rank = std::min({rank, factor_.rows(), size()});
  while (this->rank() < rank && rest() > kRounding * trace_) {
    how.monitor.report({"precondition", static_cast<double>(this->rank()) / static_cast<double>(rank)});
    const Index batch = std::clamp(this->rank() / kShareOfRank, kLeastBatch, kMostBatch);
    const Kept kept =
        thin_out(draw(std::min(batch, rank - this->rank())), rank - this->rank(), Thinning::by_chance, how);
    if (!kept.pivots.empty()) append(kept, how);
  }
}

void PartialCholesky::grow_by(std::span<const Index> pivots, const Execution& how) {
  while (!pivots.empty() && rank() < factor_.rows() && rest() > kRounding * trace_) {
    const std::size_t batch = std::min(pivots.size(), at(kMostBatch));
    const std::vector<Index> some(pivots.begin(), pivots.begin() + static_cast<std::ptrdiff_t>(batch));
    const Kept kept = thin_out(some, factor_.rows() - rank(), Thinning::none, how);
    if (!kept.pivots.empty()) append(kept, how);
    pivots = pivots.subspan(batch);
  }
}

}  // namespace mercer::solve
