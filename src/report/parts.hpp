// Small pieces that pictures are made of: ranges, grids, samples, counts, intervals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/exhibit.hpp"
#include "report/histogram.hpp"
#include "report/subject.hpp"

namespace mercer::report {

// ---- numbers ----

struct Extent {
  double low = 0, high = 0;
};
Extent extent(VectorView values);                       // of those that are finite; {0, 0} where none is
Extent with_margin(Extent range, double share = 0.05);  // wider on both sides; never empty
Vector spaced(Extent range, Index count);               // evenly, both ends included
Vector log_spaced(Extent range, Index count);           // evenly in the logarithm
Vector column_of(MatrixView m, Index column);
Vector picked(VectorView values, std::span<const Index> which);
double quantile(Vector values, double share);  // linear between neighbours; values are not empty
double mean_of(VectorView values);
bool all_finite(VectorView values);

double normal_cdf(double z);
double normal_quantile(double p);                                                   // p in (0, 1)
inline constexpr double kBand50 = 0.6744897501960817, kBand95 = 1.959963984540054;  // half widths in deviations

// 95 % of the times, the number of hits among n with probability p is in here.
struct CountRange {
  Index low = 0, high = 0;
};
CountRange binomial_band(Index n, double p);
// The 95 % interval of a share, after Wilson (1927).
Extent wilson(double hits, double n);

// Counts in so many bins of equal width; what is outside counts at the ends.
Histogram counts_in(VectorView values, Extent range, Index bins);
Json to_json(const Histogram& histogram);

// At most `most` of n points, increasing: all of them, or every so many-th in the order of `key`, so that classes or
// ranges of values keep their shares.
std::vector<Index> sample_by(VectorView key, Index most = kMostPoints);
std::vector<Index> sample_by(std::span<const Index> groups, Index most = kMostPoints);
// "; 5,000 of the 20,000 points are drawn", or nothing.
std::string sample_words(std::size_t drawn, std::size_t all);

// ---- words ----

std::string figure(double value);   // four digits: "0.1235"
std::string percent(double share);  // "93.8 %"
Json axis(const std::string& label, bool log = false);
std::string input_name(const Points& x, Index column);         // "dose", or "x1"
std::string target_name(const Model& model, Index target);     // "price", or "y"
std::vector<Index> row_numbers(std::span<const Index> which);  // from 1

// ---- the model ----

Borders borders_of(const Subject& subject);  // where the loss of its machine begins

// ---- inputs ----

// The number of columns of dense real inputs; 0 of others.
Index real_columns(const Points& x);
// Rows like those of x.
Points like(const Points& x, Matrix values);
// Where a model is a sum over a part of the points only: |alpha| of each point of the subject; empty where all or none
// is support, or the points are not those of the fit.
Vector support_of(const Subject& subject, Index output = 0);

}  // namespace mercer::report
