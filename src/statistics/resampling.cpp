#include "statistics/resampling.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

void require_resampling(std::string_view test, const Resampling& options) {
  if (!(options.alpha > 0 && options.alpha < 1)) {
    fail(ErrorKind::usage, "{}: alpha must be between 0 and 1, and is {}", test, options.alpha);
  }
  const double least = 1 / (1 + static_cast<double>(options.resamples));
  if (options.resamples < 1 || least > options.alpha) {
    fail(
        ErrorKind::usage,
        "{}: with {} resamples p is at least {:.3g}, above alpha = {}, and nothing could be rejected; take at least {}",
        test, options.resamples, least, options.alpha, static_cast<Index>(std::ceil(1 / options.alpha)) - 1);
  }
}

std::vector<Index> by_content(std::span<const Points> points, Index count) {
  std::vector<Index> order(at(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    for (const Points& x : points) {
      if (const int sign = x.rep().compare(i, j); sign != 0) return sign < 0;
    }
    return i < j;
  });
  return order;
}

std::vector<Index> by_content(const Gram& K) {
  std::vector<Points> known;
  if (const std::optional<Points> x = K.points()) known.push_back(*x);
  return by_content(known, K.size());
}

void shuffle(std::vector<Index>& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[at(random.below(static_cast<Index>(i)))]);
}

namespace {

constexpr Index kColumns = 512;  // vectors that are multiplied together
static_assert(kResamplesAtOnce % kColumns == 0, "the same vectors are multiplied together however many there are");

// The rows `i` of K, up to the diagonal at least; `own` holds them where K is not in memory.
MatrixView band_of(const Gram& K, Range i, const Execution& how, Matrix& own) {
  if (!K.dense().empty()) return K.dense().block(i, {0, i.end});
  std::vector<Index> which(at(i.size()));
  std::iota(which.begin(), which.end(), i.begin);
  own = K.rows(which, {.tile = how.tile});
  return own;
}

// By squares that stay in cache.
Matrix transposed(MatrixView a) {
  constexpr Index kSquare = 32;
  Matrix out = Matrix::uninitialized(a.cols(), a.rows());
  for (Index j0 = 0; j0 < a.cols(); j0 += kSquare) {
    for (Index i0 = 0; i0 < a.rows(); i0 += kSquare) {
      for (Index j = j0; j < std::min(a.cols(), j0 + kSquare); ++j) {
        for (Index i = i0; i < std::min(a.rows(), i0 + kSquare); ++i) out(j, i) = a(i, j);
      }
    }
  }
  return out;
}

// sum[b] += sum_a x_ab y_ab
void add_products(MatrixView x, MatrixView y, double* sum) {
  for (Index a = 0; a < x.rows(); ++a) {
    const double *left = x.row(a), *right = y.row(a);
    for (Index b = 0; b < x.cols(); ++b) sum[b] += left[b] * right[b];
  }
}

}  // namespace

Matrix quadratic_forms(std::span<const Gram> matrices, MatrixView v, const Execution& how) {
  constexpr Index kRows = 384, kDiagonal = 96;
  const Tiling rows(v.cols(), kRows), columns(v.rows(), kColumns);
  const auto count = static_cast<Index>(matrices.size());
  std::vector<Matrix> parts(at(columns.count()));  // columns that are multiplied together
  for (Index c = 0; c < columns.count(); ++c) parts[at(c)] = transposed(v.block(columns.block(c), {0, v.cols()}));
  std::vector<Vector> sums(at(count * rows.count()), Vector(at(v.rows())));
  parallel_for(count * rows.count(), thread_count(how.threads), how.monitor, "resamples", [&](Index task, int) {
    const Index block = rows.count() - 1 - task / count;  // the longest first
    const Range i = rows.block(block);
    Matrix own, space = Matrix::uninitialized(i.size(), std::min(kColumns, v.rows()));
    const MatrixView band = band_of(matrices[at(task % count)], i, how, own);
    double* sum = sums[at(task % count * rows.count() + block)].data();
    for (const Matrix& part : parts) {
      const Range all{0, part.cols()};
      const MatrixView x = part;
      const MatrixRef product(space.data(), i.size(), part.cols());
      if (i.begin > 0) {
        linalg::multiply(2, band.block({0, i.size()}, {0, i.begin}), x.block({0, i.begin}, all), 0, product);
      } else {
        std::fill_n(product.data(), i.size() * part.cols(), 0.0);
      }
      // The block on the diagonal by narrow rows, of which again only what is below the diagonal.
      for (Index begin = 0; begin < i.size(); begin += kDiagonal) {
        const Range some{begin, std::min(begin + kDiagonal, i.size())}, there{i.begin + some.begin, i.begin + some.end};
        const MatrixRef to = product.block(some, all);
        linalg::multiply(1, band.block(some, there), x.block(there, all), 1, to);
        if (begin == 0) continue;
        const Range before{i.begin, there.begin};
        linalg::multiply(2, band.block(some, before), x.block(before, all), 1, to);
      }
      add_products(x.block(i, all), product, sum);
      sum += part.cols();
    }
  });
  Matrix out(count, v.rows());
  for (Index t = 0; t < count * rows.count(); ++t) {
    double* const row = out.row(t / rows.count());
    for (Index b = 0; b < v.rows(); ++b) row[b] += sums[at(t)][at(b)];
  }
  return out;
}

Matrix quadratic_forms(std::span<const Gram> matrices, Index rows, const NextRows& next, const Execution& how) {
  const Tiling blocks(rows, kResamplesAtOnce);
  const auto share = [&](Index done) { return static_cast<double>(done) / static_cast<double>(rows); };
  Matrix out = Matrix::uninitialized(static_cast<Index>(matrices.size()), rows);
  Matrix room = Matrix::uninitialized(std::min(rows, kResamplesAtOnce), matrices[0].size());
  for (Index b = 0; b < blocks.count(); ++b) {
    const Range which = blocks.block(b);
    Execution part = how;
    part.monitor = part_of(how.monitor, "resamples", share(which.begin), share(which.end));
    part.monitor.report({"resamples", 0});
    const MatrixRef v = room.ref().block({0, which.size()}, {0, room.cols()});
    next(which, v);
    const Matrix some = quadratic_forms(matrices, v, part);
    for (Index k = 0; k < out.rows(); ++k) std::copy_n(some.row(k), which.size(), out.row(k) + which.begin);
  }
  return out;
}

TestResult judged(const Matrix& statistics, VectorView rounding, const Resampling& options, std::string null) {
  const auto all = static_cast<double>(statistics.cols());
  Vector least(at(statistics.cols()), 1.0);
  TestResult out{
      .alpha = options.alpha, .resamples = statistics.cols() - 1, .seed = options.seed, .null = std::move(null)};
  for (Index k = 0; k < statistics.rows(); ++k) {
    const double* const row = statistics.row(k);
    Vector sorted(row, row + statistics.cols());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t b = 0; b < least.size(); ++b) {
      const auto reach = std::lower_bound(sorted.begin(), sorted.end(), row[b] - rounding[at(k)]);
      const double share = static_cast<double>(sorted.end() - reach) / all;
      least[b] = std::min(least[b], share);
      if (b > 0) continue;
      const bool best = out.parts.empty() || share < out.p;
      out.parts.push_back({.statistic = row[0], .p = share});
      if (best) out.statistic = row[0], out.p = share;
    }
  }
  out.p = static_cast<double>(std::count_if(least.begin(), least.end(), [&](double t) { return t <= least[0]; })) / all;
  return out;
}

std::string text_of(const Gram& K) {
  const std::optional<Kernel> k = K.kernel();
  return k ? k->str() : std::string();
}

}  // namespace mercer::detail
