#include "testing/trial.hpp"

#include <algorithm>
#include <sstream>

#include "mercer/model_file.hpp"
#include "testing/compare.hpp"

namespace mercer::testing {

namespace {

// What a machine that solves to a tolerance is asked for, and how far apart two of its f may then be: their distance in
// the RKHS is within the root of that of their objectives from the minimum.
constexpr const char* kStrict = "1e-10";
constexpr double kRootOfStrict = 1e-5;

// k(x, X) and, where f has such a term, k(x, x).
Matrix kernel_rows(const Model& m, const Problem& problem, const Points& at) {
  Matrix k = cross(problem.k, at, problem.points());
  if (!m.expansion().takes_self()) return k;
  const Vector self = diagonal(problem.k, at);
  Matrix out = Matrix::uninitialized(k.rows(), k.cols() + 1);
  for (Index i = 0; i < k.rows(); ++i) {
    std::copy_n(k.row(i), k.cols(), out.row(i));
    out(i, k.cols()) = self[static_cast<std::size_t>(i)];
  }
  return out;
}

}  // namespace

Model saved_and_loaded(const Model& m) {
  std::ostringstream file;
  save(file, m);
  return load_bytes(file.str(), m.parts().machine);
}

std::optional<Matrix> probabilities_of(const Model& m, const Points& at) {
  if (!m.has_probabilities()) return std::nullopt;
  return m.probabilities(at);
}

Trial::Trial(const Machine& machine, const MachineLawOptions& options)
    : machine_(machine),
      settings_(options.settings),
      task_(machine.task_for(options.settings)),
      by_default_(options.settings.empty()) {
  if (!has_option("tolerance")) return;
  settings_.emplace("tolerance", kStrict);
  tolerance_ = kRootOfStrict;
}

bool Trial::has_option(const std::string& name) const {
  return std::any_of(machine_.options.begin(), machine_.options.end(),
                     [&](const MachineOption& option) { return option.name == name; });
}

std::vector<Index> Trial::class_counts(const std::vector<Index>& wanted) const {
  return task_ == Task::classification ? wanted : std::vector<Index>{2};
}

Values Trial::values(const Model& m, const Problem& problem, const Points& at) const {
  if (!m.expansion().parts().kernel) return {m.scores_from_rows(kernel_rows(m, problem, at)), {}};
  return {m.scores(at), m.has_posterior() ? m.variances(at) : Matrix()};
}

void Trial::law(const std::string& name, const std::function<void()>& body) {
  law_ = name;
  try {
    body();
  } catch (const std::exception& error) {
    breaks(error.what());
  }
}

void Trial::breaks(const std::string& how) { broken_.push_back(fmt::format("{}: {}: {}", machine_.name, law_, how)); }

void Trial::expect_agree(const std::string& what, const Values& a, const Values& b) {
  const double f = difference(a.f, b.f), scale = largest(b.f);
  if (!(f <= tolerance_ * scale)) {
    breaks(
        fmt::format("{}: f differs by {:.3g}, |f| is up to {:.3g}, promised {:.0e} of it", what, f, scale, tolerance_));
  }
  if (a.variance.rows() == 0 || b.variance.rows() == 0) return;
  const double v = difference(a.variance, b.variance), width = largest(b.variance);
  if (!(v <= tolerance_ * width)) breaks(fmt::format("{}: the variance differs by {:.3g} of {:.3g}", what, v, width));
}

void Trial::expect_same(const std::string& what, const Model& a, const Model& b, const Points& at) {
  const auto expect = [&](bool same, const char* of) {
    if (!same) breaks(fmt::format("{}: not the same bits in {}", what, of));
  };
  if (!a.expansion().parts().kernel) {
    expect(a.expansion().parts().alpha == b.expansion().parts().alpha, "alpha");
    expect(a.expansion().parts().bias == b.expansion().parts().bias, "b");
    return;
  }
  expect(a.scores(at) == b.scores(at), "f");
  expect(a.predict(at) == b.predict(at), "predictions");
  expect(a.has_posterior() == b.has_posterior() && (!a.has_posterior() || a.variances(at) == b.variances(at)),
         "variances");
  expect(probabilities_of(a, at) == probabilities_of(b, at), "probabilities");
}

void Trial::expect_sound(const Model& m, const Problem& problem, const Points& at) {
  const Values own = values(m, problem, at);
  if (!is_finite(own.f)) breaks("f is not finite");
  if (!is_finite(own.variance)) breaks("a variance is not finite");
  for (Index i = 0; i < own.variance.rows() * own.variance.cols(); ++i) {
    if (own.variance.data()[i] < 0) return breaks("a variance is negative");
  }
  if (m.expansion().parts().kernel) {
    const Vector predicted = m.predict(at);
    if (!is_finite(MatrixView(predicted.data(), 1, static_cast<Index>(predicted.size())))) {
      breaks("a prediction is not finite");
    }
    if (const auto p = probabilities_of(m, at); p && !is_finite(*p)) breaks("a probability is not finite");
  }
  expect_same("saved and loaded", m, saved_and_loaded(m), at);
}

}  // namespace mercer::testing
