#include "machines/svm/row_store.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/stages.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/row_store_state.hpp"
#include "model/needs.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

Points as_dense(const Points& x) { return named_like(rows(Matrix(dense_rows(x).values)), x); }

// Half of what is free; for few points, enough without asking the system.
std::size_t planned_memory(Index points) {
  constexpr Index kFew = 4096;
  constexpr std::size_t kEnough = std::size_t{512} << 20;
  constexpr double kMost = 1e15;
  return points <= kFew ? kEnough : static_cast<std::size_t>(std::min(kMost, available_memory() / 2));
}

// To write a number to fresh memory and to read it again costs as much as so many multiplications; where all rows stay
// in the processor's cache, as these few.
constexpr double kCostOfKeeping = 100, kCostOfKeepingFew = 10;
constexpr std::size_t kFewBytes = std::size_t{8} << 20;

// Whether rows are cheaper to compute again than to fetch, at so many multiplications for a number.
bool is_cheap(double cost, std::size_t all_bytes) {
  return cost <= (all_bytes <= kFewBytes ? kCostOfKeepingFew : kCostOfKeeping);
}

// Whether sparse inputs can be stored densely, in single and in double precision.
bool fits(const FloatForm& form, std::size_t memory) {
  const Index numbers = form.inputs.size() * form.inputs.domain().dimension;
  return !is_sparse(form.inputs) || at(numbers) * (sizeof(float) + sizeof(double)) <= memory / 2;
}

}  // namespace

// In numbers: those of a problem that is solved, and what is kept of all outputs.
double RowStore::bytes_of_vectors(const Extent& extent, Index variables) {
  constexpr double kOfAVariable = 13, kOfAnOutput = 16;
  return sizeof(double) * static_cast<double>(extent.points) *
         (kOfAVariable * static_cast<double>(variables) + kOfAnOutput * static_cast<double>(extent.outputs));
}

// In single precision, or as the loops of any kernel want them, and in the model.
double RowStore::copies_of_points(const Extent& extent) { return extent.cost > 0 ? 1.5 : 3; }

std::size_t RowStore::memory_for(const Extent& extent) {
  constexpr std::size_t kLeast = std::size_t{16} << 20;
  if (extent.memory == 0) return planned_memory(extent.points);
  constexpr double kShare = 0.95;
  const double of_numbers = sizeof(double) * static_cast<double>(extent.points);
  const double points = of_numbers * extent.stored;  // as they were given
  const double copies = of_numbers * copies_of_points(extent) * (extent.stored + static_cast<double>(extent.outputs));
  constexpr Index kMostVariables = 2;
  const double left =
      kShare * (static_cast<double>(extent.memory) - points - copies - bytes_of_vectors(extent, kMostVariables));
  return std::max(std::min(extent.memory, kLeast), static_cast<std::size_t>(std::max(0.0, left)));
}

Needs RowStore::needs(const Extent& extent, Index variables) {
  const auto n = static_cast<double>(extent.points);
  const double all_rows = sizeof(float) * n * n;
  constexpr double kRowsWanted = 2;  // for each point, as a rule
  Needs out = by_passes(extent, "working sets", kRowsWanted);
  out.beside = {{"vectors", bytes_of_vectors(extent, variables)}};
  out.copies = copies_of_points(extent);
  out.least_bytes =
      out.beside.front().bytes + out.copies * sizeof(double) * extent.stored * static_cast<double>(extent.points);
  out.in_single = true;
  if (FeatureRows::is_shorter(extent)) {
    out.form = Form::factor;
    out.why = "K has few features, and f goes through these";
    // Most of it is choosing and solving working sets; steps that go through F add to it. In flops of matrix algebra
    // that take as long.
    constexpr double kFlopsForPoint = 1e6, kFlopsForNumber = 2e3;
    const double points = static_cast<double>(extent.points);
    out.pairs = 0;
    out.flops = kFlopsForPoint * points + kFlopsForNumber * FeatureRows::bytes(extent) / sizeof(double);
    out.beside.push_back({"features", FeatureRows::bytes(extent)});
    return out;
  }
  const bool kept =
      !extent.in_memory && !(extent.cost > 0 && is_cheap(extent.cost, static_cast<std::size_t>(all_rows)));
  if (kept) {
    out.form = Form::cached;
    out.beside.push_back(
        {"rows of K in single precision", std::min(0.75 * static_cast<double>(memory_for(extent)), all_rows)});
  } else if (!extent.in_memory) {
    out.why = "values of this kernel cost less to compute than to fetch";
  }
  return out;
}

void RowStore::State::exact_rows(std::span<const Index> positions, Range columns, MatrixRef out, Scratch& scratch,
                                 const Bound* rows) const {
  if (rows != nullptr) {
    const double* tile = rows->tile({0, out.rows()}, columns, scratch);
    for (Index a = 0; a < out.rows(); ++a) std::copy_n(tile + a * columns.size(), columns.size(), out.row(a));
    return;
  }
  std::vector<Index> which(positions.size());
  for (std::size_t k = 0; k < which.size(); ++k) which[k] = order[at(positions[k])];
  const MatrixView dense = K.dense();
  const Matrix whole = dense.empty() ? K.rows(which) : Matrix();
  for (Index a = 0; a < out.rows(); ++a) {
    const double* row = dense.empty() ? whole.row(a) : dense.row(which[at(a)]);
    for (Index j = columns.begin; j < columns.end; ++j) out(a, j - columns.begin) = row[order[at(j)]];
  }
}

RowStore::RowStore(const Gram& K, std::span<const Index> segment, std::size_t memory, const Execution& how)
    : state_(std::make_unique<State>(K)) {
  const Stage stage("prepare");
  State& s = *state_;
  const Index n = K.size();
  s.order.resize(at(n));
  std::iota(s.order.begin(), s.order.end(), Index{0});
  if (!segment.empty()) {
    std::stable_sort(s.order.begin(), s.order.end(), [&](Index a, Index b) { return segment[at(a)] < segment[at(b)]; });
  }
  const auto number_of = [&](Index position) { return segment.empty() ? 0 : segment[at(s.order[at(position)])]; };
  for (Index i = 0; i < n; ++i) {
    while (static_cast<Index>(s.segments.size()) <= number_of(i)) s.segments.push_back({i, i});
    s.segments.back().end = i + 1;
  }
  const bool computed = K.dense().empty() && K.kind() == GramKind::kernel;
  const std::optional<FloatForm> form = computed ? float_form(*K.kernel(), *K.points()) : std::nullopt;
  s.memory = memory_for({.points = n,
                         .outputs = static_cast<Index>(s.segments.size()),
                         .stored = memory > 0 && K.points() ? stored_numbers(*K.points()) : 0,
                         .cost = form ? 1.0 : 0.0,
                         .memory = memory});
  const Vector diagonal = K.diagonal();
  for (const Index i : s.order) s.diagonal.push_back(diagonal[at(i)]);
  if (!K.dense().empty()) {
    s.in_memory.emplace(K.dense(), s.order);
  } else if (computed) {
    s.kernel = K.kernel();
    s.points = *K.points();
    s.features = FeatureRows::of(K, s.order);
    if (form && fits(*form, s.memory)) {
      std::vector<Part> parts;
      for (const Range& part : s.segments) {
        parts.push_back({*form, {s.order.begin() + part.begin, s.order.begin() + part.end}});
      }
      s.fast = pack_points(parts, how);
      if (is_sparse(*s.points) && !s.fast->exact()) s.points = as_dense(*s.points);
      if (!s.fast->exact()) s.nearness = s.fast->nearness();
      if (s.nearness) s.sizes = s.fast->sizes();
    } else {
      const Points ordered = segment.empty() ? *s.points : s.points->select(s.order);
      s.bound.emplace(*s.kernel, ordered, ordered);
    }
  }
  std::vector<Index> lengths;
  for (const Range& positions : s.segments) {
    lengths.push_back(padded_to_panels(positions.size()));
    s.row_bytes += sizeof(float) * at(lengths.back());
  }
  if (s.fast) s.keeps_rows = !is_cheap(s.fast->cost(), at(n) * s.row_bytes);
  // The rest of the memory is for tiles.
  if (s.keeps_rows && !s.features) s.cache.emplace(n, lengths, s.memory / 4 * 3);
}

RowStore::~RowStore() = default;

std::shared_ptr<RowStore> RowStore::of_fit(const Gram& K, std::span<const Index> segment, std::size_t memory,
                                           const Execution& how) {
  constexpr Index kFew = 256;
  if (K.size() > kFew || K.kind() != GramKind::kernel || !K.dense().empty()) {
    return std::make_shared<RowStore>(K, segment, memory, how);
  }
  auto store = std::make_shared<RowStore>(exact(*K.kernel(), *K.points(), how), segment, memory, how);
  store->state_->numbers_computed = at(K.size() * K.size());
  return store;
}

void RowStore::copy_all(const Execution& how) {
  if (state_->in_memory && state_->in_memory->bytes_of_copy() <= state_->memory) state_->in_memory->copy(how);
}

std::string RowStore::plan() const {
  if (state_->in_memory && state_->in_memory->copied()) return "all in single precision, from K in memory";
  const double rows =
      std::min(static_cast<double>(state_->size()),
               std::floor(0.75 * static_cast<double>(state_->memory) / static_cast<double>(state_->row_bytes)));
  const double megabytes = rows * static_cast<double>(state_->row_bytes) / 1e6;
  if (state_->features) {
    return fmt::format("none: K has {:.0f} features, and f goes through these", state_->features->matrix().stored());
  }
  if (state_->fast && !state_->keeps_rows) return "rows in single precision, computed when wanted";
  if (rows < 1) return "rows in single precision, none kept";
  return fmt::format("rows in single precision, {} {} kept in at most {:.3g} {}",
                     rows == static_cast<double>(state_->size()) ? "all" : "up to", rows,
                     megabytes < 1000 ? megabytes : megabytes / 1000, megabytes < 1000 ? "MB" : "GB");
}

RowStore::Statistics RowStore::statistics() const {
  const auto n = static_cast<double>(state_->size());
  return {static_cast<double>(state_->numbers_computed) / n, static_cast<double>(state_->numbers_reused) / n};
}

std::size_t RowStore::memory() const { return state_->memory; }

}  // namespace mercer::detail
