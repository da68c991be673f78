// Replacing `auto` by numbers read off the data.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "kernel/catalog.hpp"
#include "kernel/program_parts.hpp"
#include "points/distinct.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace detail {

namespace {

// Pairs among at most this many points, evenly spread over the data, decide a median.
constexpr Index kSample = 1000;

Matrix sample(const Points& x) {
  const Index count = std::min(kSample, x.size());
  std::vector<Index> which;
  for (Index i = 0; i < count; ++i) which.push_back(i * x.size() / count);
  return Matrix(dense_rows(distinct(x.select(which))).values);
}

// The median of the distances that are not 0, or 0 when all are.
template <class Distance>
double median(const Matrix& x, Distance distance) {
  Vector all;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double d = distance(x.row(i), x.row(j));
      if (d > 0) all.push_back(d);
    }
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

void resolve_param(Param& p, Heuristic heuristic, const Points& points, const std::string& who) {
  const Matrix x = sample(require_reals(points, who));
  const Index d = x.cols();
  const bool euclidean = heuristic == Heuristic::median_distance;
  if (p.list) {
    // One scale per column, together as wide as the data: a column's median times sqrt(d), or times d.
    const double width = euclidean ? std::sqrt(static_cast<double>(d)) : static_cast<double>(d);
    p.values.clear();
    for (Index k = 0; k < d; ++k) {
      const double middle = median(x, [&](const double* a, const double* b) { return std::abs(a[k] - b[k]); });
      p.values.push_back(middle > 0 ? middle * width : 1);  // a constant column has no scale and needs none
    }
  } else {
    const double middle = median(x, [&](const double* a, const double* b) {
      double total = 0;
      for (Index k = 0; k < d; ++k) total += euclidean ? (a[k] - b[k]) * (a[k] - b[k]) : std::abs(a[k] - b[k]);
      return euclidean ? std::sqrt(total) : total;
    });
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

Kernel resolve(const Node& node, const Points& x) {
  Points inner = x;
  if (node.entry->name == "on") inner = x.columns(std::get<Columns>(node.option("columns")));
  if (node.entry->name == "warp") inner = map_step(std::get<NamedMap>(node.option("phi")))->apply({x, x}).x;
  std::vector<Param> params = node.params;
  for (Param& p : params) {
    if (p.automatic) resolve_param(p, node.entry->heuristic, x, node.entry->name + "()");
  }
  std::vector<NodePtr> children;
  for (const NodePtr& child : node.children) children.push_back(resolve(*child, inner).share());
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
