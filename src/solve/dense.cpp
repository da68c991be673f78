// A in memory, and its Cholesky factor in its place.
#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "solve/kinds.hpp"

namespace mercer::solve {

namespace {

// A matrix that goes back to where it was borrowed.
class Held {
 public:
  explicit Held(Matrix own) : matrix_(std::move(own)) {}
  Held(std::shared_ptr<Storage> home, Index n) : home_(std::move(home)) {
    if (home_) matrix_ = std::exchange(home_->square, Matrix());
    if (matrix_.rows() != n || matrix_.cols() != n) matrix_ = Matrix::uninitialized(n, n);
  }
  Held(Held&& other) noexcept : home_(std::move(other.home_)), matrix_(std::move(other.matrix_)) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (home_) home_->square = std::move(matrix_);
  }
  Matrix& operator*() { return matrix_; }
  const Matrix& operator*() const { return matrix_; }
  Matrix take() {
    home_.reset();
    return std::move(matrix_);
  }

 private:
  std::shared_ptr<Storage> home_;
  Matrix matrix_;
};

class DenseInverse final : public Inverse {
 public:
  explicit DenseInverse(Held lower) : lower_(std::move(lower)) {}

  Vector diagonal() const override {
    Vector out(at((*lower_).rows()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*lower_)(static_cast<Index>(i), static_cast<Index>(i));
    return out;
  }

  void tile(Range i, Range j, double* out) const override {
    for (Index a = i.begin; a < i.end; ++a, out += j.size()) std::copy_n((*lower_).row(a) + j.begin, j.size(), out);
  }

  Matrix multiply(const Matrix& v) const override {
    const Matrix& lower = *lower_;
    Matrix out(v.rows(), v.cols());
    for (Index c = 0; c < v.cols(); ++c) {
      for (Index i = 0; i < v.rows(); ++i) {
        const double* const row = lower.row(i);
        double sum = row[i] * v(i, c);
        for (Index j = 0; j < i; ++j) {
          sum += row[j] * v(j, c);
          out(j, c) += row[j] * v(i, c);
        }
        out(i, c) += sum;
      }
    }
    return out;
  }

  Matrix lower() && override { return lower_.take(); }

 private:
  Held lower_;
};

class DenseSystem final : public System {
 public:
  DenseSystem(Held factor, Certificate certificate) : factor_(std::move(factor)), certificate_(certificate) {}

  const Matrix& factor() const { return *factor_; }

  Accuracy solve(MatrixRef b) const override {
    linalg::cholesky_solve(*factor_, b);
    return {};
  }
  void solve_root(MatrixRef rows, const Monitor& monitor) const override {
    linalg::solve_lower_rows(*factor_, rows, monitor);
  }
  Interval log_determinant() const override {
    const double value = linalg::log_determinant(*factor_);
    return {value, value};
  }
  const Certificate& certificate() const override { return certificate_; }
  std::unique_ptr<System> clone() const override {
    return std::make_unique<DenseSystem>(Held(Matrix(*factor_)), certificate_);
  }
  std::unique_ptr<Inverse> inverse(const Monitor& monitor) && override {
    linalg::inverse(*factor_, monitor);
    return std::make_unique<DenseInverse>(std::move(factor_));
  }
  Estimates inverse_diagonal(const Monitor& monitor) && override {
    return {linalg::inverse_diagonal(*factor_, monitor)};
  }
  // A^-1 = L^-T L^-1, of which a block needs the rows from its first on: half the work of all of A^-1.
  void inverse_blocks(std::span<const Range> blocks, const TakeBlock& take, const Monitor& monitor) && override {
    const MatrixRef L = (*factor_).ref();
    linalg::invert_lower(L, monitor);
    parallel_for(static_cast<Index>(blocks.size()), thread_count(0), monitor, "solve", [&](Index b, int) {
      const Range F = blocks[at(b)];
      const MatrixRef corner = L.block(F, F);
      for (Index i = 0; i < F.size(); ++i) std::fill(corner.row(i) + i + 1, corner.row(i) + F.size(), 0.0);
      Matrix block(F.size(), F.size());
      linalg::blas::syrk(linalg::blas::Op::transposed, 1, L.block({F.begin, L.rows()}, F), 0, block);
      take(b, block);
    });
  }

 private:
  Held factor_;
  Certificate certificate_;
};

double smallest_shift(const Equations& e) {
  return e.shift.empty() ? 0 : *std::min_element(e.shift.begin(), e.shift.end());
}

Certificate certificate_of(Index n, double trace, double shift) {
  const auto size = static_cast<double>(n);
  return {.method = "Cholesky",
          .size = n,
          .rank = n,
          .trace = trace,
          .condition_bound = (trace + shift) / shift,
          .bytes = size * size * sizeof(double)};
}

}  // namespace

Made dense_system(const Equations& e, const Wishes& wishes, const Execution& how) {
  const Index n = e.size();
  if (wishes.require) wishes.require(n);
  Held held(wishes.storage, n);
  const MatrixRef A = (*held).ref();
  Made out;
  double mean = 0;  // of the diagonal
  while (true) {
    assemble_lower(e, A, how);
    if (out.jitter == 0) {
      for (Index i = 0; i < n; ++i) out.trace += A(i, i);
    }
    for (Index i = 0; i < n; ++i) A(i, i) += e.shift_of(i) + out.jitter;
    if (out.jitter == 0) {
      for (Index i = 0; i < n; ++i) mean += A(i, i) / static_cast<double>(n);
    }
    Certificate certificate = certificate_of(n, out.trace, smallest_shift(e));
    const bool doubtful = wishes.doubtful && !(certificate.condition_bound <= *wishes.doubtful);
    const double norm = doubtful ? linalg::symmetric_norm(A) : 0;
    out.pivot = linalg::cholesky(A, how.monitor);
    if (out.pivot == 0) {
      if (doubtful) certificate.condition = linalg::condition(A, norm);
      certificate.jitter = out.jitter;
      out.system = std::make_unique<DenseSystem>(std::move(held), certificate);
      return out;
    }
    if (!wishes.jitter) return out;
    const std::optional<double> more = more_jitter(out.jitter, mean);
    if (!more) return out;
    out.jitter = *more;
  }
}

//     L21 = (L^-1 A12)',   L22 L22' = A22 - L21 L21'
Made extended(const System& old, const Equations& e, const Execution& how) {
  const auto* const dense = dynamic_cast<const DenseSystem*>(&old);
  if (dense == nullptr) return system_for(e, {}, how);
  const Matrix& L = dense->factor();
  const Index n = L.rows(), m = e.size() - n;
  std::vector<Index> fresh;
  for (Index i = n; i < n + m; ++i) fresh.push_back(e.point_of(i));
  const Matrix rows = e.K.rows(fresh, how);
  const auto entry = [&](Index i, Index j) {  // of S K S / unit, i among the new points
    return e.scale_of(n + i) * rows(i, e.point_of(j)) / e.unit * e.scale_of(j);
  };
  Matrix side = Matrix::uninitialized(n, m), A(n + m, n + m);
  for (Index i = 0; i < n; ++i) {
    std::copy_n(L.row(i), i + 1, A.row(i));
    for (Index j = 0; j < m; ++j) side(i, j) = entry(j, i);
  }
  linalg::solve_lower(L, side);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) A(n + j, i) = side(i, j);
  }
  const MatrixRef corner = A.ref().block({n, n + m}, {n, n + m});
  Made out{.trace = old.certificate().trace, .jitter = old.certificate().jitter};
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) corner(i, j) = entry(i, n + j);
    out.trace += corner(i, i);
    corner(i, i) += e.shift_of(n + i);
  }
  linalg::multiply_left_transposed(-1, side, side, 1, corner);
  out.pivot = linalg::cholesky(corner, how.monitor);
  if (out.pivot != 0) return out;
  Certificate certificate = certificate_of(n + m, out.trace, smallest_shift(e));
  certificate.jitter = out.jitter;
  out.system = std::make_unique<DenseSystem>(Held(std::move(A)), certificate);
  return out;
}

}  // namespace mercer::solve
