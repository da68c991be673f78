// An LRU of rows around any Gram.
#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

#include "base/fail.hpp"
#include "mercer/gram.hpp"

namespace mercer {

namespace {

class Cached final : public GramSource {
 public:
  Cached(Gram inner, std::size_t bytes)
      : inner_(std::move(inner)),
        capacity_(bytes / (sizeof(double) * static_cast<std::size_t>(std::max<Index>(1, inner_.size())))) {}

  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override { inner_.source().diagonal(out); }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    inner_.source().multiply(v, out, how);
  }
  GramKind kind() const override { return inner_.kind(); }
  MatrixView dense() const override { return inner_.dense(); }
  void fill(MatrixRef out, const Execution& how) const override { inner_.source().fill(out, how); }
  Vector gradient(const WeightTile& weights, const Execution& how) const override {
    return inner_.source().gradient(weights, how);
  }
  std::optional<Kernel> kernel() const override { return inner_.kernel(); }
  std::optional<Points> points() const override { return inner_.points(); }
  std::optional<Matrix> factor(Index most) const override { return inner_.factor(most); }
  Expansion expansion(Expansion::Parts found, const Execution& how) const override {
    return inner_.expansion(std::move(found), how);
  }

  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    const std::lock_guard lock(mutex_);
    std::vector<Index> missing;
    std::vector<Index> places;
    for (std::size_t r = 0; r < which.size(); ++r) {
      const auto known = row_of_.find(which[r]);
      if (known == row_of_.end()) {
        missing.push_back(which[r]);
        places.push_back(static_cast<Index>(r));
        continue;
      }
      order_.splice(order_.begin(), order_, known->second);
      std::copy(known->second->values.begin(), known->second->values.end(), out.row(static_cast<Index>(r)));
    }
    hits_ += which.size() - missing.size();
    misses_ += missing.size();
    if (missing.empty()) return;
    const Matrix computed = inner_.rows(missing, how);
    for (std::size_t m = 0; m < missing.size(); ++m) {
      const double* row = computed.row(static_cast<Index>(m));
      std::copy_n(row, size(), out.row(places[m]));
      keep(missing[m], row);
    }
  }

  CacheStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return {hits_, misses_, row_of_.size(), capacity_};
  }

 private:
  struct Row {
    Index number;
    Vector values;
  };

  void keep(Index number, const double* values) const {
    if (capacity_ == 0 || row_of_.contains(number)) return;
    if (row_of_.size() == capacity_) {  // the oldest row's memory serves the new one
      row_of_.erase(order_.back().number);
      order_.splice(order_.begin(), order_, std::prev(order_.end()));
    } else {
      order_.push_front({number, Vector(static_cast<std::size_t>(size()))});
    }
    order_.front().number = number;
    std::copy_n(values, size(), order_.front().values.begin());
    row_of_[number] = order_.begin();
  }

  Gram inner_;
  std::size_t capacity_;
  mutable std::mutex mutex_;
  mutable std::list<Row> order_;  // most recently used first
  mutable std::unordered_map<Index, std::list<Row>::iterator> row_of_;
  mutable std::size_t hits_ = 0, misses_ = 0;
};

}  // namespace

Gram cached(const Gram& k, std::size_t bytes) { return Gram(std::make_shared<const Cached>(k, bytes)); }

CacheStatistics cache_statistics(const Gram& k) {
  const auto* cache = dynamic_cast<const Cached*>(&k.source());
  if (cache == nullptr) fail(ErrorKind::usage, "cache_statistics: this Gram was not made by cached()");
  return cache->statistics();
}

}  // namespace mercer
