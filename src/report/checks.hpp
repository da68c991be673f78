// Tests of what a model says of its own errors, on points that were left out. Each gives the chance of seeing as much
// where there is nothing to see; a report that makes several divides its level among them, so that all together raise a
// false alarm in at most 5 of 100 cases (kOverallLevel, after Bonferroni). tests/report/checks_test.cpp holds them to
// that by drawing data for which nothing is wrong.
#pragma once

#include <optional>
#include <span>

#include "mercer/matrix.hpp"

namespace mercer::report {

inline constexpr double kOverallLevel = 0.05;
inline constexpr Index kFewestChecked = 20;  // points; of fewer a test says nothing

// Whether probabilities are what happens: in ten bins of each class, how far the number that happened is from the sum
// of the probabilities, in deviations; the largest of all is compared with the largest in 199 sets of classes drawn
// from the probabilities themselves, so that the level holds whatever they are, 0 and 1 included.
struct Bin {
  Index cls = 0;
  double sum = 0, hits = 0, count = 0;  // of the probabilities, of the points of the class, of all
  double variance = 0;                  // of the hits
  double deviation() const;             // |hits - sum| in standard deviations
};
struct ProbabilityCheck {
  std::vector<Bin> bins = {};  // those with points, by class
  std::size_t worst = 0;       // the bin that is furthest off
  double chance = 1;
};
// `classes`: which columns are looked at. Of more than 20,000 points the chance is that of an even sample.
ProbabilityCheck check_probabilities(MatrixView probabilities, std::span<const Index> truth,
                                     std::span<const Index> classes);

// Whether errors are as large as the model expects: z are errors over their expected deviations, `freedom` how many
// independent ones they are worth. The sum of squares against a chi-square (Satterthwaite 1946; its tail after
// Wilson & Hilferty 1931).
double chance_of_size(VectorView z, double freedom);
// Whether the largest |z| is what so many normal numbers may have.
double chance_of_largest(VectorView z);
// The same of errors whose size nobody states: the one furthest from the mean of the others, over their own deviation,
// which for normal errors of one size has Student's distribution with n - 2 degrees (its tail after Wallace 1959).
struct FarthestCheck {
  std::size_t row = 0;
  double deviations = 0, chance = 1;
};
FarthestCheck check_farthest(VectorView errors);
// Whether neighbours in the order of the rows err alike: the sum of their products over the root of the sum of its
// squares, which is normal for independent errors of whatever sizes. One-sided.
struct OrderCheck {
  double correlation = 0, chance = 1;
};
OrderCheck check_order(VectorView errors);
// Whether errors grow, or shrink, with what is predicted: the rank correlation (Spearman 1904) of both.
OrderCheck check_growth(VectorView predicted, VectorView errors);

// The number of independent ones that m numbers of this correlation are worth, in a sum of squares: m^2 / |C|_F^2. Of a
// covariance, whose diagonal is taken out.
double independent_ones(MatrixView covariance);

}  // namespace mercer::report
