#include "mercer/model.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "model/posterior/posterior.hpp"
#include "model/probabilities.hpp"
#include "model/readings.hpp"
#include "model/settled.hpp"

namespace mercer {

namespace {

void require_consistent(const ModelParts& p) {
  const Index outputs = p.f.outputs();
  if (outputs == 0) fail(ErrorKind::shape, "model: f has no output; give alpha at least one column");
  if (p.reading->fault) {
    if (const std::string fault = p.reading->fault(p); !fault.empty()) fail(ErrorKind::shape, "model: {}", fault);
  }
  std::vector<std::string> names = p.classes;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    fail(ErrorKind::shape, "model: two classes are called {}", quoted(*twice));
  }
  if (p.fitted.rows() > 0 && p.fitted.rows() != p.f.parts().training_size) {
    fail(ErrorKind::shape, "model: {} rows of what was found for {} training points", p.fitted.rows(),
         p.f.parts().training_size);
  }
  if (p.posterior) detail::require_fits(*p.posterior, p.f);
  const Calibration& c = p.calibration;
  const bool one_score_a_class =
      p.reading->probabilities && p.reading != Reading::binary && p.reading != Reading::votes;
  const bool fits = c.kind == Calibration::Kind::none ||
                    (c.kind == Calibration::Kind::sigmoids ? p.reading->gives == Reading::Gives::classes &&
                                                                 static_cast<Index>(c.sigmoids.size()) == outputs
                                                           : one_score_a_class);
  if (!fits) {
    fail(ErrorKind::shape, "model: a calibration of {} sigmoids does not fit {} outputs read as {}", c.sigmoids.size(),
         outputs, p.reading->name);
  }
}

// Points asked for at a time by readings that look at the kernel itself.
constexpr Index kBlock = 256;

// Scores of readings that are no expansion.
Matrix scores_from_kernel(const ModelParts& p, const Points& x, const Execution& how) {
  const Expansion::Parts& f = p.f.parts();
  if (!f.kernel) {
    fail(ErrorKind::usage,
         "predict: the model was fitted to a matrix of numbers and knows no kernel; give it rows of k(x, X) instead");
  }
  if (p.reading->from_points) return p.reading->from_points(p, x, how);
  Matrix out;
  for (Index first = 0; first < x.size() || first == 0; first += kBlock) {
    const Points some = x.slice({first, std::min(x.size(), first + kBlock)});
    const Matrix part = p.reading->from_kernel(p, cross(*f.kernel, some, *f.centres, how), diagonal(*f.kernel, some));
    if (first == 0) out = Matrix::uninitialized(x.size(), part.cols());
    for (Index i = 0; i < part.rows(); ++i) std::copy_n(part.row(i), part.cols(), out.row(first + i));
    how.monitor.report({"predict", static_cast<double>(first) / static_cast<double>(std::max<Index>(1, x.size()))});
  }
  return out;
}

std::vector<Index> whole_numbers(const Matrix& column) {
  std::vector<Index> out;
  for (Index i = 0; i < column.rows(); ++i) out.push_back(static_cast<Index>(column(i, 0)));
  return out;
}

}  // namespace

Model::Model(Parts parts) {
  if (parts.posterior && !parts.posterior->factors) parts.posterior->factors = std::make_shared<detail::Factors>();
  parts_ = std::make_shared<Parts>(std::move(parts));
  require_consistent(*parts_);
}

Model::Parts Model::release() && {
  const std::shared_ptr<Parts> held = std::move(parts_);
  if (held.use_count() > 1) return *held;
  std::atomic_thread_fence(std::memory_order_acquire);  // others may have let go of it a moment ago
  return std::move(*held);
}

bool Model::averages() const { return parts_->posterior && parts_->posterior->likelihood.of_classes(); }

bool Model::has_probabilities() const {
  return averages() || (parts_->reading->probabilities && parts_->calibration.kind != Calibration::Kind::none);
}

std::vector<std::string> Model::answer_names() const { return parts_->reading->answer_names(*parts_); }

Matrix Model::scores(const Points& x, const Execution& how) const {
  const Threads threads(how.threads);
  const Reading& reading = parts_->reading;
  parts_->inputs.require(x);
  const Points scaled = parts_->scaling.apply(x);
  Matrix out = reading->from_kernel ? scores_from_kernel(*parts_, scaled, how) : detail::means(*parts_, scaled, how);
  if (reading->scores) reading->scores(*parts_, out);
  return out;
}

Matrix Model::scores_from_rows(MatrixView k) const {
  const Reading& reading = parts_->reading;
  const auto direct = [&] {
    const Expansion::KernelValues values = parts_->f.values_in(k);
    return reading->from_kernel(*parts_, values.centres, values.self);
  };
  Matrix out = reading->from_kernel ? direct() : parts_->f.from_rows(k);
  if (reading->scores) reading->scores(*parts_, out);
  return out;
}

Vector Model::predict(const Points& x, const Execution& how) const {
  const Matrix all = predict_targets(x, how);
  Vector first(at(all.rows()));
  for (Index i = 0; i < all.rows(); ++i) first[at(i)] = all(i, 0);
  return first;
}

Matrix Model::predict_targets(const Points& x, const Execution& how) const {
  if (averages()) return detail::as_column(predict_classes(x, how));
  if (std::optional<Matrix> answers = settled(x, how)) return std::move(*answers);
  return targets_of(scores(x, how));
}

std::optional<Matrix> Model::settled(const Points& x, const Execution& how) const {
  if (parts_->reading->settled == nullptr) return std::nullopt;
  const Threads threads(how.threads);
  parts_->inputs.require(x);
  return detail::settled_answers(*parts_, parts_->scaling.apply(x), how);
}

std::vector<std::string> Model::predict_labels(const Points& x, const Execution& how) const {
  std::vector<std::string> names;
  for (const Index c : predict_classes(x, how)) names.push_back(parts_->classes[at(c)]);
  return names;
}

std::vector<Index> Model::predict_classes(const Points& x, const Execution& how) const {
  // Averaged over what f may be, the likeliest of several classes need not be that of the largest mean.
  if (averages()) return detail::likeliest(probabilities(x, how));
  if (const std::optional<Matrix> answers = settled(x, how)) return whole_numbers(*answers);
  return classes_of(scores(x, how));
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
  if (averages()) {
    parts_->inputs.require(x);
    return detail::averaged_probabilities(*parts_, parts_->scaling.apply(x), how);
  }
  require_probabilities();
  return probabilities_of(scores(x, how));
}

Matrix Model::targets_of(MatrixView scores) const {
  if (parts_->reading->gives != Reading::Gives::numbers) return detail::as_column(classes_of(scores));
  return parts_->reading->answers(*parts_, scores);
}

std::vector<Index> Model::classes_of(MatrixView scores) const {
  if (parts_->reading->gives == Reading::Gives::numbers) {
    fail(ErrorKind::usage, "{}: predicts numbers and has no classes; ask for its values", parts_->machine);
  }
  // One answer to both questions: what is likeliest is what is predicted.
  if (parts_->calibration.kind != Calibration::Kind::none) return detail::likeliest(probabilities_of(scores));
  return whole_numbers(parts_->reading->answers(*parts_, scores));
}

void Model::require_probabilities() const {
  if (has_probabilities()) return;
  if (!parts_->reading->probabilities) {
    fail(ErrorKind::usage, "{}: predicts no classes, so it has no probabilities", parts_->machine);
  }
  fail(ErrorKind::usage, "{}: fitted without probabilities{}", parts_->machine,
       parts_->settings.contains("probability") ? "; fit it again with `probability`" : "");
}

Matrix Model::probabilities_of(MatrixView scores) const {
  require_probabilities();
  if (averages()) {
    fail(ErrorKind::usage, "{}: its probabilities are averages over what f may be and need the inputs, not scores",
         parts_->machine);
  }
  return parts_->reading->probabilities(*parts_, scores);
}

Model Model::as_embedding() const {
  return with([](Parts& parts) {
    parts.reading = Reading::embedding;
    parts.calibration = {};
    parts.classes.clear();
    parts.readout = {};
    parts.posterior.reset();
  });
}

double Model::rkhs_norm(const Execution& how) const {
  double squares = 0;
  for (const double norm : parts_->f.norms(how)) squares += norm * norm;
  return std::sqrt(squares);
}

}  // namespace mercer
