// mercer/check.hpp: can this function be a kernel?
//
// A kernel is symmetric, and for any points x_1..x_n and weights c_1..c_n, sum_ij c_i c_j k(x_i, x_j) >= 0. One set of
// points and weights with a negative sum disproves it for good; finding none proves nothing. A formula that is put
// together by rules that keep kernels, as (1 + x*y)^2 is, is one by its form.
//
//     CheckResult r = check(Formula::parse("exp(-abs(x-y)^3)"));
//     std::puts(r.str().c_str());        // not a kernel: with these 3 points and weights c, sum_ij ... = -0.57 < 0 ...
//
// Points and weights are simplified until a reader can verify them by hand, and the value given is that of the printed
// numbers. A counterexample counts only when it is negative far beyond rounding error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/formula.hpp"
#include "mercer/matrix.hpp"

namespace mercer {

struct Counterexample {
  enum class Kind {
    undefined,   // k has no finite value at the pair points[0], points[last]
    asymmetric,  // k(x, y) and k(y, x) differ at the pair
    indefinite,  // weights' gram weights < 0
  };
  Kind kind{};
  Matrix points;   // one row per point
  Vector weights;  // indefinite only
  Matrix gram;     // k of every two points
  double value{};  // k(x, y); k(x, y) - k(y, x); weights' gram weights
  std::string str() const;
};

// Where the points may lie.
enum class Inputs {
  automatic,    // reals, or the first of the others on which the function is defined
  reals,        //
  nonnegative,  // every component >= 0
  unit_ball,    // Euclidean norm < 1
};

struct CheckOptions {
  std::uint64_t seed = 1;
  int tries = 1500;     // random sets of points in each dimension, besides some 2000 regular ones
  Index dimension = 0;  // 0: several, chosen from the formula
  Inputs inputs = Inputs::automatic;
};

// A kernel of Mercer's catalog that has the same values as a formula, or is it by its form.
struct CatalogMatch {
  std::string kernel;             // in Mercer's kernel grammar: "2*rbf(ell=1)"
  Inputs inputs = Inputs::reals;  // where it is a kernel
  friend bool operator==(const CatalogMatch&, const CatalogMatch&) = default;
};

struct CheckResult {
  std::optional<Counterexample> counterexample;
  Index tries = 0;                        // sets of points examined
  std::vector<Index> dimensions;          // of the points
  Inputs inputs = Inputs::reals;          // where they lay
  std::optional<Counterexample> outside;  // why a larger domain was not searched: what goes wrong there
  std::optional<Counterexample> skipped;  // undefined, but only at isolated points, which were left out
  std::optional<CatalogMatch> match;
  std::optional<CatalogMatch> derived;  // a kernel that the formula is by its form: its proof is one of the formula
  std::string str() const;              // for a person, several lines
  std::string json() const;             // for a program, one object
};

using PairFunction = std::function<double(VectorView, VectorView)>;

// Searches for a counterexample among points of the given dimensions. Deterministic given the seed; a fraction of a
// second for a cheap function. Whatever k throws is passed on.
CheckResult search_counterexample(const PairFunction& k, std::span<const Index> dimensions,
                                  const CheckOptions& options = {});
// The same for a formula, with its rounding error judged by Formula::precise and with the catalog consulted.
CheckResult check(const Formula& formula, const CheckOptions& options = {});

// The catalog kernel that the formula equals at some hundred random pairs (relative 1e-10), if there is one. Dimension
// 0 means all that the formula takes.
std::optional<CatalogMatch> recognise(const Formula& formula, Index dimension = 0);

// The kernel that the formula is by its form: dot products, functions of the difference x - y, and what sums, products,
// powers and exp make of these, with all their numbers. Nothing is compared; where a formula is written in another way,
// there is none.
std::optional<CatalogMatch> derive(const Formula& formula);

const char* name_of(Inputs inputs);
const char* name_of(Counterexample::Kind kind);

}  // namespace mercer
