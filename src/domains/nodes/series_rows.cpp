#include "domains/nodes/series_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "simd/sparse_panel.hpp"

namespace mercer::detail {

namespace {

constexpr Index kWidth = static_cast<Index>(simd::kSparsePanel);
constexpr Index kRowsAtOnce = 4096;  // that one piece of parallel work goes through
// Up to this share of the nodes they are listed rather than all gone through.
constexpr Index kListed = 4;
constexpr Index kPart = Index{24} << 20;  // bytes of neighbours that stay in the last cache while sums pass through

template <class Body>
void for_rows(Index count, Body body) {
  parallel_for((count + kRowsAtOnce - 1) / kRowsAtOnce, thread_count(0), {}, "graph",
               [&](Index b, int) { body(b * kRowsAtOnce, std::min(count, (b + 1) * kRowsAtOnce)); });
}

// The first T_k that may be rounded to single precision, together with the one before it, which enters the next.
Index first_single(const ChebyshevSeries& f, double rounding) {
  constexpr double unit = 0x1p-24;
  const Vector weights = error_weights(f.c);
  double total = 0;
  Index k = f.degree() + 1;
  while (k > 0 && unit * (total + weights[at(k - 1)] + weights[at(k)]) <= rounding) total += weights[at(--k)];
  return k;
}

// Sixteen vectors that go through the recurrence together.
class Panels {
 public:
  explicit Panels(const NodeOperator& l)
      : l_(l), scale_(l.top > 0 ? 2 / l.top : 0), doubles_(at(2 * l.size() * kWidth)), floats_(at(l.size() * kWidth)) {
    now_ = doubles_.data();
    before_ = now_ + l.size() * kWidth;
    now_single_ = reinterpret_cast<float*>(floats_.data());
    before_single_ = now_single_ + l.size() * kWidth;
    shifted_ = Vector(l.diagonal.size());
    for (std::size_t i = 0; i < shifted_.size(); ++i) shifted_[i] = scale_ * l.diagonal[i] - 1;
    rows_ = l.rows();
    rows_.diagonal = shifted_.data();
    rows_.beside *= scale_;
    cut();
  }

  void begin(std::span<const std::int32_t> nodes) {
    k_ = 0;
    single_ = false;
    for_rows(2 * l_.size(), [&](Index first, Index last) {
      std::fill(doubles_.data() + first * kWidth, doubles_.data() + last * kWidth, 0.0);
    });
    for (std::size_t c = 0; c < nodes.size(); ++c)
      now_[static_cast<Index>(nodes[c]) * kWidth + static_cast<Index>(c)] = 1;
    reached_.assign(nodes.begin(), nodes.end());
    all_ = false;
    seen_.assign(at(l_.size()), 0);
    std::sort(reached_.begin(), reached_.end());
    reached_.erase(std::unique(reached_.begin(), reached_.end()), reached_.end());
    for (const std::int32_t i : reached_) seen_[at(i)] = 1;
  }

  // From T_k and T_(k-1) to T_(k+1) and T_k; with a list, only at these nodes, and only these are right from then on.
  void step(const std::vector<std::int32_t>* wanted) {
    if (wanted == nullptr) reach();
    const bool everywhere = wanted == nullptr && all_;
    const std::vector<std::int32_t>& listed = wanted == nullptr ? reached_ : *wanted;
    const Index count = everywhere ? l_.size() : static_cast<Index>(listed.size());
    const std::int32_t* list = everywhere ? nullptr : listed.data();
    const double factor = k_ == 0 ? 1 : 2, keep = k_ == 0 ? 0 : 1;
    if (single_ || !everywhere || parts_.empty()) {
      for_rows(count, [&](Index first, Index last) {
        if (single_) {
          simd::sparse_panel(rows_, factor, keep, list, at(first), at(last), now_single_, before_single_);
        } else {
          simd::sparse_panel(rows_, factor, keep, list, at(first), at(last), now_, before_);
        }
      });
    } else {
      for (const Part& part : parts_) {
        const simd::SparseRows rows{part.offsets.data(),
                                    part.offsets.data() + 1,
                                    part.columns.data(),
                                    part.weights.empty() ? nullptr : part.weights.data(),
                                    &part == &parts_.front() ? rows_.diagonal : nullptr,
                                    rows_.beside};
        for_rows(count, [&](Index first, Index last) {
          simd::sparse_panel(rows, factor, keep, nullptr, at(first), at(last), now_, before_);
        });
      }
    }
    std::swap(now_, before_);
    std::swap(now_single_, before_single_);
    ++k_;
  }

  // What comes from now on is stored in single precision.
  void round() {
    if (single_) return;
    for_rows(l_.size(), [&](Index first, Index last) {
      std::copy(now_ + first * kWidth, now_ + last * kWidth, now_single_ + first * kWidth);
      std::copy(before_ + first * kWidth, before_ + last * kWidth, before_single_ + first * kWidth);
    });
    single_ = true;
  }

  // out_r += a T_k(rows[r]) + b T_(k-1)(rows[r])
  void add(double a, double b, std::span<const std::int32_t> rows, double* out) const {
    for_rows(static_cast<Index>(rows.size()), [&](Index first, Index last) {
      if (single_) {
        simd::add_panels(a, now_single_, b, before_single_, rows.data(), at(first), at(last), out);
      } else {
        simd::add_panels(a, now_, b, before_, rows.data(), at(first), at(last), out);
      }
    });
  }

 private:
  // Where rows of double precision are more than the last cache holds: the entries of each row by parts of the columns
  // that it does hold. Sums go through memory once more for each part, in order, and neighbours come from the cache:
  // two thirds of the time. (In single precision the sums would be rounded in between.)
  void cut() {
    const Index n = l_.size(), bytes = n * kWidth * static_cast<Index>(sizeof(double));
    const Index count = (bytes + kPart - 1) / kPart;
    if (count < 2) return;
    parts_.resize(at(count));
    parallel_for(count, thread_count(0), {}, "graph", [&](Index p, int) {
      Part& part = parts_[at(p)];
      const auto low = static_cast<std::int32_t>(p * n / count), high = static_cast<std::int32_t>((p + 1) * n / count);
      part.offsets.push_back(0);
      for (Index i = 0; i < n; ++i) {
        const auto begin = l_.columns.begin() + l_.offsets[at(i)], end = l_.columns.begin() + l_.offsets[at(i + 1)];
        const auto from = std::lower_bound(begin, end, low), to = std::lower_bound(from, end, high);
        part.columns.insert(part.columns.end(), from, to);
        if (!l_.weights.empty()) {
          part.weights.insert(part.weights.end(), l_.weights.begin() + (from - l_.columns.begin()),
                              l_.weights.begin() + (to - l_.columns.begin()));
        }
        part.offsets.push_back(static_cast<Index>(part.columns.size()));
      }
      part.columns.resize(part.columns.size() + simd::kSparseAhead, low);
    });
  }

  // The nodes that the next T_k can be other than 0 at: their neighbours too.
  void reach() {
    if (all_) return;
    const std::size_t before = reached_.size();
    for (std::size_t r = 0; r < before; ++r) {
      const std::int32_t i = reached_[r];
      for (Index p = l_.offsets[at(i)]; p < l_.offsets[at(i + 1)]; ++p) {
        const std::int32_t j = l_.columns[at(p)];
        if (seen_[at(j)] != 0) continue;
        seen_[at(j)] = 1;
        reached_.push_back(j);
      }
      if (kListed * static_cast<Index>(reached_.size()) > l_.size()) {
        all_ = true;
        return;
      }
    }
    std::sort(reached_.begin(), reached_.end());
  }

  struct Part {
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
    Vector weights;
  };

  const NodeOperator& l_;
  double scale_;
  simd::SparseRows rows_;  // X = 2 L/top - 1
  Vector shifted_;
  AlignedArray doubles_, floats_;
  double *now_, *before_;
  float *now_single_, *before_single_;
  bool single_ = false, all_ = false;
  Index k_ = 0;
  std::vector<Part> parts_;
  std::vector<std::int32_t> reached_;
  std::vector<char> seen_;
};

// The nodes within 0, 1, 2, ... steps of these, as long as they are not most of all: what the last T_k are needed at.
std::vector<std::vector<std::int32_t>> neighbourhoods(const NodeOperator& l, std::span<const std::int32_t> nodes) {
  std::vector<std::vector<std::int32_t>> out;
  std::vector<char> seen(at(l.size()));
  std::vector<std::int32_t> found;
  const auto add = [&](std::int32_t i) {
    if (seen[at(i)] == 0) found.push_back(i);
    seen[at(i)] = 1;
  };
  for (const std::int32_t i : nodes) add(i);
  std::size_t done = 0;
  while (2 * static_cast<Index>(found.size()) < l.size() && (out.empty() || found.size() > out.back().size())) {
    out.push_back(found);
    std::sort(out.back().begin(), out.back().end());
    const std::size_t last = found.size();
    for (; done < last; ++done) {
      const std::int32_t i = found[done];
      for (Index p = l.offsets[at(i)]; p < l.offsets[at(i + 1)]; ++p) add(l.columns[at(p)]);
    }
  }
  return out;
}

// Runs the series for each panel of columns and hands over what was asked of it: take(first column, values), the values
// of the rows that rows_of(first, last) names, row by row.
template <class RowsOf, class Take>
void for_panels(const NodeOperator& l, const ChebyshevSeries& f, double rounding, std::span<const std::int32_t> columns,
                RowsOf rows_of, Take take) {
  Panels panels(l);
  const Index single_from = first_single(f, rounding);
  std::span<const std::int32_t> asked;
  std::vector<std::vector<std::int32_t>> near;  // of the rows asked for
  for (std::size_t first = 0; first < columns.size(); first += at(kWidth)) {
    const auto own = columns.subspan(first, std::min(at(kWidth), columns.size() - first));
    const std::span<const std::int32_t> rows = rows_of(own);
    Vector sums(rows.size() * at(kWidth));
    const bool new_rows = first == 0 || rows.data() != asked.data();
    asked = rows;
    if (new_rows) near = neighbourhoods(l, rows);
    panels.begin(own);
    // Two terms at a time: the sums are read and written half as often.
    for (Index k = 0; k <= f.degree(); ++k) {
      if (k > 0) {
        if (k > single_from) panels.round();
        const std::size_t left = at(f.degree() - k);
        panels.step(left < near.size() ? &near[left] : nullptr);
      }
      if (k % 2 == 1) {
        panels.add(f.c[at(k)], f.c[at(k - 1)], rows, sums.data());
      } else if (k == f.degree()) {
        panels.add(f.c[at(k)], 0, rows, sums.data());
      }
    }
    take(static_cast<Index>(first), own, sums);
  }
}

}  // namespace

Matrix series_rows(const NodeOperator& l, const ChebyshevSeries& f, double rounding,
                   std::span<const std::int32_t> columns, std::span<const std::int32_t> rows) {
  Matrix out = Matrix::uninitialized(static_cast<Index>(columns.size()), static_cast<Index>(rows.size()));
  for_panels(
      l, f, rounding, columns, [&](std::span<const std::int32_t>) { return rows; },
      [&](Index first, std::span<const std::int32_t> own, const Vector& sums) {
        for_rows(out.cols(), [&](Index begin, Index end) {
          for (Index c = 0; c < static_cast<Index>(own.size()); ++c) {
            double* to = out.row(first + c);
            for (Index r = begin; r < end; ++r) to[r] = sums[at(r * kWidth + c)];
          }
        });
      });
  return out;
}

Vector series_diagonal(const NodeOperator& l, const ChebyshevSeries& f, double rounding,
                       std::span<const std::int32_t> nodes) {
  Vector out(nodes.size());
  for_panels(
      l, f, rounding, nodes, [](std::span<const std::int32_t> own) { return own; },
      [&](Index first, std::span<const std::int32_t> own, const Vector& sums) {
        for (std::size_t c = 0; c < own.size(); ++c) out[at(first) + c] = sums[c * at(kWidth) + c];
      });
  return out;
}

}  // namespace mercer::detail
