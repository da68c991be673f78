#include "mercer/explain.hpp"

#include "base/fail.hpp"
#include "model/feature_weights.hpp"

namespace mercer {

Explanation explain_prediction(const Model& m, const Points& one) {
  if (one.size() != 1) fail(ErrorKind::usage, "explain-prediction: one point at a time, not {}", one.size());
  const Expansion::Parts& f = m.expansion().parts();
  if (!f.kernel) fail(ErrorKind::usage, "explain-prediction: the model was fitted to a matrix of numbers");
  m.parts().inputs.require(one);
  const Points x = m.parts().scaling.apply(one);
  const auto w = detail::explained_weights(*f.kernel, *f.centres, f.alpha);
  if (!w) {
    fail(ErrorKind::usage,
         "explain-prediction: no term of {} is an inner product of counts or a mean over bags, whose contributions add "
         "up; fit with one such as normalize(spectrum(k=3)) or mean_embedding(rbf(ell=auto))",
         f.kernel->str());
  }
  Explanation out;
  out.bias = f.bias;
  const Matrix scores = m.expansion()(x);
  out.scores.assign(scores.row(0), scores.row(0) + scores.cols());
  w->explain(x, one, 1, "", out.parts);
  return out;
}

}  // namespace mercer
