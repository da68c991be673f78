// mean_embedding(k): the average of k over all pairs of elements of two bags, which is the inner product of the means
// of their feature vectors. One tile program of k on the elements of all bags; costs as many values of k as there are
// pairs of elements. Gartner, Flach, Kowalczyk & Smola 2002; Smola, Gretton, Song & Scholkopf 2007.
#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/bags/bags.hpp"
#include "domains/bags/row.hpp"
#include "kernel/bound.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

constexpr const char* kWho = "mean_embedding()";
constexpr Index kBlock = 256;  // elements of a tile of k

struct BagSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<BagSide>();
    out->rows = static_cast<Index>(which.size());
    for (const Index i : which) out->bags.push_back(bags[at(i)]);
    out->pairs = pairs;
    out->selves = selves;
    return out;
  }

  std::vector<Range> bags;              // where the elements of each are
  std::shared_ptr<const Bound> pairs;   // k of the elements of both sides
  std::shared_ptr<const Bound> selves;  // k of the elements of this side among themselves
};

// Bags whose elements lie side by side, about a block of them, or one large bag.
struct Batch {
  Range elements;
  std::vector<Range> bags;  // within `elements`, from 0
  Index first;              // number of the first bag in its tile
};

std::vector<Batch> batches(const BagSide& side, Range which) {
  std::vector<Batch> out;
  for (Index i = which.begin; i < which.end; ++i) {
    const Range bag = side.bags[at(i)];
    const bool joins =
        !out.empty() && out.back().elements.end == bag.begin && out.back().elements.size() + bag.size() <= kBlock;
    if (!joins) out.push_back({{bag.begin, bag.begin}, {}, i - which.begin});
    Batch& batch = out.back();
    batch.bags.push_back({bag.begin - batch.elements.begin, bag.end - batch.elements.begin});
    batch.elements.end = bag.end;
  }
  return out;
}

// visit(rows, columns), ranges of elements within the batches, from 0: tiles that cover all pairs.
template <class Visit>
void for_each_block(const Batch& a, const Batch& b, Visit visit) {
  for (Index r = 0; r < a.elements.size(); r += kBlock) {
    for (Index c = 0; c < b.elements.size(); c += kBlock) {
      visit(Range{r, std::min(r + kBlock, a.elements.size())}, Range{c, std::min(c + kBlock, b.elements.size())});
    }
  }
}

Range moved(Range range, Index by) { return {range.begin + by, range.end + by}; }
Range overlap(Range a, Range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

// Sums of k over pairs of bags. Adding row by row and adding column by column round differently, and k(x, y) must be
// k(y, x) to the last bit: so it is done both ways, and the two sums are added.
class PairSums {
 public:
  PairSums(const Batch& a, const Batch& b)
      : a_(a), b_(b), rows_(a.elements.size(), std::ssize(b.bags)), columns_(std::ssize(a.bags), b.elements.size()) {}

  void add(Range r, Range c, const double* values) {
    for (Index bag = 0; bag < columns_.rows(); ++bag) {
      const Range own = overlap(a_.bags[at(bag)], r);
      for (Index i = own.begin; i < own.end; ++i) {
        simd::add_scaled(1, values + (i - r.begin) * c.size(), at(c.size()), columns_.row(bag) + c.begin);
      }
    }
    for (Index bag = 0; bag < rows_.cols(); ++bag) {
      const Range own = overlap(b_.bags[at(bag)], c);
      if (own.begin < own.end) add_rows(bag, r, c, own, values);
    }
  }

  double mean(Index a, Index b) const {
    const Range rows = a_.bags[at(a)], columns = b_.bags[at(b)];
    double by_rows = 0, by_columns = 0;
    for (Index i = rows.begin; i < rows.end; ++i) by_rows += rows_(i, b);
    for (Index j = columns.begin; j < columns.end; ++j) by_columns += columns_(a, j);
    return (by_rows + by_columns) / (2 * static_cast<double>(rows.size()) * static_cast<double>(columns.size()));
  }

 private:
  // One after the other along a row, several rows at a time so that an addition need not wait for the one before.
  void add_rows(Index bag, Range r, Range c, Range own, const double* values) {
    constexpr Index kAtOnce = 8;
    for (Index i = r.begin; i < r.end; i += kAtOnce) {
      const Index count = std::min(kAtOnce, r.end - i);
      double sums[kAtOnce] = {};
      const double* line[kAtOnce];
      for (Index u = 0; u < kAtOnce; ++u) {
        const Index row = i + std::min(u, count - 1);
        sums[u] = rows_(row, bag);
        line[u] = values + (row - r.begin) * c.size() - c.begin;
      }
      for (Index j = own.begin; j < own.end; ++j) {
        for (Index u = 0; u < kAtOnce; ++u) sums[u] += line[u][j];
      }
      for (Index u = 0; u < count; ++u) rows_(i + u, bag) = sums[u];
    }
  }

  const Batch& a_;
  const Batch& b_;
  Matrix rows_;     // of each element of a with each bag of b
  Matrix columns_;  // of each bag of a with each element of b
};

class MeanEmbeddingEdge final : public EdgeOn<BagSide> {
 public:
  // The parameters of k begin at `first`.
  MeanEmbeddingEdge(Kernel k, Index first) : k_(std::move(k)), first_(first), count_(k_.params().size()) {}

  bool has_parameters() const override { return count_ > 0; }

  Sides prepare(const PointsPair& points) const override {
    const auto x = bags_of_points(points.x);
    const ChosenGroups own = choose(*x.store, x.which);
    if (points.same()) {
      const auto selves = std::make_shared<const Bound>(k_, own.elements, own.elements);
      const auto side = side_of(own, selves, selves);
      return {side, side};
    }
    const auto y = bags_of_points(points.y);
    const ChosenGroups other = choose(*y.store, y.which);
    const auto pairs = std::make_shared<const Bound>(k_, own.elements, other.elements);
    const auto selves = [&](const Points& elements) { return std::make_shared<const Bound>(k_, elements, elements); };
    return {side_of(own, pairs, selves(own.elements)), side_of(other, pairs, selves(other.elements))};
  }

 private:
  static ObjectsOf<Bags> bags_of_points(const Points& x) { return objects_of<Bags>(x, kWho, "bags"); }

  static std::shared_ptr<const BagSide> side_of(const ChosenGroups& groups, std::shared_ptr<const Bound> pairs,
                                                std::shared_ptr<const Bound> selves) {
    auto side = std::make_shared<BagSide>();
    for (std::size_t i = 1; i < groups.offsets.size(); ++i) {
      side->bags.push_back({groups.offsets[i - 1], groups.offsets[i]});
    }
    side->rows = std::ssize(side->bags);
    side->pairs = std::move(pairs);
    side->selves = std::move(selves);
    return side;
  }

  // Where there is one tile only, its batches are shared among threads. On the diagonal one half is that of the other.
  void pairs(const BagSide& x, const BagSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    const std::vector<Batch> of_x = batches(x, i), of_y = batches(y, j);
    const bool symmetric = &x == &y && i.begin == j.begin && i.end == j.end;
    const int threads = thread_count(0);
    std::vector<Scratch> scratch(at(threads));
    parallel_for(std::ssize(of_x), threads, {}, "bags", [&](Index a, int thread) {
      for (Index b = 0; b < (symmetric ? a + 1 : std::ssize(of_y)); ++b) {
        write_means(*x.pairs, of_x[at(a)], of_y[at(b)], out, scratch[at(thread)]);
      }
    });
    for (Index a = 0; symmetric && a < out.rows(); ++a) {
      for (Index b = 0; b < a; ++b) out(b, a) = out(a, b);
    }
  }

  static void write_means(const Bound& bound, const Batch& a, const Batch& b, MatrixRef out, Scratch& scratch) {
    PairSums sums(a, b);
    for_each_block(a, b, [&](Range r, Range c) {
      sums.add(r, c, bound.tile(moved(r, a.elements.begin), moved(c, b.elements.begin), scratch));
    });
    for (Index u = 0; u < std::ssize(a.bags); ++u) {
      for (Index v = 0; v < std::ssize(b.bags); ++v) out(a.first + u, b.first + v) = sums.mean(u, v);
    }
  }

  void selves(const BagSide& side, Range i, double* out) const override {
    Scratch scratch;
    for (Index u = i.begin; u < i.end; ++u) {
      const Batch bag = alone(side.bags[at(u)]);
      write_means(*side.selves, bag, bag, MatrixRef(out + u - i.begin, 1, 1), scratch);
    }
  }

  void pull_pairs(const BagSide& x, const BagSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    Scratch scratch;
    for (const Batch& a : batches(x, i)) {
      for (const Batch& b : batches(y, j)) pull(*x.pairs, a, b, v, to, scratch);
    }
  }

  void pull_selves(const BagSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    Scratch scratch;
    for (Index u = i.begin; u < i.end; ++u) {
      const Batch bag = alone(side.bags[at(u)]);
      pull(*side.selves, bag, bag, MatrixView(v + u - i.begin, 1, 1), to, scratch);
    }
  }

  // dL/dk of a pair of elements is that of their bags, divided by the number of pairs.
  void pull(const Bound& bound, const Batch& a, const Batch& b, MatrixView v, const EdgeGradient& to,
            Scratch& scratch) const {
    Vector weights;
    for_each_block(a, b, [&](Range r, Range c) {
      weights.resize(at(r.size() * c.size()));
      for (Index p = 0; p < std::ssize(a.bags); ++p) {
        for (Index q = 0; q < std::ssize(b.bags); ++q) {
          const Range rows = a.bags[at(p)], columns = b.bags[at(q)];
          const double weight =
              v(a.first + p, b.first + q) / (static_cast<double>(rows.size()) * static_cast<double>(columns.size()));
          const Range own = overlap(rows, r), across = overlap(columns, c);
          for (Index e = own.begin; e < own.end && across.begin < across.end; ++e) {
            simd::fill(weight, at(across.size()), weights.data() + (e - r.begin) * c.size() + across.begin - c.begin);
          }
        }
      }
      bound.pullback(moved(r, a.elements.begin), moved(c, b.elements.begin), weights.data(), to.parameters + first_, {},
                     scratch);
    });
  }

  static Batch alone(Range bag) { return {bag, {{0, bag.size()}}, 0}; }

  Kernel k_;
  Index first_, count_;
};

}  // namespace

Value emit_mean_embedding(const Site& site, Emitter& e) {
  const Node& child = *site.node.children.front();
  const Kernel k = TrustedCore::theorem(*child.entry, child.params, child.options, child.children);
  const Index first = site.offset + own_parameters(site.node);
  return {.factors = {e.edge(site.view, std::make_shared<MeanEmbeddingEdge>(k, first),
                             fmt::format("mean_embedding{} {}", first, k.str()))}};
}

Domain bags_of(const Node& node) {
  const std::string& kind = node.children.front()->domain.kind;
  return {"bags", Domain::any_dimension, kind == "any" ? "" : kind};
}

Points elements_of_bags(const Node&, const Points& x) {
  const auto bags = objects_of<Bags>(x, kWho, "bags");
  return choose(*bags.store, bags.which).elements;
}

}  // namespace mercer::detail
