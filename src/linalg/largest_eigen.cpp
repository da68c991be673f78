#include "linalg/largest_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"

namespace mercer::linalg {

namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();

double length_of(const double* v, Index n) { return std::sqrt(simd::dot(v, v, at(n))); }

// Orthonormal rows by Gram and Schmidt, each taken twice, in place; rows that are, but for `lost`, combinations of
// those before are left out. Returns the coefficients: what was given = coefficients times what is there now.
Matrix orthonormalise(Matrix& rows, double lost) {
  const Index n = rows.cols();
  Matrix coefficients(rows.rows(), rows.rows());
  Index kept = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    double* v = rows.row(i);
    for (int pass = 0; pass < 2; ++pass) {
      for (Index j = 0; j < kept; ++j) {
        const double c = simd::dot(rows.row(j), v, at(n));
        simd::add_scaled(-c, rows.row(j), at(n), v);
        coefficients(i, j) += c;
      }
    }
    const double size = length_of(v, n);
    if (!(size > lost)) continue;
    coefficients(i, kept) = size;
    std::transform(v, v + n, rows.row(kept), [size](double value) { return value / size; });
    ++kept;
  }
  rows = Matrix(rows.view().block({0, kept}, {0, n}));
  return Matrix(coefficients.view().block({0, coefficients.rows()}, {0, kept}));
}

Matrix transposed(MatrixView m) {
  Matrix out = Matrix::uninitialized(m.cols(), m.rows());
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out(j, i) = m(i, j);
  }
  return out;
}

Matrix random_rows(Index rows, Index cols, Random& random) {
  Matrix out = Matrix::uninitialized(rows, cols);
  for (Index i = 0; i < rows * cols; ++i) out.data()[i] = random.normal();
  return out;
}

// The estimates of a basis: eigenvalues of Q A Q', in decreasing order.
struct Estimates {
  Vector values;
  Matrix vectors;    // in the basis; row i belongs to values[i]
  Vector residuals;  // |A v - lambda v|

  double scale() const {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }
};

// Rows of `basis` are orthonormal; the last `fresh` of them have not been multiplied by A. H = Q A Q' of the others,
// and A Q' = Q' H + fresh' coupling but for rounding.
class Lanczos {
 public:
  Lanczos(const Symmetric& a, const Krylov& how, Index block, const Monitor& monitor)
      : a_(a), how_(how), block_(block), monitor_(monitor), random_(how.seed) {
    add_random();
  }

  LargestEigen run(const Wanted& wanted) {
    for (Index products = 1;; ++products) {
      monitor_.report({"eigen", progress_});
      step();
      const Estimates now = estimates();
      const Index count = wanted(unscaled(now.values));
      const bool enough = count <= done_ || done_ == n_;
      const double residual = enough ? worst(now, std::min(count, done_)) : 1;
      const bool converged = enough && residual <= how_.tolerance;
      if (converged || products == how_.most) return result(now, std::min(count, done_), residual, products, converged);
      progress_ = std::max(progress_, enough ? std::log(residual) / std::log(how_.tolerance) : 0);
      if (fresh_ == 0) add_random();
      const Index keep = std::min(done_, (enough ? count : done_) + 2 * block_);
      if (done_ + fresh_ > keep + kBlocks * block_) restart(now, keep);
    }
  }

 private:
  static constexpr Index kBlocks = 16;

  MatrixRef rows(Range which) { return basis_.ref().block(which, {0, n_}); }

  void make_room(Index more) {
    const Index used = done_ + fresh_;
    if (used + more <= basis_.rows()) return;
    Matrix larger = Matrix::uninitialized(std::min(n_, used + std::max(more, 8 * block_)), n_);
    std::copy_n(basis_.data(), used * n_, larger.data());
    basis_ = std::move(larger);
  }

  // v less its part in the basis, whose coefficients are returned.
  Matrix project(MatrixRef v) {
    const Index used = done_ + fresh_;
    Matrix c(v.rows(), used);
    if (used == 0) return c;
    multiply_transposed(1, v, rows({0, used}), 0, c);
    multiply(-1, c, rows({0, used}), 1, v);
    return c;
  }

  // Rows orthogonal to the basis and to each other join it.
  void append(Matrix v) {
    project(v);
    orthonormalise(v, 0.5);  // what was orthonormal but for rounding
    make_room(v.rows());
    std::copy_n(v.data(), v.rows() * n_, basis_.row(done_ + fresh_));
    fresh_ += v.rows();
  }

  // From where nothing is known yet: at the beginning, and where A leads out of the basis no more.
  void add_random() {
    Matrix v = random_rows(std::min(block_, n_ - done_), n_, random_);
    project(v);
    orthonormalise(v, 1e-6);
    coupling_ = Matrix(v.rows(), done_);
    append(std::move(v));
  }

  // Squares of entries far from 1 would leave the range of numbers: what A gives is then scaled by a power of 2, the
  // same each time.
  void bring_near_one(Matrix& product) {
    const Index entries = product.rows() * product.cols();
    if (!simd::all_finite(product.data(), at(entries)))
      fail(ErrorKind::numeric, "eigen: the matrix has entries that are not finite, or too large to be added up");
    if (scale_ == 0) {
      double largest = 0;
      for (Index i = 0; i < entries; ++i) largest = std::max(largest, std::abs(product.data()[i]));
      if (largest == 0) return;
      scale_ = std::abs(std::log2(largest)) > 300 ? std::exp2(-std::round(std::log2(largest))) : 1;
    }
    if (scale_ != 1)
      std::transform(product.data(), product.data() + entries, product.data(), [&](double a) { return a * scale_; });
  }

  void step() {
    const Index used = done_ + fresh_;
    const Matrix v = transposed(rows({done_, used}));
    Matrix product = Matrix::uninitialized(n_, fresh_);
    a_.multiply(v, product);
    bring_near_one(product);
    Matrix w = transposed(product);
    const Matrix c = project(w);
    Matrix H(used, used);
    for (Index i = 0; i < done_; ++i) std::copy_n(H_.row(i), done_, H.row(i));
    for (Index i = done_; i < used; ++i) {
      for (Index j = 0; j < used; ++j)
        H(i, j) = H(j, i) = j < done_ ? c(i - done_, j) : (c(i - done_, j) + c(j - done_, i)) / 2;
    }
    H_ = std::move(H);
    for (Index i = 0; i < used; ++i) norm_ = std::max(norm_, length_of(H_.row(i), used));
    const Matrix parts = orthonormalise(w, 10 * kRounding * norm_ * std::sqrt(static_cast<double>(n_)));
    coupling_ = Matrix(w.rows(), used);
    for (Index i = 0; i < parts.rows(); ++i) {
      for (Index j = 0; j < parts.cols(); ++j) coupling_(j, done_ + i) = parts(i, j);
    }
    done_ = used;
    fresh_ = 0;
    if (w.rows() > 0 && done_ < n_) append(std::move(w));
  }

  Estimates estimates() const {
    Eigen found = eigen(H_);
    Estimates out{{found.values.rbegin(), found.values.rend()}, Matrix::uninitialized(done_, done_), Vector(at(done_))};
    for (Index i = 0; i < done_; ++i) std::copy_n(found.vectors.row(done_ - 1 - i), done_, out.vectors.row(i));
    if (coupling_.rows() == 0 || fresh_ == 0) return out;
    Matrix outside(done_, coupling_.rows());
    multiply_transposed(1, out.vectors, coupling_, 0, outside);
    for (Index i = 0; i < done_; ++i) out.residuals[at(i)] = length_of(outside.row(i), outside.cols());
    return out;
  }

  static double worst(const Estimates& now, Index count) {
    const double largest = count == 0 ? 0 : *std::max_element(now.residuals.begin(), now.residuals.begin() + count);
    return largest == 0 ? 0 : largest / now.scale();
  }

  // The best `keep` estimates instead of all that was multiplied; what is fresh stays.
  void restart(const Estimates& now, Index keep) {
    const MatrixView best = now.vectors.view().block({0, keep}, {0, done_});
    Matrix kept = Matrix::uninitialized(keep + fresh_, n_);
    multiply(1, best, rows({0, done_}), 0, kept.ref().block({0, keep}, {0, n_}));
    std::copy_n(basis_.row(done_), fresh_ * n_, kept.row(keep));
    basis_ = std::move(kept);
    Matrix coupling(coupling_.rows(), keep);
    multiply_transposed(1, coupling_, best, 0, coupling);
    coupling_ = std::move(coupling);
    H_ = Matrix(keep, keep);
    for (Index i = 0; i < keep; ++i) H_(i, i) = now.values[at(i)];
    done_ = keep;
  }

  Vector unscaled(Vector values) const {
    if (scale_ != 0 && scale_ != 1)
      std::for_each(values.begin(), values.end(), [&](double& value) { value /= scale_; });
    return values;
  }

  LargestEigen result(const Estimates& now, Index count, double residual, Index products, bool converged) {
    LargestEigen out{unscaled({now.values.begin(), now.values.begin() + count}), Matrix::uninitialized(count, n_),
                     residual, products, converged};
    multiply(1, now.vectors.view().block({0, count}, {0, done_}), rows({0, done_}), 0, out.vectors);
    fix_signs(out.vectors);
    return out;
  }

  const Symmetric& a_;
  const Index n_ = a_.size;
  const Krylov& how_;
  Index block_;
  const Monitor& monitor_;
  Random random_;
  Matrix basis_, H_, coupling_;
  Index done_ = 0, fresh_ = 0;
  double norm_ = 0, scale_ = 0, progress_ = 0;  // scale_ 0: not known yet
};

Wanted exactly(Index count) {
  return [count](VectorView) { return count; };
}

}  // namespace

void fix_signs(MatrixRef rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    double* v = rows.row(i);
    const double* largest =
        std::max_element(v, v + rows.cols(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (rows.cols() > 0 && *largest < 0) std::transform(v, v + rows.cols(), v, std::negate<>());
  }
}

LargestEigen largest_eigen(const Symmetric& a, const Wanted& wanted, const Krylov& how, const Monitor& monitor) {
  if (a.size == 0) return {};
  return Lanczos(a, how, std::min(a.size, how.block > 0 ? how.block : 16), monitor).run(wanted);
}

LargestEigen largest_eigen(const Symmetric& a, Index count, const Krylov& how, const Monitor& monitor) {
  Krylov fitting = how;
  if (how.block == 0) fitting.block = std::clamp<Index>((8 + count / 4) / 8 * 8, 8, 64);  // whole vectors of the CPU
  return largest_eigen(a, exactly(count), fitting, monitor);
}

LargestEigen largest_eigen(MatrixView a, const Wanted& wanted, const Monitor& monitor) {
  const Index n = a.rows();
  Eigen all = eigen(a, monitor);
  LargestEigen out;
  out.values.assign(all.values.rbegin(), all.values.rend());
  const Index count = std::min(n, wanted(out.values));
  out.values.resize(at(count));
  out.vectors = Matrix::uninitialized(count, n);
  for (Index i = 0; i < count; ++i) std::copy_n(all.vectors.row(n - 1 - i), n, out.vectors.row(i));
  fix_signs(out.vectors);
  return out;
}

LargestEigen largest_eigen(MatrixView a, Index count, const Monitor& monitor) {
  return largest_eigen(a, exactly(count), monitor);
}

}  // namespace mercer::linalg
