#include "points/join.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

// Both as T, or nothing.
template <class T>
std::pair<const T*, const T*> both(const Points& a, const Points& b) {
  const auto* first = dynamic_cast<const T*>(&a.rep());
  const auto* second = dynamic_cast<const T*>(&b.rep());
  if (first == nullptr || second == nullptr) return {};
  return {first, second};
}

template <class T>
Points stacked(BasicMatrixView<const T> a, BasicMatrixView<const T> b, std::vector<std::string> names,
               std::vector<NamedColumns> groups) {
  auto values = std::make_shared<std::vector<T>>();
  values->reserve(static_cast<std::size_t>((a.rows() + b.rows()) * a.cols()));
  for (const auto& part : {a, b}) {
    for (Index i = 0; i < part.rows(); ++i) values->insert(values->end(), part.row(i), part.row(i) + part.cols());
  }
  const BasicMatrixView<const T> view(values->data(), a.rows() + b.rows(), a.cols());
  return Points(std::make_shared<DenseReals<T>>(view, values, std::move(names), std::move(groups)));
}

template <class T>
Points stacked(const DenseReals<T>& a, const DenseReals<T>& b) {
  return stacked<T>(a.values, b.values, a.names, a.groups);
}

Points stacked(const SparseReals& a, const SparseReals& b) {
  SparseMatrix out = a.values;
  out.rows += b.values.rows;
  const Index shift = out.offsets.back();
  std::transform(b.values.offsets.begin() + 1, b.values.offsets.end(), std::back_inserter(out.offsets),
                 [&](Index offset) { return offset + shift; });
  out.columns.insert(out.columns.end(), b.values.columns.begin(), b.values.columns.end());
  out.values.insert(out.values.end(), b.values.values.begin(), b.values.values.end());
  return Points(std::make_shared<SparseReals>(std::move(out), a.names));
}

Points stacked(const Strings& a, const Strings& b) {
  std::vector<std::string> text = a.text;
  text.insert(text.end(), b.text.begin(), b.text.end());
  return Points(std::make_shared<Strings>(std::move(text), a.name));
}

Points stacked(const Table& a, const Table& b) {
  std::vector<std::pair<std::string, Points>> parts;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    parts.emplace_back(a.parts[i].first, join(a.parts[i].second, b.parts[i].second));
  }
  return Points(std::make_shared<Table>(std::move(parts)));
}

void require_alike(const Points& a, const Points& b) {
  const auto tables = both<Table>(a, b);
  if (a.domain() != b.domain() || (tables.first && tables.first->parts.size() != tables.second->parts.size())) {
    fail(ErrorKind::domain, "join: the points are {} and {}; they must be of one kind", a.domain().str(),
         b.domain().str());
  }
  const std::vector<std::string> first = a.column_names(), second = b.column_names();
  if (!first.empty() && !second.empty() && first != second) {
    fail(ErrorKind::domain, "join: the columns are {} and {}; give the same in the same order", fmt::join(first, ", "),
         fmt::join(second, ", "));
  }
}

}  // namespace

Points join(const Points& a, const Points& b) {
  require_alike(a, b);
  if (const auto [x, y] = both<DenseReals<double>>(a, b); x) return stacked(*x, *y);
  if (const auto [x, y] = both<DenseReals<float>>(a, b); x) return stacked(*x, *y);
  if (const auto [x, y] = both<SparseReals>(a, b); x) return stacked(*x, *y);
  if (const auto [x, y] = both<Strings>(a, b); x) return stacked(*x, *y);
  if (const auto [x, y] = both<Table>(a, b); x) return stacked(*x, *y);
  const DenseRows x = dense_rows(a), y = dense_rows(b);
  return stacked<double>(x.values, y.values, a.column_names(), {});
}

}  // namespace mercer
