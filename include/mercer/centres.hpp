// mercer/centres.hpp: few points that stand for many.
//
//     Centres z = choose_centres(k, x, {.count = 1000});
//     Matrix F = z.features(x);                   // F F' is near K(X, X), and never above it
//     Model m = fit("svc", {{"C", "10"}}, {.K = lazy(k, x), .labels = labels, .centres = z});
//
// With Z the centres and K(Z, Z) = L L', the features of a point are phi(x) = L^-1 k(Z, x), and
//     phi(x)'phi(y) = k(x, Z) K(Z, Z)^-1 k(Z, y)
// is the kernel of functions sum_j beta_j k(z_j, .) of the centres alone (Nystrom's approximation). Every machine that
// is an expansion can be fitted in these features, and its f is again one in k, with m centres instead of n.
//
// A Centres is an immutable value; copying it copies a pointer. Any domain: strings and graphs as well as vectors.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mercer/evaluate.hpp"
#include "mercer/expansion.hpp"

namespace mercer {

// How they are chosen.
enum class CentresBy {
  rpcholesky,  // drawn by what the centres before leave of k(x, x): finds clusters, and no outlier takes all
  uniform,     // any points alike
  kmeanspp,    // drawn by the squared distance in feature space from the nearest centre before
  thinning,    // with a mean in feature space near that of all (mercer/statistics/representatives.hpp)
};
std::string_view name_of(CentresBy by);
CentresBy centres_by(std::string_view name);  // UsageError, with the names, for any other

struct CentreWishes {
  Index count = 1000;
  CentresBy by = CentresBy::rpcholesky;
  std::uint64_t seed = 1;
};

class Centres {
 public:
  // These points of their own. Equal ones are taken once, and what rounding needs is added to the diagonal of K(Z, Z).
  // m^3/3 flops, m^2 numbers.
  Centres(Kernel resolved, const Points& centres, const Execution& how = {});

  const Kernel& kernel() const;
  const Points& points() const;
  Index size() const;
  MatrixView root() const;  // L, lower; above the diagonal: 0
  double jitter() const;    // that K(Z, Z) was given

  // phi(x), a row for each point. m kernel values and m^2 flops a point.
  Matrix features(const Points& x, const Execution& how = {}) const;
  // f(x) = w'phi(x) + b, a column of w and a number b for each output, as an expansion in k: beta = L^-T w.
  Expansion expansion(const Matrix& w, Vector bias, Index training_size) const;

  // How they were chosen; points that were given have 0 looked at.
  struct Choice {
    CentreWishes wishes = {};
    Index looked_at = 0;        // of the points: a sample where there are many
    Index points = 0;           // that there were
    double trace_left_out = 0;  // the share of tr K, of those looked at, that the features lack
  };
  const Choice& choice() const;
  Centres chosen_as(Choice choice) const;  // the same, chosen so

 private:
  struct Rep;
  std::shared_ptr<const Rep> rep_;
};

// Some of the points; a uniform sample of them is looked at where there are more than `most_looked_at(count)`. The
// kernel is resolved on x first. UsageError where there are fewer points than centres. Where fewer different points, or
// fewer dimensions, are there than was wished, so are the centres. Cost of rpcholesky: m^2 s flops and m s numbers for
// s points looked at; of kmeans++ m s kernel values, of thinning s^2.
Centres choose_centres(const Kernel& k, const Points& x, const CentreWishes& wishes, const Execution& how = {});
Index most_looked_at(Index count);

}  // namespace mercer
