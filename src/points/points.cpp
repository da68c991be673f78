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

std::string describe_text(const Points& x) {
  const auto* texts = dynamic_cast<const Strings*>(&x.rep());
  std::string name = texts == nullptr ? "" : texts->name;
  if (const auto* table = dynamic_cast<const Table*>(&x.rep())) {
    for (const auto& part : table->parts) {
      texts = dynamic_cast<const Strings*>(&part.second.rep());
      if (texts == nullptr) continue;
      name = part.first;
      break;
    }
  }
  const std::string column = name.empty() ? "a column" : "column " + quoted(name);
  if (texts == nullptr || texts->text.empty()) return column + " holds no numbers";
  // Of a column that mixes both, a value that is no number.
  auto value = std::find_if_not(texts->text.begin(), texts->text.end(),
                                [](const std::string& one) { return parse_number(one).has_value(); });
  if (value == texts->text.end()) value = texts->text.begin();
  return fmt::format("{} holds text ({} in row {}{})", column, quoted(*value), value - texts->text.begin() + 1,
                     looks_like_number(*value) ? ": write plain numbers, such as 1234.5" : "");
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

namespace {

// Few entries can stand in very many columns.
void require_room(const Points& sparse) {
  const double bytes =
      static_cast<double>(sparse.size()) * static_cast<double>(sparse.domain().dimension) * sizeof(double);
  constexpr double kNotWorthAsking = 1 << 26;
  if (bytes <= kNotWorthAsking || bytes <= available_memory()) return;
  fail(ErrorKind::numeric,
       "{} sparse rows of {} columns would take {:.3g} GB as dense ones, which this kernel or machine works on; use "
       "rbf, linear or poly, or fewer columns",
       sparse.size(), sparse.domain().dimension, bytes / 1e9);
}

}  // namespace

DenseRows dense_rows(const Points& x) {
  if (const auto* d = dynamic_cast<const DenseReals<double>*>(&x.rep())) return {d->values, x.share()};
  if (dynamic_cast<const SparseReals*>(&x.rep()) != nullptr) require_room(x);
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
