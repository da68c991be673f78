// What the tests share: resamples in an order that the points decide, and p from their statistics.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "mercer/gram.hpp"
#include "mercer/statistics/test_result.hpp"

namespace mercer::detail {

// UsageError in the name of the test: a level that is none, or so few resamples that p is always above it.
void require_resampling(std::string_view test, const Resampling& options);

// The numbers of the points in an order that the content of these points alone decides, the first ones of those before
// the others' of it; as they are where nothing is known of them.
std::vector<Index> by_content(std::span<const Points> points, Index count);
std::vector<Index> by_content(const Gram& K);

void shuffle(std::vector<Index>& list, Random& random);

// v_b'K v_b for each matrix (row) and each row v_b of v (column), by the lower triangle of K alone, in blocks of rows:
// half the flops of K v, and none of its memory.
Matrix quadratic_forms(std::span<const Gram> matrices, MatrixView v, const Execution& how);
// The same of `rows` vectors, to the same bits, of which `next(which, v)` writes some after those before them: memory
// does not grow with their number, and the monitor is told between some and others.
using NextRows = std::function<void(Range which, MatrixRef v)>;
Matrix quadratic_forms(std::span<const Gram> matrices, Index rows, const NextRows& next, const Execution& how);

// Resamples that are looked at together.
constexpr Index kResamplesAtOnce = 1024;

// What was found, from the statistic of each kernel (row) for the data (first column) and for each resample. Values
// that differ by less than `rounding` of their row are equal: a resample may be the data themselves.
// With several rows each b has T_b, the smallest over the rows of the share of values that reach its own; p is the
// share of b with T_b at most T_0. The b being exchangeable under the hypothesis, p <= alpha has probability at most
// alpha.
TestResult judged(const Matrix& statistics, VectorView rounding, const Resampling& options, std::string null);

// The text of the kernel of a matrix; empty where it has none.
std::string text_of(const Gram& K);

}  // namespace mercer::detail
