#include "machines/svm/float_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "kernel/side.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPanel = simd::kFloatPanel, kGroup = simd::kFloatGroup;
// Inner products of multiples up to 255 of this many columns stay below 2^24.
constexpr double kLargestMultiple = 255;
constexpr std::size_t kExactColumns = 256;
static_assert(kExactColumns * 255 * 255 < (1U << 24));
// From this many columns on, one triangle of a tile is computed and turned over.
constexpr Index kColumnsToTurn = 64;

// body(number) for all numbers of the points until it says false; whether it never did.
template <class Body>
bool for_all_numbers(const Points& x, Body body) {
  constexpr Index kAtOnce = 1024;
  for (Index i = 0; i < x.size(); i += kAtOnce) {
    const DenseRows rows = dense_rows(x.slice({i, std::min(i + kAtOnce, x.size())}));
    for (Index a = 0; a < rows.values.rows(); ++a) {
      for (Index k = 0; k < rows.values.cols(); ++k) {
        if (!body(rows.values(a, k))) return false;
      }
    }
  }
  return true;
}

// The unit of which all numbers are whole multiples; 0 when there is none.
double unit_of(const Points& x) {
  double unit = std::numeric_limits<double>::infinity(), largest = 0;
  const bool close = for_all_numbers(x, [&](double number) {
    const double size = std::abs(number);
    if (size != 0) unit = std::min(unit, size);
    largest = std::max(largest, size);
    return largest <= kLargestMultiple * unit * (1 + 1e-12);
  });
  if (!close || largest == 0) return 0;
  const bool whole = for_all_numbers(x, [&](double number) {
    const double multiple = number / unit;
    return std::abs(multiple - std::nearbyint(multiple)) <= 1e-13 * std::abs(multiple);
  });
  return whole ? unit : 0;
}

// The middle of a sample: any place near the points serves.
Vector middle_of(const Points& x) {
  const Index count = std::min<Index>(1024, x.size()), d = x.domain().dimension;
  std::vector<Index> some(at(count));
  for (Index i = 0; i < count; ++i) some[at(i)] = i * x.size() / count;
  const DenseRows sample = dense_rows(x.select(some));
  Vector middle(at(d));
  for (Index i = 0; i < count; ++i) {
    simd::add_scaled(1 / static_cast<double>(count), sample.values.row(i), at(d), middle.data());
  }
  return middle;
}

}  // namespace

FloatPoints::FloatPoints(FloatForm form, std::span<const Index> order, std::span<const Range> segments,
                         const Execution& how)
    : form_(std::move(form)), d_(form_.inputs.domain().dimension) {
  const double unit = form_.column_factors.empty() ? unit_of(form_.inputs) : 0;
  const bool centre = form_.shift_free && unit == 0 && !is_sparse(form_.inputs);
  const Vector shift = centre ? middle_of(form_.inputs) : Vector(at(d_));
  Vector factor = form_.column_factors.empty() ? Vector(at(d_), 1.0) : form_.column_factors;
  if (unit > 0) {
    use_unit(unit);
    std::fill(factor.begin(), factor.end(), 1 / unit);
  }
  struct Piece {
    std::size_t segment;
    Range points;  // whole panels of it
  };
  std::vector<Piece> pieces;
  for (const Range& positions : segments) {
    const Index room = padded_to_panels(positions.size());
    segments_.push_back({positions, FloatArray(room * d_), FloatArray(room), Vector(at(room))});
    for (Index i = 0; i < positions.size(); i += 20 * kPanel) {
      pieces.push_back({segments_.size() - 1, {i, std::min(i + 20 * kPanel, positions.size())}});
    }
  }
  parallel_for(static_cast<Index>(pieces.size()), thread_count(how.threads), how.monitor, "pack", [&](Index p, int) {
    const auto [number, points] = pieces[at(p)];
    Segment& segment = segments_[number];
    const std::span<const Index> which = order.subspan(at(segment.positions.begin + points.begin), at(points.size()));
    const Points some = form_.inputs.select(which);
    const DenseRows rows = dense_rows(some);
    simd::pack_floats(rows.values.data(), at(rows.values.stride()), shift.data(), factor.data(), which.size(), at(d_),
                      segment.panels.data() + points.begin * d_, segment.exact_norms.data() + points.begin);
    for (Index i = points.begin; i < padded_to_panels(points.end); ++i) {
      segment.norms.data()[i] = static_cast<float>(segment.exact_norms[at(i)]);
    }
  });
}

void FloatPoints::use_unit(double unit) {
  exact_ = true;
  exact_profile_ = {.kind = form_.profile.kind,
                    .factor = form_.factor * unit * unit,
                    .shift = form_.shift,
                    .degree = form_.profile.degree,
                    .scale = form_.scale,
                    .exact_columns = kExactColumns};
  form_.profile.factor = static_cast<float>(exact_profile_.factor);
}

const FloatPoints::Segment& FloatPoints::segment_of(Index position) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), position,
                                      [](Index p, const Segment& s) { return p < s.positions.begin; });
  return *(after - 1);
}

FloatPoints::Group FloatPoints::group(std::span<const Index> positions) const {
  const auto size = static_cast<Index>(positions.size());
  const Index room = (size + kGroup - 1) / kGroup * kGroup;
  Group out{size, FloatArray(room * d_), FloatArray(room), Vector(at(room))};
  std::fill_n(out.norms.data(), room, 0.0F);
  if (room > size) std::fill_n(out.points.data() + (room - kGroup) * d_, kGroup * d_, 0.0F);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Segment& from = segment_of(positions[k]);
    const Index p = positions[k] - from.positions.begin;
    simd::copy_point(from.panels.data(), at(p), at(d_), out.points.data(), k);
    out.norms.data()[k] = from.norms.data()[p];
    out.exact_norms[k] = from.exact_norms[at(p)];
  }
  return out;
}

void FloatPoints::rows(const Group& group, std::size_t segment, Index first, Index last, float* const* out) const {
  const Segment& columns = segments_[segment];
  simd::float_rows(form_.profile, group.points.data(), group.norms.data(), at(group.size), columns.panels.data(),
                   columns.norms.data(), at(first), at(last), at(d_), out);
}

void FloatPoints::add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                            double* sums) const {
  const Segment& columns = segments_[segment];
  simd::add_exact_rows(exact_profile_, group.points.data(), group.exact_norms.data(), weights.data(), at(group.size),
                       columns.panels.data(), columns.exact_norms.data(), at(first), at(last), at(d_), sums);
}

void FloatPoints::tile(const Group& group, float* out, Index stride, int threads) const {
  const Index n = group.size, room = padded_to_panels(n);
  // The same points once more, as columns.
  FloatArray panels(room * d_), norms(room);
  std::fill_n(panels.data() + (room - kPanel) * d_, kPanel * d_, 0.0F);
  std::fill_n(norms.data(), room, 0.0F);
  std::vector<float*> to(at(n));
  for (Index k = 0; k < n; ++k) {
    const float* from = group.points.data() + k / kGroup * kGroup * d_ + k % kGroup;
    float* panel = panels.data() + k / kPanel * kPanel * d_ + k % kPanel;
    for (Index c = 0; c < d_; ++c) panel[c * kPanel] = from[c * kGroup];
    norms.data()[k] = group.norms.data()[k];
    to[at(k)] = out + k * stride;
  }
  const bool turn = d_ >= kColumnsToTurn;
  parallel_for(room / kPanel, threads, {}, "tile", [&](Index p, int) {
    const Index first = turn ? p * kPanel : 0;  // a multiple of the group's size too
    std::vector<float*> here(to.begin() + first, to.end());
    for (float*& row : here) row += p * kPanel;
    simd::float_rows(form_.profile, group.points.data() + first * d_, group.norms.data() + first, at(n - first),
                     panels.data(), norms.data(), at(p), at(p + 1), at(d_), here.data());
  });
  if (!turn) return;
  parallel_for(room / kPanel, threads, {}, "tile", [&](Index p, int) {
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

}  // namespace mercer::detail
