#include "machines/svm/kernel_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/row_store_state.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPanel = simd::kFloatPanel;
// Columns that one thread takes at a time: whole panels.
constexpr Index kColumnsAtOnce = 3 * PackedPoints::kPanelsTogether * kPanel;
// Rows that are computed and added up together: their part of kColumnsAtOnce stays in the second-level cache.
constexpr std::size_t kRowsAtOnce = 256;
// The same of rows that are not kept: it stays in the first.
constexpr Index kStreamedAtOnce = 16;

Index panels_up_to(Index columns) { return (columns + kPanel - 1) / kPanel; }

// Of real vectors so many that they take 32 MB. What is prepared of other objects is kept with all of them.
std::size_t points_at_once(const Points& x) {
  constexpr Index kNumbers = Index{1} << 22, kLeast = 4096, kMost = 65536;
  if (x.domain().kind != "reals") return at(std::max<Index>(1, x.size()));
  return at(std::clamp(kNumbers / std::max<Index>(1, x.domain().dimension), kLeast, kMost));
}

}  // namespace

Rows::Rows(std::shared_ptr<RowStore> store)
    : Rows(store, [&] {
        std::vector<Index> all(store->state().segments.size());
        std::iota(all.begin(), all.end(), Index{0});
        return all;
      }()) {}

Rows::Rows(std::shared_ptr<RowStore> store, const std::vector<Index>& segments) : store_(std::move(store)) {
  const RowStore::State& s = store_->state();
  for (const Index segment : segments) {
    const Range positions = s.segments[at(segment)];
    const auto begin = static_cast<Index>(points_.size());
    stretches_.push_back({segment, {begin, begin + positions.size()}, positions.begin});
    points_.insert(points_.end(), s.order.begin() + positions.begin, s.order.begin() + positions.end);
  }
}

const Rows::Stretch& Rows::stretch_of(Index position) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), position,
                                      [](Index p, const Stretch& s) { return p < s.here.begin; });
  return *(after - 1);
}

Rows::Whole Rows::whole() const {
  const RowStore::State& s = store_->state();
  if (!s.in_memory || !s.in_memory->copied() || size() != s.size()) return {};
  for (const Stretch& stretch : stretches_) {
    if (stretch.here.begin != stretch.there) return {};
  }
  return {s.in_memory->row(0), s.in_memory->stride()};
}

Vector Rows::diagonal() const {
  Vector out;
  out.reserve(points_.size());
  for (const Stretch& s : stretches_) {
    const auto begin = store_->state().diagonal.begin() + s.there;
    out.insert(out.end(), begin, begin + s.here.size());
  }
  return out;
}

std::vector<Index> Rows::in_store(std::span<const Index> which) const {
  std::vector<Index> positions(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Stretch& stretch = stretch_of(which[k]);
    positions[k] = which[k] - stretch.here.begin + stretch.there;
  }
  return positions;
}

void Rows::tile(std::span<const Index> which, float* out, Index stride, int threads) const {
  const Stage stage("rows");
  RowStore::State& s = store_->state();
  const auto count = static_cast<Index>(which.size());
  if (s.in_memory || s.fast) s.numbers_computed += which.size() * which.size();
  if (s.in_memory) return s.in_memory->tile(in_store(which), out, stride, threads);
  if (s.fast) {
    const double work = static_cast<double>(count) * static_cast<double>(count) * s.fast->cost();
    return s.fast->tile(in_store(which), out, stride, s.workers_for(work, threads));
  }
  Matrix exact = Matrix::uninitialized(count, stride);
  tile(which, exact.data(), stride, threads);
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) out[a * stride + b] = static_cast<float>(exact(a, b));
  }
}

void Rows::tile(std::span<const Index> which, double* out, Index stride, int threads) const {
  RowStore::State& s = store_->state();
  const auto count = static_cast<Index>(which.size());
  s.numbers_computed += which.size() * which.size();
  if (s.in_memory) return s.in_memory->tile(in_store(which), out, stride, threads);
  const MatrixRef to(out, count, count, stride);
  if (s.kernel) return gram(*s.kernel, points_at(which), to, {.threads = threads});
  std::vector<Index> numbers(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) numbers[k] = points_[at(which[k])];
  assemble(s.K, numbers, to, {.threads = threads});
}

const FeatureRows* Rows::features() const {
  const auto& features = store_->state().features;
  return features ? &*features : nullptr;
}

std::vector<Index> Rows::positions() const {
  std::vector<Index> all(at(size()));
  std::iota(all.begin(), all.end(), Index{0});
  return in_store(all);
}

Points Rows::points_at(std::span<const Index> positions) const {
  std::vector<Index> numbers(positions.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = points_[at(positions[k])];
  return store_->state().points->select(numbers);
}

void Rows::add(std::span<const Index> which, VectorView weights, VectorRef f, int threads, bool keep) const {
  const Stage stage("rows");
  if (add_by_features(which, weights, f, threads)) return;
  if (RowStore::State& s = store_->state(); s.in_memory && s.in_memory->copied()) {
    const std::vector<Index> positions = in_store(which);
    const int workers = s.workers_for(static_cast<double>(size()) * static_cast<double>(which.size()), threads);
    for (const Stretch& stretch : stretches_) {
      s.in_memory->add(positions, weights, {stretch.there, stretch.there + stretch.here.size()},
                       f.data() + stretch.here.begin, workers);
    }
    s.numbers_reused += which.size() * at(size());
    return;
  }
  add_all(which, {{weights.data(), 1, static_cast<Index>(weights.size())}, {f.data(), 1, size()}}, threads, keep);
}

void Rows::add_all(std::span<const Index> which, const Sums& to, int threads, bool keep) const {
  if (const RowStore::State& s = store_->state(); s.fast && !s.keeps_rows) {
    const std::vector<Index> order = s.fast->arrangement(in_store(which));
    std::vector<Index> arranged;
    Matrix weights = Matrix::uninitialized(to.weights.rows(), to.weights.cols());
    for (const Index k : order) {
      for (Index o = 0; o < weights.rows(); ++o) weights(o, static_cast<Index>(arranged.size())) = to.weights(o, k);
      arranged.push_back(which[at(k)]);
    }
    return add_streamed(arranged, {weights, to.sums}, threads);
  }
  for (std::size_t k = 0; k < which.size(); k += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, which.size() - k);
    const Range some{static_cast<Index>(k), static_cast<Index>(k + count)};
    for (const Stretch& stretch : stretches_) {
      const Sums part{to.weights.block({0, to.weights.rows()}, some), to.sums};
      add_stretch(stretch, which.subspan(k, count), part, threads, keep);
    }
  }
}

namespace {

// Rows of single precision into all the sums; `columns` are those of the sums.
void add_rows(const float* const* rows, std::size_t count, MatrixView weights, Range columns, MatrixRef sums) {
  if (weights.rows() == 1) {
    return simd::add_float_rows(rows, weights.row(0), count, at(columns.size()), sums.row(0) + columns.begin);
  }
  simd::add_float_products(rows, count, at(columns.size()), weights.data(), at(weights.stride()), at(weights.rows()),
                           sums.row(0) + columns.begin, at(sums.stride()));
}

}  // namespace

void Rows::add_stretch(const Stretch& stretch, std::span<const Index> which, const Sums& to, int threads,
                       bool keep) const {
  RowStore::State& s = store_->state();
  const Range columns = s.segments[at(stretch.segment)];
  const Index n = columns.size();
  const std::vector<Index> positions = in_store(which);

  std::vector<RowCache::Lease> leases;
  s.cache->acquire(positions, stretch.segment, keep, leases);
  std::vector<Index> missing;  // rows to compute
  Index streamed = 0;          // those for which there is no room
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (!leases[k].ready) missing.push_back(positions[k]);
    if (leases[k].data == nullptr) ++streamed;
  }
  s.numbers_computed += missing.size() * at(n);
  s.numbers_reused += (which.size() - missing.size()) * at(n);

  const auto lost = static_cast<Index>(missing.size());
  std::unique_ptr<PackedPoints::Group> group;
  std::optional<Bound> some;
  std::vector<Index> order;  // of what is missing, as it is computed
  if (lost > 0 && s.fast) {
    order = s.fast->arrangement(missing);
    std::vector<Index> arranged;
    for (const Index k : order) arranged.push_back(missing[at(k)]);
    group = s.fast->group(arranged);
  }
  if (lost > 0 && s.bound) some = s.bound->select_rows(missing);
  struct Buffers {
    FloatArray streamed;
    Matrix exact;
    Scratch scratch;
    std::vector<float*> out, arranged;
    std::vector<const float*> all;
  };
  const double columns_each = s.fast ? s.fast->cost() : 64;
  const int workers = s.workers_for(
      static_cast<double>(n) * (static_cast<double>(lost) * columns_each + static_cast<double>(which.size())), threads);
  std::vector<Buffers> buffers(at(workers));
  parallel_for((n + kColumnsAtOnce - 1) / kColumnsAtOnce, workers, {}, "rows", [&](Index p, int thread) {
    Buffers& own = buffers[at(thread)];
    const Range j{p * kColumnsAtOnce, std::min(n, (p + 1) * kColumnsAtOnce)};
    own.all.resize(which.size());
    own.out.resize(missing.size());
    if (streamed > 0 && own.streamed.data() == nullptr) own.streamed = FloatArray(streamed * kColumnsAtOnce);
    float* next = own.streamed.data();
    std::size_t m = 0;
    for (std::size_t k = 0; k < which.size(); ++k) {
      float* row = leases[k].data != nullptr ? leases[k].data + j.begin : std::exchange(next, next + kColumnsAtOnce);
      if (!leases[k].ready) own.out[m++] = row;
      own.all[k] = row;
    }
    if (lost > 0 && s.fast) {
      own.arranged.clear();
      for (const Index k : order) own.arranged.push_back(own.out[at(k)]);
      s.fast->rows(*group, {0, lost}, at(stretch.segment), j.begin / kPanel, panels_up_to(j.end), own.arranged.data());
    } else if (lost > 0) {
      if (own.exact.rows() == 0) own.exact = Matrix::uninitialized(lost, kColumnsAtOnce);
      const MatrixRef exact(own.exact.data(), lost, j.size(), kColumnsAtOnce);
      s.exact_rows(missing, {columns.begin + j.begin, columns.begin + j.end}, exact, own.scratch,
                   some ? &*some : nullptr);
      for (Index a = 0; a < lost; ++a) std::copy_n(exact.row(a), j.size(), own.out[at(a)]);
    }
    add_rows(own.all.data(), which.size(), to.weights, {stretch.here.begin + j.begin, stretch.here.begin + j.end},
             to.sums);
  });
  s.cache->release(positions, stretch.segment, leases);
}

bool Rows::add_by_features(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const {
  const RowStore::State& s = store_->state();
  if (!s.features) return false;
  if (which.empty()) return true;
  const std::vector<Index> positions = in_store(which);
  for (const Stretch& stretch : stretches_) {
    const int workers =
        s.workers_for(s.features->matrix().stored() * static_cast<double>(stretch.here.size()), threads);
    s.features->add(positions, weights, {stretch.there, stretch.there + stretch.here.size()},
                    f.data() + stretch.here.begin, workers);
  }
  return true;
}

// From rows that are cheaper to compute than to keep.
void Rows::add_streamed(std::span<const Index> which, const Sums& to, int threads) const {
  RowStore::State& s = store_->state();
  const std::unique_ptr<PackedPoints::Group> group = s.fast->group(in_store(which));
  s.numbers_computed += which.size() * at(size());
  for (const Stretch& stretch : stretches_) {
    for_each_piece(stretch, static_cast<double>(group->size) * s.fast->cost(), threads, [&](Range j) {
      std::array<float, kStreamedAtOnce * kColumnsAtOnce> values;
      std::array<float*, kStreamedAtOnce> rows;
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = values.data() + r * kColumnsAtOnce;
      for (Index k = 0; k < group->size; k += kStreamedAtOnce) {
        const Range some{k, std::min(group->size, k + kStreamedAtOnce)};
        s.fast->rows(*group, some, at(stretch.segment), j.begin / kPanel, panels_up_to(j.end), rows.data());
        add_rows(rows.data(), at(some.size()), to.weights.block({0, to.weights.rows()}, some),
                 {stretch.here.begin + j.begin, stretch.here.begin + j.end}, to.sums);
      }
    });
  }
}

bool Rows::cheap_in_double() const {
  const RowStore::State& s = store_->state();
  return s.fast && s.fast->exact() && !s.keeps_rows && !s.features;
}

bool Rows::knows_error() const {
  const RowStore::State& s = store_->state();
  return s.nearness.has_value() && !s.features;
}

void Rows::add_closely(std::span<const Index> which, VectorView weights, VectorRef f, VectorRef error,
                       int threads) const {
  const Stage stage("rows");
  const RowStore::State& s = store_->state();
  const Nearness& near = *s.nearness;
  const auto m = static_cast<Index>(which.size());
  const std::vector<Index> positions = in_store(which);
  Matrix all = Matrix::uninitialized(3, m), sums(3, size());
  double largest = 0, total = 0;
  for (Index k = 0; k < m; ++k) {
    const double size_of_row = s.sizes[at(positions[at(k)])];
    all(0, k) = weights[at(k)];
    all(1, k) = std::abs(weights[at(k)]);
    all(2, k) = all(1, k) * size_of_row;
    largest = std::max(largest, size_of_row);
    total += all(1, k);
  }
  add_all(which, {all, sums.ref()}, threads, false);
  for (const Stretch& stretch : stretches_) {
    for (Index j = stretch.here.begin; j < stretch.here.end; ++j) {
      const double own = s.sizes[at(j - stretch.here.begin + stretch.there)];
      f[at(j)] += sums(0, j);
      error[at(j)] += near.of_sum({sums(1, j), sums(2, j), total, largest}, own);
    }
  }
}

Vector Rows::exact_at(std::span<const Index> positions, std::span<const Index> which, VectorView weights,
                      int threads) const {
  const Stage stage("rows");
  RowStore::State& s = store_->state();
  s.numbers_computed += which.size() * positions.size();
  return products(positions, which, weights, threads);
}

Vector Rows::products(std::span<const Index> positions, std::span<const Index> which, VectorView weights,
                      int threads) const {
  constexpr std::size_t kWorthTheSymmetry = 128, kPartsTogether = 4;
  const RowStore::State& s = store_->state();
  const std::size_t part = points_at_once(*s.points);
  Vector out(positions.size());
  if (which.size() >= kWorthTheSymmetry && which.size() <= kPartsTogether * part && std::ranges::is_sorted(which) &&
      std::ranges::is_sorted(positions) && std::ranges::includes(positions, which)) {
    // Between these points each value serves both.
    std::vector<Index> others;
    std::ranges::set_difference(positions, which, std::back_inserter(others));
    const MatrixView column(weights.data(), static_cast<Index>(weights.size()), 1);
    const Matrix among = lazy(*s.kernel, points_at(which)).multiply(column, {.threads = threads});
    const Vector elsewhere = others.empty() ? Vector() : products(others, which, weights, threads);
    for (std::size_t i = 0, own = 0; i < positions.size(); ++i) {
      const bool is_own = own < which.size() && which[own] == positions[i];
      out[i] = is_own ? among(static_cast<Index>(own), 0) : elsewhere[i - own];
      own += is_own ? 1 : 0;
    }
    return out;
  }
  // A part of the points at a time: prepared for products, all would take twice the memory that they do.
  for (std::size_t k = 0; k < which.size(); k += part) {
    const std::size_t count = std::min(part, which.size() - k);
    const Points centres = points_at(which.subspan(k, count));
    const MatrixView column(weights.data() + k, static_cast<Index>(count), 1);
    for (std::size_t i = 0; i < positions.size(); i += part) {
      const Points x = points_at(positions.subspan(i, std::min(part, positions.size() - i)));
      const Matrix sums = multiply(*s.kernel, x, centres, column, {.threads = threads});
      simd::add_scaled(1.0, sums.data(), at(sums.rows()), out.data() + i);
    }
  }
  return out;
}

void Rows::add_exact(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const {
  const Stage stage("rows");
  if (which.empty() || add_by_features(which, weights, f, threads)) return;
  RowStore::State& s = store_->state();
  (s.in_memory ? s.numbers_reused : s.numbers_computed) += which.size() * at(size());
  if (s.in_memory) {
    const int workers = s.workers_for(static_cast<double>(size()) * static_cast<double>(which.size()), threads);
    return s.in_memory->add_exact(in_store(which), weights, points_, f, workers);
  }
  if (s.fast && s.fast->exact()) return add_whole_numbers(which, weights, f, threads);
  if (s.kernel) {
    std::vector<Index> all(at(size()));
    std::iota(all.begin(), all.end(), Index{0});
    const Vector sums = products(all, which, weights, threads);
    return simd::add_scaled(1.0, sums.data(), sums.size(), f.data());
  }
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t k = 0; k < which.size(); k += kAtOnce) {
    const std::vector<Index> some = in_store(which.subspan(k, std::min(kAtOnce, which.size() - k)));
    Matrix rows = Matrix::uninitialized(static_cast<Index>(some.size()), size());
    Scratch scratch;
    for (const Stretch& stretch : stretches_) {
      s.exact_rows(some, {stretch.there, stretch.there + stretch.here.size()},
                   rows.ref().block({0, rows.rows()}, stretch.here), scratch, nullptr);
    }
    for (Index a = 0; a < rows.rows(); ++a) simd::add_scaled(weights[k + at(a)], rows.row(a), at(size()), f.data());
  }
}

void Rows::add_whole_numbers(std::span<const Index> which, VectorView weights, VectorRef f, int threads) const {
  const RowStore::State& s = store_->state();
  const std::unique_ptr<PackedPoints::Group> group = s.fast->group(in_store(which));
  for (const Stretch& stretch : stretches_) {
    for_each_piece(stretch, static_cast<double>(group->size) * s.fast->cost(), threads, [&](Range j) {
      std::array<double, kColumnsAtOnce> sums{};
      s.fast->add_exact(*group, weights, at(stretch.segment), j.begin / kPanel, panels_up_to(j.end), sums.data());
      simd::add_scaled(1.0, sums.data(), at(j.size()), f.data() + stretch.here.begin + j.begin);
    });
  }
}

// body(columns) for pieces of a stretch, each column costing so many multiplications.
void Rows::for_each_piece(const Stretch& stretch, double cost, int threads,
                          const std::function<void(Range)>& body) const {
  const Index n = stretch.here.size();
  const int workers = store_->state().workers_for(static_cast<double>(n) * cost, threads);
  parallel_for((n + kColumnsAtOnce - 1) / kColumnsAtOnce, workers, {}, "rows", [&](Index p, int) {
    body({p * kColumnsAtOnce, std::min(n, (p + 1) * kColumnsAtOnce)});
  });
}

}  // namespace mercer::detail
