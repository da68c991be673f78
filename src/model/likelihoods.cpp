#include "model/likelihoods.hpp"

#include <cmath>
#include <numbers>

namespace mercer {

namespace {

constexpr Likelihood::Row kNone{.name = "none", .of = Likelihood::Of::numbers};
// Its classes are coupled: machines/processes/laplace_softmax.cpp has the derivatives, model/posterior the averages.
constexpr Likelihood::Row kSoftmax{.name = "softmax", .of = Likelihood::Of::classes};

}  // namespace

const Likelihood Likelihood::none(kNone);
const Likelihood Likelihood::softmax(kSoftmax);

const std::vector<Likelihood>& likelihoods() {
  static const std::vector<Likelihood> all = {Likelihood::none, Likelihood::logistic, Likelihood::probit,
                                              Likelihood::softmax};
  return all;
}

namespace detail {

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace detail

}  // namespace mercer
