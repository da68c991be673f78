#include "machines/svm/linear/feature_matrix.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

FeatureMatrix::FeatureMatrix(const Points& x) : sparse_(sparse_rows(x)) {
  if (sparse_ != nullptr) {
    owner_ = std::make_shared<const Points>(x);
    ones_ = std::ranges::all_of(sparse_->values, [](double v) { return v == 1; });
    return;
  }
  DenseRows rows = dense_rows(x);
  dense_ = rows.values;
  // Rows that are the points' own live as long as these do.
  owner_ = std::make_shared<const std::pair<Points, std::shared_ptr<const void>>>(x, std::move(rows.owner));
}

FeatureMatrix::FeatureMatrix(Matrix own) {
  auto held = std::make_shared<const Matrix>(std::move(own));
  dense_ = held->view();
  owner_ = std::move(held);
}

double FeatureMatrix::stored() const {
  if (sparse_ == nullptr) return static_cast<double>(columns());
  return static_cast<double>(sparse_->values.size()) / static_cast<double>(std::max<Index>(1, points()));
}

template <class See>
void FeatureMatrix::each(Index i, See see) const {
  const auto end = at(sparse_->offsets[at(i) + 1]);
  const std::int32_t* const columns = sparse_->columns.data();
  if (ones_) {
    for (auto k = at(sparse_->offsets[at(i)]); k < end; ++k) see(columns[k], 1.0);
  } else {
    const double* const values = sparse_->values.data();
    for (auto k = at(sparse_->offsets[at(i)]); k < end; ++k) see(columns[k], values[k]);
  }
}

double FeatureMatrix::dot(Index i, const double* w) const {
  if (sparse_ == nullptr) return simd::dot(dense_.row(i), w, at(dense_.cols()));
  double sum = 0;
  each(i, [&](std::int32_t column, double value) { sum += value * w[column]; });
  return sum;
}

void FeatureMatrix::add(Index i, double factor, double* w) const {
  if (sparse_ == nullptr) return simd::add_scaled(factor, dense_.row(i), at(dense_.cols()), w);
  each(i, [&](std::int32_t column, double value) { w[column] += factor * value; });
}

double FeatureMatrix::square(Index i) const {
  if (sparse_ == nullptr) return simd::dot(dense_.row(i), dense_.row(i), at(dense_.cols()));
  double sum = 0;
  each(i, [&](std::int32_t, double value) { sum += value * value; });
  return sum;
}

void FeatureMatrix::fetch(Index i) const {
  if (sparse_ == nullptr) return __builtin_prefetch(dense_.row(i));
  const auto begin = at(sparse_->offsets[at(i)]);
  __builtin_prefetch(sparse_->columns.data() + begin);
  if (!ones_) __builtin_prefetch(sparse_->values.data() + begin);
}

}  // namespace mercer::detail
