#include "machines/clusters/features.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "kernel/tiling.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

class Features final : public GramSource {
 public:
  explicit Features(std::shared_ptr<const Matrix> f) : kept_(std::move(f)) {}
  Index size() const override { return f_.rows(); }
  void diagonal(VectorRef out) const override {
    for (Index i = 0; i < size(); ++i) {
      double sum = 0;
      for (Index j = 0; j < f_.cols(); ++j) sum += f_(i, j) * f_(i, j);
      out[at(i)] = sum;
    }
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    Matrix some = Matrix::uninitialized(static_cast<Index>(which.size()), f_.cols());
    for (std::size_t r = 0; r < which.size(); ++r) {
      std::copy_n(f_.row(which[r]), f_.cols(), some.row(static_cast<Index>(r)));
    }
    linalg::multiply_transposed(1, some, f_, 0, out);
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    // F'V by blocks of rows, each of which is read once: few rows by few columns come of many rows.
    constexpr Index kLeast = 2048, kMostBlocks = 16;
    const Tiling blocks(f_.rows(), std::max(kLeast, f_.rows() / kMostBlocks + 1));
    std::vector<Matrix> parts(at(blocks.count()));
    parallel_for(blocks.count(), thread_count(how.threads), how.monitor, "multiply", [&](Index b, int) {
      const Range i = blocks.block(b);
      Matrix part(f_.cols(), v.cols());
      linalg::blas::gemm(linalg::blas::Op::transposed, linalg::blas::Op::plain, 1, f_.block(i, {0, f_.cols()}),
                         v.block(i, {0, v.cols()}), 0, part);
      parts[at(b)] = std::move(part);
    });
    Matrix weights(f_.cols(), v.cols());
    for (const Matrix& part : parts) {
      for (Index e = 0; e < weights.rows() * weights.cols(); ++e) weights.data()[e] += part.data()[e];
    }
    linalg::multiply(1, f_, weights, 0, out);
  }

 private:
  std::shared_ptr<const Matrix> kept_;
  const MatrixView f_ = *kept_;
};

}  // namespace

Gram gram_of_features(std::shared_ptr<const Matrix> features) {
  return Gram(std::make_shared<const Features>(std::move(features)));
}

}  // namespace mercer::detail
