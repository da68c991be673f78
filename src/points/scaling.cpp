#include "mercer/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "points/scaled_columns.hpp"

namespace mercer {

namespace {

const std::array<std::string, 4> kNames = {"none", "centred", "standard", "minmax"};

// The real parts of the inputs in order: all of them, or those of a table, or of what bags hold.
std::vector<Points> real_parts(const Points& x) {
  if (const Table* table = find_table(x)) {
    std::vector<Points> parts;
    for (const auto& [name, part] : table->parts) {
      for (Points& inner : real_parts(part)) parts.push_back(std::move(inner));
    }
    return parts;
  }
  if (const std::optional<Points> elements = elements_of(x)) return real_parts(*elements);
  return x.domain().kind == "reals" ? std::vector{x} : std::vector<Points>();
}

void require_dense(const Points& part) {
  if (is_sparse(part)) {
    fail(ErrorKind::usage, "scaling: sparse rows would become dense; use the scaling none, or give the data densely");
  }
}

// One number for each column, here and below; row by row, as the numbers lie in memory.
void append_standard(MatrixView x, Vector& shift, Vector& spread) {
  const auto n = static_cast<double>(x.rows());
  Vector mean(at(x.cols())), square(at(x.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < x.cols(); ++k) mean[at(k)] += x(i, k) / n;
  }
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < x.cols(); ++k) square[at(k)] += (x(i, k) - mean[at(k)]) * (x(i, k) - mean[at(k)]) / n;
  }
  for (double& value : square) value = std::sqrt(value);
  shift.insert(shift.end(), mean.begin(), mean.end());
  spread.insert(spread.end(), square.begin(), square.end());
}

struct Bounds {
  Vector low, high;
};

Bounds bounds_of(MatrixView x) {
  Bounds b{Vector(x.row(0), x.row(0) + x.cols()), Vector(x.row(0), x.row(0) + x.cols())};
  for (Index i = 1; i < x.rows(); ++i) {
    for (Index k = 0; k < x.cols(); ++k) {
      b.low[at(k)] = std::min(b.low[at(k)], x(i, k));
      b.high[at(k)] = std::max(b.high[at(k)], x(i, k));
    }
  }
  return b;
}

Points scale_reals(const Points& x, const double* shift, const double* factor) {
  require_dense(x);
  const DenseRows from = dense_rows(x);
  Matrix scaled = Matrix::uninitialized(from.values.rows(), from.values.cols());
  for (Index i = 0; i < scaled.rows(); ++i) {
    for (Index k = 0; k < scaled.cols(); ++k) scaled(i, k) = (from.values(i, k) - shift[k]) * factor[k];
  }
  return named_like(rows(std::move(scaled)), x);
}

// With the numbers of its columns from `first` on, which goes on to the next.
Points scale_parts(const Points& x, const Scaling& scaling, std::size_t& first) {
  if (const Table* table = find_table(x)) {
    std::vector<std::pair<std::string, Points>> parts;
    for (const auto& [name, part] : table->parts) parts.emplace_back(name, scale_parts(part, scaling, first));
    return Points(std::make_shared<Table>(std::move(parts)));
  }
  if (const std::optional<Points> elements = elements_of(x)) {
    return with_elements(x, scale_parts(*elements, scaling, first));
  }
  if (x.domain().kind != "reals") return x;
  const std::size_t own = first;
  first += at(x.domain().dimension);
  return scale_reals(x, scaling.shift.data() + own, scaling.factor.data() + own);
}

}  // namespace

Scaling Scaling::of(Kind kind, const Points& x) {
  Scaling out{kind, {}, {}};
  if (kind == Kind::none) return out;
  if (x.size() == 0) fail(ErrorKind::data, "scaling: there are no points to take the scale from");
  for (const Points& part : real_parts(x)) {
    require_dense(part);
    require_finite(part);
    const DenseRows rows = dense_rows(part);
    const auto first = static_cast<Index>(out.shift.size());
    if (kind != Kind::minmax) append_standard(rows.values, out.shift, out.factor);
    const Bounds b = bounds_of(rows.values);
    for (Index k = 0; k < rows.values.cols(); ++k) {
      const double low = b.low[at(k)], high = b.high[at(k)];
      if (kind == Kind::minmax) {
        out.shift.push_back(low);
        out.factor.push_back(high - low);
      }
      double& shift = out.shift[at(first + k)];
      double& factor = out.factor[at(first + k)];
      if (low == high) shift = low;  // exactly, where a computed mean may be off in the last digit
      const double inverse = 1 / factor;
      factor = kind == Kind::centred || low == high || !std::isfinite(inverse) ? 1 : inverse;
    }
  }
  return out;
}

std::vector<std::string> scaled_columns(const Points& x) {
  std::vector<std::string> out;
  for (const Points& part : real_parts(x)) {
    std::vector<std::string> names = part.column_names();
    names.resize(at(part.domain().dimension));
    out.insert(out.end(), names.begin(), names.end());
  }
  return out;
}

Points Scaling::apply(const Points& x) const {
  if (kind == Kind::none) return x;
  std::size_t width = 0;
  for (const Points& part : real_parts(x)) width += at(part.domain().dimension);
  if (width != shift.size() || width != factor.size()) {
    fail(ErrorKind::domain, "scaling: made for {} real columns, the inputs have {}", shift.size(), width);
  }
  std::size_t first = 0;
  return scale_parts(x, *this, first);
}

Scaling Scaling::then(const Scaling& next) const {
  if (kind == Kind::none) return next;
  Scaling out = *this;
  for (std::size_t c = 0; c < next.shift.size(); ++c) {
    out.shift[c] += next.shift[c] / factor[c];
    out.factor[c] *= next.factor[c];
  }
  return out;
}

double Scaling::volume() const {
  double product = 1;
  for (const double f : factor) product *= std::abs(f);
  return product;
}

std::string_view name_of(Scaling::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Scaling::Kind scaling_kind(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    fail(ErrorKind::usage, "scaling: none, centred, standard or minmax, not \"{}\"{}", name,
         did_you_mean(name, kNames));
  }
  return static_cast<Scaling::Kind>(found - kNames.begin());
}

}  // namespace mercer
