#include "mercer/check.hpp"

#include "base/fail.hpp"
#include "check/suspect.hpp"

namespace mercer {

namespace {

std::vector<Index> dimensions_for(const Formula& formula, Index wanted) {
  const Index least = formula.min_dimension();
  if (wanted == 0) {
    if (!formula.has_reductions() || formula.one_dimensional()) return {least};
    return {least, least + 1, least + 2};
  }
  if (wanted < least) {
    fail(ErrorKind::usage, "check: the formula needs dimension {} or more; got {}", least, wanted);
  }
  if (formula.one_dimensional() && wanted > 1) {
    fail(ErrorKind::usage,
         "check: the value of {} is a point, so it is for one-dimensional points only; got dimension {}", formula.str(),
         wanted);
  }
  return {wanted};
}

}  // namespace

const char* name_of(Inputs inputs) {
  switch (inputs) {
    case Inputs::automatic: return "automatic";
    case Inputs::reals: return "reals";
    case Inputs::nonnegative: return "nonnegative";
    case Inputs::unit_ball: return "unit_ball";
  }
  return "";
}

const char* name_of(Counterexample::Kind kind) {
  switch (kind) {
    case Counterexample::Kind::undefined: return "undefined";
    case Counterexample::Kind::asymmetric: return "asymmetric";
    case Counterexample::Kind::indefinite: return "indefinite";
  }
  return "";
}

CheckResult search_counterexample(const PairFunction& k, std::span<const Index> dimensions,
                                  const CheckOptions& options) {
  if (!k) fail(ErrorKind::usage, "check: no function given");
  return checking::search({.value = k, .precise = {}}, dimensions, options);
}

CheckResult check(const Formula& formula, const CheckOptions& options) {
  const checking::Suspect k{.value = [formula](VectorView x, VectorView y) { return formula(x, y); },
                            .precise = [formula](VectorView x, VectorView y) { return formula.precise(x, y); },
                            .cost = 0.25 * static_cast<double>(formula.str().size())};
  const std::vector<Index> dimensions = dimensions_for(formula, options.dimension);
  const std::optional<CatalogMatch> match = recognise(formula, options.dimension);
  CheckOptions narrowed = options;
  if (match && options.inputs == Inputs::automatic) narrowed.inputs = match->inputs;
  CheckResult result = checking::search(k, dimensions, narrowed);
  if (!result.counterexample) {
    result.match = match;
    const std::optional<CatalogMatch> derived = derive(formula);
    const bool covers = derived && (derived->inputs == Inputs::reals || derived->inputs == result.inputs);
    if (covers) result.derived = derived;
  }
  // Why only there: show what happens elsewhere.
  if (narrowed.inputs != options.inputs && narrowed.inputs != Inputs::reals) {
    narrowed.inputs = Inputs::reals;
    result.outside = checking::search(k, dimensions, narrowed).counterexample;
  }
  return result;
}

}  // namespace mercer
