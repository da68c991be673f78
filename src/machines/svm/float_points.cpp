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
// From this many steps over the columns on, one triangle of a tile is computed and turned over.
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

struct Unit {
  double size = 0;  // 0: there is none
  bool negative = false;
};
// The unit of which all numbers are whole multiples.
Unit unit_of(const Points& x) {
  double unit = std::numeric_limits<double>::infinity(), largest = 0;
  bool negative = false;
  const bool close = for_all_numbers(x, [&](double number) {
    const double size = std::abs(number);
    if (size != 0) unit = std::min(unit, size);
    largest = std::max(largest, size);
    negative = negative || number < 0;
    return largest <= kLargestMultiple * unit * (1 + 1e-12);
  });
  if (!close || largest == 0) return {};
  const bool whole = for_all_numbers(x, [&](double number) {
    const double multiple = number / unit;
    return std::abs(multiple - std::nearbyint(multiple)) <= 1e-13 * std::abs(multiple);
  });
  return whole ? Unit{unit, negative} : Unit{};
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
  const Unit unit = form_.column_factors.empty() ? unit_of(form_.inputs) : Unit{};
  const bool centre = form_.shift_free && unit.size == 0 && !is_sparse(form_.inputs);
  const Vector shift = centre ? middle_of(form_.inputs) : Vector(at(d_));
  Vector factor = form_.column_factors.empty() ? Vector(at(d_), 1.0) : form_.column_factors;
  if (unit.size > 0) {
    use_unit(unit.size);
    std::fill(factor.begin(), factor.end(), 1 / unit.size);
    bytes_ = !unit.negative && at(d_) <= simd::kMostByteColumns && simd::byte_rows_available();
  }
  struct Piece {
    std::size_t segment;
    Range points;  // whole panels of it
  };
  std::vector<Piece> pieces;
  for (const Range& positions : segments) {
    segments_.push_back({positions, empty_panels(padded_to_panels(positions.size()))});
    for (Index i = 0; i < positions.size(); i += 20 * kPanel) {
      pieces.push_back({segments_.size() - 1, {i, std::min(i + 20 * kPanel, positions.size())}});
    }
  }
  constexpr Index kWorthThreads = 1 << 20;
  const int threads = static_cast<Index>(order.size()) * d_ < kWorthThreads ? 1 : thread_count(how.threads);
  parallel_for(static_cast<Index>(pieces.size()), threads, how.monitor, "pack", [&](Index p, int) {
    const auto [number, points] = pieces[at(p)];
    Segment& segment = segments_[number];
    const std::span<const Index> which = order.subspan(at(segment.positions.begin + points.begin), at(points.size()));
    pack(form_.inputs.select(which), shift, factor, points.begin, segment.panels);
  });
}

FloatPoints::Panels FloatPoints::empty_panels(Index room) const {
  Panels out;
  if (bytes_) {
    out.bytes.resize(at(room) * simd::byte_columns(at(d_)));
    out.byte_norms.resize(at(room));
    out.byte_sums.resize(at(room));
    return out;
  }
  out.points = FloatArray(room * d_);
  out.norms = FloatArray(room);
  out.exact_norms.resize(at(room));
  return out;
}

void FloatPoints::pack(const Points& some, const Vector& shift, const Vector& factor, Index to, Panels& panels) const {
  const DenseRows rows = dense_rows(some);
  const auto pack_floats = [&](float* points, double* norms) {
    simd::pack_floats(rows.values.data(), at(rows.values.stride()), shift.data(), factor.data(), at(some.size()),
                      at(d_), points, norms);
  };
  const Index room = padded_to_panels(some.size());
  if (bytes_) {
    FloatArray whole(room * d_);
    Vector norms(at(room));
    pack_floats(whole.data(), norms.data());
    simd::pack_bytes(whole.data(), at(room), at(d_), panels.bytes.data() + at(to) * simd::byte_columns(at(d_)),
                     panels.byte_norms.data() + to, panels.byte_sums.data() + to);
    return;
  }
  pack_floats(panels.points.data() + to * d_, panels.exact_norms.data() + to);
  for (Index i = to; i < to + room; ++i) panels.norms.data()[i] = static_cast<float>(panels.exact_norms[at(i)]);
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
  Group out;
  out.size = static_cast<Index>(positions.size());
  const Index room = (out.size + kGroup - 1) / kGroup * kGroup;
  if (bytes_) {
    out.bytes.resize(at(room) * simd::byte_columns(at(d_)));
    out.byte_norms.resize(at(room));
  } else {
    out.points = FloatArray(room * d_);
    out.norms = FloatArray(room);
    out.exact_norms.resize(at(room));
    std::fill_n(out.norms.data(), room, 0.0F);
    if (room > out.size) std::fill_n(out.points.data() + (room - kGroup) * d_, kGroup * d_, 0.0F);
  }
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Segment& segment = segment_of(positions[k]);
    const Panels& from = segment.panels;
    const std::size_t p = at(positions[k] - segment.positions.begin);
    if (bytes_) {
      simd::copy_byte_point(from.bytes.data(), p, at(d_), out.bytes.data(), k);
      out.byte_norms[k] = from.byte_norms[p];
    } else {
      simd::copy_point(from.points.data(), p, at(d_), out.points.data(), k);
      out.norms.data()[k] = from.norms.data()[p];
      out.exact_norms[k] = from.exact_norms[p];
    }
  }
  return out;
}

void FloatPoints::rows(const Group& group, std::size_t segment, Index first, Index last, float* const* out) const {
  rows(group, 0, segments_[segment].panels, first, last, out);
}

// Rows of the group from number `from` on, a multiple of the group's width.
void FloatPoints::rows(const Group& group, Index from, const Panels& panels, Index first, Index last,
                       float* const* out) const {
  const auto count = at(group.size - from);
  if (bytes_) {
    const simd::ByteRows x{group.bytes.data() + at(from) * simd::byte_columns(at(d_)), group.byte_norms.data() + from,
                           count};
    const simd::ByteColumns y{panels.bytes.data(), panels.byte_norms.data(), panels.byte_sums.data()};
    return simd::byte_rows(form_.profile, x, y, at(first), at(last), at(d_), out);
  }
  simd::float_rows(form_.profile, group.points.data() + from * d_, group.norms.data() + from, count,
                   panels.points.data(), panels.norms.data(), at(first), at(last), at(d_), out);
}

void FloatPoints::add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                            double* sums) const {
  const Panels& panels = segments_[segment].panels;
  if (bytes_) {
    const simd::ByteColumns y{panels.bytes.data(), panels.byte_norms.data(), panels.byte_sums.data()};
    return simd::add_exact_byte_rows(exact_profile_, {group.bytes.data(), group.byte_norms.data(), at(group.size)},
                                     weights.data(), y, at(first), at(last), at(d_), sums);
  }
  simd::add_exact_rows(exact_profile_, group.points.data(), group.exact_norms.data(), weights.data(), at(group.size),
                       panels.points.data(), panels.exact_norms.data(), at(first), at(last), at(d_), sums);
}

// The points of a group once more, as columns.
FloatPoints::Panels FloatPoints::panels_of(const Group& group) const {
  const Index room = padded_to_panels(group.size);
  Panels out = empty_panels(room);
  if (bytes_) {
    const auto d4 = static_cast<Index>(simd::byte_columns(at(d_)));
    for (Index k = 0; k < group.size; ++k) {
      const std::int8_t* from = group.bytes.data() + k / kGroup * kGroup * d4 + k % kGroup * 4;
      std::uint8_t* to = out.bytes.data() + k / kPanel * kPanel * d4 + k % kPanel * 4;
      for (Index c = 0; c < d4; ++c) {
        const auto value = static_cast<std::uint8_t>(from[c / 4 * 4 * kGroup + c % 4] + 128);
        to[c / 4 * 4 * kPanel + c % 4] = value;
        out.byte_sums[at(k)] += value;
      }
      out.byte_norms[at(k)] = group.byte_norms[at(k)];
    }
    return out;
  }
  std::fill_n(out.points.data() + (room - kPanel) * d_, kPanel * d_, 0.0F);
  std::fill_n(out.norms.data(), room, 0.0F);
  for (Index k = 0; k < group.size; ++k) {
    const float* from = group.points.data() + k / kGroup * kGroup * d_ + k % kGroup;
    float* to = out.points.data() + k / kPanel * kPanel * d_ + k % kPanel;
    for (Index c = 0; c < d_; ++c) to[c * kPanel] = from[c * kGroup];
    out.norms.data()[k] = group.norms.data()[k];
  }
  return out;
}

void FloatPoints::tile(std::span<const Index> positions, float* out, Index stride, int threads) const {
  const Group points = group(positions);
  const Panels panels = panels_of(points);
  const Index n = points.size;
  std::vector<float*> to(at(n));
  for (Index k = 0; k < n; ++k) to[at(k)] = out + k * stride;
  // With many columns it pays to compute one triangle and to turn it over.
  const bool turn = (bytes_ ? d_ / 4 : d_) >= kColumnsToTurn;
  const Index count = padded_to_panels(n) / kPanel;
  parallel_for(count, threads, {}, "tile", [&](Index p, int) {
    const Index first = turn ? p * kPanel : 0;
    std::vector<float*> here(to.begin() + first, to.end());
    for (float*& row : here) row += p * kPanel;
    rows(points, first, panels, p, p + 1, here.data());
  });
  if (!turn) return;
  parallel_for(count, threads, {}, "tile", [&](Index p, int) {
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
