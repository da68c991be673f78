// Stein's kernel of a density that is known by its score.
#include "statistics/stein.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "kernel/catalog.hpp"
#include "kernel/node.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "mercer/statistics/goodness_of_fit.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer {

void detail::add_stein(const RadialTerm& k, const SteinPairs& pairs, std::size_t n, Vector& space, double* out) {
  const double rate = 0.5 / (k.ell * k.ell);
  double* const value = space.data();
  const double* exponent = pairs.r2;
  double coefficient = -rate;
  if (k.alpha != 0) {
    simd::log1p_scaled(rate / k.alpha, pairs.r2, n, value);
    exponent = value;
    coefficient = -k.alpha;
  }
  simd::monomial({k.scale, 0, nullptr, 1, &exponent, &coefficient}, false, n, value, nullptr);
  const double shrink = k.alpha != 0 ? rate / k.alpha : 0, bend = k.alpha != 0 ? (k.alpha + 1) / k.alpha : 1;
  for (std::size_t j = 0; j < n; ++j) {
    const double first = rate / (1 + shrink * pairs.r2[j]);
    out[j] += value[j] * (pairs.scores[j] - 2 * first * pairs.slope[j] - 4 * bend * first * first * pairs.r2[j]);
  }
}

namespace {

using detail::RadialTerm;

void collect(const detail::Node& node, double scale, const std::string& text, std::vector<RadialTerm>& out) {
  const std::string& name = node.entry->name;
  if (name == "scale") return collect(*node.children[0], scale * node.param("scale").values[0], text, out);
  if (name == "sum") {
    for (const detail::NodePtr& child : node.children) collect(*child, scale, text, out);
    return;
  }
  if ((name != "rbf" && name != "rq") || node.param("ell").list) {
    fail(ErrorKind::domain,
         "ksd: {} has no second derivatives here; use rbf or rq with one ell (rq(ell, alpha=0.5) is the inverse "
         "multiquadric), or sums of multiples of them",
         text);
  }
  out.push_back({scale, node.param("ell").values[0], name == "rq" ? node.param("alpha").values[0] : 0});
}

class Stein final : public GramSource {
 public:
  Stein(std::vector<RadialTerm> terms, Matrix x, Matrix scores)
      : terms_(std::move(terms)), x_(std::move(x)), scores_(std::move(scores)) {
    for (Index i = 0; i < x_.rows(); ++i) {
      const std::size_t d = at(x_.cols());
      squares_.push_back(simd::dot(x_.row(i), x_.row(i), d));
      own_.push_back(simd::dot(x_.row(i), scores_.row(i), d));
    }
  }

  Index size() const override { return x_.rows(); }

  void diagonal(VectorRef out) const override {
    double value = 0, slope = 0;  // phi and -2 phi' at 0
    for (const RadialTerm& k : terms_) value += k.scale, slope += k.scale / (k.ell * k.ell);
    const auto d = static_cast<double>(x_.cols());
    for (Index i = 0; i < size(); ++i) {
      out[at(i)] = value * simd::dot(scores_.row(i), scores_.row(i), at(x_.cols())) + d * slope;
    }
  }

  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    const auto count = static_cast<Index>(which.size());
    Matrix x(count, x_.cols()), s(count, x_.cols());
    for (Index a = 0; a < count; ++a) {
      std::copy_n(x_.row(which[at(a)]), x_.cols(), x.row(a));
      std::copy_n(scores_.row(which[at(a)]), x_.cols(), s.row(a));
    }
    Matrix r2(count, size()), ss(count, size()), slope(count, size());
    linalg::multiply_transposed(-2, x, x_, 0, r2);
    linalg::multiply_transposed(1, s, scores_, 0, ss);
    linalg::multiply_transposed(1, x, scores_, 0, slope);  // x_i.s_j + s_i.x_j
    linalg::multiply_transposed(1, s, x_, 1, slope);
    const auto d = static_cast<double>(x_.cols());
    Vector space(at(size()));
    for (Index a = 0; a < count; ++a) {
      const Index i = which[at(a)];
      for (Index j = 0; j < size(); ++j) {
        r2(a, j) = std::max(0.0, r2(a, j) + squares_[at(i)] + squares_[at(j)]);
        slope(a, j) -= own_[at(i)] + own_[at(j)] + d;
      }
      r2(a, i) = 0;
      slope(a, i) = -d;
      std::fill_n(out.row(a), size(), 0.0);
      for (const RadialTerm& k : terms_)
        detail::add_stein(k, {r2.row(a), ss.row(a), slope.row(a)}, at(size()), space, out.row(a));
    }
  }

  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    const Tiling blocks(size(), 256);
    for (Index b = 0; b < blocks.count(); ++b) {
      const Range some = blocks.block(b);
      std::vector<Index> which(at(some.size()));
      std::iota(which.begin(), which.end(), some.begin);
      Matrix u = Matrix::uninitialized(some.size(), size());
      rows(which, u, how);
      linalg::multiply(1, u, v, 0, out.block(some, {0, v.cols()}));
    }
  }

 private:
  std::vector<RadialTerm> terms_;
  Matrix x_, scores_;
  Vector squares_, own_;  // |x|^2 and x.s
};

}  // namespace

Gram stein(const Kernel& k, const Points& x, Matrix scores) {
  if (x.domain().kind != "reals") {
    fail(ErrorKind::domain, "ksd: needs numbers, and {}", x.rep().describe());
  }
  require_finite(x);
  const DenseRows rows = dense_rows(x);
  const Index n = rows.values.rows(), d = rows.values.cols();
  if (scores.rows() != n || scores.cols() != d) {
    fail(ErrorKind::shape, "ksd: scores are {} x {} and points {} x {}; each point has one number for each column",
         scores.rows(), scores.cols(), n, d);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      if (!std::isfinite(scores(i, j))) {
        fail(ErrorKind::data, "ksd: the score of point {}, column {}, is {}; is its density 0?", i + 1, j + 1,
             scores(i, j));
      }
    }
  }
  std::vector<RadialTerm> terms;
  const Kernel resolved = k.resolve(x);
  collect(resolved.node(), 1, resolved.str(), terms);
  // Around their mean, so that squared distances keep their digits wherever the points are.
  Matrix moved(rows.values);
  for (Index j = 0; j < d; ++j) {
    double mean = 0;
    for (Index i = 0; i < n; ++i) mean += moved(i, j) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) moved(i, j) -= mean;
  }
  return Gram(std::make_shared<const Stein>(std::move(terms), std::move(moved), std::move(scores)));
}

Gram stein(const Kernel& k, const Points& x, const Score& score) {
  if (x.domain().kind != "reals") return stein(k, x, Matrix());  // says so
  const DenseRows rows = dense_rows(x);
  Matrix scores(rows.values.rows(), rows.values.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    const Vector at_x = score({rows.values.row(i), at(scores.cols())});
    if (static_cast<Index>(at_x.size()) != scores.cols()) {
      fail(ErrorKind::shape, "ksd: the score of point {} has {} numbers, and the point {}", i + 1, at_x.size(),
           scores.cols());
    }
    std::copy(at_x.begin(), at_x.end(), scores.row(i));
  }
  return stein(k, x, std::move(scores));
}

}  // namespace mercer
