#include "machines/clusters/affinity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/clusters/found.hpp"
#include "machines/clusters/scaled.hpp"
#include "points/distinct.hpp"

namespace mercer::detail {

namespace {

// So many points have all their eigenvectors computed.
constexpr Index kAllEigenvectors = 500;
// Of a sum of products, beside the product of the sizes.
constexpr double kRounding = 1e-13;

// K less its diagonal, but for some points that keep theirs.
class WithoutSelf final : public GramSource {
 public:
  WithoutSelf(Gram inner, Vector taken) : inner_(std::move(inner)), taken_(std::move(taken)) {}
  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override {
    inner_.source().diagonal(out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= taken_[i];
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    inner_.source().rows(which, out, how);
    for (Index r = 0; r < out.rows(); ++r) out(r, which[at(r)]) -= taken_[at(which[at(r)])];
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    inner_.source().multiply(v, out, how);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) out(i, j) -= taken_[at(i)] * v(i, j);
    }
  }

 private:
  Gram inner_;
  Vector taken_;
};

void require_degree(double degree, double rounding, double own, Index name) {
  if (degree > rounding) return;
  if (degree == 0 && own == 0) {
    fail(ErrorKind::data,
         "spectral: point {} is like no point, not even itself (all its k(x, y) are 0); leave it out, or take a "
         "kernel that finds something in it",
         name + 1);
  }
  fail(ErrorKind::usage,
       "spectral: what point {} has in common with the others adds to {:.3g}, and a cut needs numbers above 0; take a "
       "kernel without negative values, such as rbf, or kmeans",
       name + 1, degree);
}

}  // namespace

Places places_of(const Gram& K, VectorView weights) {
  const std::optional<Points> x = K.points();
  const std::vector<Index> equal_to = x ? first_equal(*x) : std::vector<Index>();
  const auto content = [&](std::size_t i) { return x ? at(equal_to[i]) : i; };
  Places out{.first = {}, .weights = {}, .of = std::vector<Index>(weights.size(), -1)};
  std::vector<Index> place(weights.size(), -1);  // of each content
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    Index& here = place[content(i)];
    if (here < 0) {
      here = static_cast<Index>(out.first.size());
      out.first.push_back(static_cast<Index>(i));
      out.weights.push_back(0);
    }
    out.of[i] = here;
    out.weights[at(here)] += weights[i];
  }
  return out;
}

Gram at_places(const Gram& K, const Places& places) {
  return static_cast<Index>(places.first.size()) == K.size() ? K : select(K, places.first);
}

Places only(const Places& places, const std::vector<Index>& kept) {
  std::vector<Index> number(places.first.size(), -1);
  Places out{.first = {}, .weights = {}, .of = places.of};
  for (const Index place : kept) {
    number[at(place)] = static_cast<Index>(out.first.size());
    out.first.push_back(places.first[at(place)]);
    out.weights.push_back(places.weights[at(place)]);
  }
  for (Index& place : out.of) place = place < 0 ? -1 : number[at(place)];
  return out;
}

Affinity by_values(const Gram& given, VectorView weights, const std::vector<Index>& names, const Execution& how) {
  const Gram K = in_memory(given, how);
  const Vector own = K.diagonal();
  Vector taken = own;
  const auto apart = [&] {
    if (K.dense().empty()) return Gram(std::make_shared<const WithoutSelf>(K, taken));
    // In memory the sums have all digits, however small they are beside k(x, x).
    Matrix a(K.dense());
    for (Index i = 0; i < a.rows(); ++i) a(i, i) = own[at(i)] - taken[at(i)];
    return precomputed(std::move(a));
  };
  Affinity out{.A = apart(), .degrees = {}};
  out.degrees = out.A.multiply(weights, how);
  const bool exact_sums = !K.dense().empty() && std::all_of(K.dense().data(), K.dense().data() + K.size() * K.size(),
                                                            [](double k) { return k >= 0; });
  if (!K.dense().empty() && K.size() > 1) {
    const auto [least, most] = std::minmax_element(K.dense().data(), K.dense().data() + K.size() * K.size());
    if (*most - *least <= kRounding * std::abs(*most)) fail_indistinct("spectral");
  }
  double sizes = 0;
  for (std::size_t i = 0; i < own.size(); ++i) sizes += weights[i] * std::sqrt(std::max(0.0, own[i]));
  bool alone = false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double rounding = exact_sums ? 0 : kRounding * std::sqrt(std::max(0.0, own[i])) * sizes;
    if (std::abs(out.degrees[i]) <= rounding && own[i] > 0) {
      taken[i] = 0;
      out.degrees[i] = weights[i] * own[i];
      alone = true;
    }
    require_degree(out.degrees[i], 0, own[i], names[i]);
  }
  if (alone) out.A = apart();
  return out;
}

std::vector<Index> seen_by_features(const Gram& features, VectorView own, VectorView weights,
                                    const std::vector<Index>& names, const Execution& how) {
  constexpr double kMostlySeen = 0.5;
  const Vector found = features.diagonal();
  Vector lacking(own.size()), counted(weights.begin(), weights.end());
  double sizes = 0, lacking_of_all = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    lacking[i] = std::sqrt(std::max(0.0, own[i] - found[i]));
    sizes += weights[i] * std::sqrt(std::max(0.0, found[i]));
    lacking_of_all += weights[i] * lacking[i];
  }
  // What one of them lacks is missing from the degrees of the others: so again until none is found.
  for (bool again = true; again;) {
    again = false;
    Vector degrees = features.multiply(counted, how);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (counted[i] == 0) continue;
      const double degree = degrees[i] - counted[i] * found[i];
      const double rounding = kRounding * std::sqrt(std::max(0.0, found[i])) * sizes;
      if (degree > rounding) continue;
      if (degree < -rounding - lacking[i] * lacking_of_all) require_degree(degree, 0, own[i], names[i]);
      if (std::abs(degree) <= rounding && found[i] > kMostlySeen * own[i]) continue;
      counted[i] = 0;
      again = true;
    }
  }
  std::vector<Index> out;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (counted[i] > 0) out.push_back(static_cast<Index>(i));
  }
  return out;
}

Index usual_neighbours(Index points, Index clusters) {
  constexpr Index kUsual = 10, kLeast = 2;
  return std::clamp(points / (2 * std::max<Index>(clusters, 1)), kLeast, kUsual);
}

linalg::LargestEigen leading(const Affinity& affinity, VectorView weights, Index count, const Execution& how) {
  Vector half;
  for (std::size_t i = 0; i < weights.size(); ++i) half.push_back(std::sqrt(weights[i] / affinity.degrees[i]));
  const Gram B = scaled(affinity.A, std::move(half));
  const Index n = B.size();
  if (n <= kAllEigenvectors) {
    std::vector<Index> all(at(n));
    std::iota(all.begin(), all.end(), Index{0});
    how.monitor.report({"eigen", 0});
    return linalg::largest_eigen(B.rows(all, how).view(), std::min(n, count), how.monitor);
  }
  const linalg::Symmetric by_products{
      n, [&](MatrixView v, MatrixRef out) { B.source().multiply(v, out, {.tile = how.tile, .threads = how.threads}); }};
  // A graph of as many pieces has 1 for an eigenvalue as often.
  return linalg::largest_eigen(by_products, count, {.block = std::max<Index>(8, count)}, how.monitor);
}

double separation(const Vector& eigenvalues, Index clusters) {
  constexpr double kRounding = 1e-9;  // of an eigenvalue, which is 1 for each piece
  if (static_cast<Index>(eigenvalues.size()) <= clusters) return std::numeric_limits<double>::quiet_NaN();
  const double here = std::max(kRounding, 1 - eigenvalues[at(clusters - 1)]);
  const double next = std::max(kRounding, 1 - eigenvalues[at(clusters)]);
  return (std::sqrt(next) - std::sqrt(here)) * (1 - here / next);
}

Index number_of_clusters(const Vector& eigenvalues) {
  Index best = std::min<Index>(2, static_cast<Index>(eigenvalues.size()));
  for (Index k = 3; k <= kMostClusters && k < static_cast<Index>(eigenvalues.size()); ++k) {
    if (separation(eigenvalues, k) > separation(eigenvalues, best)) best = k;
  }
  return best;
}

}  // namespace mercer::detail
