#include "points/packed_rows.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "distributed/packed.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

enum : std::int64_t { kSparse, kSingle, kDouble };

template <class T>
std::span<const T> numbers_of(BasicMatrixView<const T> x) {
  return {x.data(), at(x.rows() * x.cols())};
}

template <class T>
Points rows_of(std::vector<T> numbers, Index columns) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(numbers));
  const Index count = columns == 0 ? 0 : static_cast<Index>(owner->size()) / columns;
  return rows(BasicMatrixView<const T>(owner->data(), count, columns), owner);
}

}  // namespace

std::string packed_rows(const Points& x) {
  distributed::Packing out;
  const Index columns = x.domain().dimension;
  if (const SparseMatrix* const m = sparse_rows(x)) {
    out.number(kSparse).number(columns).all(std::span(std::as_const(m->offsets)));
    out.all(std::span(std::as_const(m->columns))).all(std::span(std::as_const(m->values)));
    return out.bytes();
  }
  if (const auto* const single = dynamic_cast<const DenseReals<float>*>(&x.rep());
      single != nullptr && single->values.stride() == columns) {
    return out.number(kSingle).number(columns).all(numbers_of(single->values)).bytes();
  }
  const Matrix all(dense_rows(x).values);
  return out.number(kDouble).number(columns).all(numbers_of(all.view())).bytes();
}

Points unpacked_rows(const std::string& bytes, const Points& like) {
  distributed::Unpacking from(bytes);
  const std::int64_t storage = from.number();
  const Index columns = from.number();
  if (storage == kSingle) return named_like(rows_of(from.all<float>(), columns), like);
  if (storage == kDouble) return named_like(rows_of(from.all<double>(), columns), like);
  SparseMatrix m{.cols = columns, .offsets = from.all<Index>()};
  m.columns = from.all<std::int32_t>();
  m.values = from.all<double>();
  m.rows = static_cast<Index>(m.offsets.size()) - 1;
  return named_like(rows(std::move(m)), like);
}

}  // namespace mercer
