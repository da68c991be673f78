#include "solve/path.hpp"

#include "base/parallel.hpp"
#include "linalg/low_rank.hpp"
#include "solve/kinds.hpp"

namespace mercer::solve {

Path path_for(const Equations& e, MatrixView b, const std::function<Vector(double trace)>& shifts, const Wishes& wishes,
              const Execution& how) {
  Path out;
  if (std::optional<Factor> factor = factor_of(e)) {
    out.trace = factor->trace;
    out.factored = true;
    out.shifts = shifts(out.trace);
    out.all = linalg::low_rank_solves(factor->G, b, out.shifts, how.monitor);
    return out;
  }
  if (wishes.require) wishes.require(e.size());
  Matrix B = Matrix::uninitialized(e.size(), e.size());
  assemble_lower(e, B, how);
  for (Index i = 0; i < B.rows(); ++i) out.trace += B(i, i);
  out.shifts = shifts(out.trace);
  out.all = linalg::shifted_solves(std::move(B), b, out.shifts, thread_count(how.threads), how.monitor);
  return out;
}

}  // namespace mercer::solve
