// Targets, and rows of numbers as data sets.
#include <algorithm>
#include <cstdlib>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "io/readers.hpp"

namespace mercer {

Index target_column(const std::string& target, std::span<const std::string> names, Index columns,
                    const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), target);
  if (found != names.end()) return found - names.begin();
  Index number = 0;
  const char* const end = target.data() + target.size();
  if (const auto [next, error] = std::from_chars(target.data(), end, number); error == std::errc() && next == end) {
    if (number >= 1 && number <= columns) return number - 1;
    fail(ErrorKind::data, "{}: no column {} to be the target; there are {}, counted from 1", name, number, columns);
  }
  if (names.empty()) {
    fail(ErrorKind::data, "{}: no column {} to be the target; its columns have no names: give a number from 1 to {}",
         name, shown(target), columns);
  }
  constexpr std::size_t most = 8;
  std::string list;
  for (const std::string& one : names.first(std::min(most, names.size()))) list += (list.empty() ? "" : ", ") + one;
  if (names.size() > most) list += fmt::format(", ... ({} in all)", names.size());
  fail(ErrorKind::data, "{}: no column {} to be the target; the columns are {}{}", name, shown(target), list,
       did_you_mean(target, names));
}

namespace {

template <class T>
void check_finite(BasicMatrixView<const T> x, const std::string& name) {
  for (Index i = 0; i < x.rows(); ++i) {
    const T* const row = x.row(i);
    // x * 0 is 0 for a finite x and NaN otherwise: a sum the compiler can vectorise, and only then the search.
    T sum = 0;
    for (Index j = 0; j < x.cols(); ++j) sum += row[j] * T{0};
    if (sum == T{0}) continue;
    const Index j = std::find_if(row, row + x.cols(), [](T v) { return !std::isfinite(v); }) - row;
    fail(ErrorKind::data, "{}: row {}, column {}: the value is {}; replace it by a finite number, or remove the row",
         name, i + 1, j + 1, row[j]);
  }
}

// Only a column in the middle leaves a gap that a view cannot step over.
template <class T>
Points without_column(BasicMatrixView<const T> x, Index column, std::shared_ptr<const void> owner) {
  const Range all{0, x.rows()};
  if (column == 0) return rows(x.block(all, {1, x.cols()}), std::move(owner));
  if (column == x.cols() - 1) return rows(x.block(all, {0, column}), std::move(owner));
  auto rest = std::make_shared<std::vector<T>>();
  rest->reserve(static_cast<std::size_t>(x.rows() * (x.cols() - 1)));
  for (Index i = 0; i < x.rows(); ++i) {
    const T* const row = x.row(i);
    rest->insert(rest->end(), row, row + column);
    rest->insert(rest->end(), row + column + 1, row + x.cols());
  }
  const BasicMatrixView<const T> view(rest->data(), x.rows(), x.cols() - 1);
  return rows(view, std::move(rest));
}

}  // namespace

template <class T>
Dataset dense_dataset(BasicMatrixView<const T> x, std::shared_ptr<const void> owner, const std::string& name,
                      const ReadOptions& options) {
  check_finite(x, name);
  if (options.target.empty() && !options.last_is_target) return {.points = rows(x, std::move(owner))};

  const Index target = options.target.empty() ? x.cols() - 1 : target_column(options.target, {}, x.cols(), name);
  if (x.cols() == 1) fail(ErrorKind::data, "{}: its only column is the target; no column is left for the points", name);
  Vector numbers;
  numbers.reserve(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) numbers.push_back(static_cast<double>(x(i, target)));
  return {.points = without_column(x, target, std::move(owner)),
          .target_numbers = std::move(numbers),
          .target_name = fmt::format("column {}", target + 1)};
}

template Dataset dense_dataset(MatrixView, std::shared_ptr<const void>, const std::string&, const ReadOptions&);
template Dataset dense_dataset(FloatMatrixView, std::shared_ptr<const void>, const std::string&, const ReadOptions&);

}  // namespace mercer
