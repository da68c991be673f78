#include "machines/svm/linear/feature_matrix.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

FeatureMatrix::FeatureMatrix(const Points& x) : sparse_(sparse_rows(x)) {
  if (sparse_ != nullptr) {
    owner_ = std::make_shared<const Points>(x);
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

double FeatureMatrix::dot(Index i, const double* w) const {
  if (sparse_ == nullptr) return simd::dot(dense_.row(i), w, at(dense_.cols()));
  double sum = 0;
  const auto end = at(sparse_->offsets[at(i) + 1]);
  for (auto k = at(sparse_->offsets[at(i)]); k < end; ++k) sum += sparse_->values[k] * w[sparse_->columns[k]];
  return sum;
}

void FeatureMatrix::add(Index i, double factor, double* w) const {
  if (sparse_ == nullptr) return simd::add_scaled(factor, dense_.row(i), at(dense_.cols()), w);
  const auto end = at(sparse_->offsets[at(i) + 1]);
  for (auto k = at(sparse_->offsets[at(i)]); k < end; ++k) w[sparse_->columns[k]] += factor * sparse_->values[k];
}

double FeatureMatrix::square(Index i) const {
  if (sparse_ == nullptr) return simd::dot(dense_.row(i), dense_.row(i), at(dense_.cols()));
  double sum = 0;
  const auto end = at(sparse_->offsets[at(i) + 1]);
  for (auto k = at(sparse_->offsets[at(i)]); k < end; ++k) sum += sparse_->values[k] * sparse_->values[k];
  return sum;
}

}  // namespace mercer::detail
