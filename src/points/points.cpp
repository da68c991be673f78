#include "mercer/points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"

namespace mercer {

std::string Domain::str() const {
  if (kind == "any") return "any inputs";
  return fmt::format("{}{}{}", kind, dimension == any_dimension ? "" : fmt::format("({})", dimension),
                     of.empty() ? "" : " of " + of);
}

Points::Points(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
Index Points::size() const { return rep_->size(); }
Domain Points::domain() const { return rep_->domain(); }
std::vector<std::string> Points::column_names() const { return rep_->column_names(); }
Points Points::columns(const Columns& which) const { return rep_->columns(which); }

Points Points::select(std::span<const Index> which) const {
  for (const Index i : which) {
    if (i < 0 || i >= size()) fail(ErrorKind::shape, "select: there is no point {} among {}", i, size());
  }
  return rep_->select(which);
}

Points Points::slice(Range range) const {
  if (range.begin < 0 || range.end > size() || range.begin > range.end) {
    fail(ErrorKind::shape, "slice: [{}, {}) is not within the {} points", range.begin, range.end, size());
  }
  return rep_->slice(range);
}

namespace {

[[noreturn]] void refuse_columns(const Columns& which, const Domain& domain) {
  fail(ErrorKind::domain, "on({}): the inputs are {} and have no columns; drop the on()", which.str(), domain.str());
}

}  // namespace

Points Points::Rep::columns(const Columns& which) const { refuse_columns(which, domain()); }
std::vector<Index> Points::Rep::positions(const Columns& which) const { refuse_columns(which, domain()); }

Points Points::Rep::slice(Range range) const {
  std::vector<Index> which(static_cast<std::size_t>(range.size()));
  std::iota(which.begin(), which.end(), range.begin);
  return select(which);
}

Points Points::Rep::called(const std::string& column) const {
  fail(ErrorKind::domain, "table: {} cannot be its only column, called {}", domain().str(), quoted(column));
}

std::string Points::Rep::describe() const { return fmt::format("the inputs are {}", domain().str()); }

std::string describe_column(const std::vector<std::string>& names, Index column) {
  if (column < static_cast<Index>(names.size()) && !names[static_cast<std::size_t>(column)].empty()) {
    return "column " + quoted(names[static_cast<std::size_t>(column)]);
  }
  return fmt::format("column {}", column + 1);
}

DenseRows dense_rows(const Points& x) {
  const Reals* reals = find_reals(x);
  if (reals == nullptr) fail(ErrorKind::domain, "needs numbers; the inputs are {}", x.domain().str());
  return reals->dense(x.share());
}

Vector row_norms(const Points& x) {
  Vector norms(static_cast<std::size_t>(x.size()));
  if (const SparseMatrix* sparse = sparse_rows(x)) {
    const SparseMatrix& m = *sparse;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      for (auto at = static_cast<std::size_t>(m.offsets[i]); at < static_cast<std::size_t>(m.offsets[i + 1]); ++at) {
        norms[i] += m.values[at] * m.values[at];
      }
    }
  } else {
    const DenseRows rows = dense_rows(x);
    for (Index i = 0; i < x.size(); ++i) {
      for (Index k = 0; k < rows.values.cols(); ++k) {
        norms[static_cast<std::size_t>(i)] += rows.values(i, k) * rows.values(i, k);
      }
    }
  }
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace mercer
