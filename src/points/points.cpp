#include "mercer/points.hpp"

#include <cmath>
#include <numeric>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"

namespace mercer {

std::string Domain::str() const {
  if (kind == "any") return "any inputs";
  return dimension == any_dimension ? kind : fmt::format("{}({})", kind, dimension);
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

std::string describe_column(const std::vector<std::string>& names, Index column) {
  if (column < static_cast<Index>(names.size()) && !names[static_cast<std::size_t>(column)].empty()) {
    return "column " + quoted(names[static_cast<std::size_t>(column)]);
  }
  return fmt::format("column {}", column + 1);
}

namespace {

// Numbers beyond this overflow when squared.
constexpr double kLargest = 1e150;
bool usable(double value) { return std::abs(value) <= kLargest; }

}  // namespace

void require_finite(const Points& x) {
  const auto report = [&](Index row, Index column, double value) {
    fail(ErrorKind::data,
         "row {}, {} is {}; every input must be a finite number below 1e150 in size: remove, fill or rescale it",
         row + 1, describe_column(x.column_names(), column), value);
  };
  const auto scan_dense = [&](const auto& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index j = 0; j < values.cols(); ++j) {
        if (!usable(values(i, j))) report(i, j, static_cast<double>(values(i, j)));
      }
    }
  };
  x.rep().cached<bool>("finite", [&] {
    if (const auto* d = dynamic_cast<const DenseReals<double>*>(&x.rep())) scan_dense(d->values);
    if (const auto* f = dynamic_cast<const DenseReals<float>*>(&x.rep())) scan_dense(f->values);
    if (const auto* s = dynamic_cast<const SparseReals*>(&x.rep())) {
      const SparseMatrix& m = s->values;
      for (Index i = 0; i < m.rows; ++i) {
        for (Index at = m.offsets[static_cast<std::size_t>(i)]; at < m.offsets[static_cast<std::size_t>(i + 1)]; ++at) {
          const auto p = static_cast<std::size_t>(at);
          if (!usable(m.values[p])) report(i, m.columns[p], m.values[p]);
        }
      }
    }
    return true;
  });
}

DenseRows dense_rows(const Points& x) {
  if (const auto* d = dynamic_cast<const DenseReals<double>*>(&x.rep())) return {d->values, x.share()};
  auto copy = std::make_shared<Matrix>(x.size(), x.domain().dimension);
  if (const auto* f = dynamic_cast<const DenseReals<float>*>(&x.rep())) {
    for (Index i = 0; i < x.size(); ++i) {
      for (Index j = 0; j < f->values.cols(); ++j) (*copy)(i, j) = static_cast<double>(f->values(i, j));
    }
  } else if (const auto* s = dynamic_cast<const SparseReals*>(&x.rep())) {
    const SparseMatrix& m = s->values;
    for (Index i = 0; i < m.rows; ++i) {
      for (Index at = m.offsets[static_cast<std::size_t>(i)]; at < m.offsets[static_cast<std::size_t>(i + 1)]; ++at) {
        (*copy)(i, m.columns[static_cast<std::size_t>(at)]) = m.values[static_cast<std::size_t>(at)];
      }
    }
  } else {
    fail(ErrorKind::domain, "needs numbers; the inputs are {}", x.domain().str());
  }
  return {copy->view(), copy};
}

Vector row_norms(const Points& x) {
  Vector norms(static_cast<std::size_t>(x.size()));
  if (const auto* sparse = dynamic_cast<const SparseReals*>(&x.rep())) {
    const SparseMatrix& m = sparse->values;
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
