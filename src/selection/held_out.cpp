#include "selection/held_out.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/metrics.hpp"

namespace mercer::detail {

namespace {

// A Gram that is not in memory is not read twice: the part gets one of its own.
Gram part_of(const Gram& K, const std::vector<Index>& which) {
  if (K.dense().empty() && K.kind() == GramKind::kernel) return gram_for(*K.kernel(), K.points()->select(which), {});
  return select(K, which);
}

Labels part_of(const Labels& labels, const std::vector<Index>& which) {
  std::vector<Index> number(labels.classes.size(), -1);
  for (const Index i : which) number[at(labels.of[at(i)])] = 0;
  Labels out;
  for (std::size_t c = 0; c < number.size(); ++c) {
    if (number[c] < 0) continue;
    number[c] = static_cast<Index>(out.classes.size());
    out.classes.push_back(labels.classes[c]);
  }
  for (const Index i : which) out.of.push_back(number[at(labels.of[at(i)])]);
  return out;
}

// Columns of the model's classes as columns of all classes; a class unknown to the model gets `missing`.
Matrix spread(MatrixView known, const std::vector<Index>& number, std::size_t classes, double missing) {
  Matrix out(known.rows(), static_cast<Index>(classes), missing);
  for (Index i = 0; i < known.rows(); ++i) {
    for (Index c = 0; c < known.cols(); ++c) out(i, number[at(c)]) = known(i, c);
  }
  return out;
}

// One column per class, also where one column speaks for two.
Matrix both_sides(Matrix scores) {
  if (scores.cols() != 1) return scores;
  Matrix out = Matrix::uninitialized(scores.rows(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = -scores(i, 0);
    out(i, 1) = scores(i, 0);
  }
  return out;
}

// Of the model's classes among all.
std::vector<Index> numbers_of(const std::vector<std::string>& classes, const std::vector<std::string>& all) {
  std::vector<Index> out;
  for (const std::string& name : classes) out.push_back(std::find(all.begin(), all.end(), name) - all.begin());
  return out;
}

double below_all(const Matrix& m) {
  const double* const end = m.data() + m.rows() * m.cols();
  return m.rows() == 0 ? 0 : *std::min_element(m.data(), end) - 1;
}

}  // namespace

std::vector<Index> outside(const Fold& fold, Index n) {
  std::vector<Index> out;
  auto next = fold.begin();
  for (Index i = 0; i < n; ++i) {
    if (next != fold.end() && *next == i) {
      ++next;
    } else {
      out.push_back(i);
    }
  }
  if (next != fold.end() || fold.empty() || out.empty()) {
    fail(ErrorKind::usage, "folds: a fold names some but not all of the {} points, each once, in increasing order", n);
  }
  return out;
}

Training part_of(const Training& all, const std::vector<Index>& which) {
  Training out{.K = part_of(all.K, which), .memory = all.memory, .centres = all.centres};
  if (all.origin) out.origin = {all.origin->inputs.select(which), all.origin->prepared, all.origin->invariance};
  if (all.y.rows() > 0) {
    out.y = Matrix::uninitialized(static_cast<Index>(which.size()), all.y.cols());
    for (std::size_t r = 0; r < which.size(); ++r) {
      std::copy_n(all.y.row(which[r]), all.y.cols(), out.y.row(static_cast<Index>(r)));
    }
  }
  if (all.labels.size() > 0) out.labels = part_of(all.labels, which);
  if (!all.weights.empty()) {
    for (const Index i : which) out.weights.push_back(all.weights[at(i)]);
  }
  return out;
}

Cut::Cut(const Training& all, const Fold& fold)
    : all_(all), fold_(fold), outside_(outside(fold, all.K.size())), rest_(part_of(all, outside_)) {}

Matrix scores_at(const Fold& fold, const Training& all, const Model& model, const std::vector<Index>& centres,
                 const Execution& how) {
  const Expansion& f = model.expansion();
  const MatrixView K = all.K.dense();
  // Centres that are no training points, a kernel that was learnt, a trend and a K that is not there leave only the
  // kernel.
  const bool learnt = f.parts().kernel && all.K.kernel() && *f.parts().kernel != *all.K.kernel();
  if (K.empty() || learnt || f.parts().slope.rows() > 0 || static_cast<Index>(centres.size()) != f.size()) {
    return model.scores(all.K.points()->select(fold), how);
  }
  const Index self = f.takes_self() ? 1 : 0;
  Matrix rows = Matrix::uninitialized(static_cast<Index>(fold.size()), f.size() + self);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double* const row = K.row(fold[at(i)]);
    for (Index c = 0; c < f.size(); ++c) rows(i, c) = row[centres[at(c)]];
    if (self > 0) rows(i, f.size()) = row[fold[at(i)]];
  }
  return model.scores_from_rows(rows);
}

Matrix scores_of_classes(const Model& model, MatrixView f) {
  return both_sides(class_scores(model.parts().reading, f, static_cast<Index>(model.classes().size())));
}

HeldOut read_scores(const Labels& all, const Model& model, MatrixView f) {
  HeldOut out;
  out.converged = model.report().converged;
  if (!model.is_classifier()) {
    out.values = model.targets_of(f);
    return out;
  }
  const std::vector<Index> number = numbers_of(model.classes(), all.classes);
  for (const Index c : model.classes_of(f)) out.classes.push_back(number[at(c)]);
  const Matrix scores = scores_of_classes(model, f);
  out.class_scores = spread(scores, number, all.classes.size(), below_all(scores));
  if (model.parts().calibration.kind != Calibration::Kind::none) {
    out.probabilities = spread(model.probabilities_of(f), number, all.classes.size(), 0);
  }
  return out;
}

Matrix Cut::variances(const Model& model, const Execution& how) const {
  if (!model.has_posterior() || model.is_classifier()) return {};
  Matrix out = model.variances(all_.K.points()->select(fold_), how);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index t = 0; t < out.cols(); ++t) {
      out(i, t) += model.posterior().noise[at(t)] / (all_.weights.empty() ? 1 : all_.weights[at(fold_[at(i)])]);
    }
  }
  return out;
}

HeldOut Cut::say(const Model& model, const Execution& how) const {
  std::vector<Index> centres;
  for (const Index i : model.support()) centres.push_back(outside_[at(i)]);
  HeldOut out = read_scores(all_.labels, model, scores_at(fold_, all_, model, centres, how));
  if (!model.has_posterior() || !model.posterior().likelihood.of_classes()) return out;
  // Averages over what f may be cannot be read off its scores.
  const Matrix p = model.probabilities(all_.K.points()->select(fold_), how);
  const std::vector<Index> number = numbers_of(model.classes(), all_.labels.classes);
  for (Index i = 0; i < p.rows(); ++i) {
    out.classes[at(i)] = number[at(std::max_element(p.row(i), p.row(i) + p.cols()) - p.row(i))];
  }
  out.probabilities = spread(p, number, all_.labels.classes.size(), 0);
  return out;
}

}  // namespace mercer::detail
