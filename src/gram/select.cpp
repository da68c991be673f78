// A Gram on some of another one's points: the training part of a fold.
#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/found.hpp"
#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"

namespace mercer {

namespace {

void pick(const double* from, const std::vector<Index>& which, double* to) {
  for (std::size_t j = 0; j < which.size(); ++j) to[j] = from[which[j]];
}

class Selected final : public GramSource {
 public:
  Selected(Gram inner, std::vector<Index> which) : inner_(std::move(inner)), which_(std::move(which)) {
    if (const auto points = inner_.points()) points_ = points->select(which_);
    if (const MatrixView all = inner_.dense(); !all.empty()) {
      block_ = Matrix::uninitialized(size(), size());
      for (Index i = 0; i < size(); ++i) pick(all.row(which_[at(i)]), which_, block_.row(i));
    }
  }

  Index size() const override { return static_cast<Index>(which_.size()); }
  void diagonal(VectorRef out) const override {
    const Vector all = inner_.diagonal();
    pick(all.data(), which_, out.data());
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    if (in_memory()) {
      for (std::size_t r = 0; r < which.size(); ++r)
        std::copy_n(block_.row(which[r]), size(), out.row(static_cast<Index>(r)));
      return;
    }
    // A few rows of the whole at a time: there may be many.
    for (std::size_t begin = 0; begin < which.size(); begin += kRows) {
      const std::span<const Index> some = which.subspan(begin, std::min(kRows, which.size() - begin));
      std::vector<Index> outer;
      for (const Index i : some) outer.push_back(which_[at(i)]);
      const Matrix whole = inner_.rows(outer, how);
      for (std::size_t r = 0; r < some.size(); ++r) {
        pick(whole.row(static_cast<Index>(r)), which_, out.row(static_cast<Index>(begin + r)));
      }
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    if (in_memory()) return linalg::multiply(1, block_, v, 0, out);
    const Matrix all = inner_.multiply(scattered(v).view(), how);
    for (Index i = 0; i < size(); ++i) std::copy_n(all.row(which_[at(i)]), out.cols(), out.row(i));
  }
  GramKind kind() const override { return inner_.kind(); }
  MatrixView dense() const override { return block_; }
  std::optional<Kernel> kernel() const override { return inner_.kernel(); }
  std::optional<Points> points() const override { return points_; }
  // What is not of these points alone is told by the whole.
  std::optional<Matrix> factor(Index most) const override {
    if (kind() == GramKind::kernel) return GramSource::factor(most);
    const std::optional<Matrix> all = inner_.factor(most);
    if (!all) return std::nullopt;
    Matrix out = Matrix::uninitialized(size(), all->cols());
    for (Index i = 0; i < size(); ++i) std::copy_n(all->row(which_[at(i)]), out.cols(), out.row(i));
    return out;
  }
  Expansion expansion(Expansion::Parts found, const Execution& how) const override {
    if (kind() == GramKind::kernel || kind() == GramKind::numbers) return GramSource::expansion(std::move(found), how);
    return inner_.expansion(scattered(detail::alpha_of_all(found)), std::move(found.bias), how);
  }

 private:
  static constexpr std::size_t kRows = 64;

  bool in_memory() const { return block_.rows() > 0; }
  // K[w, w] v = (K u)[w], where u is v at the chosen points and 0 elsewhere.
  Matrix scattered(MatrixView v) const {
    Matrix out(inner_.size(), v.cols());
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index j = 0; j < v.cols(); ++j) out(which_[at(i)], j) += v(i, j);
    }
    return out;
  }

  Gram inner_;
  std::vector<Index> which_;
  std::optional<Points> points_;
  Matrix block_;
};

}  // namespace

Gram select(const Gram& k, std::vector<Index> which) {
  for (const Index i : which) {
    if (i < 0 || i >= k.size()) fail(ErrorKind::shape, "select: there is no point {} among {}", i, k.size());
  }
  return Gram(std::make_shared<const Selected>(k, std::move(which)));
}

}  // namespace mercer
