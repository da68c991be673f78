#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/memory.hpp"
#include "points/columns.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

std::vector<NamedColumns> known_columns(const std::vector<std::string>& names, std::vector<NamedColumns> known = {}) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!names[j].empty()) known.push_back({names[j], {static_cast<Index>(j), static_cast<Index>(j) + 1}});
  }
  return known;
}

std::vector<std::string> pick(const std::vector<std::string>& names, const std::vector<Index>& positions) {
  std::vector<std::string> picked;
  if (names.empty()) return picked;
  for (const Index j : positions) picked.push_back(names[static_cast<std::size_t>(j)]);
  return picked;
}

bool contiguous(const std::vector<Index>& positions) {
  return std::adjacent_find(positions.begin(), positions.end(), [](Index a, Index b) { return b != a + 1; }) ==
         positions.end();
}

// Owned numbers of either type; Matrix holds doubles only.
template <class T>
Points gather(BasicMatrixView<const T> x, std::span<const Index> row_numbers, std::span<const Index> column_numbers,
              std::vector<std::string> names, std::vector<NamedColumns> groups = {}) {
  const auto rows = static_cast<Index>(row_numbers.size()), cols = static_cast<Index>(column_numbers.size());
  auto copy = std::make_shared<std::vector<T>>(static_cast<std::size_t>(rows * cols));
  T* out = copy->data();
  for (const Index i : row_numbers) {
    for (const Index j : column_numbers) *out++ = x(i, j);
  }
  const BasicMatrixView<const T> view(copy->data(), rows, cols);
  return Points(std::make_shared<DenseReals<T>>(view, copy, std::move(names), std::move(groups)));
}

std::vector<Index> all(Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i;
  return numbers;
}

}  // namespace

std::vector<Index> Reals::positions(const Columns& which) const {
  return positions_of(which, known_columns(names, groups), width());
}

const Reals* find_reals(const Points& x) { return dynamic_cast<const Reals*>(&x.rep()); }

const SparseMatrix* sparse_rows(const Points& x) {
  const Reals* reals = find_reals(x);
  return reals == nullptr ? nullptr : reals->sparse();
}

template <class T>
Points DenseReals<T>::columns(const Columns& which) const {
  const std::vector<Index> chosen = positions(which);
  if (!contiguous(chosen)) return gather<T>(values, all(size()), chosen, pick(names, chosen));
  const Range block{chosen.front(), chosen.back() + 1};
  return Points(std::make_shared<DenseReals<T>>(values.block({0, size()}, block), owner, pick(names, chosen)));
}

template <class T>
Points DenseReals<T>::select(std::span<const Index> which) const {
  return gather<T>(values, which, all(values.cols()), names, groups);
}

template <class T>
Points DenseReals<T>::slice(Range range) const {
  return Points(std::make_shared<DenseReals<T>>(values.block(range, {0, values.cols()}), owner, names, groups));
}

template <class T>
int DenseReals<T>::compare(Index i, Index j) const {
  const T *a = values.row(i), *b = values.row(j);
  for (Index k = 0; k < values.cols(); ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}

template <class T>
Points DenseReals<T>::renamed(const std::shared_ptr<const Rep>& self, std::vector<std::string> new_names,
                              std::vector<NamedColumns> new_groups) const {
  return Points(std::make_shared<DenseReals<T>>(values, self, std::move(new_names), std::move(new_groups)));
}

template <class T>
DenseRows DenseReals<T>::dense(const std::shared_ptr<const Rep>& self) const {
  if constexpr (std::is_same_v<T, double>) {
    return {values, self};
  } else {
    auto copy = std::make_shared<Matrix>(Matrix::uninitialized(values.rows(), values.cols()));
    for (Index i = 0; i < values.rows(); ++i) std::copy_n(values.row(i), values.cols(), copy->row(i));
    return {copy->view(), copy};
  }
}

template <class T>
void require_distinct(const DenseReals<T>& rows) {
  require_distinct(known_columns(rows.names, rows.groups));
}
template void require_distinct(const DenseReals<double>& rows);
template void require_distinct(const DenseReals<float>& rows);

Points SparseReals::columns(const Columns& which) const {
  const std::vector<Index> chosen = positions(which);
  std::unordered_map<std::int32_t, std::int32_t> target;  // of a chosen column: its new number
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    target[static_cast<std::int32_t>(chosen[j])] = static_cast<std::int32_t>(j);
  }
  SparseMatrix out;
  out.rows = values.rows;
  out.cols = static_cast<Index>(chosen.size());
  std::vector<std::pair<std::int32_t, double>> row;
  for (Index i = 0; i < values.rows; ++i) {
    row.clear();
    for (Index at = values.offsets[static_cast<std::size_t>(i)]; at < values.offsets[static_cast<std::size_t>(i + 1)];
         ++at) {
      const auto p = static_cast<std::size_t>(at);
      const auto column = target.find(values.columns[p]);
      if (column != target.end()) row.emplace_back(column->second, values.values[p]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      out.columns.push_back(column);
      out.values.push_back(value);
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  return Points(std::make_shared<SparseReals>(std::move(out), pick(names, chosen)));
}

Points SparseReals::select(std::span<const Index> which) const {
  SparseMatrix out;
  out.rows = static_cast<Index>(which.size());
  out.cols = values.cols;
  for (const Index i : which) {
    const Index first = values.offsets[static_cast<std::size_t>(i)],
                last = values.offsets[static_cast<std::size_t>(i + 1)];
    out.columns.insert(out.columns.end(), values.columns.begin() + first, values.columns.begin() + last);
    out.values.insert(out.values.end(), values.values.begin() + first, values.values.begin() + last);
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  return Points(std::make_shared<SparseReals>(std::move(out), names));
}

// As if the zeros were there.
int SparseReals::compare(Index i, Index j) const {
  auto a = static_cast<std::size_t>(values.offsets[static_cast<std::size_t>(i)]);
  auto b = static_cast<std::size_t>(values.offsets[static_cast<std::size_t>(j)]);
  const auto a_end = static_cast<std::size_t>(values.offsets[static_cast<std::size_t>(i + 1)]);
  const auto b_end = static_cast<std::size_t>(values.offsets[static_cast<std::size_t>(j + 1)]);
  while (a < a_end || b < b_end) {
    const bool first = b == b_end || (a < a_end && values.columns[a] <= values.columns[b]);
    const bool second = a == a_end || (b < b_end && values.columns[b] <= values.columns[a]);
    const double left = first ? values.values[a++] : 0, right = second ? values.values[b++] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

Points SparseReals::renamed(const std::shared_ptr<const Rep>&, std::vector<std::string> new_names,
                            std::vector<NamedColumns>) const {
  return Points(std::make_shared<SparseReals>(values, std::move(new_names)));
}

namespace {

// Few entries can stand in very many columns.
void require_room(const SparseMatrix& m) {
  const double bytes = static_cast<double>(m.rows) * static_cast<double>(m.cols) * sizeof(double);
  constexpr double kNotWorthAsking = 1 << 26;
  if (bytes <= kNotWorthAsking || bytes <= available_memory()) return;
  fail(ErrorKind::numeric,
       "{} sparse rows of {} columns would take {:.3g} GB as dense ones, which this kernel or machine works on; use "
       "rbf, linear or poly, or fewer columns",
       m.rows, m.cols, bytes / 1e9);
}

// visit(row, column, value) for every entry.
template <class Visit>
void for_each_entry(const SparseMatrix& m, Visit visit) {
  for (Index i = 0; i < m.rows; ++i) {
    for (Index at = m.offsets[static_cast<std::size_t>(i)]; at < m.offsets[static_cast<std::size_t>(i + 1)]; ++at) {
      visit(i, m.columns[static_cast<std::size_t>(at)], m.values[static_cast<std::size_t>(at)]);
    }
  }
}

}  // namespace

DenseRows SparseReals::dense(const std::shared_ptr<const Rep>&) const {
  require_room(values);
  auto copy = std::make_shared<Matrix>(values.rows, values.cols);
  for_each_entry(values, [&](Index i, Index j, double value) { (*copy)(i, j) = value; });
  return {copy->view(), copy};
}

namespace {

// Numbers beyond this overflow when squared.
constexpr double kLargest = 1e150;
bool usable(double value) { return std::abs(value) <= kLargest; }

}  // namespace

template <class T>
void DenseReals<T>::look_over(const std::function<void(Index, Index, double)>& report) const {
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      if (!usable(values(i, j))) report(i, j, static_cast<double>(values(i, j)));
    }
  }
}

void SparseReals::look_over(const std::function<void(Index, Index, double)>& report) const {
  for_each_entry(values, [&](Index i, Index j, double value) {
    if (!usable(value)) report(i, j, value);
  });
}

void Reals::require_finite(Index first_row) const {
  look_over([&](Index row, Index column, double value) {
    fail(ErrorKind::data,
         "row {}, {} is {}; every input must be a finite number below 1e150 in size: remove, fill or rescale it",
         first_row + row + 1, describe_column(names, column), value);
  });
}

void Reals::require_finite() const {
  cached<bool>("finite", [&] {
    require_finite(0);
    return true;
  });
}

template struct DenseReals<double>;
template struct DenseReals<float>;

Points rows(Matrix x) {
  auto owner = std::make_shared<const Matrix>(std::move(x));
  return rows(owner->view(), owner);
}
Points rows(MatrixView x) { return rows(x, nullptr); }
Points rows(FloatMatrixView x) { return rows(x, nullptr); }
Points rows(MatrixView x, std::shared_ptr<const void> owner) {
  return Points(std::make_shared<DenseReals<double>>(x, std::move(owner)));
}
Points rows(FloatMatrixView x, std::shared_ptr<const void> owner) {
  return Points(std::make_shared<DenseReals<float>>(x, std::move(owner)));
}

Points rows(SparseMatrix x) {
  const bool sized = static_cast<Index>(x.offsets.size()) == x.rows + 1 && x.columns.size() == x.values.size() &&
                     x.offsets.front() == 0 && x.offsets.back() == static_cast<Index>(x.columns.size()) &&
                     std::is_sorted(x.offsets.begin(), x.offsets.end());
  if (!sized) fail(ErrorKind::shape, "sparse rows: offsets, columns and values do not fit {} rows", x.rows);
  for (Index i = 0; i < x.rows; ++i) {
    Index previous = -1;
    for (Index at = x.offsets[static_cast<std::size_t>(i)]; at < x.offsets[static_cast<std::size_t>(i + 1)]; ++at) {
      const Index column = x.columns[static_cast<std::size_t>(at)];
      if (column <= previous || column >= x.cols) {
        fail(ErrorKind::shape, "sparse rows: row {}: column {} must be below {} and increase within the row", i + 1,
             column, x.cols);
      }
      previous = column;
    }
  }
  return Points(std::make_shared<SparseReals>(std::move(x)));
}

Points named(const Points& x, std::vector<std::string> names) {
  if (x.domain().kind != "reals")
    fail(ErrorKind::domain, "named: only real inputs have named columns, not {}", x.domain().str());
  if (static_cast<Index>(names.size()) != x.domain().dimension) {
    fail(ErrorKind::shape, "named: {} names for {} columns", names.size(), x.domain().dimension);
  }
  require_distinct(known_columns(names));
  return find_reals(x)->renamed(x.share(), std::move(names), {});
}

Points named_like(const Points& x, const Points& others) {
  const Reals* model = find_reals(others);
  return find_reals(x)->renamed(x.share(), model->names, model->groups);
}

}  // namespace mercer
