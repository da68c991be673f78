#include "points/join.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

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

Points stacked(const SparseMatrix& a, const SparseMatrix& b, const std::vector<std::string>& names) {
  SparseMatrix out = a;
  out.rows += b.rows;
  const Index shift = out.offsets.back();
  std::transform(b.offsets.begin() + 1, b.offsets.end(), std::back_inserter(out.offsets),
                 [&](Index offset) { return offset + shift; });
  out.columns.insert(out.columns.end(), b.columns.begin(), b.columns.end());
  out.values.insert(out.values.end(), b.values.begin(), b.values.end());
  return Points(std::make_shared<SparseReals>(std::move(out), names));
}

void require_alike(const Points& a, const Points& b) {
  const Table *first_table = find_table(a), *second_table = find_table(b);
  const bool other_parts =
      first_table != nullptr && second_table != nullptr && first_table->parts.size() != second_table->parts.size();
  if (a.domain() != b.domain() || other_parts) {
    fail(ErrorKind::domain, "join: the points are {} and {}; they must be of one kind", a.domain().str(),
         b.domain().str());
  }
  const std::vector<std::string> first = a.column_names(), second = b.column_names();
  if (!first.empty() && !second.empty() && first != second) {
    fail(ErrorKind::domain, "join: the columns are {} and {}; give the same in the same order", fmt::join(first, ", "),
         fmt::join(second, ", "));
  }
}

// Numbers in one storage stay so.
template <class T>
const T* as(const Points::Rep& x) {
  return dynamic_cast<const T*>(&x);
}

}  // namespace

Points Reals::join(const Rep& others) const {
  const auto& other = static_cast<const Reals&>(others);
  const auto* singles = as<DenseReals<float>>(*this);
  const auto* other_singles = as<DenseReals<float>>(others);
  if (singles != nullptr && other_singles != nullptr) return stacked(*singles, *other_singles);
  if (sparse() != nullptr && other.sparse() != nullptr) return stacked(*sparse(), *other.sparse(), names);
  const bool doubles = as<DenseReals<double>>(*this) != nullptr && as<DenseReals<double>>(others) != nullptr;
  const DenseRows x = dense(nullptr), y = other.dense(nullptr);
  return stacked<double>(x.values, y.values, names, doubles ? groups : std::vector<NamedColumns>());
}

Points Table::join(const Rep& others) const {
  const auto& other = static_cast<const Table&>(others);
  std::vector<std::pair<std::string, Points>> both;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    both.emplace_back(parts[i].first, mercer::join(parts[i].second, other.parts[i].second));
  }
  return Points(std::make_shared<Table>(std::move(both)));
}

Points join(const Points& a, const Points& b) {
  require_alike(a, b);
  return a.rep().join(b.rep());
}

}  // namespace mercer
