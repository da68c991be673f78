#include "gram/assemble.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

namespace {

// Rows asked of a Gram at a time: enough for its tiles, few enough to need no memory to speak of.
constexpr Index kRows = 256;

}  // namespace

void require_plain(const Gram& K) {
  if (K.kind() == GramKind::kernel || K.kind() == GramKind::numbers) return;
  fail(ErrorKind::usage,
       "fit: this Gram matrix is not that of its kernel (centred() or shifted()?); give the machine the plain one, and "
       "the ridge as its option");
}

void require_unshifted(const Gram& K) {
  if (K.kind() == GramKind::shifted) {
    fail(ErrorKind::usage,
         "fit: this Gram matrix is shifted(); give the machine the plain one, and the ridge as its option");
  }
}

void assemble(const Gram& K, std::span<const Index> which, MatrixRef out, const Execution& how) {
  bool all = static_cast<Index>(which.size()) == K.size();
  for (std::size_t i = 0; all && i < which.size(); ++i) all = which[i] == static_cast<Index>(i);
  if (all) return K.fill(out, how);
  if (const MatrixView dense = K.dense(); dense.empty() && K.kind() == GramKind::kernel) {
    return gram(*K.kernel(), K.points()->select(which), out, how);
  }
  for (Index first = 0; first < out.rows(); first += kRows) {
    const Index last = std::min(out.rows(), first + kRows);
    const Matrix rows = K.rows(which.subspan(at(first), at(last - first)), how);
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < out.cols(); ++j) out(i, j) = rows(i - first, which[at(j)]);
    }
    how.monitor.report({"gram", static_cast<double>(last) / static_cast<double>(out.rows())});
  }
}

}  // namespace mercer::detail
