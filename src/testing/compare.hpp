// What the laws compare with, and what they draw.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "mercer/matrix.hpp"
#include "mercer/points.hpp"

namespace mercer::testing {

double largest(MatrixView m);                   // |entry|
double difference(MatrixView a, MatrixView b);  // the largest |a - b|; NaN where one is, or where sizes differ
bool is_finite(MatrixView m);
Matrix random_matrix(Index rows, Index cols, Random& random);  // standard normal
std::vector<Index> numbers_up_to(Index n);                     // 0, 1, ..., n - 1
void shuffle(std::vector<Index>& order, Random& random);
Points as_sparse(const Points& x);  // the same real inputs as sparse rows

}  // namespace mercer::testing
