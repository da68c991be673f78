// Rows of f(L) for a large sparse L: f as a series of Chebyshev polynomials, only for the nodes asked for.
//
// Sixteen columns e_j at a time go through T_(k+1) = 2 X T_k - T_(k-1), X = 2 L/top - 1, and of each T_k the rows asked
// for are added up. Cost: degree x entries of L x columns. It is bound by memory: a neighbour is one or two cache lines
// from anywhere. So
//   - the first T_k, which reach a few nodes only, are computed at those;
//   - what is stored loses digits where they cannot matter: T_k enters the sum with weights that fall as exp(-k^2 /
//   2z), and
//     from some k on single precision keeps within the error that is asked for (error_weights()).
#pragma once

#include <cstdint>
#include <span>

#include "domains/nodes/chebyshev.hpp"
#include "domains/nodes/operator.hpp"

namespace mercer::detail {

// Row c of the result holds f(L)(columns[c], rows[r]) for all r, to the error of the series plus `rounding`, both in
// the Euclidean norm of the column over all nodes. The same bits for a pair of nodes whatever else is asked for.
Matrix series_rows(const NodeOperator& l, const ChebyshevSeries& f, double rounding,
                   std::span<const std::int32_t> columns, std::span<const std::int32_t> rows);

// f(L)(i, i) of these nodes, the same bits.
Vector series_diagonal(const NodeOperator& l, const ChebyshevSeries& f, double rounding,
                       std::span<const std::int32_t> nodes);

}  // namespace mercer::detail
