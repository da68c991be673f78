#include "machines/clusters/rotations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "machines/clusters/seeds.hpp"

namespace mercer::detail {

namespace {

Matrix transposed(const Matrix& m) {
  Matrix out(m.cols(), m.rows());
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out(j, i) = m(i, j);
  }
  return out;
}

struct NearestRotation {
  Matrix q;          // Q of M = Q P, Q orthogonal, P symmetric and positive semi-definite
  double trace = 0;  // of P: the sum of the singular values of M
};

// Of a small square matrix, by the eigenvectors of M'M; directions that M takes to 0 go to what is left over.
NearestRotation nearest_rotation(const Matrix& m) {
  const Index k = m.rows();
  Matrix square(k, k);
  linalg::multiply_left_transposed(1, m, m, 0, square);
  const linalg::Eigen eigen = linalg::eigen(square);  // increasing
  Matrix images(k, k);                                // row i: where the direction of the i-th largest goes, length 1
  NearestRotation out{Matrix(k, k), 0};
  const double smallest = 1e-7 * std::sqrt(std::max(0.0, eigen.values.back()));
  for (Index i = 0; i < k; ++i) {
    const double* const v = eigen.vectors.row(k - 1 - i);
    double* const image = images.row(i);
    for (Index a = 0; a < k; ++a) image[a] = dot(m.row(a), v, k);
    const double singular = std::sqrt(dot(image, image, k));
    out.trace += singular;
    // Within what is orthogonal to the images before; an axis where M has nothing to say.
    const auto orthogonalise = [&] {
      for (int pass = 0; pass < 2; ++pass) {
        for (Index b = 0; b < i; ++b) {
          const double along = dot(image, images.row(b), k);
          for (Index a = 0; a < k; ++a) image[a] -= along * images(b, a);
        }
      }
      return std::sqrt(dot(image, image, k));
    };
    double length = singular > smallest ? orthogonalise() : 0;
    for (Index axis = 0; axis < k && !(length > 0.5 * singular && length > 0); ++axis) {
      std::fill_n(image, k, 0.0);
      image[axis] = 1;
      length = orthogonalise();
      if (length > 1 / std::sqrt(2.0 * static_cast<double>(k))) break;
    }
    for (Index a = 0; a < k; ++a) image[a] /= length;
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) out.q(a, b) += image[a] * v[b];
    }
  }
  return out;
}

// The axis along which each row lies farthest, after a rotation.
template <class Size>
std::vector<Index> farthest_axis(MatrixView vectors, const Matrix& rotation, Size size) {
  Matrix turned(vectors.rows(), rotation.cols());
  linalg::multiply(1, vectors, rotation, 0, turned);
  std::vector<Index> out;
  for (Index i = 0; i < turned.rows(); ++i) {
    const double* const row = turned.row(i);
    out.push_back(std::max_element(row, row + turned.cols(), [&](double a, double b) { return size(a) < size(b); }) -
                  row);
  }
  return out;
}

// Rows that are each the farthest from the span of those before.
std::vector<Index> pivots(MatrixView vectors) {
  const Index n = vectors.rows(), k = vectors.cols();
  Matrix left(vectors);
  std::vector<Index> out;
  for (Index step = 0; step < k; ++step) {
    Index best = 0;
    double longest = -1;
    for (Index i = 0; i < n; ++i) {
      const double square = dot(left.row(i), left.row(i), k);
      if (square > longest * (1 + 1e-12)) {
        longest = square;
        best = i;
      }
    }
    out.push_back(best);
    if (!(longest > 0)) continue;
    const Vector direction(left.row(best), left.row(best) + k);
    for (Index i = 0; i < n; ++i) {
      const double along = dot(left.row(i), direction.data(), k) / longest;
      for (Index j = 0; j < k; ++j) left(i, j) -= along * direction[at(j)];
    }
  }
  return out;
}

}  // namespace

std::vector<Index> clusters_by_pivots(MatrixView vectors) {
  const Index k = vectors.cols();
  Matrix chosen(k, k);
  const std::vector<Index> which = pivots(vectors);
  for (Index c = 0; c < k; ++c) std::copy_n(vectors.row(which[at(c)]), k, chosen.row(c));
  return farthest_axis(vectors, nearest_rotation(transposed(chosen)).q, [](double v) { return std::abs(v); });
}

std::vector<Index> clusters_by_indicators(MatrixView vectors, VectorView weights, const std::vector<Index>& order,
                                          std::uint64_t seed) {
  constexpr int kStarts = 10, kTurns = 100;
  const Index n = vectors.rows(), k = vectors.cols();
  Matrix unit(vectors);  // rows of length 1
  for (Index i = 0; i < n; ++i) {
    const double length = std::sqrt(dot(unit.row(i), unit.row(i), k));
    for (Index j = 0; length > 0 && j < k; ++j) unit(i, j) /= length;
  }
  Random random(seed);
  std::vector<Index> best;
  double largest = -std::numeric_limits<double>::infinity();
  for (int start = 0; start < kStarts; ++start) {
    // Begins with points that are nearly orthogonal, the first drawn.
    Matrix rotation(k, k);
    Vector met(at(n));
    for (Index i = 0; i < n; ++i) met[at(i)] = weights[at(i)] > 0 ? 0 : std::numeric_limits<double>::infinity();
    Index next = draw(weights, order, random);
    for (Index c = 0; c < k; ++c) {
      for (Index a = 0; a < k; ++a) rotation(a, c) = unit(next, a);
      for (Index i = 0; i < n; ++i) met[at(i)] += std::abs(dot(unit.row(i), unit.row(next), k));
      next = std::min_element(met.begin(), met.end()) - met.begin();
    }
    std::vector<Index> found;
    double fit = -std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < kTurns; ++turn) {
      std::vector<Index> now = farthest_axis(unit, rotation, [](double v) { return v; });
      Matrix sums(k, k);  // unit' indicators
      for (Index i = 0; i < n; ++i) {
        for (Index a = 0; a < k; ++a) sums(a, now[at(i)]) += weights[at(i)] * unit(i, a);
      }
      const NearestRotation nearest = nearest_rotation(sums);
      found = std::move(now);
      if (nearest.trace <= fit * (1 + 1e-12)) break;
      fit = nearest.trace;
      rotation = nearest.q;
    }
    if (fit > largest * (1 + 1e-12) || best.empty()) {
      largest = fit;
      best = found;
    }
  }
  return best;
}

}  // namespace mercer::detail
