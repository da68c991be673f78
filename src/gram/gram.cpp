#include "mercer/gram.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/found.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/features.hpp"

namespace mercer {

namespace {

// Rows asked of a Gram at a time: enough for its tiles, few enough to need no memory to speak of.
constexpr Index kRows = 256;

bool zero_row(MatrixView m, Index i) {
  return std::all_of(m.row(i), m.row(i) + m.cols(), [](double value) { return value == 0; });
}

// alpha' K alpha of each column, where `found` has the rows of alpha that are not zero.
Vector squared_norms(const GramSource& K, const Expansion::Parts& found, const Execution& how) {
  const Matrix& alpha = found.alpha;
  Matrix product(K.size(), alpha.cols());
  K.multiply(detail::alpha_of_all(found), product, how);
  Vector out(at(alpha.cols()));
  for (Index i = 0; i < alpha.rows(); ++i) {
    for (Index j = 0; j < alpha.cols(); ++j) out[at(j)] += alpha(i, j) * product(found.support[at(i)], j);
  }
  return out;
}

}  // namespace

Expansion GramSource::expansion(Expansion::Parts found, const Execution& how) const {
  switch (kind()) {
    case GramKind::kernel:
      found.kernel = kernel();
      found.centres = points()->select(found.support);  // a copy: borrowed points may go before the model does
      break;
    case GramKind::numbers:  // K will be gone when they are asked for
      if (found.squared_norms.empty()) found.squared_norms = squared_norms(*this, found, how);
      break;
    case GramKind::shifted:
      fail(ErrorKind::usage,
           "expansion: K is shifted(), and no function has its values at the points and at new inputs; give the plain "
           "one, and the ridge to the machine");
    case GramKind::approximation:
    case GramKind::centred:
      fail(ErrorKind::usage,
           "expansion: K is not that of its kernel, and does not say how f goes on to new inputs; its GramSource has "
           "to define expansion()");
  }
  return Expansion(std::move(found));
}

std::optional<Matrix> GramSource::factor(Index most) const {
  return kind() == GramKind::kernel ? detail::features(*kernel(), *points(), most) : std::nullopt;
}

void GramSource::fill(MatrixRef out, const Execution& how) const {
  if (const MatrixView all = dense(); !all.empty()) {
    for (Index i = 0; i < size(); ++i) std::copy_n(all.row(i), size(), out.row(i));
    return;
  }
  if (kind() == GramKind::kernel) return gram(*kernel(), *points(), out, how);
  std::vector<Index> which;
  for (Index first = 0; first < size(); first += kRows) {
    which.resize(at(std::min(kRows, size() - first)));
    std::iota(which.begin(), which.end(), first);
    rows(which, out.block({first, first + static_cast<Index>(which.size())}, {0, size()}), how);
    how.monitor.report({"gram", static_cast<double>(first) / static_cast<double>(size())});
  }
}

Vector GramSource::gradient(const WeightTile& weights, const Execution& how) const {
  if (kind() != GramKind::kernel) {
    fail(ErrorKind::usage,
         "gradient: this Gram is not that of its kernel, so no parameters move it; give the plain one");
  }
  return detail::AllPairs(*kernel(), *points()).gradient(weights, how);
}

Vector Gram::diagonal() const {
  Vector out(static_cast<std::size_t>(size()));
  source_->diagonal(out);
  return out;
}

void Gram::rows(std::span<const Index> which, MatrixRef out, const Execution& how) const {
  for (const Index i : which) {
    if (i < 0 || i >= size()) fail(ErrorKind::shape, "rows: there is no row {} among {}", i, size());
  }
  if (out.rows() != static_cast<Index>(which.size()) || out.cols() != size()) {
    fail(ErrorKind::shape, "rows: a {} x {} matrix is needed, {} x {} was given", which.size(), size(), out.rows(),
         out.cols());
  }
  source_->rows(which, out, how);
}

Matrix Gram::rows(std::span<const Index> which, const Execution& how) const {
  Matrix out = Matrix::uninitialized(static_cast<Index>(which.size()), size());
  rows(which, out.ref(), how);
  return out;
}

Matrix Gram::multiply(MatrixView v, const Execution& how) const {
  if (v.rows() != size()) fail(ErrorKind::shape, "multiply: K has {} rows, v has {}", size(), v.rows());
  Matrix out(size(), v.cols());
  source_->multiply(v, out, how);
  return out;
}

Vector Gram::multiply(VectorView v, const Execution& how) const {
  const Matrix out = multiply(MatrixView(v.data(), static_cast<Index>(v.size()), 1), how);
  return Vector(out.data(), out.data() + out.rows());
}

void Gram::fill(MatrixRef out, const Execution& how) const {
  if (out.rows() != size() || out.cols() != size()) {
    fail(ErrorKind::shape, "fill: a {0} x {0} matrix is needed, {1} x {2} was given", size(), out.rows(), out.cols());
  }
  source_->fill(out, how);
}

Expansion Gram::expansion(const Matrix& alpha, Vector bias, const Execution& how) const {
  if (alpha.rows() != size()) fail(ErrorKind::shape, "expansion: alpha has {} rows, K has {}", alpha.rows(), size());
  Expansion::Parts found;
  found.bias = std::move(bias);
  for (Index i = 0; i < alpha.rows(); ++i) {
    if (!zero_row(alpha, i)) found.support.push_back(i);
  }
  const auto kept = static_cast<Index>(found.support.size());
  found.alpha = Matrix::uninitialized(kept, alpha.cols());
  for (Index i = 0; i < kept; ++i) std::copy_n(alpha.row(found.support[at(i)]), alpha.cols(), found.alpha.row(i));
  return expansion(std::move(found), how);
}

Expansion Gram::expansion(Expansion::Parts found, const Execution& how) const {
  found.training_size = size();
  return source_->expansion(std::move(found), how);
}

}  // namespace mercer
