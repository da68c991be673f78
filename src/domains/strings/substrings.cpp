// substrings(min, max, decay): the inner product of counts of all substrings of so many letters, each times
// decay^length. Vishwanathan & Smola 2003. By the tree of the substrings of one side, in which a string is a list of
// nodes: memory grows with the letters, not with the lengths.
//
// Of a pair, first the whole numbers of common occurrences of each length are counted, exactly below 2^53, then
// weighed: so k(x, y) does not depend on what else is in the tree, nor on which side it is of.
#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "domains/strings/row.hpp"
#include "domains/strings/strings.hpp"
#include "domains/strings/substring_tree.hpp"
#include "kernel/print.hpp"
#include "kernel/program_parts.hpp"
#include "points/join.hpp"

namespace mercer::detail {

namespace {

// So many suffixes of a string lead through a node, or, where they leave the tree on the way to it, up to that length.
struct Passing {
  std::int32_t node, length;
  double times;
};
using Rows = std::vector<std::vector<Passing>>;  // one for each string

std::size_t bytes_of(const Rows& rows) {
  std::size_t total = 0;
  for (const auto& row : rows) total += row.size() * sizeof(Passing);
  return total;
}

Rows rows_in(const SubstringTree& tree, const Letters& strings, std::size_t longest, const std::string& who) {
  Rows out(at(strings.size()));
  const int threads = thread_count(0);
  std::vector<Vector> times(at(threads));
  const double room = available_memory();
  std::atomic<double> taken = 0;
  parallel_for(strings.size(), threads, {}, "substrings", [&](Index i, int thread) {
    Vector& through = times[at(thread)];  // each node, by all its lengths
    if (through.empty()) through.resize(at(tree.size()));
    std::vector<std::int32_t> nodes;
    std::vector<std::pair<std::int32_t, std::int32_t>> ends;  // where the tree is left on the way to a node
    const auto letters = strings.of(i);
    for (std::size_t first = 0; first < letters.size(); ++first) {
      tree.follow(letters.subspan(first, std::min(longest, letters.size() - first)), [&](Index node, Index length) {
        const auto number = static_cast<std::int32_t>(node);
        if (length < tree.depth(node)) return ends.emplace_back(number, static_cast<std::int32_t>(length)), void();
        if (through[at(node)]++ == 0) nodes.push_back(number);
      });
    }
    std::vector<Passing>& row = out[at(i)];
    row.reserve(nodes.size() + ends.size());
    for (const std::int32_t node : nodes) {
      row.push_back({node, static_cast<std::int32_t>(tree.depth(node)), std::exchange(through[at(node)], 0)});
    }
    for (const auto& [node, length] : ends) row.push_back({node, length, 1});
    std::sort(row.begin(), row.end(), [](const Passing& a, const Passing& b) {
      return a.node != b.node ? a.node < b.node : a.length < b.length;
    });
    const double bytes = taken += static_cast<double>(row.size() * sizeof(Passing));
    if (bytes > room) {
      fail(ErrorKind::usage,
           "{}: what the strings share takes more than the {:.3g} GB that are free; take a smaller max", who,
           room / 1e9);
    }
  });
  return out;
}

// All strings of a store, in the tree of their own substrings.
struct StringsInTree {
  SubstringTree tree;
  Rows rows;
  std::size_t bytes() const { return tree.bytes() + bytes_of(rows); }
};

// What is asked: of substrings of `min` to `max` letters of an alphabet.
struct Lengths {
  int min, max;
  Alphabet alphabet;
  std::string who;  // for errors

  std::shared_ptr<const StringsInTree> tree_of(const Strings& store) const {
    const std::string key = fmt::format("substrings to {} {}", max, static_cast<int>(alphabet));
    return store.cached<StringsInTree>(key, [&] {
      const auto letters = store.letters(alphabet, who);
      SubstringTree tree(*letters, max, who);
      Rows rows = rows_in(tree, *letters, at(max), who);
      return StringsInTree{std::move(tree), std::move(rows)};
    });
  }
  Rows rows_of(const Strings& store, const SubstringTree& tree) const {
    return rows_in(tree, *store.letters(alphabet, who), at(max), who);
  }
};

struct SubstringSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> chosen) const override {
    auto out = std::make_shared<SubstringSide>(*this);
    out->rows = static_cast<Index>(chosen.size());
    out->strings.which = strings.which.select(chosen);
    return out;
  }
  const std::vector<Passing>& operator[](Index i) const { return (*in_tree)[at(strings.which[i])]; }

  std::shared_ptr<const StringsInTree> tree;  // of the store of the first side
  std::shared_ptr<const Rows> in_tree;        // the strings of this side's store there
  ObjectsOf<Strings> strings;
};

class SubstringsEdge final : public EdgeOn<SubstringSide> {
 public:
  SubstringsEdge(Lengths lengths, ParamRef decay)
      : lengths_(std::move(lengths)), decay_(decay), weights_(at(lengths_.max) + 1), slopes_(weights_.size()) {
    for (int length = lengths_.min; length <= lengths_.max; ++length) {
      weights_[at(length)] = std::pow(decay.value, 2 * length);
      slopes_[at(length)] = 2 * length * std::pow(decay.value, 2 * length - 1);
    }
  }

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    const auto x = std::make_shared<SubstringSide>(side_of(points.x));
    x->tree = lengths_.tree_of(*x->strings.store);
    x->in_tree = {x->tree, &x->tree->rows};
    if (points.same()) return {x, x};
    const auto y = std::make_shared<SubstringSide>(side_of(points.y));
    y->tree = x->tree;
    y->in_tree = y->strings.store == x->strings.store
                     ? x->in_tree
                     : std::make_shared<const Rows>(lengths_.rows_of(*y->strings.store, x->tree->tree));
    return {x, y};
  }

 private:
  SubstringSide side_of(const Points& points) const {
    SubstringSide out;
    out.strings = objects_of<Strings>(points, lengths_.who, "strings");
    out.rows = points.size();
    return out;
  }

  // Common occurrences of each length of one string and others.
  class Common {
   public:
    Common(const SubstringTree& tree, std::size_t longest)
        : tree_(tree), through_(at(tree.size())), by_length_(longest + 2) {}

    void set(const std::vector<Passing>& row) {
      for (const Passing& one : set_) through_[at(one.node)] = 0;
      set_ = row;
      for (const Passing& one : set_) through_[at(one.node)] = one.times;
    }
    // The sum over lengths of weights times occurrences.
    double sum(const std::vector<Passing>& row, const Vector& weights) {
      std::fill(by_length_.begin(), by_length_.end(), 0.0);
      for (const Passing& one : row) {
        const double both = through_[at(one.node)] * one.times;
        by_length_[at(tree_.above(one.node)) + 1] += both;
        by_length_[at(one.length) + 1] -= both;
      }
      double common = 0, total = 0;
      for (std::size_t length = 1; length < weights.size(); ++length) {
        common += by_length_[length];
        total += weights[length] * common;
      }
      return total;
    }

   private:
    const SubstringTree& tree_;
    std::vector<Passing> set_;
    Vector through_, by_length_;
  };

  // visit(row, column, sum) for all pairs of the tile, each computed once where both sides are the same.
  template <class Visit>
  void for_each_pair(const SubstringSide& x, const SubstringSide& y, Range i, Range j, const Vector& weights,
                     Visit visit) const {
    const bool same = &x == &y && i.begin == j.begin && i.end == j.end;
    Common common(x.tree->tree, at(lengths_.max));
    for (Index a = i.begin; a < i.end; ++a) {
      common.set(x[a]);
      for (Index b = same ? a : j.begin; b < j.end; ++b) {
        const double sum = common.sum(y[b], weights);
        visit(a, b, sum);
        if (same && a != b) visit(b, a, sum);
      }
    }
  }
  template <class Visit>
  void for_each_self(const SubstringSide& side, Range i, const Vector& weights, Visit visit) const {
    const auto own = lengths_.tree_of(*side.strings.store);
    Common common(own->tree, at(lengths_.max));
    for (Index a = i.begin; a < i.end; ++a) {
      const auto& row = own->rows[at(side.strings.which[a])];
      common.set(row);
      visit(a, common.sum(row, weights));
    }
  }

  void pairs(const SubstringSide& x, const SubstringSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for_each_pair(x, y, i, j, weights_, [&](Index a, Index b, double sum) { out(a - i.begin, b - j.begin) = sum; });
  }
  void selves(const SubstringSide& side, Range i, double* out) const override {
    for_each_self(side, i, weights_, [&](Index a, double sum) { out[a - i.begin] = sum; });
  }
  void pull_pairs(const SubstringSide& x, const SubstringSide& y, Range i, Range j, MatrixView v,
                  const EdgeGradient& to, Scratch&) const override {
    double total = 0;
    for_each_pair(x, y, i, j, slopes_,
                  [&](Index a, Index b, double slope) { total += v(a - i.begin, b - j.begin) * slope; });
    to.parameters[decay_.at] += total;
  }
  void pull_selves(const SubstringSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    for_each_self(side, i, slopes_, [&](Index a, double slope) { to.parameters[decay_.at] += v[a - i.begin] * slope; });
  }

  Lengths lengths_;
  ParamRef decay_;
  Vector weights_, slopes_;  // of each length, and their derivatives by decay
};

// The same as explicit features: a column for each node, by the root of what its lengths weigh together. A string that
// leaves the tree on the way to a node has the share of the lengths before that.
class SubstringStep final : public FeatureStep {
 public:
  SubstringStep(Lengths lengths, double decay)
      : lengths_(std::move(lengths)), decay_(decay), behind_(at(lengths_.max) + 2) {
    for (int length = lengths_.max; length > 0; --length) {
      behind_[at(length)] = behind_[at(length) + 1] + (length < lengths_.min ? 0 : weight(length));
    }
  }

  PointsPair apply(const PointsPair& in) const override {
    if (in.same()) {
      const Points both = rows(features(in.x));
      return {both, both};
    }
    const Points both = rows(features(join(in.x, in.y)));
    return {both.slice({0, in.x.size()}), both.slice({in.x.size(), both.size()})};
  }
  void pullback(const Points&, const Points&, Range, MatrixView, MatrixRef, double*) const override {
    fail(ErrorKind::usage, "{}: strings have no gradient with respect to the inputs", lengths_.who);
  }

  SparseMatrix features(const Points& x) const override { return features_as(x, x); }

  SparseMatrix features_as(const Points& x, const Points& y) const override {
    const auto first = strings_of(x), others = strings_of(y);
    const auto known = lengths_.tree_of(*first.store);
    const SubstringTree& tree = known->tree;
    const bool same = first.store == others.store;
    const Rows walked = same ? Rows() : lengths_.rows_of(*others.store, tree);
    SparseMatrix out;
    out.rows = others.size();
    out.cols = tree.size();
    for (Index i = 0; i < others.size(); ++i) {
      for (const Passing& one : (same ? known->rows : walked)[at(others.which[i])]) {
        const double value = one.times * share(tree, one.node, one.length);
        if (value == 0) continue;
        if (static_cast<Index>(out.columns.size()) > out.offsets.back() && out.columns.back() == one.node) {
          out.values.back() += value;
        } else {
          out.columns.push_back(one.node);
          out.values.push_back(value);
        }
      }
      out.offsets.push_back(static_cast<Index>(out.columns.size()));
    }
    return out;
  }

  // The letters of an occurrence of each length share what it weighs. Of all lengths of a node together: a letter has
  // the part of those that reach it.
  void occurrences(const Points& x, const Points& one, const Visit& visit) const override {
    const auto first = strings_of(x), object = strings_of(one);
    const auto known = lengths_.tree_of(*first.store);
    const Letters letters =
        letters_of(std::vector<std::string_view>{(*object.store)[object.which[0]]}, lengths_.alphabet, lengths_.who);
    const auto string = letters.of(0);
    for (std::size_t begin = 0; begin < string.size(); ++begin) {
      const auto suffix = string.subspan(begin, std::min(at(lengths_.max), string.size() - begin));
      known->tree.follow(suffix, [&](Index node, Index length) {
        const double root = share(known->tree, node, known->tree.depth(node));
        if (root == 0) return;
        Occurrence found{static_cast<std::int32_t>(node), 0, {static_cast<Index>(begin) + length - 1}};
        for (Index l = length; l > known->tree.above(node); --l) {
          if (l >= lengths_.min) found.value += weight(static_cast<int>(l)) / root / static_cast<double>(l);
          found.places.front() = static_cast<Index>(begin) + l - 1;
          visit(found);
        }
        const Index before = known->tree.above(node);  // letters that all these lengths have
        if (before == 0) return;
        found.value *= static_cast<double>(before);
        found.places.resize(at(before));
        for (Index l = 0; l < before; ++l) found.places[at(l)] = static_cast<Index>(begin) + l;
        visit(found);
      });
    }
  }
  std::vector<std::string> places(const Points& one) const override {
    const auto object = strings_of(one);
    return letter_texts((*object.store)[object.which[0]], lengths_.alphabet);
  }

 private:
  ObjectsOf<Strings> strings_of(const Points& x) const { return objects_of<Strings>(x, lengths_.who, "strings"); }
  double weight(int length) const { return std::pow(decay_, 2 * length); }

  // Of an occurrence of the lengths of a node up to this one: what they weigh over the root of what all of them do.
  double share(const SubstringTree& tree, Index node, Index length) const {
    const double from = behind_[at(tree.above(node)) + 1], all = from - behind_[at(tree.depth(node)) + 1];
    return all > 0 ? (from - behind_[at(length) + 1]) / std::sqrt(all) : 0;
  }

  Lengths lengths_;
  double decay_;
  Vector behind_;  // what lengths from this one on weigh together
};

Lengths lengths_of(const Node& node) {
  return {static_cast<int>(node.number("min")), static_cast<int>(node.number("max")),
          alphabet_called(node.word("alphabet")), print(node)};
}

}  // namespace

std::shared_ptr<const FeatureStep> substring_features(const Node& node) {
  return std::make_shared<SubstringStep>(lengths_of(node), node.param("decay").values.front());
}

Value emit_substrings(const Site& site, Emitter& e) {
  const ParamRef decay = site.param("decay");
  Lengths lengths = lengths_of(site.node);
  require_decay(decay.value, lengths.min, lengths.who);
  const std::string key =
      fmt::format("substrings {} {} {} {}", lengths.min, lengths.max, decay.at, site.node.word("alphabet"));
  return {.factors = {e.edge(site.view, std::make_shared<SubstringsEdge>(std::move(lengths), decay), key)}};
}

void check_substrings(const Node& node) {
  const int shortest = static_cast<int>(node.number("min")), longest = static_cast<int>(node.number("max"));
  if (shortest > longest)
    fail(ErrorKind::kernel, "substrings(min={}, max={}): min must not be above max", shortest, longest);
}

}  // namespace mercer::detail
