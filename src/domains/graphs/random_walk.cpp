// random_walk(lambda, kind): walks that two graphs have in common, in all lengths. See walks.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/row.hpp"
#include "domains/graphs/walks.hpp"
#include "domains/graphs/words.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

// Something of each graph of a store, for the cache.
template <class T>
struct OfEach {
  std::vector<T> all;
  std::size_t bytes() const;
};

template <class T>
std::size_t memory_of(const T& one) {
  if constexpr (std::is_same_v<T, WalkSpectrum>) return sizeof(T) + 2 * one.values.size() * sizeof(double);
  if constexpr (std::is_same_v<T, Vector>) return sizeof(T) + one.size() * sizeof(double);
  return sizeof(T);
}

template <class T>
std::size_t OfEach<T>::bytes() const {
  std::size_t total = 0;
  for (const T& one : all) total += memory_of(one);
  return total;
}

template <class T, class Make>
std::shared_ptr<const OfEach<T>> of_each(const Graphs& store, const std::string& key, Make make) {
  return store.cached<OfEach<T>>(key, [&] {
    OfEach<T> out;
    out.all.resize(at(store.size()));
    parallel_for(store.size(), thread_count(0), {}, key, [&](Index i, int) { out.all[at(i)] = make(store[i]); });
    return out;
  });
}

// One graph as a pair of them needs it: one of the three.
struct Walker {
  const WalkSpectrum* spectrum = nullptr;
  const Vector* counts = nullptr;
  std::shared_ptr<const LabelledGraph> labelled = nullptr;
  double radius = 0;
  Index number = 0;  // for messages
};

struct WalkSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<WalkSide>();
    out->owners = owners;
    out->any_large = any_large;
    for (const Index i : which) out->walkers.push_back(walkers[at(i)]);
    out->rows = static_cast<Index>(which.size());
    return out;
  }
  std::vector<Walker> walkers;
  std::vector<std::shared_ptr<const void>> owners;  // of what walkers point at
  bool any_large = false;
};

class WalkEdge final : public EdgeOn<WalkSide> {
 public:
  WalkEdge(WalkSeries series, LabelUse labels, Index lambda) : series_(series), labels_(labels), lambda_(lambda) {}

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    Vocabulary texts;
    const auto x = side_of(points.x, texts);
    const auto y = points.same() ? x : side_of(points.y, texts);
    require_convergence(*x, *y);
    if (x->any_large || y->any_large) {
      const auto steps = std::bit_ceil(at(quadrature_points(series_, growth_of(*x, *y))));
      add_large(points.x, static_cast<Index>(steps), *x);
      if (y != x) add_large(points.y, static_cast<Index>(steps), *y);
    }
    return {x, y};
  }

 private:
  bool plain() const { return !labels_.nodes && !labels_.edges; }

  std::shared_ptr<WalkSide> side_of(const Points& points, Vocabulary& texts) const {
    const ObjectsOf<Graphs> graphs = objects_of<Graphs>(points, "random_walk()", "graphs");
    auto out = std::make_shared<WalkSide>();
    out->rows = graphs.size();
    out->walkers.resize(at(graphs.size()));
    for (Index i = 0; i < graphs.size(); ++i) {
      out->walkers[at(i)].number = i + 1;
      if (graphs[i].directed() && series_.kind != WalkKind::steps) {
        fail(ErrorKind::domain, "random_walk(): graph {} is directed; only kind=steps takes directed graphs", i + 1);
      }
    }
    const auto keep = [&](const auto& owner, auto use) {
      for (Index i = 0; i < graphs.size(); ++i) use(out->walkers[at(i)], owner->all[at(graphs.which[i])]);
      out->owners.push_back(owner);
    };
    if (!plain()) {
      add_labels(graphs, texts, *out);
      if (series_.kind == WalkKind::geometric) {
        keep(of_each<double>(*graphs.store, "walk radii", [](const Graph& g) { return walk_radius(g); }),
             [](Walker& walker, double radius) { walker.radius = radius; });
      }
    } else if (series_.kind == WalkKind::steps) {
      keep(of_each<Vector>(*graphs.store, fmt::format("walk counts {}", series_.steps),
                           [&](const Graph& g) { return walk_counts(g, series_.steps); }),
           [](Walker& walker, const Vector& counts) { walker.counts = &counts; });
    } else {
      const auto spectrum = [](const Graph& g) { return is_large(g) ? WalkSpectrum{} : walk_spectrum(g); };
      keep(of_each<WalkSpectrum>(*graphs.store, "walk spectra", spectrum),
           [](Walker& walker, const WalkSpectrum& found) {
             walker.spectrum = &found;
             walker.radius = walk_radius(found);
           });
      for (Index i = 0; i < graphs.size(); ++i) out->any_large = out->any_large || is_large(graphs[i]);
      if (out->any_large) {
        const auto bound = [](const Graph& g) { return is_large(g) ? walk_bound(g) : 0.0; };
        keep(of_each<double>(*graphs.store, "walk bounds", bound),
             [](Walker& walker, double found) { walker.radius = std::max(walker.radius, found); });
      }
    }
    return out;
  }

  static bool is_large(const Graph& g) { return g.nodes() > kLargeGraph; }

  // The spectra of large graphs, by so many steps; all of it where that is about as much work.
  static void add_large(const Points& points, Index steps, WalkSide& out) {
    const ObjectsOf<Graphs> graphs = find_objects<Graphs>(points);
    const auto all = of_each<WalkSpectrum>(*graphs.store, fmt::format("walk spectra {}", steps), [&](const Graph& g) {
      if (!is_large(g)) return WalkSpectrum{};
      return 3 * steps < g.nodes() ? walk_quadrature(g, steps) : walk_spectrum(g);
    });
    for (Index i = 0; i < graphs.size(); ++i) {
      if (is_large(graphs[i])) out.walkers[at(i)].spectrum = &all->all[at(graphs.which[i])];
    }
    out.owners.push_back(all);
  }

  // Of each side with the other; and with itself, for the diagonal, where that converges.
  double growth_of(const WalkSide& x, const WalkSide& y) const {
    const double of_x = largest_radius(x), of_y = largest_radius(y), most = std::max(of_x, of_y);
    const bool converges = series_.kind != WalkKind::geometric || series_.lambda * most * most < 1;
    return converges ? most * most : of_x * of_y;
  }
  static double largest_radius(const WalkSide& side) {
    double radius = 0;
    for (const Walker& walker : side.walkers) radius = std::max(radius, walker.radius);
    return radius;
  }

  // Only the graphs asked for: what numbers labels have depends on both sides.
  void add_labels(const ObjectsOf<Graphs>& graphs, Vocabulary& texts, WalkSide& out) const {
    for (Index i = 0; i < graphs.size(); ++i) {
      auto one = std::make_shared<LabelledGraph>(LabelledGraph{graphs[i], {}, {}});
      if (labels_.nodes) one->node_labels = node_labels({&graphs[i], 1}, true, texts.node_labels);
      if (labels_.edges) one->edge_labels = edge_labels(graphs[i], texts.edge_labels);
      out.walkers[at(i)].labelled = std::move(one);
    }
  }

  void require_convergence(const WalkSide& x, const WalkSide& y) const {
    const auto largest = [](const WalkSide& side) {
      return std::max_element(side.walkers.begin(), side.walkers.end(),
                              [](const Walker& a, const Walker& b) { return a.radius < b.radius; });
    };
    if (x.rows > 0 && y.rows > 0) require_convergence(*largest(x), *largest(y));
  }

  void require_convergence(const Walker& x, const Walker& y) const {
    const double growth = x.radius * y.radius;
    if (series_.kind != WalkKind::geometric || series_.lambda * growth < 1) return;
    fail(ErrorKind::numeric,
         "random_walk(lambda={}): the walks of graphs {} and {} grow {:.6g} times with each step, and their sum is "
         "infinite; lambda must be below {:.6g} for these graphs",
         mercer::number(series_.lambda), x.number, y.number, growth, 1 / growth);
  }

  WalkSum sum(const Walker& x, const Walker& y, ProductGraph& product, Slope slope) const {
    if (x.spectrum != nullptr) return walk_sum(series_, *x.spectrum, *y.spectrum, slope);
    if (x.counts != nullptr) return walk_sum(series_.lambda, *x.counts, *y.counts);
    const bool turned = mercer::compare(y.labelled->graph, x.labelled->graph) < 0;  // the same bits in both orders
    product.assign(turned ? *y.labelled : *x.labelled, turned ? *x.labelled : *y.labelled, {});
    return product.sum(series_);
  }

  void pairs(const WalkSide& x, const WalkSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    ProductGraph product;
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index b = j.begin; b < j.end; ++b) {
        out(a - i.begin, b - j.begin) = sum(x.walkers[at(a)], y.walkers[at(b)], product, Slope::unwanted).value;
      }
    }
  }

  void selves(const WalkSide& side, Range i, double* out) const override {
    ProductGraph product;
    for (Index a = i.begin; a < i.end; ++a) {
      require_convergence(side.walkers[at(a)], side.walkers[at(a)]);
      out[a - i.begin] = sum(side.walkers[at(a)], side.walkers[at(a)], product, Slope::unwanted).value;
    }
  }

  void pull_pairs(const WalkSide& x, const WalkSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    ProductGraph product;
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index b = j.begin; b < j.end; ++b) {
        const double adjoint = v(a - i.begin, b - j.begin);
        if (adjoint != 0)
          to.parameters[lambda_] += adjoint * sum(x.walkers[at(a)], y.walkers[at(b)], product, Slope::wanted).slope;
      }
    }
  }

  void pull_selves(const WalkSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    ProductGraph product;
    for (Index a = i.begin; a < i.end; ++a) {
      const Walker& one = side.walkers[at(a)];
      to.parameters[lambda_] += v[a - i.begin] * sum(one, one, product, Slope::wanted).slope;
    }
  }

  WalkSeries series_;
  LabelUse labels_;
  Index lambda_;
};

WalkKind kind_of(const std::string& word) {
  return word == "geometric" ? WalkKind::geometric : word == "exponential" ? WalkKind::exponential : WalkKind::steps;
}

}  // namespace

Value emit_random_walk(const Site& site, Emitter& e) {
  const Node& node = site.node;
  if (!node.children.empty()) return emit_attributed_walk(site, e);
  const ParamRef lambda = site.param("lambda");
  const WalkSeries series{
      .kind = kind_of(node.word("kind")), .lambda = lambda.value, .steps = static_cast<int>(node.number("steps"))};
  const std::string key =
      fmt::format("random_walk {} {} {} {}", node.word("kind"), node.word("labels"), series.steps, lambda.at);
  return {.factors = {e.edge(site.view, std::make_shared<WalkEdge>(series, label_use(node), lambda.at), key)}};
}

}  // namespace mercer::detail
