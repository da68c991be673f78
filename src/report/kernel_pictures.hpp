// Pictures of a kernel alone, without a model: the function, what it believes before it sees data, its matrix.
#pragma once

#include <cstdint>
#include <string>

#include "mercer/evaluate.hpp"
#include "mercer/model.hpp"
#include "report/exhibit.hpp"

namespace mercer::report {

struct Grid {
  double from = -3, to = 3;
  Index count = 241;

  Matrix points() const;  // one column, both ends included
};

// Of a kernel of one number, and of vectors along a line: k(0, r) of a stationary one, else k(a, x) for three places a.
Exhibit kernel_curve(const Kernel& k, const Grid& grid);

// Functions drawn from the Gaussian process that has this kernel and mean 0, with bands that hold 50 and 95 of 100.
Exhibit prior_draws(const Kernel& k, const Grid& grid, Index draws, std::uint64_t seed, const Execution& how = {});

// The matrix on some points, at most `size` of them across. `order` is "file" or "class"; labels may be empty.
Exhibit kernel_matrix(const Kernel& k, const Points& x, const Labels& labels, const std::string& order, Index size,
                      const Execution& how = {});

}  // namespace mercer::report
