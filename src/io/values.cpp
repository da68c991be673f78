// Targets, and rows of numbers as data sets.
#include <algorithm>
#include <cstdlib>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "io/readers.hpp"

namespace mercer {

bool are_counted(std::span<const std::string> names) {
  return !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.size() > 1 && name[0] == 'x' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  });
}

std::string name_hint(const std::string& text, std::span<const std::string> names) {
  // Those of a file without a header.
  if (are_counted(names)) return "; line 1 was read as values: if it holds names, say `header=yes`";
  return did_you_mean(text, names);
}

Index column_number(const std::string& text, const std::string& purpose, std::span<const std::string> names,
                    Index columns, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return found - names.begin();
  Index number = 0;
  const char* const end = text.data() + text.size();
  if (const auto [next, error] = std::from_chars(text.data(), end, number); error == std::errc() && next == end) {
    if (number >= 1 && number <= columns) return number - 1;
    fail(ErrorKind::data, "{}: no column {} to {}; there are {}, counted from 1", name, number, purpose, columns);
  }
  if (names.empty()) {
    fail(ErrorKind::data, "{}: no column {} to {}; its columns have no names: give a number from 1 to {}", name,
         shown(text), purpose, columns);
  }
  constexpr std::size_t most = 8;
  std::string list;
  for (const std::string& one : names.first(std::min(most, names.size()))) list += (list.empty() ? "" : ", ") + one;
  if (names.size() > most) list += fmt::format(", ... ({} in all)", names.size());
  fail(ErrorKind::data, "{}: no column {} to {}; the columns are {}{}", name, shown(text), purpose, list,
       name_hint(text, names));
}

template <class T>
void check_finite(BasicMatrixView<const T> x, const std::string& name, Index first_row) {
  for (Index i = 0; i < x.rows(); ++i) {
    const T* const row = x.row(i);
    // x * 0 is 0 for a finite x and NaN otherwise: a sum the compiler can vectorise, and only then the search.
    T sum = 0;
    for (Index j = 0; j < x.cols(); ++j) sum += row[j] * T{0};
    if (sum == T{0}) continue;
    const Index j = std::find_if(row, row + x.cols(), [](T v) { return !std::isfinite(v); }) - row;
    fail(ErrorKind::data, "{}: row {}, column {}: the value is {}; replace it by a finite number, or remove the row",
         name, first_row + i + 1, j + 1, row[j]);
  }
}

template void check_finite(MatrixView, const std::string&, Index);
template void check_finite(FloatMatrixView, const std::string&, Index);

namespace {

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
                      const ReadOptions& options, Index first_row) {
  check_finite(x, name, first_row);
  if (options.target.empty() && !options.last_is_target) return {.points = rows(x, std::move(owner))};

  const Index target =
      options.target.empty() ? x.cols() - 1 : column_number(options.target, "be the target", {}, x.cols(), name);
  if (x.cols() == 1) fail(ErrorKind::data, "{}: its only column is the target; no column is left for the points", name);
  Vector numbers;
  numbers.reserve(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) numbers.push_back(static_cast<double>(x(i, target)));
  return {.points = without_column(x, target, std::move(owner)),
          .target_numbers = std::move(numbers),
          .target_name = fmt::format("column {}", target + 1)};
}

template Dataset dense_dataset(MatrixView, std::shared_ptr<const void>, const std::string&, const ReadOptions&, Index);
template Dataset dense_dataset(FloatMatrixView, std::shared_ptr<const void>, const std::string&, const ReadOptions&,
                               Index);

}  // namespace mercer
