// A = G G' + s I with few columns of G.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "linalg/low_rank.hpp"
#include "solve/kinds.hpp"

namespace mercer::solve {

namespace {

// Up to n / kFew columns a factor is less work than the matrix.
constexpr Index kFew = 4;

class FactoredInverse final : public Inverse {
 public:
  FactoredInverse(linalg::LowRank matrix, double shift) : matrix_(std::move(matrix)), shift_(shift) {}

  Vector diagonal() const override {
    const Matrix all = matrix_.inverse_diagonals(Vector{shift_});
    return Vector(all.data(), all.data() + all.rows());
  }

  void tile(Range i, Range j, double* out) const override { matrix_.inverse_tile(shift_, i, j, out); }

  Matrix multiply(const Matrix& v) const override { return matrix_.solve(v, Vector{shift_}); }

  Matrix lower() && override {
    const Range all{0, matrix_.rows()};
    Matrix out = Matrix::uninitialized(all.end, all.end);
    tile(all, all, out.data());
    return out;
  }

 private:
  linalg::LowRank matrix_;
  double shift_;
};

class FactoredSystem final : public System {
 public:
  FactoredSystem(linalg::LowRank matrix, double shift, double trace, std::optional<double> doubtful)
      : matrix_(std::move(matrix)),
        shift_(shift),
        certificate_{.method = "Woodbury",
                     .size = matrix_.rows(),
                     .rank = matrix_.rank(),
                     .trace = trace,
                     .condition_bound = (trace + shift) / shift,
                     .bytes = static_cast<double>(matrix_.rows() * matrix_.rank()) * sizeof(double)} {
    if (doubtful && !(certificate_.condition_bound <= *doubtful)) certificate_.condition = matrix_.condition(shift);
  }

  Accuracy solve(MatrixRef b) const override {
    const Matrix z = matrix_.solve(Matrix(b), Vector{shift_});
    for (Index i = 0; i < b.rows(); ++i) std::copy_n(z.row(i), b.cols(), b.row(i));
    return {};
  }
  std::optional<Matrix> seen_part(const Matrix& b) const override {
    if (!loses_digits(certificate_.condition_bound)) return std::nullopt;
    return matrix_.seen_part(b, Vector{shift_});
  }
  void solve_root(MatrixRef rows, const Monitor&) const override { matrix_.solve_root(shift_, rows); }
  Interval log_determinant() const override {
    const double value = matrix_.log_determinant(shift_);
    return {value, value};
  }
  const Certificate& certificate() const override { return certificate_; }
  std::unique_ptr<System> clone() const override { return std::make_unique<FactoredSystem>(*this); }
  std::unique_ptr<Inverse> inverse(const Monitor&) && override {
    return std::make_unique<FactoredInverse>(std::move(matrix_), shift_);
  }

 private:
  linalg::LowRank matrix_;
  double shift_;
  Certificate certificate_;
};

}  // namespace

std::optional<Factor> factor_of(const Equations& e) {
  const Index n = e.size();
  const std::optional<Matrix> known = e.K.factor(n / kFew);
  if (!known) return std::nullopt;
  Factor out{Matrix::uninitialized(n, known->cols())};
  const double unit = std::sqrt(e.unit);
  for (Index i = 0; i < n; ++i) {
    const double* const row = known->row(e.point_of(i));
    for (Index j = 0; j < out.G.cols(); ++j) {
      out.G(i, j) = e.scale_of(i) * row[j] / unit;
      out.trace += out.G(i, j) * out.G(i, j);
    }
  }
  return std::isfinite(out.trace) ? std::optional(std::move(out)) : std::nullopt;
}

std::unique_ptr<System> factored_system(const Equations& e, const Wishes& wishes, const Monitor& monitor) {
  if (e.shift.size() != 1 || !(e.shift.front() > 0)) return nullptr;
  std::optional<Factor> factor = factor_of(e);
  if (!factor) return nullptr;
  monitor.report({"solve", 0});
  return std::make_unique<FactoredSystem>(linalg::LowRank(factor->G, e.shift.front()), e.shift.front(), factor->trace,
                                          wishes.doubtful);
}

}  // namespace mercer::solve
