#include "mercer/params.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "kernel/catalog.hpp"
#include "kernel/labels.hpp"

namespace mercer {

namespace {

bool is_free(const Parameter& p) { return !p.fixed && p.lower < p.upper && std::isfinite(p.range.coordinate(p.value)); }

// The coordinates of the ends given.
struct Ends {
  explicit Ends(const Parameter& p) : lower(p.range.coordinate(p.lower)), upper(p.range.coordinate(p.upper)) {}
  bool both() const { return std::isfinite(lower) && std::isfinite(upper); }
  // Where a coordinate lies between them, from 0 to 1. A value at an end would be at infinity; the nearest place an
  // optimiser can start from is just inside.
  double place(double t) const { return std::clamp((t - lower) / (upper - lower), 1e-12, 1 - 1e-12); }

  double lower, upper;
};

double to_theta(const Parameter& p) {
  const Ends ends(p);
  const double t = p.range.coordinate(p.value);
  if (!ends.both()) return t;
  const double place = ends.place(t);
  return std::log(place / (1 - place));
}

double from_theta(const Parameter& p, double theta) {
  const Ends ends(p);
  const double t = ends.both() ? ends.lower + (ends.upper - ends.lower) / (1 + std::exp(-theta)) : theta;
  return std::clamp(p.range.value(t), p.lower, p.upper);
}

double slope(const Parameter& p) {  // d value / d theta
  const Ends ends(p);
  const double by_coordinate = p.range.slope(p.value);
  if (!ends.both()) return by_coordinate;
  const double place = ends.place(p.range.coordinate(p.value));
  return by_coordinate * (ends.upper - ends.lower) * place * (1 - place);
}

}  // namespace

Index Params::find(std::string_view path) const {
  Index found = -1, matches = 0;
  std::vector<std::string> paths;
  for (Index i = 0; i < size(); ++i) {
    const std::string& own = (*this)[i].path;
    if (own == path) return i;
    if (own.size() > path.size() && own.ends_with(path) && own[own.size() - path.size() - 1] == '.') {
      found = i;
      ++matches;
    }
    paths.push_back(own);
  }
  if (matches == 1) return found;
  if (matches > 1) {
    fail(ErrorKind::usage, "parameter \"{}\": {} of them; name one whole: {}", path, matches, fmt::join(paths, ", "));
  }
  fail(ErrorKind::usage, "parameter \"{}\": the kernel has {}{}", path,
       paths.empty() ? "no parameters" : fmt::format("{}", fmt::join(paths, ", ")), did_you_mean(path, paths));
}

std::vector<Index> Params::free() const {
  std::vector<Index> out;
  for (Index i = 0; i < size(); ++i) {
    if (is_free((*this)[i])) out.push_back(i);
  }
  return out;
}

Vector Params::theta() const {
  Vector out;
  for (const Index i : free()) out.push_back(to_theta((*this)[i]));
  return out;
}

Params Params::with_theta(VectorView theta) const {
  const std::vector<Index> positions = free();
  if (positions.size() != theta.size()) {
    fail(ErrorKind::shape, "theta has {} numbers, the kernel {} free parameters", theta.size(), positions.size());
  }
  Params out = *this;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    Parameter& p = out.list_[static_cast<std::size_t>(positions[t])];
    p.value = from_theta(p, theta[t]);
    p.automatic = false;
  }
  return out;
}

Vector Params::chain(VectorView gradient) const {
  if (static_cast<Index>(gradient.size()) != size()) {
    fail(ErrorKind::shape, "the gradient has {} numbers, the kernel {} parameters", gradient.size(), size());
  }
  Vector out;
  for (const Index i : free()) out.push_back(gradient[static_cast<std::size_t>(i)] * slope((*this)[i]));
  return out;
}

namespace detail {

namespace {

// A rule's parameters are named after the first that has a label below it: the 2 of 2*rbf(...) is rbf.scale.
void collect(const Node& node, const std::vector<std::string>& labels, std::size_t& leaf,
             std::map<std::string, int>& used, std::vector<Parameter>& out) {
  const std::string& label = labels[leaf];
  auto param = node.params.begin();
  for (const Arg& arg : node.entry->args) {
    if (!arg.is_param()) continue;
    const Param& p = *param++;
    std::string path = label + "." + p.name;
    if (const int count = ++used[path]; count > 1) path += fmt::format("{}", count);
    for (std::size_t v = 0; v < p.values.size(); ++v) {
      out.push_back({p.list ? fmt::format("{}[{}]", path, v + 1) : path, p.values[v], p.lower, p.upper, p.fixed,
                     p.automatic, arg.range});
    }
  }
  if (has_label(node)) ++leaf;
  for (const NodePtr& child : node.children) collect(*child, labels, leaf, used, out);
}

Kernel rebuild(const Node& node, const Params& params, Index& at) {
  std::vector<Param> own = node.params;
  for (Param& p : own) {
    for (double& value : p.values) {
      p.automatic = p.automatic && params[at].automatic;
      value = params[at++].value;
    }
  }
  std::vector<NodePtr> children;
  for (const NodePtr& child : node.children) children.push_back(rebuild(*child, params, at).share());
  return TrustedCore::theorem(*node.entry, std::move(own), node.options, std::move(children));
}

}  // namespace

}  // namespace detail

Params Kernel::params() const {
  std::map<std::string, int> used;
  const std::vector<std::string> labels = detail::labels_of(*node_);
  std::vector<Parameter> list;
  std::size_t leaf = 0;
  detail::collect(*node_, labels, leaf, used, list);
  return Params(std::move(list));
}

Kernel Kernel::with(const Params& params) const {
  if (params.size() != detail::all_parameters(*node_)) {
    fail(ErrorKind::shape, "with: {} parameters given, the kernel has {}", params.size(),
         detail::all_parameters(*node_));
  }
  Index at = 0;
  return detail::rebuild(*node_, params, at);
}

Kernel Kernel::with(VectorView theta) const { return with(params().with_theta(theta)); }

Kernel Kernel::with(std::string_view path, double value) const {
  const Params old = params();
  std::vector<Parameter> list(old.begin(), old.end());
  Parameter& changed = list[static_cast<std::size_t>(old.find(path))];
  changed.value = value;
  changed.automatic = false;
  return with(Params(std::move(list)));
}

}  // namespace mercer
