// The posterior of a Bayesian machine in a model file. What can be computed from it, such as Cholesky factors, is not
// stored: it is computed again when first asked for.
#include <cmath>

#include "base/fail.hpp"
#include "io/model_parts.hpp"
#include "io/readers.hpp"

namespace mercer::detail {

namespace {

// The value of an enumeration whose names are given by name_of, counted from 0.
template <class Enum>
Enum named(const Json& value, Enum last, const char* what) {
  const std::string given = text(value);
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == given) return static_cast<Enum>(i);
  }
  fail(ErrorKind::file, "no {} is called {}", what, shown(given));
}

Likelihood likelihood_named(const std::string& given) {
  for (const Likelihood one : likelihoods()) {
    if (one->name == given) return one;
  }
  fail(ErrorKind::file, "no link is called {}", shown(given));
}

void require_finite(const double* values, Index count, const char* what) {
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) fail(ErrorKind::file, "number {} of {} is {}", i + 1, what, values[i]);
  }
}

}  // namespace

Json posterior_json(const std::optional<Posterior>& posterior, BlockWriter& blocks) {
  if (!posterior) return nullptr;
  const Posterior& p = *posterior;
  blocks.add("posterior.scale", p.scale);
  blocks.add("posterior.shift", p.shift);
  blocks.add("posterior.signal", p.signal);
  blocks.add("posterior.noise", p.noise);
  blocks.add("posterior.probabilities", p.probabilities.view());
  blocks.add("posterior.covariance", p.covariance.view());
  Json out = {{"kind", name_of(p.kind)}, {"mean", name_of(p.trend)}, {"link", p.likelihood->name}};
  if (p.kind == Posterior::Kind::nearest) {
    blocks.add("posterior.targets", p.targets.view());
    out["neighbours"] = p.neighbours;
  }
  return out;
}

std::optional<Posterior> posterior_from(const Json& header, const BlockReader& blocks) {
  const Json& json = member(header, "posterior");
  if (json.is_null()) return std::nullopt;
  Posterior p;
  p.kind = named(member(json, "kind"), Posterior::Kind::reduced_softmax, "posterior");
  p.trend = named(member(json, "mean"), Trend::linear, "mean function");
  p.likelihood = likelihood_named(text(member(json, "link")));
  p.scale = blocks.numbers<double>("posterior.scale");
  p.shift = blocks.numbers<double>("posterior.shift");
  p.signal = blocks.numbers<double>("posterior.signal");
  p.noise = blocks.numbers<double>("posterior.noise");
  p.probabilities = blocks.matrix("posterior.probabilities");
  p.covariance = blocks.matrix("posterior.covariance");
  if (p.kind == Posterior::Kind::nearest) {
    p.targets = blocks.matrix("posterior.targets");
    p.neighbours = whole(member(json, "neighbours"));
  }
  for (const auto& [numbers, what] : {std::pair{&p.scale, "the posterior's scale"},
                                      {&p.shift, "the posterior's shift"},
                                      {&p.signal, "the posterior's signal"},
                                      {&p.noise, "the posterior's noise"}}) {
    require_finite(numbers->data(), static_cast<Index>(numbers->size()), what);
  }
  require_finite(p.probabilities.data(), p.probabilities.rows() * p.probabilities.cols(), "the probabilities");
  require_finite(p.covariance.data(), p.covariance.rows() * p.covariance.cols(), "the covariance");
  return p;
}

}  // namespace mercer::detail
