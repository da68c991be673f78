// Kernels of many length scales for points of numbers.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/two_sample.hpp"
#include "points/rep.hpp"
#include "statistics/resampling.hpp"

namespace mercer {

namespace {

constexpr Index kMost = 1000;  // points whose distances are looked at
constexpr int kSteps = 10;

// Lengths in geometric steps. All is in units of the distances themselves: other units of the data change nothing.
Vector steps(Vector distances) {
  std::sort(distances.begin(), distances.end());
  const double largest = distances.back();
  if (!(largest > 0)) fail(ErrorKind::data, "all points of both samples are equal: there is nothing to tell apart");
  distances.erase(distances.begin(), std::upper_bound(distances.begin(), distances.end(), 0.0));
  const double floor = distances[distances.size() / 2] / 10, quantile = distances[distances.size() / 20];
  const double least = distances.front() < floor ? std::max(quantile, floor) : distances.front();
  Vector out;
  for (int i = 0; i < kSteps; ++i) out.push_back(least / 2 * std::pow(4 * largest / least, i / (kSteps - 1.0)));
  return out;
}

}  // namespace

std::vector<Kernel> bandwidths(const Points& x) {
  if (x.domain().kind != "reals") {
    fail(ErrorKind::domain, "the default kernels are for numbers, and {}; give a kernel", x.rep().describe());
  }
  std::vector<Index> which = detail::by_content(std::span(&x, 1), x.size());
  if (x.size() > kMost) {
    Random random(1);
    detail::shuffle(which, random);
    which.resize(at(kMost));
  }
  const DenseRows rows = dense_rows(x.select(which));
  Vector sums, roots;
  for (Index i = 0; i < rows.values.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      double sum = 0, squares = 0;
      for (Index k = 0; k < rows.values.cols(); ++k) {
        const double difference = rows.values(i, k) - rows.values(j, k);
        sum += std::abs(difference);
        squares += difference * difference;
      }
      sums.push_back(sum);
      roots.push_back(std::sqrt(squares));
    }
  }
  std::vector<Kernel> out;
  for (const double ell : steps(std::move(sums))) out.push_back(laplace(ell));
  // Published for exp(-|x-y|^2 / ell^2).
  for (const double ell : steps(std::move(roots))) out.push_back(rbf(ell / std::sqrt(2.0)));
  return out;
}

}  // namespace mercer
