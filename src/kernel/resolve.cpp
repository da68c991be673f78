// Replacing `auto` by numbers read off the data.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "base/random.hpp"
#include "kernel/catalog.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"
#include "mercer/evaluate.hpp"
#include "points/distinct.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace detail {

namespace {

// Pairs among at most this many points decide a median.
constexpr Index kSample = 1000;
// So much of the median is a good length scale: docs/performance.md has the comparison that decided.
constexpr double kShare = 0.6;

// One point of each of `most` equal stretches of the data, so that sorted data are seen from end to end; which one, a
// fixed sequence of random numbers says: taking every m-th would see one class only of data in which classes alternate.
Points some(const Points& x, Index most) {
  const Index count = std::min(most, x.size());
  std::vector<Index> which;
  Random random(1);
  for (Index i = 0; i < count; ++i) {
    const Index first = i * x.size() / count, last = (i + 1) * x.size() / count;
    which.push_back(first + random.below(last - first));
  }
  return x.select(which);
}

Points sample(const Points& x) { return distinct(some(x, kSample)); }

// kShare of the median of the distances that are not 0, or 0 when all are.
template <class Distance>
double typical(Index count, Distance distance) {
  Vector all;
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double d = distance(i, j);
      if (d > 0) all.push_back(d);
    }
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return kShare * *middle;
}

// |x - y|_2 or |x - y|_1. Sparse rows stay sparse: their columns may be very many.
double typical_distance(const Points& x, bool euclidean) {
  const auto total_of = [&](const auto& each_difference) {
    double total = 0;
    each_difference([&](double difference) { total += euclidean ? difference * difference : std::abs(difference); });
    return euclidean ? std::sqrt(total) : total;
  };
  if (is_sparse(x)) {
    const RealSide rows = sparse_side(x);
    return typical(x.size(), [&](Index i, Index j) {
      const SparseRow a = sparse_row(rows, i), b = sparse_row(rows, j);
      return total_of([&](const auto& add) { for_each_column(a, b, [&](double u, double v) { add(u - v); }); });
    });
  }
  const DenseRows rows = dense_rows(x);
  return typical(x.size(), [&](Index i, Index j) {
    const double *a = rows.values.row(i), *b = rows.values.row(j);
    return total_of([&](const auto& add) {
      for (Index k = 0; k < rows.values.cols(); ++k) add(a[k] - b[k]);
    });
  });
}

// One scale per column, together as wide as the data: a column's median times sqrt(d), or times d.
Vector typical_distances(const Points& x, bool euclidean) {
  const Index d = x.domain().dimension;
  const double width = euclidean ? std::sqrt(static_cast<double>(d)) : static_cast<double>(d);
  const DenseRows rows = dense_rows(x);
  Vector out;
  for (Index k = 0; k < d; ++k) {
    const double middle =
        typical(x.size(), [&](Index i, Index j) { return std::abs(rows.values(i, k) - rows.values(j, k)); });
    out.push_back(middle > 0 ? middle * width : 1);  // a constant column has no scale and needs none
  }
  return out;
}

// A list of scales cannot be longer than the data are large.
void require_as_many_entries(const Points& x, const Param& p, const std::string& who) {
  if (!is_sparse(x)) return;
  const auto entries = static_cast<Index>(sparse_rows(x)->values.size());
  if (x.domain().dimension > std::max<Index>(entries, kSample)) {
    fail(ErrorKind::domain,
         "{}: {}=[auto] is one number for each of {} columns, and the data have {} entries; use {}=auto", who, p.name,
         x.domain().dimension, entries, p.name);
  }
}

void resolve_param(Param& p, Heuristic heuristic, const Points& points, const std::string& who) {
  require_reals(points, who);
  const bool euclidean = heuristic == Heuristic::median_distance;
  if (p.list) {
    require_as_many_entries(points, p, who);
    p.values = typical_distances(sample(points), euclidean);
  } else {
    const double middle = typical_distance(sample(points), euclidean);
    if (points.size() < 2) {
      fail(ErrorKind::numeric,
           "{}: {}=auto takes the median distance, and there are fewer than two inputs; give {} a number", who, p.name,
           p.name);
    }
    p.values = {middle > 0 ? middle : 1};  // inputs that are all equal have no scale and need none
  }
  p.automatic = false;
  for (double& value : p.values) value = std::min(std::max(value, p.lower), p.upper);
}

// kShare of the median of the distances that a kernel induces.
constexpr Index kFeatureSample = 300;  // values of a kernel may be dear

}  // namespace

double typical_feature_distance(const std::vector<NodePtr>& premises, const Points& x) {
  const Node& k = *premises.front();
  const Matrix K = gram(TrustedCore::theorem(*k.entry, k.params, k.options, k.children), some(x, kFeatureSample));
  const double middle =
      typical(K.rows(), [&](Index i, Index j) { return std::sqrt(std::max(0.0, K(i, i) + K(j, j) - 2 * K(i, j))); });
  return middle > 0 ? middle : 1;
}

namespace {

Kernel resolve(const Node& node, const Points& x) {
  const Points inner = node.entry->inner == nullptr ? x : node.entry->inner(node, x);
  std::vector<NodePtr> children;
  for (const NodePtr& child : node.children) children.push_back(resolve(*child, inner).share());
  std::vector<Param> params = node.params;
  for (Param& p : params) {
    if (!p.automatic) continue;
    if (node.entry->typical != nullptr) {
      p.values = {std::clamp(node.entry->typical(children, x), p.lower, p.upper)};
      p.automatic = false;
    } else {
      resolve_param(p, node.entry->heuristic, x, node.entry->name + "()");
    }
  }
  return TrustedCore::theorem(*node.entry, std::move(params), node.options, std::move(children));
}

}  // namespace

}  // namespace detail

Kernel Kernel::resolve(const Points& x) const {
  const Params all = params();
  if (std::none_of(all.begin(), all.end(), [](const Parameter& p) { return p.automatic; })) return *this;
  return detail::resolve(*node_, x);
}

}  // namespace mercer
