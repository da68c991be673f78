// What the tests of Gaussian process classification share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "machines/processes/class_evaluation.hpp"
#include "mercer/machines/gpc.hpp"
#include "support.hpp"

namespace mercer::test {

using Gpc = GaussianProcessClassifier;

inline std::vector<std::string> names_of(const std::vector<Index>& classes) {
  std::vector<std::string> names;
  for (const Index c : classes) names.push_back(std::to_string(c));
  return names;
}

struct Data {
  Matrix x;
  std::vector<Index> classes;
  Labels labels() const { return Labels::from(names_of(classes)); }
};

// Classes by the angle of a point, with errors.
inline Data sectors(Index n, Index count, unsigned seed, double blur = 0.1) {
  Data data{random_matrix(n, 2, seed), {}};
  const Vector noise = random_vector(n, seed + 50, -blur, blur);
  for (Index i = 0; i < n; ++i) {
    const double turn = std::atan2(data.x(i, 1), data.x(i, 0)) / (2 * M_PI) + 0.5 + noise[at(i)];
    data.classes.push_back(static_cast<Index>((turn - std::floor(turn)) * static_cast<double>(count)));
  }
  for (Index c = 0; c < count; ++c) data.classes[at(c)] = c;
  return data;
}

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
