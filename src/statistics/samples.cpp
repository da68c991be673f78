#include "statistics/samples.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

std::vector<std::string> lacking(const std::vector<std::string>& names, const std::vector<std::string>& in) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::find(in.begin(), in.end(), name) == in.end()) out.push_back(name);
  }
  return out;
}

Points ordered_like(const Points& a, const Points& b) {
  const std::vector<std::string> wanted = a.column_names(), there = b.column_names();
  if (wanted.empty() || there.empty() || wanted == there) return b;
  const std::vector<std::string> missing = lacking(wanted, there), more = lacking(there, wanted);
  if (!missing.empty() || !more.empty()) {
    fail(ErrorKind::domain, "the second sample has other columns than the first: {}{}{}; give both the same columns",
         missing.empty() ? "" : fmt::format("{} missing", fmt::join(missing, ", ")),
         missing.empty() || more.empty() ? "" : ", ",
         more.empty() ? "" : fmt::format("{} too many", fmt::join(more, ", ")));
  }
  std::vector<Columns::Item> items;
  for (const std::string& name : wanted) items.push_back({name, name});
  return b.columns(Columns(std::move(items)));
}

}  // namespace

Points pooled(const Points& a, const Points& b, Scaling::Kind scale) {
  for (const Points* x : {&a, &b}) require_finite(*x);
  const Points both = join(a, ordered_like(a, b));
  return scale == Scaling::Kind::none ? both : Scaling::of(scale, both).apply(both);
}

}  // namespace mercer::detail
