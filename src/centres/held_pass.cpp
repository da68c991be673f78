#include "centres/held_pass.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "linalg/lapack.hpp"

namespace mercer::centres {

namespace {

constexpr Index kSlab = 1024;  // rows that are computed at a time where they are wanted in order

}  // namespace

HeldPass::HeldPass(const Pass& pass, bool keep, const Execution& how) : pass_(pass) {
  if (!keep) return;
  kept_ = Matrix::uninitialized(pass.rows(), pass.centres());
  of_piece_.resize(at(pass.pieces()));
  pass.strips(
      kInCache,
      [&](Index piece, Range rows, MatrixRef K) {
        of_piece_[at(piece)].push_back(rows);
        for (Index i = 0; i < rows.size(); ++i) std::copy_n(K.row(i), K.cols(), kept_.row(rows.begin + i));
      },
      [](Index) {}, how);
}

void HeldPass::strips(const Use& use, const Execution& how) const {
  if (of_piece_.empty()) {
    pass_.strips(
        kInCache, [&](Index piece, Range rows, MatrixRef K) { use(piece, rows, K); }, [](Index) {}, how);
    return;
  }
  const Stage stage("rows");
  parallel_for(pass_.pieces(), thread_count(how.threads), how.monitor, "pass", [&](Index piece, int) {
    for (const Range rows : of_piece_[at(piece)]) use(piece, rows, kept_.view().block(rows, {0, centres()}));
  });
}

Matrix HeldPass::summed(Index columns, const std::function<void(Range, MatrixView, MatrixRef)>& add,
                        const Execution& how) const {
  std::vector<Matrix> sums(at(pass_.pieces()));
  strips(
      [&](Index piece, Range rows, MatrixView K) {
        Matrix& sum = sums[at(piece)];
        if (sum.rows() == 0) sum = Matrix(centres(), columns);
        add(rows, K, sum);
      },
      how);
  Matrix out(centres(), columns);
  for (const Matrix& sum : sums) {
    for (Index i = 0; i < out.rows() * columns; ++i) out.data()[i] += sum.data()[i];
  }
  return out;
}

Matrix HeldPass::values(MatrixView u, const Execution& how) const {
  Matrix out = Matrix::uninitialized(rows(), u.cols());
  strips(
      [&](Index, Range rows, MatrixView K) {
        linalg::multiply(1, K, u, 0, out.ref().block(rows, {0, u.cols()}));
      },
      how);
  return out;
}

Matrix HeldPass::back(MatrixView g, const Execution& how) const {
  return summed(
      g.cols(),
      [&](Range rows, MatrixView K, MatrixRef sum) {
        linalg::multiply_left_transposed(1, K, g.block(rows, {0, g.cols()}), 1, sum);
      },
      how);
}

Matrix HeldPass::through(MatrixView u, const Pass::Between& between, const Execution& how) const {
  return summed(
      u.cols(),
      [&](Range rows, MatrixView K, MatrixRef sum) {
        Matrix f = Matrix::uninitialized(rows.size(), u.cols());
        linalg::multiply(1, K, u, 0, f);
        between(rows, f);
        linalg::multiply_left_transposed(1, K, f, 1, sum);
      },
      how);
}

void HeldPass::slabs(const std::function<void(Range, MatrixView)>& use, const Execution& how) const {
  if (of_piece_.empty()) return pass_.slabs(kSlab, use, how);
  use({0, rows()}, kept_);
}

}  // namespace mercer::centres
