#include "mercer/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "distributed/packed.hpp"
#include "distributed/ranks.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "mercer/single.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"
#include "simd/loops.hpp"

namespace mercer {

using detail::Bound;
using detail::Scratch;

namespace {

void require_shape(const char* what, MatrixView m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols) {
    fail(ErrorKind::shape, "{}: a {} x {} matrix is needed, {} x {} was given", what, rows, cols, m.rows(), m.cols());
  }
}

// W_ij + W_ji for a tile below the diagonal, whose mirror image is not visited; W itself on the diagonal.
void fold_weights(MatrixView w, Range i, Range j, double* out) {
  for (Index a = 0; a < i.size(); ++a) std::copy_n(w.row(i.begin + a) + j.begin, j.size(), out + a * j.size());
  if (i.begin == j.begin) return;
  constexpr Index kBlock = 16;  // transposed reads by blocks, so that each cache line is used whole
  for (Index b0 = 0; b0 < j.size(); b0 += kBlock) {
    for (Index a0 = 0; a0 < i.size(); a0 += kBlock) {
      for (Index b = b0; b < std::min(b0 + kBlock, j.size()); ++b) {
        const double* mirror = w.row(j.begin + b) + i.begin;
        for (Index a = a0; a < std::min(a0 + kBlock, i.size()); ++a) out[a * j.size() + b] += mirror[a];
      }
    }
  }
}

// Rows of numbers are prepared as a copy, and those in single precision in double: so many at once.
constexpr Index kAtOnce = 16384;

// `work` on parts of the points where they are many and `divisible`, else on all.
template <class Work>
void in_parts(const Points& x, bool divisible, Work work) {
  if (!divisible || x.size() <= kAtOnce) return work(Range{0, x.size()});
  for (Index first = 0; first < x.size(); first += kAtOnce) work(Range{first, std::min(x.size(), first + kAtOnce)});
}

// What is wrong with a part is said of the whole, whose rows users count.
Bound bind(const Kernel& k, const Points& x, const Points& y, const Points& all_x, const Points& all_y,
           Index first_row) {
  try {
    Bound bound(k, x, y);
    bound.count_rows_from(first_row);
    return bound;
  } catch (const Error&) {
    const Bound all(k, all_x, all_y);
    throw;
  }
}

// The reverse sweep over all of K(x, y). Each row of tiles owns its rows of `input` and its partial sum
// of the parameters' gradient, so the result does not depend on the number of threads.
std::vector<Vector> sweep(const Bound& bound, MatrixView w, MatrixRef input, const Execution& how) {
  const Tiling rows(bound.rows(), how.tile), columns(bound.cols(), how.tile);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  std::vector<Vector> parts(at(rows.count()), Vector(at(bound.parameters())));
  parallel_for(rows.count(), threads, how.monitor, "gradient", [&](Index t, int thread) {
    const Range i = rows.block(t);
    Vector weights;
    for (Index c = 0; c < columns.count(); ++c) {
      const Range j = columns.block(c);
      weights.resize(at(i.size() * j.size()));
      for (Index a = 0; a < i.size(); ++a) {
        std::copy_n(w.row(i.begin + a) + j.begin, j.size(), weights.data() + a * j.size());
      }
      bound.pullback(i, j, weights.data(), parts[at(t)].data(), input, scratch[at(thread)]);
    }
  });
  return parts;
}

}  // namespace

void gram(const Kernel& k, const Points& x, MatrixRef out, const Execution& how) {
  require_shape("gram", out, x.size(), x.size());
  detail::AllPairs(k.resolve(x), x).gram(out, how);
}

Matrix gram(const Kernel& k, const Points& x, const Execution& how) {
  Matrix out = Matrix::uninitialized(x.size(), x.size());
  gram(k, x, out.ref(), how);
  return out;
}

void cross(const Kernel& k, const Points& x, const Points& y, MatrixRef out, const Execution& how) {
  require_shape("cross", out, x.size(), y.size());
  const Stage stage("rows");
  const Bound bound(k.resolve(x), x, y);
  const std::vector<Tiling::Pair> tiles = all_pairs(Tiling(x.size(), how.tile), Tiling(y.size(), how.tile));
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  parallel_for(static_cast<Index>(tiles.size()), threads, how.monitor, "gram", [&](Index t, int thread) {
    const auto [i, j] = tiles[at(t)];
    const double* tile = bound.tile(i, j, scratch[at(thread)]);
    simd::store(tile, at(i.size()), at(j.size()), at(j.size()), &out(i.begin, j.begin), at(out.stride()));
  });
}

Matrix cross(const Kernel& k, const Points& x, const Points& y, const Execution& how) {
  Matrix out = Matrix::uninitialized(x.size(), y.size());
  cross(k, x, y, out.ref(), how);
  return out;
}

Vector diagonal(const Kernel& k, const Points& x) {
  const Kernel resolved = k.resolve(x);
  Vector out;
  out.reserve(at(x.size()));
  if (is_elsewhere(x)) {
    const Matrix all = rows_elsewhere(x, {.name = "diagonal", .setting = resolved.str()});
    return {all.data(), all.data() + all.rows()};
  }
  if (is_streamed(x)) {
    distributed::each(
        "diagonal", (x.size() + kAtOnce - 1) / kAtOnce,
        [&](Index block) {
          const Range part = {block * kAtOnce, std::min(x.size(), (block + 1) * kAtOnce)};
          const Points some = x.slice(part);
          Bound bound(resolved, some, some);
          bound.count_rows_from(part.begin);
          Vector own(at(part.size()));
          Scratch scratch;
          bound.diagonal({0, part.size()}, own.data(), scratch);
          return distributed::Packing().all(VectorView(own)).bytes();
        },
        [&](const std::string& bytes) {
          const Vector own = distributed::Unpacking(bytes).all<double>();
          out.insert(out.end(), own.begin(), own.end());
        });
    return out;
  }
  out.resize(at(x.size()));
  const bool divisible = x.domain().kind == "reals" && !is_sparse(x);
  in_parts(x, divisible, [&](Range part) {
    const Points some = part.size() == x.size() ? x : x.slice(part);
    Scratch scratch;
    bind(resolved, some, some, x, x, part.begin).diagonal({0, part.size()}, out.data() + part.begin, scratch);
  });
  return out;
}

namespace {

void multiply_part(const Bound& bound, MatrixView v, MatrixRef out, const Execution& how) {
  const Tiling tiling(bound.rows(), how.tile), columns(bound.cols(), how.tile);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  parallel_for(tiling.count(), threads, how.monitor, "multiply", [&](Index t, int thread) {
    const Range i = tiling.block(t), all{0, v.cols()};
    for (Index a = i.begin; a < i.end; ++a) std::fill_n(out.row(a), v.cols(), 0.0);
    const bool side_by_side = v.cols() == 1 && v.stride() == 1 && out.stride() == 1;
    for (Index c = 0; c < columns.count(); ++c) {
      const Range j = columns.block(c);
      const double* tile = bound.tile(i, j, scratch[at(thread)]);
      if (side_by_side) {
        simd::tile_products(tile, at(j.size()), at(i.size()), at(j.size()), v.row(j.begin), out.row(i.begin), nullptr,
                            nullptr);
      } else {
        linalg::multiply(1, {tile, i.size(), j.size()}, v.block(j, all), 1, out.block(i, all));
      }
    }
  });
}

}  // namespace

void multiply(const Kernel& k, const Points& x, const Points& y, MatrixView v, MatrixRef out, const Execution& how) {
  require_shape("multiply: v", v, y.size(), v.cols());
  require_shape("multiply: the result", out, x.size(), v.cols());
  const Stage stage("rows");
  const Kernel resolved = k.resolve(x);
  in_parts(x, is_single_precision(x), [&](Range part) {
    if (part.size() == x.size()) return multiply_part(Bound(resolved, x, y), v, out, how);
    Execution some = how;
    some.monitor = Monitor([&](const Progress& p) {
      const double done = static_cast<double>(part.begin) + p.fraction * static_cast<double>(part.size());
      how.monitor.report({p.stage, done / static_cast<double>(x.size())});
      return true;
    });
    multiply_part(bind(resolved, x.slice(part), y, x, y, part.begin), v, out.block(part, {0, v.cols()}), some);
  });
}

Matrix multiply(const Kernel& k, const Points& x, const Points& y, MatrixView v, const Execution& how) {
  Matrix out = Matrix::uninitialized(x.size(), v.cols());
  multiply(k, x, y, v, out.ref(), how);
  return out;
}

Vector gradient(const Kernel& k, const Points& x, MatrixView w, const Execution& how) {
  require_shape("gradient: W", w, x.size(), x.size());
  return detail::AllPairs(k.resolve(x), x)
      .gradient([w](Range i, Range j, double* out) { fold_weights(w, i, j, out); }, how);
}

Vector gradient(const Kernel& k, const Points& x, const Points& y, MatrixView w, const Execution& how) {
  require_shape("gradient: W", w, x.size(), y.size());
  const Kernel resolved = k.resolve(x);
  return detail::sum_of_gradients(sweep(Bound(resolved, x, y), w, {}, how), resolved);
}

Matrix input_gradient(const Kernel& k, const Points& x, const Points& y, MatrixView w, const Execution& how) {
  require_shape("input_gradient: W", w, x.size(), y.size());
  if (x.domain().kind != "reals") {
    fail(ErrorKind::domain, "input_gradient: the inputs are {}; only real vectors have a gradient", x.domain().str());
  }
  const Bound bound(k.resolve(x), x, y);
  Matrix out(x.size(), x.domain().dimension);
  sweep(bound, w, out, how);
  for (Index i = 0; i < out.rows(); ++i) {
    if (simd::all_finite(out.row(i), at(out.cols()))) continue;
    fail(ErrorKind::numeric, "input_gradient: the slope at row {} is too large for double precision", i + 1);
  }
  return out;
}

}  // namespace mercer
