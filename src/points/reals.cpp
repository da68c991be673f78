#include <algorithm>
#include <unordered_map>

#include "base/fail.hpp"
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

template <class T>
std::vector<Index> DenseReals<T>::positions(const Columns& which) const {
  return positions_of(which, known_columns(names, groups), values.cols());
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

template struct DenseReals<double>;
template struct DenseReals<float>;

template <class T>
void require_distinct(const DenseReals<T>& rows) {
  require_distinct(known_columns(rows.names, rows.groups));
}
template void require_distinct(const DenseReals<double>& rows);
template void require_distinct(const DenseReals<float>& rows);

std::vector<Index> SparseReals::positions(const Columns& which) const {
  return positions_of(which, known_columns(names), values.cols);
}

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

bool is_sparse(const Points& x) { return dynamic_cast<const SparseReals*>(&x.rep()) != nullptr; }

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

namespace {

Points with_names(const Points& x, std::vector<std::string> names, std::vector<NamedColumns> groups) {
  if (const auto* d = dynamic_cast<const DenseReals<double>*>(&x.rep())) {
    return Points(std::make_shared<DenseReals<double>>(d->values, x.share(), std::move(names), std::move(groups)));
  }
  if (const auto* f = dynamic_cast<const DenseReals<float>*>(&x.rep())) {
    return Points(std::make_shared<DenseReals<float>>(f->values, x.share(), std::move(names), std::move(groups)));
  }
  return Points(std::make_shared<SparseReals>(dynamic_cast<const SparseReals&>(x.rep()).values, std::move(names)));
}

}  // namespace

Points named(const Points& x, std::vector<std::string> names) {
  if (x.domain().kind != "reals")
    fail(ErrorKind::domain, "named: only real inputs have named columns, not {}", x.domain().str());
  if (static_cast<Index>(names.size()) != x.domain().dimension) {
    fail(ErrorKind::shape, "named: {} names for {} columns", names.size(), x.domain().dimension);
  }
  require_distinct(known_columns(names));
  return with_names(x, std::move(names), {});
}

Points named_like(const Points& x, const Points& others) {
  std::vector<NamedColumns> groups;
  if (const auto* d = dynamic_cast<const DenseReals<double>*>(&others.rep())) groups = d->groups;
  if (const auto* f = dynamic_cast<const DenseReals<float>*>(&others.rep())) groups = f->groups;
  return with_names(x, others.column_names(), std::move(groups));
}

}  // namespace mercer
