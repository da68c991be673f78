// From scores to probabilities of the classes.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

// 1 / (1 + exp(slope f + offset)) without overflow.
double sigmoid(const Sigmoid& s, double f);
double log_sigmoid(const Sigmoid& s, double f);  // its logarithm, exact where it underflows

// Probabilities p of k classes from those of pairs, r(a, b) = P(a | a or b) with r(b, a) = 1 - r(a, b):
// the minimum of sum_{a != b} (r(b, a) p_a - r(a, b) p_b)^2 with sum p = 1, by one k x k solve.
// T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification by pairwise coupling,
// JMLR 5 (2004), their second method.
Vector couple(MatrixView r);

// out = exp(logs) / sum exp(logs)
void normalise(const Vector& logs, double* out);
// The same of each row.
Matrix softmax_of(MatrixView logs);

// The class of the largest number in each row; of equals the first.
std::vector<Index> likeliest(MatrixView p);

}  // namespace mercer::detail
