#include "mercer/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "distributed/packed.hpp"
#include "distributed/ranks.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "points/scaled_columns.hpp"
#include "points/streamed.hpp"

namespace mercer {

namespace {

const std::array<std::string, 4> kNames = {"none", "centred", "standard", "minmax"};

Points mapped(Points x, const std::vector<RowMap>& maps) {
  for (const RowMap& map : maps) x = map.apply(x);
  return x;
}

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
  if (is_sparse(head_of(part))) {
    fail(ErrorKind::usage, "scaling: sparse rows would become dense; use the scaling none, or give the data densely");
  }
}

// A number for each column, in one pass: means and squares about them move with each row (Welford, Technometrics 1962),
// and with each block of rows (Chan, Golub & LeVeque, The American Statistician 1983). All from a first row on, so that
// columns far from 0 lose no digits.
class Spread {
 public:
  explicit Spread(Index columns)
      : low(at(columns)), high(at(columns)), origin_(at(columns)), beyond_(at(columns)), squares_(at(columns)) {}
  explicit Spread(const std::string& bytes) {
    distributed::Unpacking from(bytes);
    for (Vector* const numbers : {&low, &high, &origin_, &beyond_, &squares_}) *numbers = from.all<double>();
    rows_ = static_cast<double>(from.number());
  }

  std::string bytes() const {
    distributed::Packing out;
    for (const Vector* const numbers : {&low, &high, &origin_, &beyond_, &squares_}) out.all(VectorView(*numbers));
    return out.number(static_cast<std::int64_t>(rows_)).bytes();
  }

  // Of the rows that follow; some in both.
  void add(const Spread& next) {
    const double all = rows_ + next.rows_;
    for (std::size_t k = 0; k < low.size(); ++k) {
      const double apart = (next.origin_[k] - origin_[k]) + (next.beyond_[k] - beyond_[k]);
      beyond_[k] += apart * (next.rows_ / all);
      squares_[k] += next.squares_[k] + apart * apart * (rows_ * next.rows_ / all);
      low[k] = std::min(low[k], next.low[k]);
      high[k] = std::max(high[k], next.high[k]);
    }
    rows_ = all;
  }

  void add(MatrixView x) {
    for (Index i = 0; i < x.rows(); ++i) {
      if (rows_ == 0) {
        for (Vector* const first : {&low, &high, &origin_}) std::copy_n(x.row(i), x.cols(), first->begin());
      }
      const double share = 1 / ++rows_;
      for (Index k = 0; k < x.cols(); ++k) {
        const double value = x(i, k), from_first = value - origin_[at(k)], before = from_first - beyond_[at(k)];
        beyond_[at(k)] += before * share;
        squares_[at(k)] += before * (from_first - beyond_[at(k)]);
        low[at(k)] = std::min(low[at(k)], value);
        high[at(k)] = std::max(high[at(k)], value);
      }
    }
  }
  double mean(std::size_t column) const { return origin_[column] + beyond_[column]; }
  double deviation(std::size_t column) const { return std::sqrt(squares_[column] / rows_); }

  Vector low, high;

 private:
  Vector origin_, beyond_;  // the first row, and the mean less that
  Vector squares_;
  double rows_ = 0;
};

Spread spread_of(const Points& x) {
  constexpr Index kAtOnce = Index{1} << 14;
  std::optional<Spread> out;
  distributed::each(
      "scales", (x.size() + kAtOnce - 1) / kAtOnce,
      [&](Index block) {
        Spread own(x.domain().dimension);
        own.add(dense_rows(x.slice({block * kAtOnce, std::min((block + 1) * kAtOnce, x.size())})).values);
        return own.bytes();
      },
      [&](const std::string& bytes) {
        if (out) {
          out->add(Spread(bytes));
        } else {
          out.emplace(bytes);
        }
      });
  return std::move(*out);
}

Points scale_reals(const Points& x, const double* shift, const double* factor) {
  require_dense(x);
  if (is_streamed(x)) {
    const auto columns = static_cast<std::ptrdiff_t>(x.domain().dimension);
    return streamed_through(x, [own = Vector(shift, shift + columns), by = Vector(factor, factor + columns)](
                                   const Points& some) { return scale_reals(some, own.data(), by.data()); });
  }
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

Scaling Scaling::of(Kind kind, const Points& inputs, std::vector<RowMap> maps) {
  for (const RowMap& map : maps) {
    if (map.use() != RowMap::Use::invariance) continue;
    fail(ErrorKind::usage, "{}: it makes copies that mean the same, and prepares no inputs; give it as an invariance",
         map.str());
  }
  Scaling out{kind, {}, {}, std::move(maps)};
  if (kind == Kind::none) return out;
  const Points x = mapped(inputs, out.maps);
  if (x.size() == 0) fail(ErrorKind::data, "scaling: there are no points to take the scale from");
  for (const Points& part : real_parts(x)) {
    require_dense(part);
    require_finite(part);
    const Spread spread = spread_of(part);
    for (std::size_t k = 0; k < spread.low.size(); ++k) {
      const double low = spread.low[k], high = spread.high[k];
      // Where all are one number, exactly that: a computed mean may be off in the last digit.
      out.shift.push_back(kind == Kind::minmax || low == high ? low : spread.mean(k));
      const double inverse = 1 / (kind == Kind::minmax ? high - low : spread.deviation(k));
      out.factor.push_back(kind == Kind::centred || low == high || !std::isfinite(inverse) ? 1 : inverse);
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

Points Scaling::apply(const Points& inputs) const {
  Points x = mapped(inputs, maps);
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
  Scaling out = *this;
  if (kind == Kind::none) {
    out = next;
    out.maps = maps;
    return out;
  }
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
