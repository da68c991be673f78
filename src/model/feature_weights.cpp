#include "model/feature_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "domains/strings/strings.hpp"
#include "kernel/catalog.hpp"
#include "kernel/features.hpp"
#include "kernel/program_parts.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "mercer/bags.hpp"
#include "mercer/evaluate.hpp"
#include "points/join.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "state_space/line.hpp"
#include "state_space/sums.hpp"

namespace mercer::detail {

namespace {

using Weights = std::unique_ptr<const FeatureWeights>;

Weights weights_of(const NodePtr& node, const Points& centres, MatrixView alpha);

// An axiom: w = F'alpha.
class Leaf final : public FeatureWeights {
 public:
  // The columns, and so the order of all sums, are those of a store with the centres alone: what a model that comes out
  // of a file has.
  Leaf(const Node& node, const Points& centres, MatrixView alpha)
      : step_(node.entry->features(node)), centres_(join(centres, centres.slice({0, 0}))) {
    const SparseMatrix f = step_->features(centres_);
    w_ = Matrix(f.cols, alpha.cols());
    for (Index i = 0; i < f.rows; ++i) {
      for (Index p = f.offsets[at(i)]; p < f.offsets[at(i + 1)]; ++p) {
        for (Index o = 0; o < alpha.cols(); ++o) w_(f.columns[at(p)], o) += f.values[at(p)] * alpha(i, o);
      }
    }
  }

  Matrix times(const Points& x) const override {
    const SparseMatrix f = step_->features_as(centres_, x);
    Matrix out(f.rows, w_.cols());
    for (Index i = 0; i < f.rows; ++i) {
      for (Index p = f.offsets[at(i)]; p < f.offsets[at(i + 1)]; ++p) {
        if (f.columns[at(p)] >= w_.rows()) continue;  // no centre has it
        for (Index o = 0; o < w_.cols(); ++o) out(i, o) += f.values[at(p)] * w_(f.columns[at(p)], o);
      }
    }
    return out;
  }

  void explain(const Points& one, const Points&, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    Contribution& part = part_of(column, step_->places(one), parts);
    step_->occurrences(centres_, one, [&](const FeatureStep::Occurrence& each) {
      if (each.column >= w_.rows()) return;
      const double share = factor * each.value / static_cast<double>(each.places.size());
      for (const Index place : each.places) {
        for (Index o = 0; o < w_.cols(); ++o) part.values(place, o) += share * w_(each.column, o);
      }
    });
  }

 private:
  Contribution& part_of(const std::string& column, const std::vector<std::string>& places,
                        std::vector<Contribution>& parts) const {
    for (Contribution& part : parts) {
      if (part.column == column && part.places == places) return part;
    }
    return parts.emplace_back(Contribution{column, places, Matrix(static_cast<Index>(places.size()), w_.cols())});
  }

  std::shared_ptr<const FeatureStep> step_;
  Points centres_;
  Matrix w_;
};

Kernel kernel_of(const Node& node) {
  return TrustedCore::theorem(*node.entry, node.params, node.options, node.children);
}

// A share of the score that is one number, that of the term.
void add_whole(const Kernel& k, Matrix share, double factor, const std::string& column,
               std::vector<Contribution>& parts) {
  for (Index o = 0; o < share.cols(); ++o) share(0, o) *= factor;
  parts.push_back({column, {k.str()}, std::move(share)});
}

// A term without counts: its share of the score is one number, that of the term.
class Whole final : public FeatureWeights {
 public:
  Whole(const Node& node, Points centres, MatrixView alpha)
      : k_(kernel_of(node)), centres_(std::move(centres)), alpha_(alpha) {}

  Matrix times(const Points& x) const override {
    const Matrix values = cross(k_, x, centres_);
    Matrix out(values.rows(), alpha_.cols());
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index c = 0; c < values.cols(); ++c) {
        for (Index o = 0; o < out.cols(); ++o) out(i, o) += values(i, c) * alpha_(c, o);
      }
    }
    return out;
  }

  void explain(const Points& one, const Points&, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    add_whole(k_, times(one), factor, column, parts);
  }

 private:
  Kernel k_;
  Points centres_;
  Matrix alpha_;
};

// A kernel of rows of numbers with few features beside the centres: w = F'alpha.
class Few final : public FeatureWeights {
 public:
  Few(const Kernel& k, const Points& centres, MatrixView alpha, Index count)
      : k_(k), w_(alpha.cols(), count), blocks_(std::max<Index>(64, kNumbers / count)) {
    for_blocks(centres, [&](Range range, const Matrix& F) {
      linalg::multiply_left_transposed(1, alpha.block(range, {0, alpha.cols()}), F, 1, w_);
    });
  }

  Matrix times(const Points& x) const override {
    Matrix out = Matrix::uninitialized(x.size(), w_.rows());
    for_blocks(x, [&](Range range, const Matrix& F) {
      for (Index i = 0; i < F.rows(); ++i) {  // one by one: a point has the same answer whatever stands beside it
        for (Index o = 0; o < w_.rows(); ++o) out(range.begin + i, o) = dot(F.row(i), w_.row(o), F.cols());
      }
    });
    return out;
  }

  void explain(const Points& one, const Points&, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    add_whole(k_, times(one), factor, column, parts);
  }

 private:
  static constexpr Index kNumbers = Index{1} << 20;  // of features that are in memory at a time

  template <class Visit>
  void for_blocks(const Points& x, const Visit& visit) const {
    const Tiling tiling(x.size(), blocks_);
    for (Index b = 0; b < tiling.count(); ++b) {
      visit(tiling.block(b), *features(k_, x.slice(tiling.block(b)), w_.cols()));
    }
  }

  Kernel k_;
  Matrix w_;  // outputs x features
  Index blocks_;
};

// A kernel with a state space.
class Along final : public FeatureWeights {
 public:
  Along(const Kernel& k, state_space::AlongLines lines, const Points& centres, MatrixView alpha)
      : k_(k), sums_(std::move(lines), centres, alpha) {}

  Matrix times(const Points& x) const override { return sums_.at_points(x, {}); }
  void explain(const Points& one, const Points&, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    add_whole(k_, times(one), factor, column, parts);
  }

 private:
  Kernel k_;
  state_space::SumsAlongLines sums_;
};

// The elements of a bag, each as a bag of its own.
Points alone(const Points& bag) {
  const Points elements = *elements_of(bag);
  std::vector<Index> offsets(at(elements.size() + 1));
  std::iota(offsets.begin(), offsets.end(), Index{0});
  return bags(elements, std::move(offsets));
}

// Words for the elements of a bag: the numbers of a row, a text, or else which it is in the bag's own order.
std::vector<std::string> element_words(const Points& bag) {
  const Points elements = *elements_of(bag);
  std::vector<std::string> out;
  const auto texts = find_objects<Strings>(elements);
  for (Index i = 0; i < elements.size(); ++i) {
    if (texts) {
      out.push_back(texts[i]);
    } else if (elements.domain().kind == "reals") {
      const Matrix row(dense_rows(elements.slice({i, i + 1})).values);
      out.push_back(fmt::format("({:.4g})", fmt::join(row.row(0), row.row(0) + row.cols(), ", ")));
    } else {
      out.push_back(fmt::format("element {}", i + 1));
    }
  }
  return out;
}

// The mean of k over the elements of two bags: an element z of a bag of m contributes sum_i alpha_i k({z}, X_i) / m.
class Elements final : public FeatureWeights {
 public:
  Elements(const Node& node, Points centres, MatrixView alpha) : whole_(node, std::move(centres), alpha) {}

  Matrix times(const Points& x) const override { return whole_.times(x); }

  void explain(const Points& one, const Points& given, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    Matrix shares = whole_.times(alone(one));
    const double mean = factor / static_cast<double>(shares.rows());
    for (Index e = 0; e < shares.rows() * shares.cols(); ++e) shares.data()[e] *= mean;
    std::vector<std::string> words = element_words(given);
    for (Contribution& part : parts) {  // another term on the same bags
      if (part.column != column || part.places != words) continue;
      for (Index e = 0; e < shares.rows() * shares.cols(); ++e) part.values.data()[e] += shares.data()[e];
      return;
    }
    parts.push_back({column, std::move(words), std::move(shares)});
  }

 private:
  Whole whole_;
};

class Sum final : public FeatureWeights {
 public:
  explicit Sum(std::vector<Weights> terms) : terms_(std::move(terms)) {}
  Matrix times(const Points& x) const override {
    Matrix out = terms_.front()->times(x);
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      const Matrix more = terms_[t]->times(x);
      for (Index i = 0; i < out.rows(); ++i) {
        for (Index o = 0; o < out.cols(); ++o) out(i, o) += more(i, o);
      }
    }
    return out;
  }

  void explain(const Points& one, const Points& given, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    for (const Weights& term : terms_) term->explain(one, given, factor, column, parts);
  }

 private:
  std::vector<Weights> terms_;
};

class OnColumns final : public FeatureWeights {
 public:
  OnColumns(Columns columns, Weights inner) : columns_(std::move(columns)), inner_(std::move(inner)) {}
  Matrix times(const Points& x) const override { return inner_->times(x.columns(columns_)); }
  void explain(const Points& one, const Points& given, double factor, const std::string&,
               std::vector<Contribution>& parts) const override {
    inner_->explain(one.columns(columns_), given.columns(columns_), factor, columns_.str(), parts);
  }

 private:
  Columns columns_;
  Weights inner_;
};

// 1/sqrt(k(x,x)), and 0 where that is 0.
Vector inverse_roots(const Kernel& k, const Points& x) {
  Vector out = diagonal(k, x);
  for (double& value : out) value = value > 0 ? 1 / std::sqrt(value) : 0;
  return out;
}

Matrix scaled_rows(MatrixView m, const Vector& factors) {
  Matrix out(m);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index o = 0; o < out.cols(); ++o) out(i, o) *= factors[at(i)];
  }
  return out;
}

class Normalised final : public FeatureWeights {
 public:
  Normalised(const NodePtr& premise, const Points& centres, MatrixView alpha)
      : k_(kernel_of(*premise)), inner_(weights_of(premise, centres, scaled_rows(alpha, inverse_roots(k_, centres)))) {}
  Matrix times(const Points& x) const override { return scaled_rows(inner_->times(x), inverse_roots(k_, x)); }
  void explain(const Points& one, const Points& given, double factor, const std::string& column,
               std::vector<Contribution>& parts) const override {
    inner_->explain(one, given, factor * inverse_roots(k_, one).front(), column, parts);
  }

 private:
  Kernel k_;
  Weights inner_;
};

Weights sum_of(const Node& node, const Points& centres, MatrixView alpha) {
  std::vector<Weights> terms;
  for (const NodePtr& child : node.children) {
    terms.push_back(weights_of(child, centres, alpha));
  }
  return std::make_unique<Sum>(std::move(terms));
}

// Some arguments make another kernel of it, which has no features: a premise, a sum without end.
bool is_inner_product(const Node& node) {
  return node.entry->features != nullptr && node.entry->features(node) != nullptr;
}

// Rules under which contributions of the premises add up to that of the kernel.
bool passes(const Node& node) {
  const std::string& name = node.entry->name;
  return name == "sum" || name == "scale" || name == "normalize" || name == "on";
}

// Cheap to ask before anything is counted.
bool has_features(const Node& node) {
  return is_inner_product(node) || (passes(node) && std::all_of(node.children.begin(), node.children.end(),
                                                                [](const NodePtr& c) { return has_features(*c); }));
}

bool is_mean(const Node& node) { return node.entry->name == "mean_embedding"; }

// Whether some term of it has, or is a mean over elements.
bool has_some_features(const Node& node) {
  return is_inner_product(node) || is_mean(node) ||
         (passes(node) && std::any_of(node.children.begin(), node.children.end(),
                                      [](const NodePtr& c) { return has_some_features(*c); }));
}

Weights weights_of(const NodePtr& node, const Points& centres, MatrixView alpha) {
  const std::string& name = node->entry->name;
  const bool is_linear = name == "sum" || name == "scale" || name == "on";  // then its terms are taken one by one
  if (!is_linear && !has_some_features(*node)) return std::make_unique<Whole>(*node, centres, alpha);
  if (is_mean(*node)) return std::make_unique<Elements>(*node, centres, alpha);
  if (is_inner_product(*node)) return std::make_unique<Leaf>(*node, centres, alpha);
  if (name == "sum") return sum_of(*node, centres, alpha);
  const NodePtr& premise = node->children.front();
  if (name == "scale") {
    return weights_of(premise, centres,
                      scaled_rows(alpha, Vector(at(alpha.rows()), node->param("scale").values.front())));
  }
  if (name == "on") {
    const auto& columns = std::get<Columns>(node->option("columns"));
    return std::make_unique<OnColumns>(columns, weights_of(premise, centres.columns(columns), alpha));
  }
  return std::make_unique<Normalised>(premise, centres, alpha);
}

}  // namespace

std::unique_ptr<const FeatureWeights> feature_weights(const Kernel& k, const Points& centres, MatrixView alpha) {
  if (has_features(k.node())) return weights_of(k.share(), centres, alpha);
  if (auto lines = state_space::shorter_way(k, centres)) {
    return std::make_unique<Along>(k, std::move(*lines), centres, alpha);
  }
  const Index few = centres.size() / 4, count = feature_count(k, centres);
  if (count < 1 || count > few || is_sparse(centres)) return nullptr;
  return std::make_unique<Few>(k, centres, alpha, count);
}

std::unique_ptr<const FeatureWeights> explained_weights(const Kernel& k, const Points& centres, MatrixView alpha) {
  return has_some_features(k.node()) ? weights_of(k.share(), centres, alpha) : nullptr;
}

}  // namespace mercer::detail
