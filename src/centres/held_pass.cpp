#include "centres/held_pass.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "linalg/lapack.hpp"

namespace mercer::centres {

namespace {

constexpr Index kSlab = 1024;  // rows that are computed at a time where they are wanted in order

}  // namespace

HeldPass::HeldPass(const Pass& pass, bool keep, const Execution& how) : pass_(pass) {
  if (!keep || pass.elsewhere()) return;
  held_ = distributed::share(pass.pieces().size());
  distributed::phase("rows", [&] {
    first_ = pass.rows_of(held_).begin;
    kept_ = Matrix::uninitialized(pass.rows_of(held_).size(), pass.centres());
    of_piece_.resize(at(held_.size()));
    pass.strips(
        held_, kInCache,
        [&](Index piece, Range rows, MatrixRef K) {
          of_piece_[at(piece - held_.begin)].push_back(rows);
          for (Index i = 0; i < rows.size(); ++i) std::copy_n(K.row(i), K.cols(), kept_.row(rows.begin - first_ + i));
        },
        [](Index) {}, how);
  });
}

MatrixView HeldPass::kept(Range rows) const {
  return kept_.view().block({rows.begin - first_, rows.end - first_}, {0, centres()});
}

void HeldPass::strips(Range pieces, const Use& use, const Execution& how) const {
  if (!holds(pieces)) {
    pass_.strips(
        pieces, kInCache, [&](Index piece, Range rows, MatrixRef K) { use(piece, rows, K); }, [](Index) {}, how);
    return;
  }
  const Stage stage("rows");
  parallel_for(pieces.size(), thread_count(how.threads), how.monitor, "pass", [&](Index p, int) {
    const Index piece = pieces.begin + p;
    for (const Range rows : of_piece_[at(piece - held_.begin)]) use(piece, rows, kept(rows));
  });
}

Matrix HeldPass::values(MatrixView u, const Execution& how) const {
  if (pass_.elsewhere()) return pass_.values(u, how);
  Matrix out = Matrix::uninitialized(rows(), u.cols());
  const Range mine = distributed::share(pieces().size());
  distributed::phase("values", [&] {
    strips(
        mine,
        [&](Index, Range rows, MatrixView K) {
          linalg::multiply(1, K, u, 0, out.ref().block(rows, {0, u.cols()}));
        },
        how);
  });
  distributed::gather_rows("values", out, pass_.rows_of(mine));
  return out;
}

HeldPass::Sums HeldPass::back(MatrixView g, const Execution& how) const {
  return through(Matrix(centres(), g.cols()), {.instead = g}, how);  // u says how many columns there are
}

HeldPass::Sums HeldPass::through(MatrixView u, const Between& between, const Execution& how) const {
  using distributed::Part;
  const Given given = between.given(u);
  if (pass_.elsewhere()) {
    Part there = pass_.sum(back_and_one, given, how);
    return {std::move(there[0]), std::move(there[1])};
  }
  Part out = distributed::sum("pass", pieces().size(), back_and_one.shapes(given, centres(), 0),
                              [&](Range mine, const std::function<void(Part)>& take) {
                                std::vector<Part> parts(at(mine.size()));
                                strips(
                                    mine,
                                    [&](Index piece, Range rows, MatrixView K) {
                                      Part& part = parts[at(piece - mine.begin)];
                                      if (part.empty()) {
                                        part.emplace_back(centres(), u.cols());
                                        part.emplace_back(1, u.cols());
                                      }
                                      add_through(K, u, between.of(rows), part);
                                    },
                                    how);
                                for (Part& part : parts) take(std::move(part));
                              });
  return {std::move(out[0]), std::move(out[1])};
}

void HeldPass::slabs(Range pieces, const std::function<void(Range, MatrixView)>& use, const Execution& how) const {
  if (!holds(pieces)) return pass_.slabs(pieces, kSlab, use, how);
  const Range rows = pass_.rows_of(pieces);
  use(rows, kept(rows));
}

}  // namespace mercer::centres
