// mercer/model.hpp: a fitted machine. One type for all of them: an Expansion, and how its values are to be read.
//
//     Model m = KernelRidge{.ridge = 1e-2}.fit(lazy(k, x), y);
//     Vector mean = m.predict(test);
//     m.report().str();
//
// Immutable and thread-safe; copying copies a pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/expansion.hpp"
#include "mercer/posterior.hpp"
#include "mercer/reading.hpp"
#include "mercer/report.hpp"
#include "mercer/scaling.hpp"

namespace mercer {

// Classes of a training set: their names in order, and the number of each point's class.
// Names that are all numbers are ordered as numbers, others by their bytes.
struct Labels {
  std::vector<std::string> classes;
  std::vector<Index> of;

  Index size() const { return static_cast<Index>(of.size()); }
  static Labels from(std::span<const std::string> names);
  static Labels from(VectorView numbers);  // 1, -1, 2.5: named by their shortest text
};

// How scores become probabilities: 1 / (1 + exp(slope f + offset)) of the positive side, for each output.
struct Sigmoid {
  double slope = -1, offset = 0;
  friend bool operator==(const Sigmoid&, const Sigmoid&) = default;
};
struct Calibration {
  enum class Kind {
    none,
    sigmoids,  // one per output: binary as it stands, votes by pairwise coupling (Wu, Lin & Weng 2004),
               // largest by normalising
    softmax,   // for `largest` and mixtures: exp(f_c) / sum exp(f)
    shares,    // the scores are probabilities
  };
  Kind kind = Kind::none;
  std::vector<Sigmoid> sigmoids;
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// What the inputs were like, so that others are refused by name.
struct Schema {
  Domain domain;
  std::vector<std::string> columns;  // empty when nothing was named
  bool counted = false;              // the names were not in the file, they count its columns: x1, x2, ...
  static Schema of(const Points& x);
  // Throws DomainError: a missing column, an unknown one, a wrong order, a wrong number, a wrong kind.
  void require(const Points& x) const;
  friend bool operator==(const Schema&, const Schema&) = default;
};

// Which data a machine was fitted to: enough to say it, to fit it again, and to know its points when they come back.
// Each part may be missing: data at hand come from no file, and models of before knew nothing of it.
struct Provenance {
  std::string source = {};              // the file, as it was named
  std::string sha256 = {};              // of its bytes
  Settings read = {};                   // how it was read, as options of the command: {"weights", "w"}; and the
                                        // "kernel" that the fit began with, where it has learnt another one
  std::vector<std::int64_t> rows = {};  // of each point before scaling, in their order, a number that its content makes
  Vector weights = {};                  // of the points; empty: all 1
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Recipe;  // mercer/recipe.hpp

// What a model is made of.
struct ModelParts {
  std::string machine;     // "svc", "ridge", ...
  Settings settings = {};  // what it was fitted with
  Expansion f;
  Reading reading = Reading::value;
  std::vector<std::string> classes = {};  // the names of the classes, or of the clusters
  Calibration calibration = {};
  Scaling scaling = {};  // applied to inputs before f
  Schema inputs = {};    // of the inputs before scaling; empty for a precomputed Gram
  // How these are made of a raw table, for those who read one (mercer/workflow.hpp); null: they are as they stand
  // there.
  std::shared_ptr<const Recipe> recipe = {};
  std::vector<std::string> targets = {};  // names of what is predicted, where known
  // Columns that stood beside the inputs: weights, or a target that the machine does not predict. New data may have
  // them; they are passed over.
  std::vector<std::string> left_out = {};
  Report report = {};
  std::optional<Posterior> posterior = {};  // of Bayesian machines: how sure they are of f
  Matrix readout = {};                      // numbers that the reading needs beside f; its row says which
  // What the machine found for the training points themselves, one row each: the answers of the fit, where they are
  // more than f at these points.
  Matrix fitted = {};
  Provenance provenance = {};
};

class Model {
 public:
  using Parts = ModelParts;
  explicit Model(Parts parts);

  const Parts& parts() const { return *parts_; }
  const Expansion& expansion() const { return parts_->f; }
  const Report& report() const { return parts_->report; }
  const std::vector<std::string>& classes() const { return parts_->classes; }
  bool is_classifier() const { return parts_->reading->gives == Reading::Gives::classes; }
  bool finds_clusters() const { return parts_->reading->gives == Reading::Gives::clusters; }
  bool has_probabilities() const;
  void require_probabilities() const;  // UsageError with the reason where there are none
  bool averages() const;               // whether probabilities are averages over what f may be

  // One row per point, as the Reading has it: f, one column per output; of a density, the density.
  Matrix scores(const Points& x, const Execution& how = {}) const;
  // One number per point: the value of the first target; the number of the class or cluster in classes(); +1 or -1; the
  // density.
  // Of a calibrated classifier the predicted class is the one of the largest probability, which for `votes` and
  // `sigmoids` need not be the one the scores alone would give.
  Vector predict(const Points& x, const Execution& how = {}) const;
  Matrix predict_targets(const Points& x, const Execution& how = {}) const;  // all targets, or coordinates
  std::vector<std::string> predict_labels(const Points& x, const Execution& how = {}) const;  // by name
  // The number of each point's class or cluster.
  std::vector<Index> predict_classes(const Points& x, const Execution& how = {}) const;
  // One column per class; rows add to 1, and the largest is the predicted class. UsageError without calibration.
  // With a posterior they are averages over what f may be.
  Matrix probabilities(const Points& x, const Execution& how = {}) const;

  // Of machines that know how sure they are of f (UsageError for others): its variance at each point, one column per
  // output, and the covariance of one output between the points. An observation varies by posterior().noise more.
  bool has_posterior() const { return parts_->posterior.has_value(); }
  const Posterior& posterior() const;
  Matrix variances(const Points& x, const Execution& how = {}) const;
  Matrix covariance(const Points& x, Index output = 0, const Execution& how = {}) const;

  // Scores from numbers k(x, x_i): one column per training point, or one per centre; and k(x, x) as one more at the end
  // where f has such a term (Expansion::Parts::self).
  Matrix scores_from_rows(MatrixView k) const;
  // The same from scores at hand.
  Matrix targets_of(MatrixView scores) const;
  std::vector<Index> classes_of(MatrixView scores) const;
  Matrix probabilities_of(MatrixView scores) const;

  // What the columns of the scores stand for, and those of predict_targets.
  std::vector<std::string> score_names() const { return parts_->reading->score_names(*parts_); }
  std::vector<std::string> answer_names() const;

  // sqrt(alpha' K alpha), for several outputs the root of the sum of squares.
  double rkhs_norm(const Execution& how = {}) const;
  const std::vector<Index>& support() const { return parts_->f.parts().support; }

  // The same f, read as coordinates: where discriminants and mixtures see the points.
  Model as_embedding() const;

  // The same model with some parts changed: how `fit` adds scaling, column names and target names.
  template <class Change>
  Model with(Change change) const& {
    return Model(*this).with(std::move(change));
  }
  // Of a model that ends here; its parts are copied only where another holds them, too.
  template <class Change>
  Model with(Change change) && {
    Parts parts = std::move(*this).release();
    change(parts);
    return Model(std::move(parts));
  }

 private:
  Parts release() &&;
  // Answers without scores in double precision where these make no difference; nothing where all are needed.
  std::optional<Matrix> settled(const Points& x, const Execution& how) const;

  std::shared_ptr<Parts> parts_;  // changed by release() alone
};

}  // namespace mercer
