// Small models and data for the tests of reports.
#pragma once

#include "mercer/mercer.hpp"
#include "report/subject.hpp"
#include "support.hpp"

namespace mercer::report::test {

// y = sin(3 x) and a little noise, at points that are not in order.
inline Subject regression(const std::string& machine, const Settings& settings, Index n = 40, bool held_out = false) {
  Matrix x = mercer::test::random_matrix(n, 1, 1);
  const Vector noise = mercer::test::random_vector(n, 2, -0.1, 0.1);
  Matrix y(n, 1);
  for (Index i = 0; i < n; ++i) y(i, 0) = std::sin(3 * x(i, 0)) + noise[static_cast<std::size_t>(i)];
  const Training all{.K = lazy(parse("rbf(ell=0.5)"), rows(Matrix(x))), .y = y};
  Subject out{.model = fit(machine, settings, all), .x = rows(Matrix(x)), .y = y, .source = "sine.csv"};
  if (held_out) {
    out.x = rows(mercer::test::random_matrix(n, 1, 3));
    return out;
  }
  out.fitted_to = true;
  out.training = all;
  return out;
}

// Two clouds; `share` of the points are of the second.
inline Subject classes(Index n = 60, double share = 0.5) {
  Matrix x = mercer::test::random_matrix(n, 2, 4);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) {
    const bool second = static_cast<double>(i) >= (1 - share) * static_cast<double>(n);
    names.emplace_back(second ? "b" : "a");
    if (second) x(i, 0) += 2;
  }
  const Labels labels = Labels::from(names);
  const Training all{.K = lazy(parse("rbf(ell=1)"), rows(Matrix(x))), .labels = labels};
  return {.model = fit("svc", {{"C", "1"}}, all),
          .x = rows(Matrix(x)),
          .labels = labels,
          .source = "clouds.csv",
          .fitted_to = true,
          .training = all};
}

}  // namespace mercer::report::test
