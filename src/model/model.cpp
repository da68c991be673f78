#include "mercer/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "model/posterior/posterior.hpp"
#include "model/probabilities.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 7> kReadings = {"value", "binary",  "votes",  "largest",
                                                       "ratio", "density", "novelty"};

bool classifies(Reading reading) {
  return reading == Reading::binary || reading == Reading::votes || reading == Reading::largest;
}

// The number of outputs a reading takes, 0 for any.
Index outputs_of(Reading reading, Index classes) {
  switch (reading) {
    case Reading::binary:
    case Reading::density:
    case Reading::novelty: return 1;
    case Reading::votes: return classes * (classes - 1) / 2;
    case Reading::largest: return classes;
    case Reading::value:
    case Reading::ratio: break;
  }
  return 0;
}

void require_consistent(const Model::Parts& p) {
  const auto classes = static_cast<Index>(p.classes.size());
  const Index outputs = p.f.outputs(), wanted = outputs_of(p.reading, classes);
  if (outputs == 0) fail(ErrorKind::shape, "model: f has no output; give alpha at least one column");
  if (classifies(p.reading) && (classes < 2 || (p.reading == Reading::binary && classes != 2))) {
    fail(ErrorKind::shape, "model: {} classes for the reading {}", classes, name_of(p.reading));
  }
  std::vector<std::string> names = p.classes;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    fail(ErrorKind::shape, "model: two classes are called {}", quoted(*twice));
  }
  if ((wanted != 0 && outputs != wanted) || (p.reading == Reading::ratio && outputs < 2)) {
    fail(ErrorKind::shape, "model: {} outputs of f for the reading {} of {} classes", outputs, name_of(p.reading),
         classes);
  }
  if (p.posterior) detail::require_fits(*p.posterior, p.f);
  const Calibration& c = p.calibration;
  const bool sigmoids = c.kind == Calibration::Kind::sigmoids, softmax = c.kind == Calibration::Kind::softmax;
  if ((sigmoids && (!classifies(p.reading) || static_cast<Index>(c.sigmoids.size()) != outputs)) ||
      (softmax && p.reading != Reading::largest)) {
    fail(ErrorKind::shape, "model: a calibration of {} sigmoids does not fit {} outputs read as {}", c.sigmoids.size(),
         outputs, name_of(p.reading));
  }
}

// Whether probabilities are averages over what f may be.
bool averages(const Model::Parts& p) { return p.posterior && p.posterior->link != Link::none; }

// f integrates to 1 over scaled inputs; over the inputs themselves, f times what scaling makes of a volume.
void to_own_units(const Scaling& scaling, Matrix& density) {
  const double volume = scaling.volume();
  if (!std::isnormal(volume)) {
    fail(ErrorKind::numeric, "density: in the units of the inputs it is beyond floating point; rescale the inputs");
  }
  for (Index i = 0; i < density.rows(); ++i) {
    density(i, 0) *= volume;
    if (std::isinf(density(i, 0))) {
      fail(ErrorKind::numeric, "density: row {} is beyond floating point; rescale the inputs", i + 1);
    }
  }
}

Index first_largest(const double* values, Index count) { return std::max_element(values, values + count) - values; }

Index most_votes(const double* f, Index classes, std::vector<Index>& votes) {
  votes.assign(at(classes), 0);
  for (Index a = 0; a < classes; ++a) {
    for (Index b = a + 1; b < classes; ++b) ++votes[at(*f++ > 0 ? a : b)];
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

}  // namespace

Model::Model(Parts parts) {
  if (parts.posterior && !parts.posterior->factors) parts.posterior->factors = std::make_shared<detail::Factors>();
  parts_ = std::make_shared<const Parts>(std::move(parts));
  require_consistent(*parts_);
}

bool Model::is_classifier() const { return classifies(parts_->reading); }

Matrix Model::scores(const Points& x, const Execution& how) const {
  parts_->inputs.require(x);
  Matrix out = parts_->f(parts_->scaling.apply(x), how);
  if (parts_->reading == Reading::density) to_own_units(parts_->scaling, out);
  return out;
}

Vector Model::predict(const Points& x, const Execution& how) const {
  const Matrix all = predict_targets(x, how);
  Vector first(at(all.rows()));
  for (Index i = 0; i < all.rows(); ++i) first[at(i)] = all(i, 0);
  return first;
}

Matrix Model::predict_targets(const Points& x, const Execution& how) const {
  if (!averages(*parts_)) return targets_of(scores(x, how));
  const std::vector<Index> classes = predict_classes(x, how);
  Matrix out = Matrix::uninitialized(x.size(), 1);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<double>(classes[at(i)]);
  return out;
}

std::vector<std::string> Model::predict_labels(const Points& x, const Execution& how) const {
  std::vector<std::string> names;
  for (const Index c : predict_classes(x, how)) names.push_back(parts_->classes[at(c)]);
  return names;
}

std::vector<Index> Model::predict_classes(const Points& x, const Execution& how) const {
  // Averaged over what f may be, the likeliest of several classes need not be that of the largest mean.
  if (!averages(*parts_)) return classes_of(scores(x, how));
  const Matrix p = probabilities(x, how);
  std::vector<Index> out;
  for (Index i = 0; i < p.rows(); ++i) out.push_back(first_largest(p.row(i), p.cols()));
  return out;
}

const Posterior& Model::posterior() const {
  if (!parts_->posterior && !parts_->f.parts().kernel) {
    fail(ErrorKind::usage,
         "{}: the model was fitted to a matrix of numbers and knows no kernel, so it has no variances at new points",
         parts_->machine);
  }
  if (!parts_->posterior) {
    fail(ErrorKind::usage, "{}: does not know how sure it is; gp, gpc and rvm do", parts_->machine);
  }
  return *parts_->posterior;
}

Matrix Model::variances(const Points& x, const Execution& how) const {
  const Threads threads(how.threads);
  posterior();
  parts_->inputs.require(x);
  return detail::variances(*parts_, parts_->scaling.apply(x), how);
}

Matrix Model::covariance(const Points& x, Index output, const Execution& how) const {
  const Threads threads(how.threads);
  posterior();
  parts_->inputs.require(x);
  return detail::covariance(*parts_, parts_->scaling.apply(x), output, how);
}

Matrix Model::probabilities(const Points& x, const Execution& how) const {
  const Threads threads(how.threads);
  if (averages(*parts_)) {
    parts_->inputs.require(x);
    return detail::averaged_probabilities(*parts_, parts_->scaling.apply(x), how);
  }
  probabilities_of(MatrixView(nullptr, 0, parts_->f.outputs()));  // refuses before the work is done
  return probabilities_of(scores(x, how));
}

Matrix Model::targets_of(MatrixView scores) const {
  if (is_classifier()) {
    const std::vector<Index> classes = classes_of(scores);
    Matrix out = Matrix::uninitialized(scores.rows(), 1);
    for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<double>(classes[at(i)]);
    return out;
  }
  Matrix out(parts_->reading == Reading::ratio ? scores.block({0, scores.rows()}, {0, scores.cols() - 1}) : scores);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      if (parts_->reading == Reading::ratio) out(i, j) /= scores(i, out.cols());
      if (parts_->reading == Reading::novelty) out(i, j) = out(i, j) >= 0 ? 1 : -1;
    }
  }
  return out;
}

std::vector<Index> Model::classes_of(MatrixView scores) const {
  if (!is_classifier()) {
    fail(ErrorKind::usage, "{}: predicts numbers and has no classes; ask for its values", parts_->machine);
  }
  const auto classes = static_cast<Index>(parts_->classes.size());
  std::vector<Index> out(at(scores.rows()));
  // One answer to both questions: what is likeliest is what is predicted.
  if (parts_->calibration.kind != Calibration::Kind::none) {
    const Matrix p = probabilities_of(scores);
    for (Index i = 0; i < p.rows(); ++i) out[at(i)] = first_largest(p.row(i), classes);
    return out;
  }
  std::vector<Index> votes;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double* f = scores.row(i);
    switch (parts_->reading) {
      case Reading::binary: out[at(i)] = f[0] > 0 ? 1 : 0; break;
      case Reading::votes: out[at(i)] = most_votes(f, classes, votes); break;
      default: out[at(i)] = first_largest(f, classes);
    }
  }
  return out;
}

Matrix Model::probabilities_of(MatrixView scores) const {
  if (!is_classifier()) fail(ErrorKind::usage, "{}: predicts no classes, so it has no probabilities", parts_->machine);
  if (averages(*parts_)) {
    fail(ErrorKind::usage, "{}: its probabilities are averages over what f may be and need the inputs, not scores",
         parts_->machine);
  }
  if (parts_->calibration.kind == Calibration::Kind::none) {
    fail(ErrorKind::usage, "{}: fitted without probabilities; fit it again asking for them", parts_->machine);
  }
  return detail::probabilities(parts_->reading, static_cast<Index>(parts_->classes.size()), parts_->calibration,
                               scores);
}

double Model::rkhs_norm(const Execution& how) const {
  double squares = 0;
  for (const double norm : parts_->f.norms(how)) squares += norm * norm;
  return std::sqrt(squares);
}

std::string_view name_of(Reading reading) { return kReadings[static_cast<std::size_t>(reading)]; }

Reading reading_named(std::string_view name) {
  const auto found = std::find(kReadings.begin(), kReadings.end(), name);
  if (found == kReadings.end()) {
    fail(ErrorKind::data, "model: no reading is called \"{}\"; known: {}", name, fmt::join(kReadings, ", "));
  }
  return static_cast<Reading>(found - kReadings.begin());
}

}  // namespace mercer
