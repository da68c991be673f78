// diffusion(t) and regularized_laplacian(sigma): f(L)_xy, from eigenvectors or, for large graphs, by series.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/once.hpp"
#include "domains/nodes/row.hpp"
#include "domains/nodes/series_rows.hpp"
#include "domains/nodes/spectral.hpp"
#include "kernel/catalog.hpp"
#include "kernel/program_parts.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Made by the first who asks.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(Make make) const {
    once_([&] { value_ = make(); });
    return value_;
  }

 private:
  mutable Once once_;
  mutable T value_;
};

// f(L), or its derivative, of the pairs of two sets of nodes of a large graph. The smaller set is the columns e_j of
// the series.
struct PairValues {
  std::size_t bytes() const { return (columns.size() * rows.size() + columns.size() + rows.size()) * sizeof(double); }
  double operator()(Index i, Index j) const {
    if (same) return values(std::max(i, j), std::min(i, j));
    return x_columns ? values(i, j) : values(j, i);
  }

  Matrix values = {};
  std::vector<std::int32_t> columns, rows;
  bool same;       // one set: the triangle below the diagonal stands for both
  bool x_columns;  // x is the columns, y the rows
};
using PairsPtr = std::shared_ptr<const PairValues>;

struct NodeSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<NodeSide>();
    out->rows = static_cast<Index>(which.size());
    out->spectrum = spectrum;
    if (features) out->features = std::static_pointer_cast<const RealSide>(features->select(which));
    out->graph = graph;
    out->pairs = pairs;
    out->slopes = slopes;
    for (const Index i : which) {
      out->ids.push_back(ids[at(i)]);
      if (pairs) out->place.push_back(place[at(i)]);
    }
    return out;
  }

  std::vector<std::int32_t> ids;
  // Of a small graph: sqrt(f(lambda_k)) u_k(node), so that k is an inner product as any other.
  std::shared_ptr<const Spectrum> spectrum;
  std::shared_ptr<const RealSide> features;
  // Of a large one: the pairs, and which of their points these are; and, where asked for, those with themselves.
  std::shared_ptr<const NodeGraph> graph;
  PairsPtr pairs;
  std::shared_ptr<const Lazy<PairsPtr>> slopes;
  std::vector<Index> place;
  Lazy<Vector> selves, self_slopes;
};

class SpectralEdge final : public EdgeOn<NodeSide> {
 public:
  SpectralEdge(SpectralFunction f, NodeMatrix laplacian, Index parameter, std::string who)
      : f_(f), laplacian_(laplacian), parameter_(parameter), who_(std::move(who)) {}

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    const NodesPair nodes = nodes_pair(points.x, points.y, who_);
    const auto x = side(nodes.x), y = points.same() ? x : side(nodes.y);
    if (nodes.graph->graph().nodes() <= kDenseNodes) {
      const auto spectrum = spectrum_of(*nodes.graph, laplacian_, who_);
      give_features(*x, spectrum);
      if (x != y) give_features(*y, spectrum);
    } else {
      give_pairs(*x, *y, nodes.graph);
    }
    return {x, y};
  }

  void pairs(const NodeSide& x, const NodeSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    if (!x.features) return copy(*x.pairs, x, y, i, j, out);
    simd::pair_tile(simd::Pairing::dot, {x.features->packed.data(), at(i.begin), at(i.end)},
                    {y.features->packed.data(), at(j.begin), at(j.end)}, at(x.features->cols), out.data(),
                    at(out.stride()));
  }

  void selves(const NodeSide& side, Range i, double* out) const override {
    const Vector& all =
        side.features ? side.features->squared_norms : side.selves.get([&] { return of_selves(side, Part::value); });
    std::copy_n(all.begin() + i.begin, i.size(), out);
  }

  // Of features: k = sum_k phi_k(x) phi_k(y), and d log f / d parameter once stands between the two.
  void pull_pairs(const NodeSide& x, const NodeSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch& scratch) const override {
    scratch.panel.resize(at(i.size() * j.size()));
    const MatrixRef slopes(scratch.panel.data(), i.size(), j.size());
    if (x.features) {
      const std::size_t cols = at(x.features->cols), count = at(i.size());
      const Vector by = log_slopes(*x.spectrum), none(cols);
      scratch.rows_x.resize(count * cols);
      for (std::size_t a = 0; a < count; ++a) {
        const double* from = x.features->dense.row(i.begin + static_cast<Index>(a));
        for (std::size_t k = 0; k < cols; ++k) scratch.rows_x[a * cols + k] = from[k] * by[k];
      }
      AlignedArray packed(simd::packed_size(count, cols));
      scratch.rows_y.resize(count);
      simd::pack(scratch.rows_x.data(), cols, none.data(), count, cols, packed.data(), scratch.rows_y.data());
      simd::pair_tile(simd::Pairing::dot, {packed.data(), 0, count},
                      {y.features->packed.data(), at(j.begin), at(j.end)}, cols, slopes.data(), at(slopes.stride()));
    } else {
      copy(*x.slopes->get([&] { return slopes_of(*x.graph, *x.pairs); }), x, y, i, j, slopes);
    }
    for (Index a = 0; a < i.size(); ++a) {
      to.parameters[parameter_] += simd::dot(v.row(a), slopes.row(a), at(j.size()));
    }
  }

  void pull_selves(const NodeSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    if (!side.features) {
      const Vector& all = side.self_slopes.get([&] { return of_selves(side, Part::slope); });
      to.parameters[parameter_] += simd::dot(v, all.data() + i.begin, at(i.size()));
      return;
    }
    const Vector by = log_slopes(*side.spectrum);
    for (Index a = 0; a < i.size(); ++a) {
      const double* row = side.features->dense.row(i.begin + a);
      double slope = 0;
      for (std::size_t k = 0; k < by.size(); ++k) slope += row[k] * row[k] * by[k];
      to.parameters[parameter_] += v[a] * slope;
    }
  }

 private:
  static std::shared_ptr<NodeSide> side(const std::vector<std::int32_t>& ids) {
    auto made = std::make_shared<NodeSide>();
    made->rows = static_cast<Index>(ids.size());
    made->ids = ids;
    return made;
  }

  Vector log_slopes(const Spectrum& spectrum) const {
    Vector out;
    for (const double lambda : spectrum.lambda) out.push_back(f_.log_slope(lambda));
    return out;
  }

  // ---- small graphs ----

  void give_features(NodeSide& side, const std::shared_ptr<const Spectrum>& spectrum) const {
    Vector roots;
    for (const double lambda : spectrum->lambda) roots.push_back(std::sqrt(f_.value(lambda)));
    auto rows = std::make_shared<Matrix>(Matrix::uninitialized(side.rows, static_cast<Index>(roots.size())));
    for (Index i = 0; i < side.rows; ++i) {
      const double* from = spectrum->by_node.row(side.ids[at(i)]);
      for (std::size_t k = 0; k < roots.size(); ++k) rows->row(i)[k] = roots[k] * from[k];
    }
    auto features = std::make_shared<RealSide>();
    features->rows = side.rows;
    features->cols = rows->cols();
    features->dense = rows->view();
    features->owner = std::move(rows);
    pack_plain(*features);
    side.features = std::move(features);
    side.spectrum = spectrum;
  }

  // ---- large graphs ----

  enum class Part { value, slope };

  void give_pairs(NodeSide& x, NodeSide& y, const std::shared_ptr<const NodeGraph>& graph) const {
    const double bytes = static_cast<double>(x.rows) * static_cast<double>(y.rows) * sizeof(double);
    if (bytes > 0.9 * available_memory()) {
      fail(ErrorKind::usage, "{}: the {} x {} values of these nodes take {:.1f} GB; ask for fewer nodes at a time",
           who_, x.rows, y.rows, bytes * 1e-9);
    }
    const PairsPtr pairs = pairs_of(*graph, x.ids, y.ids, &x == &y, Part::value);
    const auto slopes = std::make_shared<const Lazy<PairsPtr>>();
    for (NodeSide* side : {&x, &y}) {
      side->graph = graph;
      side->pairs = pairs;
      side->slopes = slopes;
      side->place.resize(side->ids.size());
      for (std::size_t i = 0; i < side->place.size(); ++i) side->place[i] = static_cast<Index>(i);
    }
  }

  // A fit asks for the same nodes several times, and a minute's work is kept with the graph.
  PairsPtr pairs_of(const NodeGraph& graph, const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                    bool same, Part part) const {
    const auto make = [&] {
      PairValues made{.columns = x, .rows = y, .same = same, .x_columns = x.size() <= y.size()};
      if (!made.x_columns) std::swap(made.columns, made.rows);
      made.values =
          series_rows(*graph.matrix(laplacian_, who_), series(graph, part), kSeriesRounding, made.columns, made.rows);
      return made;
    };
    const auto hash = [](const std::vector<std::int32_t>& ids) {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ids[0])});
    };
    const std::string key = fmt::format("{}{}:{}:{}:{:x}:{:x}:{}", who_, static_cast<int>(laplacian_), f_.parameter,
                                        static_cast<int>(part), hash(x), hash(y), same);
    const PairsPtr known = graph.cached<PairValues>(key, make);
    const bool right =
        known->x_columns ? known->columns == x && known->rows == y : known->columns == y && known->rows == x;
    return right ? known : std::make_shared<const PairValues>(make());
  }

  ChebyshevSeries series(const NodeGraph& graph, Part part) const {
    SpectralSeries both = f_.series(graph.matrix(laplacian_, who_)->top, kSeriesError);
    return part == Part::value ? std::move(both.value) : std::move(both.slope);
  }

  PairsPtr slopes_of(const NodeGraph& graph, const PairValues& p) const {
    return pairs_of(graph, p.x_columns ? p.columns : p.rows, p.x_columns ? p.rows : p.columns, p.same, Part::slope);
  }

  // Of few nodes from all their pairs, which cost as much and will be asked for.
  Vector of_selves(const NodeSide& side, Part part) const {
    constexpr std::size_t few = 4096;
    if (side.ids.size() > few) {
      return series_diagonal(*side.graph->matrix(laplacian_, who_), series(*side.graph, part), kSeriesRounding,
                             side.ids);
    }
    const PairsPtr pairs = pairs_of(*side.graph, side.ids, side.ids, true, part);
    Vector out(side.ids.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = pairs->values(static_cast<Index>(i), static_cast<Index>(i));
    return out;
  }

  static void copy(const PairValues& from, const NodeSide& x, const NodeSide& y, Range i, Range j, MatrixRef out) {
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) out(a, b) = from(x.place[at(i.begin + a)], y.place[at(j.begin + b)]);
    }
  }

  SpectralFunction f_;
  NodeMatrix laplacian_;
  Index parameter_;
  std::string who_;
};

// Values lie between 0 and 1, as those of f do, but for rounding.
Value emit_spectral(const Site& site, Emitter& e, SpectralFunction::Kind kind, std::string_view parameter) {
  const ParamRef at = site.param(parameter);
  const std::string& laplacian = site.node.word("laplacian");
  const std::string who = fmt::format("{}()", site.node.entry->name);
  const auto edge = std::make_shared<SpectralEdge>(
      SpectralFunction{kind, at.value}, laplacian == "plain" ? NodeMatrix::plain : NodeMatrix::normalized, at.at, who);
  return {.factors = {e.edge(site.view, edge, fmt::format("{}{}:{}", who, laplacian, at.at))}, .bound = 1.0001};
}

}  // namespace

Value emit_diffusion(const Site& site, Emitter& e) {
  return emit_spectral(site, e, SpectralFunction::Kind::diffusion, "t");
}

Value emit_regularized_laplacian(const Site& site, Emitter& e) {
  return emit_spectral(site, e, SpectralFunction::Kind::resolvent, "sigma");
}

}  // namespace mercer::detail
