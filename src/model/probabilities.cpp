#include "model/probabilities.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

// Pairs surer than this would leave the coupled system without a unique solution.
constexpr double kSurest = 1e-7;

// Solves A z = b for a small symmetric positive definite A, which is overwritten.
Vector solve_small(Matrix& a, Vector b) {
  const Index n = a.rows();
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k);
    a(j, j) = std::sqrt(a(j, j));
    for (Index i = j + 1; i < n; ++i) {
      for (Index k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < i; ++k) b[at(i)] -= a(i, k) * b[at(k)];
    b[at(i)] /= a(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index k = i + 1; k < n; ++k) b[at(i)] -= a(k, i) * b[at(k)];
    b[at(i)] /= a(i, i);
  }
  return b;
}

}  // namespace

double sigmoid(const Sigmoid& s, double f) {
  const double z = s.slope * f + s.offset;
  if (z <= 0) return 1 / (1 + std::exp(z));
  const double e = std::exp(-z);
  return e / (1 + e);
}

double log_sigmoid(const Sigmoid& s, double f) {
  const double z = s.slope * f + s.offset;
  return z <= 0 ? -std::log1p(std::exp(z)) : -z - std::log1p(std::exp(-z));
}

// The conditions of the minimum, Q p + b e = 0 and e'p = 1, make p a multiple of (Q + e e')^-1 e. Q is positive
// semi-definite with p itself for null vector when the pairs agree; e e' makes it definite.
Vector couple(MatrixView r) {
  const Index k = r.rows();
  const auto pair = [&](Index a, Index b) { return std::clamp(r(a, b), kSurest, 1 - kSurest); };
  Matrix q(k, k, 1.0);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) {
      if (a == b) continue;
      q(a, a) += pair(b, a) * pair(b, a);
      q(a, b) -= pair(b, a) * pair(a, b);
    }
  }
  Vector p = solve_small(q, Vector(at(k), 1.0));
  double total = 0;
  for (double& value : p) total += value = std::max(0.0, value);
  for (double& value : p) value /= total;
  return p;
}

void normalise(const Vector& logs, double* out) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double total = 0;
  for (std::size_t c = 0; c < logs.size(); ++c) total += out[c] = std::exp(logs[c] - largest);
  for (std::size_t c = 0; c < logs.size(); ++c) out[c] /= total;
}

Matrix softmax_of(MatrixView logs) {
  Matrix out(logs.rows(), logs.cols());
  for (Index i = 0; i < logs.rows(); ++i) normalise(Vector(logs.row(i), logs.row(i) + logs.cols()), out.row(i));
  return out;
}

std::vector<Index> likeliest(MatrixView p) {
  std::vector<Index> out;
  for (Index i = 0; i < p.rows(); ++i) out.push_back(std::max_element(p.row(i), p.row(i) + p.cols()) - p.row(i));
  return out;
}

}  // namespace mercer::detail
