#include "kernel/side.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"
#include "simd/count_lines.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

void add_sparse_figures(RealSide& side) {
  side.squared_norms.resize(at(side.rows));
  for (Index i = 0; i < side.rows; ++i) {
    // In the order, and with the rounding, of sparse_dots(): x_i . x_i is one number.
    const SparseRow row = sparse_row(side, i);
    double& sum = side.squared_norms[at(i)];
    for (Index p = 0; p < row.size; ++p) simd::add_scaled(row.values[p], row.values + p, 1, &sum);
  }
  const std::vector<double>& values = side.sparse->values;
  double largest = 0, total = 0;
  for (const double value : values) {
    if (!(value >= 1 && value <= simd::kMostCount && value == std::floor(value))) return;
    largest = std::max(largest, value);
    total += value;
  }
  if (!values.empty()) side.counts = {static_cast<unsigned>(largest), total / static_cast<double>(values.size())};
}

// As on() takes it: in quotes where the name is no identifier.
std::string columns_called(const std::string& name) { return Columns(std::vector<Columns::Item>{{name, name}}).str(); }

// Points that one piece of parallel work prepares: whole panels, and work enough to wake a thread for.
Index prepared_at_once(Index cols) {
  constexpr Index panel = simd::kPanel;
  return (1 + 100000 / (panel * std::max<Index>(1, cols))) * panel;
}

}  // namespace

Points require_reals(const Points& x, const std::string& who) {
  if (x.domain().kind == "reals") {
    require_finite(x);
    return x;
  }
  const std::vector<std::string> names = x.column_names();
  if (x.domain().kind == "table") {
    fail(ErrorKind::domain, "{} needs numbers, and {}; put each kernel on its column: on({}, ...); the columns are {}",
         who, x.rep().describe(), columns_called(names.front()), fmt::join(names, ", "));
  }
  fail(ErrorKind::domain, "{} needs numbers, and {}", who, x.rep().describe());
}

void require_same_width(const PointsPair& points, const std::string& who) {
  require_reals(points.x, who);
  require_reals(points.y, who);
  const bool empty = points.x.size() == 0 || points.y.size() == 0;  // no points have no width of their own
  if (!empty && points.x.domain().dimension != points.y.domain().dimension) {
    fail(ErrorKind::shape, "{}: one data set has {} columns, the other {}; give both the same columns", who,
         points.x.domain().dimension, points.y.domain().dimension);
  }
}

void require_same_names(const PointsPair& points) {
  if (points.same()) return;
  const std::vector<std::string> x = points.x.column_names(), y = points.y.column_names();
  const auto alike = [](const std::string& u, const std::string& v) { return u == v || u.empty() || v.empty(); };
  const auto [a, b] = std::mismatch(x.begin(), x.end(), y.begin(), y.end(), alike);
  if (a == x.end() || b == y.end()) return;  // other numbers of columns are for the kernel to refuse
  fail(ErrorKind::domain,
       "column {} is {} in one data set and {} in the other; put the columns in one order, or choose them by name: "
       "on({}, ...)",
       a - x.begin() + 1, quoted(*a), quoted(*b), columns_called(*a));
}

RealSide dense_side(const Points& x) {
  DenseRows rows = dense_rows(x);
  RealSide side;
  side.rows = rows.values.rows();
  side.cols = rows.values.cols();
  side.dense = rows.values;
  side.owner = std::move(rows.owner);
  return side;
}

bool is_thin(const Points& x) {
  constexpr Index kFull = 4;  // one entry in so many: as dense rows twice as fast, in less than three times the memory
  const SparseMatrix* sparse = sparse_rows(x);
  if (sparse == nullptr) return false;
  constexpr Index kLong = Index{1} << 16;  // a few rows of so many columns are mostly what fills up their panel
  const auto entries = sparse->cols < kLong ? sparse->rows * sparse->cols
                                            : static_cast<Index>(simd::packed_size(at(sparse->rows), at(sparse->cols)));
  return kFull * static_cast<Index>(sparse->values.size()) < entries;
}

RealSide sparse_side(const Points& x) {
  RealSide side;
  side.rows = x.size();
  side.cols = x.domain().dimension;
  side.sparse = std::shared_ptr<const SparseMatrix>(x.share(), sparse_rows(x));
  add_sparse_figures(side);
  return side;
}

void pack(RealSide& side, Vector shift) {
  const Index block = prepared_at_once(side.cols);
  side.packed = AlignedArray(simd::packed_size(at(side.rows), at(side.cols)));
  side.squared_norms.resize(at(side.rows));
  side.shift = std::move(shift);
  parallel_for((side.rows + block - 1) / block, thread_count(0), {}, "pack", [&](Index b, int) {
    const Index first = b * block;
    simd::pack(side.dense.row(first), at(side.dense.stride()), side.shift.data(),
               at(std::min(block, side.rows - first)), at(side.cols), side.packed.data() + first * side.cols,
               side.squared_norms.data() + first);
  });
}

void pack_plain(RealSide& side) { pack(side, Vector(at(side.cols))); }

Vector centre_of(const RealSide& side) {
  const Index count = std::min<Index>(1024, side.rows);
  Vector centre(at(side.cols));
  for (Index i = 0; i < count; ++i) {
    simd::add_scaled(1 / static_cast<double>(count), side.dense.row(i * side.rows / count), at(side.cols),
                     centre.data());
  }
  return centre;
}

SparseRow sparse_row(const RealSide& side, Index i) {
  const SparseMatrix& m = *side.sparse;
  const Index first = m.offsets[at(i)];
  return {m.columns.data() + first, m.values.data() + first, m.offsets[at(i + 1)] - first};
}

double sparse_square(SparseRow a, SparseRow b, int sign) {
  double total = 0;
  for_each_column(a, b, [&](double u, double v) {
    const double term = u + sign * v;
    total += term * term;
  });
  return total;
}

void add_sparse_row(double factor, SparseRow row, double* out) {
  for (Index p = 0; p < row.size; ++p) out[row.columns[p]] += factor * row.values[p];
}

std::shared_ptr<const Side> RealSide::select(std::span<const Index> which) const {
  auto selected = std::make_shared<RealSide>();
  RealSide& out = *selected;
  out.rows = static_cast<Index>(which.size());
  out.cols = cols;
  if (sparse) {
    auto picked = std::make_shared<SparseMatrix>();
    picked->rows = out.rows;
    picked->cols = cols;
    for (const Index i : which) {
      const SparseRow row = sparse_row(*this, i);
      picked->columns.insert(picked->columns.end(), row.columns, row.columns + row.size);
      picked->values.insert(picked->values.end(), row.values, row.values + row.size);
      picked->offsets.push_back(static_cast<Index>(picked->columns.size()));
    }
    out.sparse = std::move(picked);
  } else {
    auto picked = std::make_shared<Matrix>(Matrix::uninitialized(out.rows, cols));
    for (Index r = 0; r < out.rows; ++r) std::copy_n(dense.row(which[at(r)]), cols, picked->row(r));
    out.dense = picked->view();
    out.owner = std::move(picked);
    if (packed.data() != nullptr) pack(out, shift);
  }
  if (sparse) add_sparse_figures(out);
  return selected;
}

}  // namespace mercer::detail
