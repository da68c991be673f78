#include "machines/least_squares/left_out_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/random.hpp"

namespace mercer::detail {

namespace {

constexpr std::uint64_t kSeed = 1;

// So many points, some perhaps more than once.
std::vector<Index> drawn(const Vector& chances, Index count) {
  Vector sums(chances.size());
  std::partial_sum(chances.begin(), chances.end(), sums.begin());
  Random random(kSeed);
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) {
    const auto found = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
    out.push_back(std::min<Index>(found - sums.begin(), static_cast<Index>(sums.size()) - 1));
  }
  return out;
}

}  // namespace

LeftOutEstimate estimate_left_out(const solve::System& A, const Matrix& z, Index count) {
  const Index n = z.rows();
  Vector squares(at(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < z.cols(); ++j) squares[at(i)] += z(i, j) * z(i, j);
  }
  const double total = std::accumulate(squares.begin(), squares.end(), 0.0);
  LeftOutEstimate out;
  if (!(total > 0)) return out;  // targets of 0, and a fit that is 0 without any point
  Vector chances;
  for (const double square : squares) chances.push_back(0.5 / static_cast<double>(n) + 0.5 * square / total);
  std::vector<Index> points(at(n));
  std::iota(points.begin(), points.end(), Index{0});
  const bool all = n <= count;
  if (!all) points = drawn(chances, count);
  std::vector<Index> different = points;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  out.points = static_cast<Index>(different.size());
  Matrix units(n, out.points);
  for (Index c = 0; c < out.points; ++c) units(different[at(c)], c) = 1;
  out.accuracy = A.solve(units);
  Vector terms;
  for (const Index i : points) {
    const Index c = std::lower_bound(different.begin(), different.end(), i) - different.begin();
    const double inverse = units(i, c);
    terms.push_back(squares[at(i)] / (inverse * inverse) / (all ? 1 : chances[at(i)]));
  }
  out.squares = std::accumulate(terms.begin(), terms.end(), 0.0);
  if (all) return out;
  const auto q = static_cast<double>(terms.size());
  out.squares /= q;
  double spread = 0;
  for (const double term : terms) spread += (term - out.squares) * (term - out.squares);
  out.error = std::sqrt(spread / (q - 1) / q);
  return out;
}

}  // namespace mercer::detail
