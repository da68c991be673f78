// What the tests of Gaussian process classification share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "machines/processes/class_evaluation.hpp"
#include "machines/sectors.hpp"
#include "mercer/machines/gpc.hpp"
#include "support.hpp"

namespace mercer::test {

using Gpc = GaussianProcessClassifier;

// The slopes of the evidence by each parameter and the signal are those of differences.
inline void expect_slopes_of_differences(detail::ClassEvidenceAt& evidence, const Kernel& k, double signal) {
  Vector slopes;
  (void)evidence(k, signal, &slopes);
  const Params params = k.params();
  ASSERT_EQ(slopes.size(), static_cast<std::size_t>(params.size()) + 1);
  const auto value_at = [&](Index which, double factor) {
    std::vector<Parameter> list(params.begin(), params.end());
    if (which < params.size()) list[at(which)].value *= factor;
    return evidence(k.with(Params(list)), which < params.size() ? signal : signal * factor, nullptr);
  };
  for (Index p = 0; p <= params.size(); ++p) {
    const double h = 1e-5, size = p < params.size() ? params[p].value : signal;
    const double difference = (value_at(p, 1 + h) - value_at(p, 1 - h)) / (2 * h * size);
    EXPECT_NEAR(slopes[at(p)], difference, 1e-5 * (1 + std::abs(difference))) << p;
  }
}

// Every link with a number of classes.
struct LinkCase {
  Likelihood link;
  Index classes;
};
inline const std::vector<LinkCase> kLinkCases = {
    {Likelihood::logistic, 2}, {Likelihood::probit, 2}, {Likelihood::softmax, 3}};

}  // namespace mercer::test
