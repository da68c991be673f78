// gak(sigma): the global alignment kernel, as a logarithm, so that long series neither overflow nor vanish.
// T U d flops and an exponential a step of a pair of lengths T and U; pairs side by side in vectors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/series/row.hpp"
#include "domains/series/series.hpp"
#include "kernel/program_parts.hpp"
#include "points/rep.hpp"
#include "simd/alignments.hpp"

namespace mercer::detail {

namespace {

constexpr auto kPanel = static_cast<Index>(simd::kAlignmentPanel);

struct SeriesSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<SeriesSide>(*this);
    out->rows = static_cast<Index>(which.size());
    out->series.clear();
    for (const Index i : which) out->series.push_back(series[at(i)]);
    return out;
  }

  DenseRows steps;
  std::vector<Range> series;
};

// Series of a tile by length, 16 to a panel, so that those of a panel end at about the same time.
class Panels {
 public:
  Panels(const SeriesSide& side, Range which) : side_(side), order_(at(which.size())) {
    std::iota(order_.begin(), order_.end(), which.begin);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](Index a, Index b) { return side.series[at(a)].size() < side.series[at(b)].size(); });
    lengths_.resize(at(count() * kPanel));
    for (std::size_t l = 0; l < lengths_.size(); ++l) lengths_[l] = at(of(static_cast<Index>(l)).size());
    const Index d = side.steps.values.cols();
    for (Index p = 0; p < count(); ++p) {
      Vector data(at(kPanel * d) * longest(p));
      for (Index l = 0; l < kPanel; ++l) {
        const Range steps = of(p * kPanel + l);
        for (Index e = 0; e < steps.size() * d; ++e) {
          data[at(kPanel * e + l)] = side.steps.values(steps.begin + e / d, e % d);
        }
      }
      data_.push_back(std::move(data));
    }
  }

  Index count() const { return (std::ssize(order_) + kPanel - 1) / kPanel; }
  std::size_t longest(Index panel) const { return lengths_[at(panel * kPanel + kPanel - 1)]; }
  simd::AlignmentPanel operator[](Index panel) const {
    return {data_[at(panel)].data(), lengths_.data() + panel * kPanel, longest(panel)};
  }
  // Number of the series at this place; the last one repeats to the end of its panel.
  Index number(Index place) const { return order_[at(std::min(place, std::ssize(order_) - 1))]; }
  Index places() const { return std::ssize(order_); }

 private:
  Range of(Index place) const { return side_.series[at(number(place))]; }

  const SeriesSide& side_;
  std::vector<Index> order_;
  std::vector<std::size_t> lengths_;
  std::vector<Vector> data_;
};

class AlignmentEdge final : public EdgeOn<SeriesSide> {
 public:
  AlignmentEdge(simd::AlignmentKernel kernel, Index sigma_at) : kernel_(kernel), sigma_at_(sigma_at) {}

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    const auto x = side_of(points.x);
    if (points.same()) return {x, x};
    const auto y = side_of(points.y);
    if (x->steps.values.cols() != y->steps.values.cols()) {
      fail(ErrorKind::domain, "gak(): the series have {} and {} columns", x->steps.values.cols(),
           y->steps.values.cols());
    }
    return {x, y};
  }

 private:
  static std::shared_ptr<const SeriesSide> side_of(const Points& x) {
    const auto store = objects_of<Series>(x, "gak()", "series");
    auto side = std::make_shared<SeriesSide>();
    side->rows = x.size();
    side->steps = dense_rows(store->elements());
    for (Index i = 0; i < x.size(); ++i) side->series.push_back(store[i]);
    return side;
  }

  // visit(i, j, log, slope) for all pairs of the tile. On the diagonal of a matrix each pair of series is aligned once.
  template <class Visit>
  void for_each_pair(const SeriesSide& x, const SeriesSide& y, Range i, Range j, bool slopes, Visit visit) const {
    const Panels panels(y, j);
    const bool symmetric = &x == &y && i.begin == j.begin && i.end == j.end;
    const auto d = at(x.steps.values.cols());
    const int threads = thread_count(0);
    std::size_t longest = 0;
    for (Index p = 0; p < panels.count(); ++p) longest = std::max(longest, panels.longest(p));
    std::vector<Vector> scratch(at(threads), Vector(simd::alignment_scratch(longest, slopes)));
    parallel_for(i.size(), threads, {}, "series", [&](Index place, int thread) {
      const Index a = symmetric ? panels.number(place) : i.begin + place;
      const Range steps = x.series[at(a)];
      double logs[kPanel], slope[kPanel];
      for (Index p = symmetric ? place / kPanel : 0; p < panels.count(); ++p) {
        simd::log_alignments(kernel_, x.steps.values.row(steps.begin), at(steps.size()), panels[p], d,
                             scratch[at(thread)].data(), logs, slopes ? slope : nullptr);
        const Index last = std::min(panels.places(), (p + 1) * kPanel);
        for (Index other = p * kPanel; other < last; ++other) {
          if (symmetric && other < place) continue;
          visit(a, panels.number(other), logs[other - p * kPanel], slopes ? slope[other - p * kPanel] : 0.0);
        }
      }
    });
  }

  void pairs(const SeriesSide& x, const SeriesSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    const bool symmetric = &x == &y && i.begin == j.begin && i.end == j.end;
    for_each_pair(x, y, i, j, false, [&](Index a, Index b, double log, double) {
      out(a - i.begin, b - j.begin) = log;
      if (symmetric) out(b - i.begin, a - j.begin) = log;
    });
  }

  void selves(const SeriesSide& side, Range i, double* out) const override {
    for (Index a = i.begin; a < i.end; ++a) {
      for_each_pair(side, side, {a, a + 1}, {a, a + 1}, false,
                    [&](Index, Index, double log, double) { out[a - i.begin] = log; });
    }
  }

  void pull_pairs(const SeriesSide& x, const SeriesSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    const bool symmetric = &x == &y && i.begin == j.begin && i.end == j.end;
    Vector sums(at(i.size()));  // by rows, so that threads do not matter
    for_each_pair(x, y, i, j, true, [&](Index a, Index b, double, double slope) {
      const double mirrored = symmetric && a != b ? v(b - i.begin, a - j.begin) : 0;
      sums[at(a - i.begin)] += slope * (v(a - i.begin, b - j.begin) + mirrored);
    });
    for (const double sum : sums) to.parameters[sigma_at_] += sum;
  }

  void pull_selves(const SeriesSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    for (Index a = i.begin; a < i.end; ++a) {
      for_each_pair(side, side, {a, a + 1}, {a, a + 1}, true,
                    [&](Index, Index, double, double slope) { to.parameters[sigma_at_] += slope * v[a - i.begin]; });
    }
  }

  simd::AlignmentKernel kernel_;
  Index sigma_at_;
};

}  // namespace

Value emit_gak(const Site& site, Emitter& e) {
  const ParamRef sigma = site.param("sigma");
  const auto band = static_cast<std::size_t>(site.node.number("band"));
  const Slot log =
      e.edge(site.view, std::make_shared<AlignmentEdge>(simd::AlignmentKernel{sigma.value, band}, sigma.at),
             fmt::format("gak{} {}", sigma.at, band));
  return {.exponents = {{log, {1.0, {}}}}};
}

// Cuturi 2011 advises multiples of the median distance times the root of the median length: paths are about as long.
double typical_sigma(const std::vector<NodePtr>&, const Points& x) {
  const auto store = objects_of<Series>(x, "gak()", "series");
  const ChosenGroups chosen = choose(*store.store, store.which);
  std::vector<Index> lengths;
  for (Index i = 0; i < x.size(); ++i) lengths.push_back(store[i].size());
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::nth_element(lengths.begin(), middle, lengths.end());
  const double distance = parse("rbf(ell=auto)").resolve(chosen.elements).params()[0].value;
  return distance * std::sqrt(static_cast<double>(*middle));
}

}  // namespace mercer::detail
