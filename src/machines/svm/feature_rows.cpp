#include "machines/svm/feature_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// A row that is kept costs 4 bytes for each point when it is added, a feature 8, and some 250 rows are added together.
constexpr double kFew = 128;
// Beyond so many points rows are not kept as a rule: then features are the shorter way while they are fewer than this
// share of the points.
constexpr double kMany = 32768, kShare = 0.125;

double most_for(double points) { return points > kMany ? kShare * points : kFew; }

bool are_inputs(const Gram& K) {
  return K.kind() == GramKind::kernel && K.kernel()->str() == "linear()" && K.points()->domain().kind == "reals";
}

}  // namespace

bool FeatureRows::is_shorter(const Extent& extent) {
  if (!extent.plain || extent.in_memory || extent.numbers) return false;
  const double numbers = extent.linear ? extent.stored : static_cast<double>(extent.features);
  return numbers > 0 && numbers <= most_for(static_cast<double>(extent.points));
}

double FeatureRows::bytes(const Extent& extent) {
  // As they come, and in the order of the classes.
  const double numbers = extent.linear ? extent.stored : 2 * static_cast<double>(extent.features);
  return sizeof(double) * static_cast<double>(extent.points) * numbers;
}

std::optional<FeatureRows> FeatureRows::of(const Gram& K, const Points& x, std::span<const Index> order) {
  const double most = most_for(static_cast<double>(x.size()));
  FeatureRows out;
  if (are_inputs(K)) {
    out.inputs_ = x;
    out.sparse_ = sparse_rows(*out.inputs_);
    if (out.sparse_ != nullptr) {
      out.stored_ = static_cast<double>(out.sparse_->values.size()) / static_cast<double>(std::max<Index>(1, x.size()));
    } else {
      DenseRows rows = dense_rows(*out.inputs_);
      out.dense_ = rows.values;
      out.owner_ = std::move(rows.owner);
      out.stored_ = static_cast<double>(out.dense_.cols());
    }
    if (out.stored_ > most) return std::nullopt;
    return out;
  }
  const std::optional<Matrix> known = K.factor(static_cast<Index>(most));
  if (!known) return std::nullopt;
  auto own = std::make_shared<Matrix>(Matrix::uninitialized(known->rows(), known->cols()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(known->row(order[i]), known->cols(), own->row(static_cast<Index>(i)));
  }
  out.dense_ = own->view();
  out.owner_ = std::move(own);
  out.stored_ = static_cast<double>(out.dense_.cols());
  return out;
}

void FeatureRows::add(std::span<const Index> which, VectorView weights, Range range, double* f, int threads) const {
  constexpr Index kAtOnce = 1024;
  Vector w(at(sparse_ != nullptr ? sparse_->cols : dense_.cols()));
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (sparse_ == nullptr) {
      simd::add_scaled(weights[k], dense_.row(which[k]), w.size(), w.data());
      continue;
    }
    const auto end = at(sparse_->offsets[at(which[k]) + 1]);
    for (auto e = at(sparse_->offsets[at(which[k])]); e < end; ++e) {
      w[at(sparse_->columns[e])] += weights[k] * sparse_->values[e];
    }
  }
  parallel_for((range.size() + kAtOnce - 1) / kAtOnce, threads, {}, "rows", [&](Index piece, int) {
    const Index first = range.begin + piece * kAtOnce, last = std::min(range.end, first + kAtOnce);
    for (Index j = first; j < last; ++j) {
      double sum = 0;
      if (sparse_ == nullptr) {
        sum = simd::dot(dense_.row(j), w.data(), w.size());
      } else {
        const auto end = at(sparse_->offsets[at(j) + 1]);
        for (auto e = at(sparse_->offsets[at(j)]); e < end; ++e) sum += sparse_->values[e] * w[at(sparse_->columns[e])];
      }
      f[j - range.begin] += sum;
    }
  });
}

}  // namespace mercer::detail
