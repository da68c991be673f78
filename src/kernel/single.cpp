#include "mercer/single.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/bound.hpp"
#include "kernel/float_form.hpp"
#include "kernel/tiling.hpp"
#include "points/rep.hpp"

namespace mercer {

using detail::Bound;
using detail::FloatForm;
using detail::Scratch;

namespace {

constexpr Index kPanel = simd::kFloatPanel;
constexpr Index kTile = 3 * kPanel;  // its third, on the diagonal, is a panel

// Points packed both ways: by panels, as columns of K, and by groups, as rows.
struct PackedFloats {
  std::vector<float> panels, groups, norms;
  double largest_norm = 0;  // squared, of what is packed
};

// Doubles are made of some points at a time, so that no copy of all is ever twice as large.
PackedFloats pack(const Points& inputs, const Vector& shift, const Vector& factor) {
  const Index n = inputs.size(), d = inputs.domain().dimension;
  const Index room = static_cast<Index>(simd::padded_to(at(n), at(kPanel)));
  PackedFloats out;
  out.panels.resize(at(room * d));
  out.groups.resize(at(room * d));
  out.norms.resize(at(room));
  const Tiling parts(n, 20 * kPanel);
  Vector largest(at(parts.count()));
  parallel_for(parts.count(), thread_count(0), {}, "pack", [&](Index p, int) {
    const Range some = parts.block(p);
    const DenseRows rows = dense_rows(inputs.slice(some));
    Vector norms(simd::padded_to(at(some.size()), at(kPanel)));
    simd::pack_floats(rows.values.data(), at(rows.values.stride()), shift.data(), factor.data(), at(some.size()), at(d),
                      out.panels.data() + some.begin * d, norms.data());
    for (Index i = some.begin; i < some.end; ++i) {
      const double norm = norms[at(i - some.begin)];
      out.norms[at(i)] = static_cast<float>(norm);
      largest[at(p)] = std::max(largest[at(p)], norm);
      simd::copy_point(out.panels.data(), at(i), at(d), out.groups.data(), at(i));
    }
  });
  for (const double norm : largest) out.largest_norm = std::max(out.largest_norm, norm);
  return out;
}

Vector centre_of(const Points& x) {
  const Index count = std::min<Index>(1024, x.size()), d = x.domain().dimension;
  Vector centre(at(d));
  for (Index i = 0; i < count; ++i) {
    const DenseRows row = dense_rows(x.slice({i * x.size() / count, i * x.size() / count + 1}));
    for (Index k = 0; k < d; ++k) centre[at(k)] += row.values(0, k) / static_cast<double>(count);
  }
  return centre;
}

// |x|^2 + |y|^2 - 2 x.y is off by a few roundings of its terms, and so is exp(-factor |x-y|^2) by factor times as much.
bool keeps_digits(const FloatForm& form, const PackedFloats& x, const PackedFloats& y) {
  if (form.profile.kind != simd::FloatProfile::Kind::exponential) return true;
  if (form.profile.differences && form.column_factors.empty()) return true;  // nothing is rounded but the differences
  constexpr double kRounding = 0x1p-24, kRoundings = 8, kAllowed = 1e-5;
  return kRoundings * kRounding * form.factor * (x.largest_norm + y.largest_norm) <= kAllowed;
}

// K(X, Y) ready to be computed in single precision; nothing where that would lose digits or is not known how.
struct Single {
  FloatForm form;
  std::shared_ptr<const PackedFloats> x, y;
};
std::optional<Single> single(const Kernel& k, const Points& x, const Points& y) {
  if (!is_single_precision(x) || !is_single_precision(y)) return std::nullopt;
  const std::optional<FloatForm> form = detail::float_form(k, x), other = detail::float_form(k, y);
  if (!form || !other) return std::nullopt;
  const auto d = at(form->inputs.domain().dimension);
  const bool as_they_are = !form->shift_free || (form->profile.differences && form->column_factors.empty());
  const Vector shift = as_they_are ? Vector(d) : centre_of(form->inputs);
  const Vector factor = form->column_factors.empty() ? Vector(d, 1.0) : form->column_factors;
  const auto packed_x = std::make_shared<const PackedFloats>(pack(form->inputs, shift, factor));
  const auto packed_y =
      x.share() == y.share() ? packed_x : std::make_shared<const PackedFloats>(pack(other->inputs, shift, factor));
  if (!keeps_digits(*form, *packed_x, *packed_y)) return std::nullopt;
  return Single{*form, packed_x, packed_y};
}

// Whatever does not fit is refused as it is in double precision: by one point of each.
void require_fitting(const Kernel& k, const Points& x, const Points& y) {
  for (const Points* points : {&x, &y}) {
    if (points->domain().kind == "reals") require_finite(*points);
  }
  Bound(k, x.slice({0, std::min<Index>(1, x.size())}), y.slice({0, std::min<Index>(1, y.size())}));
}

void require_shape(const char* what, FloatMatrixRef m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols) {
    fail(ErrorKind::shape, "{}: a {} x {} matrix is needed, {} x {} was given", what, rows, cols, m.rows(), m.cols());
  }
}

// What a thread computes tiles in.
struct Room {
  std::vector<float> values;
  std::vector<float*> rows;
  Scratch scratch;
};

// The values of a tile, its rows `stride` apart.
struct Values {
  const float* data;
  Index stride;
};

Values single_tile(const Single& s, Range i, Range j, Room& room) {
  const Index d = s.form.inputs.domain().dimension, first = j.begin / kPanel, last = (j.end + kPanel - 1) / kPanel;
  const Index stride = (last - first) * kPanel;
  room.values.resize(at(i.size() * stride));
  room.rows.clear();
  for (Index a = 0; a < i.size(); ++a) room.rows.push_back(room.values.data() + a * stride);
  simd::float_rows(s.form.profile, s.x->groups.data() + i.begin * d, s.x->norms.data() + i.begin, at(i.size()),
                   s.y->panels.data(), s.y->norms.data(), at(first), at(last), at(d), room.rows.data());
  return {room.values.data(), stride};
}

Values double_tile(const Bound& bound, Range i, Range j, Room& room) {
  const double* tile = bound.tile(i, j, room.scratch);
  room.values.resize(at(i.size() * j.size()));
  std::transform(tile, tile + i.size() * j.size(), room.values.begin(), [](double v) { return static_cast<float>(v); });
  return {room.values.data(), j.size()};
}

void store_transposed(const Values& tile, Range i, Range j, FloatMatrixRef out) {
  constexpr Index kBlock = 16;  // a cache line of floats
  for (Index b0 = 0; b0 < j.size(); b0 += kBlock) {
    for (Index a0 = 0; a0 < i.size(); a0 += kBlock) {
      for (Index b = b0; b < std::min(b0 + kBlock, j.size()); ++b) {
        float* to = out.row(j.begin + b) + i.begin;
        for (Index a = a0; a < std::min(a0 + kBlock, i.size()); ++a) to[a] = tile.data[a * tile.stride + b];
      }
    }
  }
}

void require_finite_values(const Kernel& k, const Values& tile, Range i, Range j) {
  for (Index a = 0; a < i.size(); ++a) {
    const float* row = tile.data + a * tile.stride;
    const float* bad = std::find_if_not(row, row + j.size(), [](float v) { return std::isfinite(v); });
    if (bad == row + j.size()) continue;
    fail(ErrorKind::numeric,
         "{} at rows {} and {} is beyond single precision; give the points in double precision, or at a smaller scale",
         k.str(), i.begin + a + 1, j.begin + (bad - row) + 1);
  }
}

// Of rbf it is its scale, and no point needs to be looked at.
void fill_diagonal(const Kernel& k, const Points& x, FloatMatrixRef out) {
  const std::optional<FloatForm> form = detail::float_form(k, x.slice({0, std::min<Index>(1, x.size())}));
  const bool alike = form && form->profile.kind == simd::FloatProfile::Kind::exponential;
  const Vector own = alike ? Vector(at(x.size()), form->scale) : diagonal(k, x);
  for (Index i = 0; i < x.size(); ++i) out(i, i) = static_cast<float>(own[at(i)]);
}

// visit(i, j, values) for each of the tiles, on all threads.
template <class Visit>
Precision for_each_tile(const Kernel& k, const Points& x, const Points& y, const std::vector<Tiling::Pair>& tiles,
                        const Execution& how, Visit visit) {
  require_fitting(k, x, y);
  const std::optional<Single> fast = single(k, x, y);
  std::optional<Bound> exact;
  if (!fast) exact.emplace(k, x, y);
  const int threads = thread_count(how.threads);
  std::vector<Room> rooms(at(threads));
  const bool bounded = fast && fast->form.profile.kind == simd::FloatProfile::Kind::exponential;
  parallel_for(static_cast<Index>(tiles.size()), threads, how.monitor, "gram", [&](Index t, int thread) {
    const auto [i, j] = tiles[at(t)];
    Room& room = rooms[at(thread)];
    const Values tile = fast ? single_tile(*fast, i, j, room) : double_tile(*exact, i, j, room);
    if (!bounded) require_finite_values(k, tile, i, j);
    visit(i, j, tile);
  });
  return fast ? Precision::float32 : Precision::float64;
}

}  // namespace

bool is_single_precision(const Points& x) {
  const Reals* reals = find_reals(x);
  return reals != nullptr && reals->is_single();
}

Precision precision_of(const Kernel& k, const Points& x, const Points& y) {
  const Kernel resolved = k.resolve(x);
  require_fitting(resolved, x, y);
  return single(resolved, x, y) ? Precision::float32 : Precision::float64;
}

Precision gram(const Kernel& k, const Points& x, FloatMatrixRef out, const Execution& how) {
  require_shape("gram", out, x.size(), x.size());
  const Kernel resolved = k.resolve(x);
  const auto tiles = Tiling(x.size(), kTile).lower_triangle();
  const Precision used = for_each_tile(resolved, x, x, tiles, how, [&](Range i, Range j, const Values& tile) {
    for (Index a = 0; a < i.size(); ++a) {
      const Index count = i.begin == j.begin ? a : j.size();  // on the diagonal the lower half is mirrored
      std::copy_n(tile.data + a * tile.stride, count, out.row(i.begin + a) + j.begin);
    }
    if (i.begin != j.begin) return store_transposed(tile, i, j, out);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < a; ++b) out(j.begin + b, i.begin + a) = tile.data[a * tile.stride + b];
    }
  });
  fill_diagonal(resolved, x, out);
  return used;
}

Precision cross(const Kernel& k, const Points& x, const Points& y, FloatMatrixRef out, const Execution& how) {
  require_shape("cross", out, x.size(), y.size());
  const auto tiles = all_pairs(Tiling(x.size(), kTile), Tiling(y.size(), kTile));
  return for_each_tile(k.resolve(x), x, y, tiles, how, [&](Range i, Range j, const Values& tile) {
    for (Index a = 0; a < i.size(); ++a) {
      std::copy_n(tile.data + a * tile.stride, j.size(), out.row(i.begin + a) + j.begin);
    }
  });
}

}  // namespace mercer
