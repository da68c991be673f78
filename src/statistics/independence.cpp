#include "mercer/statistics/independence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "gram/about_mean.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"
#include "statistics/resampling.hpp"

namespace mercer {

namespace {

constexpr Index kRowsAtOnce = 32;

void require_pairs(const Gram& K, const Gram& L, Estimate estimate) {
  if (K.size() != L.size()) {
    fail(ErrorKind::shape, "hsic: {} points on one side and {} on the other; each row is one observation", K.size(),
         L.size());
  }
  const Index least = estimate == Estimate::unbiased ? 4 : 2;
  if (K.size() < least) fail(ErrorKind::data, "hsic: {} points; it needs {}", K.size(), least);
}

Matrix whole(const Gram& K, const Execution& how) {
  Matrix out = Matrix::uninitialized(K.size(), K.size());
  std::vector<Index> all(at(K.size()));
  std::iota(all.begin(), all.end(), Index{0});
  K.rows(all, out, how);
  return out;
}

// K with its features' mean taken out: then that of L need not be, and HSIC is a plain sum of products with the entries
// of L. Biased: H K H. Unbiased: the same among matrices with zeros on the diagonal (Szekely & Rizzo, 2014).
Matrix centred_for(const Gram& K, Estimate estimate, const Execution& how) {
  Matrix out = whole(K, how);
  const Index n = out.rows();
  const bool unbiased = estimate == Estimate::unbiased;
  const double size = static_cast<double>(n), share = unbiased ? 1 / (size - 2) : 1 / size;
  Vector means(at(n));
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    if (unbiased) out(i, i) = 0;
    for (Index j = 0; j < n; ++j) means[at(i)] += out(i, j);
    total += means[at(i)];
    means[at(i)] *= share;
  }
  const double mean = unbiased ? total / ((size - 1) * (size - 2)) : total / (size * size);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) out(i, j) += mean - means[at(i)] - means[at(j)];
    if (unbiased) out(i, i) = 0;
  }
  return out;
}

double pairs_of(Index n, Estimate estimate) {
  const auto size = static_cast<double>(n);
  return estimate == Estimate::unbiased ? size * (size - 3) : size * size;
}

// Who goes with point i, resample after resample; in the first one as it is.
class Partners {
 public:
  Partners(std::vector<Index> order, std::uint64_t seed) : order_(std::move(order)), random_(seed) {}

  void next(std::vector<std::int32_t>& row) {
    row.resize(order_.size());
    if (std::exchange(as_it_is_, false)) return std::iota(row.begin(), row.end(), 0);
    std::vector<Index> list = order_;
    detail::shuffle(list, random_);
    for (std::size_t i = 0; i < row.size(); ++i) row[at(order_[i])] = static_cast<std::int32_t>(list[i]);
  }

 private:
  std::vector<Index> order_;
  Random random_;
  bool as_it_is_ = true;
};

// sum_ij A_ij L_{s(i) s(j)} for each pair of matrices (row) and each s (column).
Matrix products(const std::vector<Matrix>& A, const std::vector<MatrixView>& L,
                std::span<const std::vector<std::int32_t>> resamples, const Execution& how) {
  const Index n = A[0].rows(), cases = static_cast<Index>(A.size() * L.size());
  const Tiling rows(n, kRowsAtOnce);
  std::vector<Matrix> sums(at(rows.count()), Matrix(cases, static_cast<Index>(resamples.size())));
  parallel_for(rows.count(), thread_count(how.threads), how.monitor, "resamples", [&](Index task, int) {
    const Index block = rows.count() - 1 - task;  // the longest first
    const Range some = rows.block(block);
    Vector gathered(at(n));
    for (std::size_t b = 0; b < resamples.size(); ++b) {
      const std::int32_t* const s = resamples[b].data();
      for (Index i = some.begin; i < some.end; ++i) {
        for (std::size_t l = 0; l < L.size(); ++l) {
          const double* const row = L[l].row(s[i]);
          for (Index j = 0; j < i; ++j) gathered[at(j)] = row[s[j]];
          for (std::size_t a = 0; a < A.size(); ++a) {
            const double below = simd::dot(A[a].row(i), gathered.data(), at(i));
            sums[at(block)](static_cast<Index>(a * L.size() + l), static_cast<Index>(b)) +=
                2 * below + A[a](i, i) * row[s[i]];
          }
        }
      }
    }
  });
  Matrix out(cases, static_cast<Index>(resamples.size()));
  for (const Matrix& sum : sums) {
    for (Index c = 0; c < cases; ++c) simd::add_scaled(1, sum.row(c), at(out.cols()), out.row(c));
  }
  return out;
}

// Of all resamples, some at a time.
Matrix products(const std::vector<Matrix>& A, const std::vector<MatrixView>& L, Partners partners, Index count,
                const Execution& how) {
  const Tiling blocks(count, detail::kResamplesAtOnce);
  const auto share = [&](Index done) { return static_cast<double>(done) / static_cast<double>(count); };
  Matrix out = Matrix::uninitialized(static_cast<Index>(A.size() * L.size()), count);
  std::vector<std::vector<std::int32_t>> resamples(at(std::min(count, detail::kResamplesAtOnce)));
  for (Index b = 0; b < blocks.count(); ++b) {
    const Range which = blocks.block(b);
    Execution part = how;
    part.monitor = part_of(how.monitor, "resamples", share(which.begin), share(which.end));
    part.monitor.report({"resamples", 0});
    const auto some = std::span(resamples).first(at(which.size()));
    for (std::vector<std::int32_t>& row : some) partners.next(row);
    const Matrix found = products(A, L, some, part);
    for (Index c = 0; c < out.rows(); ++c) std::copy_n(found.row(c), which.size(), out.row(c) + which.begin);
  }
  return out;
}

void require_room(Index n, std::size_t matrices) {
  const double size = static_cast<double>(n), needed = size * size * sizeof(double) * static_cast<double>(matrices);
  const double free = available_memory();
  if (needed <= free) return;
  fail(ErrorKind::usage, "hsic: resampling {} points keeps {} matrices of {:.1f} GB and {:.1f} GB are free; take fewer",
       n, matrices, 1e-9 * needed / static_cast<double>(matrices), 1e-9 * free);
}

double largest(const Gram& K) {
  const Vector diagonal = K.diagonal();
  return *std::max_element(diagonal.begin(), diagonal.end());
}

}  // namespace

double hsic(const Gram& of_x, const Gram& of_y, Estimate estimate, const Execution& how) {
  require_pairs(of_x, of_y, estimate);
  const Threads limit(how.threads);
  const Gram K = detail::about_mean(of_x, {}, how).K, L = detail::about_mean(of_y, {}, how).K;
  const Index n = K.size();
  const bool unbiased = estimate == Estimate::unbiased;
  const Gram first = unbiased ? K : centred(K, how), second = unbiased ? L : centred(L, how);
  double trace = 0, both = 0, sum = 0, other_sum = 0;
  const Tiling blocks(n, 8 * kRowsAtOnce);
  for (Index b = 0; b < blocks.count(); ++b) {
    const Range some = blocks.block(b);
    std::vector<Index> which(at(some.size()));
    std::iota(which.begin(), which.end(), some.begin);
    Matrix k = first.rows(which, how), l = second.rows(which, how);
    for (Index i = 0; i < some.size(); ++i) {
      if (unbiased) k(i, some.begin + i) = l(i, some.begin + i) = 0;
      trace += simd::dot(k.row(i), l.row(i), at(n));
      if (!unbiased) continue;
      const double of_k = simd::sum(k.row(i), at(n)), of_l = simd::sum(l.row(i), at(n));
      sum += of_k;
      other_sum += of_l;
      both += of_k * of_l;
    }
  }
  const auto size = static_cast<double>(n);
  if (unbiased) trace += sum * other_sum / ((size - 1) * (size - 2)) - 2 * both / (size - 2);
  return (unbiased ? trace : std::max(0.0, trace)) / pairs_of(n, estimate);
}

TestResult IndependenceTest::run(std::span<const Gram> of_x, std::span<const Gram> of_y, const Execution& how) const {
  detail::require_resampling("hsic", resampling);
  if (of_x.empty() || of_y.empty()) fail(ErrorKind::usage, "hsic: each side needs a kernel");
  std::vector<Gram> K, L;
  for (const Gram& k : of_x) K.push_back(detail::about_mean(k, {}, how).K);
  for (const Gram& l : of_y) L.push_back(detail::about_mean(l, {}, how).K);
  for (const Gram& k : K) require_pairs(k, L[0], estimate);
  for (const Gram& l : L) require_pairs(K[0], l, estimate);
  const Threads limit(how.threads);
  const Index n = K[0].size();
  require_room(n, K.size() + L.size());
  std::vector<Points> known;
  for (const auto& x : {K[0].points(), L[0].points()}) {
    if (x) known.push_back(*x);
  }
  std::vector<Matrix> first, kept;
  std::vector<MatrixView> second;
  for (const Gram& k : K) first.push_back(centred_for(k, estimate, how));
  for (const Gram& l : L) kept.push_back(l.dense().empty() ? whole(l, how) : Matrix());
  for (std::size_t l = 0; l < L.size(); ++l) second.push_back(kept[l].rows() > 0 ? kept[l].view() : L[l].dense());
  Matrix found =
      products(first, second, Partners(detail::by_content(known, n), resampling.seed), resampling.resamples + 1, how);
  Vector rounding;
  for (const Gram& k : K) {
    for (const Gram& l : L) rounding.push_back(1e-13 * largest(k) * largest(l));
  }
  const double pairs = pairs_of(n, estimate);
  for (Index c = 0; c < found.rows(); ++c) {
    for (Index b = 0; b < found.cols(); ++b) found(c, b) /= pairs;
  }
  TestResult out = detail::judged(found, rounding, resampling, "permutations");
  for (std::size_t c = 0; c < out.parts.size(); ++c) {
    const std::string k = detail::text_of(K[c / L.size()]), l = detail::text_of(L[c % L.size()]);
    if (!k.empty() || !l.empty()) out.parts[c].kernel = k + " and " + l;
  }
  const double least = std::exp(-std::lgamma(static_cast<double>(n) + 1));
  if (least > resampling.alpha) {
    out.remarks.push_back(fmt::format("{} points cannot give a p below {:.2g}, whatever they are", n, least));
  }
  return out;
}

TestResult IndependenceTest::run(const Gram& K, const Gram& L, const Execution& how) const {
  return run(std::span(&K, 1), std::span(&L, 1), how);
}

}  // namespace mercer
