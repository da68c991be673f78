// What the ways to pack points have in common. A Packing has
//
//     struct Columns, Rows          points by panels, and points by groups of 8 whose rows are wanted
//     Columns columns(Index count), Rows rows(Index count)       room for them, set to zero
//     void pack(const float* panels, const double* norms, Index count, Index to, Columns&)
//                                   points in panels of 48 (simd/float_rows.hpp), to places from `to` on
//     void copy(const Columns&, Index from, Rows&, Index to), copy(const Columns&, Index from, Columns&, Index to)
//     void values(const Rows&, Range rows, const Columns&, Index first, Index last, float* const* out)
//     Nearness nearness(), double size_of(const Columns&, Index point)   see PackedPoints; of exponentials
//     void add_exact(const Rows&, Index count, VectorView weights, const Columns&, Index first, Index last, double*
//     sums) kPanels                       panels that are computed together
#pragma once

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "gram/packed/float_array.hpp"
#include "gram/packed/packed_points.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

// What becomes of the inputs before they are packed: factor * (x - shift).
struct Preparation {
  Vector shift, factor;
};

// Roundings of single precision: those of |x-y|^2 are so many for each |x|^2 + |y|^2; the exponential, its factor and
// its scale take 8 more. Below e^-87 a value is 0. One in a hundred is for products of roundings and for doubles.
inline Nearness nearness_of(const simd::FloatProfile& profile, double roundings) {
  constexpr double kRounding = 1.01 * 0x1p-24, kSmallest = 2e-38;
  return {8 * kRounding, roundings * kRounding, kSmallest * std::max(1.0, static_cast<double>(profile.scale))};
}

template <class Packing>
class PackedBy : public PackedPoints {
 public:
  PackedBy(Packing packing, bool exact, double cost, std::span<const Part> parts, const Preparation& preparation,
           const Execution& how)
      : packing_(std::move(packing)),
        exact_(exact),
        exponential_(parts.front().form.profile.kind == simd::FloatProfile::Kind::exponential),
        cost_(cost) {
    constexpr Index kAtOnce = 20 * kPanel;
    struct Piece {
      std::size_t segment;
      Range points;  // whole panels of it
    };
    std::vector<Piece> pieces;
    Index begin = 0;
    for (const Part& part : parts) {
      const auto n = static_cast<Index>(part.which.size());
      segments_.push_back({{begin, begin + n}, packing_.columns(n)});
      begin += n;
      for (Index i = 0; i < n; i += kAtOnce) pieces.push_back({segments_.size() - 1, {i, std::min(i + kAtOnce, n)}});
    }
    constexpr Index kWorthThreads = 1 << 20;
    const auto d = static_cast<Index>(preparation.factor.size());
    const int threads = begin * d < kWorthThreads ? 1 : thread_count(how.threads);
    parallel_for(static_cast<Index>(pieces.size()), threads, how.monitor, "pack", [&](Index p, int) {
      const auto [number, points] = pieces[at(p)];
      const Part& part = parts[number];
      const Index room = padded_to_panels(points.size());
      FloatArray panels(room * d);
      Vector norms(at(room));
      const DenseRows rows = dense_rows(some_of(part, points));
      simd::pack_floats(rows.values.data(), at(rows.values.stride()), preparation.shift.data(),
                        preparation.factor.data(), at(points.size()), at(d), panels.data(), norms.data());
      packing_.pack(panels.data(), norms.data(), room, points.begin, segments_[number].columns);
    });
  }

  bool exact() const override { return exact_; }
  std::optional<Nearness> nearness() const override {
    if constexpr (requires { &Packing::nonzeros; }) {
      Index most = 0;
      each_point([&](const Columns& columns, Index i) { most = std::max(most, packing_.nonzeros(columns, i)); });
      if (exponential_) return packing_.nearness(most);
    } else if constexpr (requires { &Packing::nearness; }) {
      if (exponential_) return packing_.nearness();
    }
    return std::nullopt;
  }
  Vector sizes() const override {
    Vector out;
    if constexpr (requires { &Packing::size_of; }) {
      each_point([&](const Columns& columns, Index i) { out.push_back(packing_.size_of(columns, i)); });
    }
    return out;
  }
  std::vector<Index> arrangement(std::span<const Index> positions) const override {
    std::vector<Index> order(positions.size());
    std::iota(order.begin(), order.end(), Index{0});
    if constexpr (requires { &Packing::pattern_of; }) {
      if (!packing_.skips_zeros()) return order;
      std::vector<typename Packing::Pattern> patterns;
      for (const Index position : positions) {
        const Segment& segment = segment_of(position);
        patterns.push_back(packing_.pattern_of(segment.columns, position - segment.positions.begin));
      }
      std::ranges::stable_sort(order, {}, [&](Index k) { return patterns[at(k)]; });
    }
    return order;
  }
  double cost() const override { return cost_; }

  std::unique_ptr<Group> group(std::span<const Index> positions) const override {
    auto out = std::make_unique<OwnGroup>();
    out->size = static_cast<Index>(positions.size());
    out->rows = packing_.rows(out->size);
    for (Index k = 0; k < out->size; ++k) {
      const Segment& segment = segment_of(positions[at(k)]);
      packing_.copy(segment.columns, positions[at(k)] - segment.positions.begin, out->rows, k);
    }
    return out;
  }

  void rows(const Group& group, Range some, std::size_t segment, Index first, Index last,
            float* const* out) const override {
    packing_.values(own(group), some, segments_[segment].columns, first, last, out);
  }
  void add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                 double* sums) const override {
    packing_.add_exact(own(group), group.size, weights, segments_[segment].columns, first, last, sums);
  }

  void exact_rows(const Group& group, Range some, std::size_t segment, Index first, Index last,
                  double* const* out) const override {
    if constexpr (requires { &Packing::exact_values; }) {
      packing_.exact_values(own(group), some, segments_[segment].columns, first, last, out);
    } else {
      assert(false);
    }
  }

  void tile(std::span<const Index> positions, float* out, Index stride, int threads) const override {
    const auto n = static_cast<Index>(positions.size());
    typename Packing::Columns columns = packing_.columns(n);
    for (Index k = 0; k < n; ++k) {
      const Segment& segment = segment_of(positions[at(k)]);
      packing_.copy(segment.columns, positions[at(k)] - segment.positions.begin, columns, k);
    }
    // Where values are dear it pays to compute one triangle and to turn it over.
    constexpr double kWorthTurning = 80;
    const bool turn = cost_ >= kWorthTurning && Packing::kPanels == 1;
    std::vector<float*> to(at(n));
    std::vector<Index> in_order(positions.begin(), positions.end());
    for (Index k = 0; k < n; ++k) to[at(k)] = out + k * stride;
    if (!turn) {
      const std::vector<Index> order = arrangement(positions);
      for (Index k = 0; k < n; ++k) {
        in_order[at(k)] = positions[at(order[at(k)])];
        to[at(k)] = out + order[at(k)] * stride;
      }
    }
    const std::unique_ptr<Group> points = group(in_order);
    constexpr Index kWidth = Packing::kPanels * kPanel;
    const Index count = (n + kWidth - 1) / kWidth, all = padded_to_panels(n) / kPanel;
    parallel_for(count, threads, {}, "tile", [&](Index p, int) {
      const Index first = turn ? p * kWidth : 0;
      std::vector<float*> here(to.begin() + first, to.end());
      for (float*& row : here) row += p * kWidth;
      packing_.values(own(*points), {first, n}, columns, p * Packing::kPanels,
                      std::min(all, (p + 1) * Packing::kPanels), here.data());
    });
    if (turn) turn_over(out, n, stride, threads);
  }

 private:
  static constexpr Index kPanel = simd::kFloatPanel;
  using Columns = typename Packing::Columns;
  struct Segment {
    Range positions;
    Columns columns;
  };
  struct OwnGroup : Group {
    typename Packing::Rows rows;
  };
  static const typename Packing::Rows& own(const Group& group) { return static_cast<const OwnGroup&>(group).rows; }

  const Segment& segment_of(Index position) const {
    const auto after = std::upper_bound(segments_.begin(), segments_.end(), position,
                                        [](Index p, const Segment& s) { return p < s.positions.begin; });
    return *(after - 1);
  }

  template <class Body>
  void each_point(Body body) const {
    for (const Segment& segment : segments_) {
      for (Index i = 0; i < segment.positions.size(); ++i) body(segment.columns, i);
    }
  }

  // Points that stand side by side are not copied.
  static Points some_of(const Part& part, Range points) {
    const auto which = std::span(part.which).subspan(at(points.begin), at(points.size()));
    for (std::size_t k = 1; k < which.size(); ++k) {
      if (which[k] != which[0] + static_cast<Index>(k)) return part.form.inputs.select(which);
    }
    return part.form.inputs.slice({which[0], which[0] + points.size()});
  }

  // The panels above the diagonal from those below.
  static void turn_over(float* out, Index n, Index stride, int threads) {
    parallel_for((n + kPanel - 1) / kPanel, threads, {}, "tile", [&](Index p, int) {
      const Range columns{p * kPanel, std::min(n, (p + 1) * kPanel)};
      constexpr Index kAtOnce = 16;
      for (Index r0 = columns.end; r0 < n; r0 += kAtOnce) {
        for (Index c = columns.begin; c < columns.end; ++c) {
          float* row = out + c * stride;
          for (Index r = r0; r < std::min(n, r0 + kAtOnce); ++r) row[r] = out[r * stride + c];
        }
      }
    });
  }

  Packing packing_;
  bool exact_, exponential_;
  double cost_;
  std::vector<Segment> segments_;
};

}  // namespace mercer::detail
