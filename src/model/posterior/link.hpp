// What is known of a class from its latent function, for two classes: log p(y | f) and its derivatives.
#pragma once

#include "mercer/posterior.hpp"

namespace mercer::detail {

struct LinkTerms {
  double log_p;      // log p(y | f)
  double slope;      // its first derivative by f
  double curvature;  // minus the second, >= 0
  double skew;       // the third over the second, of moderate size where both vanish
};

// y = +-1; logistic: p = 1 / (1 + exp(-y f)), probit: p = Phi(y f). All digits hold however far f is on either side.
LinkTerms link_terms(Link link, double y, double f);

}  // namespace mercer::detail
