#include "mercer/explain.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/feature_weights.hpp"
#include "model/posterior/kinds.hpp"

namespace mercer {

namespace {

// Of the pairs that `winner` is in, the one that was nearest to going the other way.
Index hardest_pair(const Vector& scores, Index classes, Index winner) {
  Index best = 0, pair = 0;
  double least = INFINITY;
  for (Index a = 0; a < classes; ++a) {
    for (Index b = a + 1; b < classes; ++b, ++pair) {
      if ((a != winner && b != winner) || !(std::abs(scores[at(pair)]) < least)) continue;
      least = std::abs(scores[at(pair)]);
      best = pair;
    }
  }
  return best;
}

// Of a calibrated model the likeliest class is predicted, which need not have the most votes.
Index deciding(const Model& m, const Points& one, const Vector& scores, const Execution& how) {
  const auto outputs = static_cast<Index>(scores.size());
  const auto classes = static_cast<Index>(m.classes().size());
  if (outputs == 1 || m.parts().reading->gives == Reading::Gives::numbers) return 0;
  if (m.parts().reading == Reading::votes) return hardest_pair(scores, classes, m.predict_classes(one, how)[0]);
  // f of discriminants and mixtures is coordinates, of which none is a class's own.
  const bool of_classes = m.parts().reading->output_names == nullptr || m.parts().reading == Reading::cut;
  return of_classes ? m.predict_classes(one, how)[0] : 0;
}

}  // namespace

bool adds_up(const Model& m) {
  const Model::Parts& parts = m.parts();
  const bool own_means = parts.posterior && detail::row_of(parts.posterior->kind).means != nullptr;
  return parts.f.parts().kernel && parts.reading->from_kernel == nullptr && !own_means;
}

Explanation explain_prediction(const Model& m, const Points& one, const Execution& how) {
  if (one.size() != 1) fail(ErrorKind::usage, "explain-prediction: one point at a time, not {}", one.size());
  const Expansion::Parts& f = m.expansion().parts();
  if (!f.kernel) fail(ErrorKind::usage, "explain-prediction: the model was fitted to a matrix of numbers");
  if (!adds_up(m)) {
    fail(ErrorKind::usage,
         "explain-prediction: the scores of this {} are no sum over its training points, so that no "
         "contributions add up to them",
         m.parts().machine);
  }
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
  const Matrix scores = m.expansion()(x, how);
  out.scores.assign(scores.row(0), scores.row(0) + scores.cols());
  w->explain(x, one, 1, "", out.parts);
  if (!f.self.empty()) {
    const double self = diagonal(*f.kernel, x)[0];
    Contribution whole{"", {"k(x, x)"}, Matrix(1, m.expansion().outputs())};
    for (Index j = 0; j < whole.values.cols(); ++j) whole.values(0, j) = self * f.self[at(j)];
    out.parts.push_back(std::move(whole));
  }
  const Reading& reading = m.parts().reading;
  out.names = reading->output_names ? reading->output_names(m.parts()) : m.score_names();
  out.deciding = deciding(m, one, out.scores, how);
  return out;
}

}  // namespace mercer
