#include "points/distinct.hpp"

#include <string>
#include <unordered_set>
#include <vector>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

template <class T>
void append(std::string& key, const T* first, Index count) {
  key.append(reinterpret_cast<const char*>(first), at(count) * sizeof(T));
}

}  // namespace

Points distinct(const Points& x) {
  const SparseMatrix* sparse = sparse_rows(x);
  DenseRows rows;
  if (sparse == nullptr) rows = dense_rows(x);
  std::unordered_set<std::string> seen;
  std::vector<Index> first;
  for (Index i = 0; i < x.size(); ++i) {
    std::string key;
    if (sparse != nullptr) {
      const SparseMatrix& m = *sparse;
      const auto begin = m.offsets[at(i)], count = m.offsets[at(i + 1)] - begin;
      append(key, m.columns.data() + begin, count);
      append(key, m.values.data() + begin, count);
    } else {
      append(key, rows.values.row(i), rows.values.cols());
    }
    if (seen.insert(std::move(key)).second) first.push_back(i);
  }
  return first.size() < 2 || static_cast<Index>(first.size()) == x.size() ? x : x.select(first);
}

}  // namespace mercer
