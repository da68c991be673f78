#include "state_space/line.hpp"

#include <numeric>

#include "points/rep.hpp"
#include "points/streamed.hpp"

namespace mercer::state_space {

bool on_a_line(const Points& x) {
  return x.domain().kind == "reals" && x.domain().dimension == 1 && !is_sparse(x) && !is_streamed(x);
}

Vector times_of(const Points& x) {
  const auto rows = dense_rows(x);
  Vector out(at(x.size()));
  for (Index i = 0; i < x.size(); ++i) out[at(i)] = rows.values(i, 0);
  return out;
}

std::vector<Index> in_order(VectorView times) {
  std::vector<Index> out(times.size());
  std::iota(out.begin(), out.end(), Index{0});
  if (std::is_sorted(times.begin(), times.end())) return out;
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return times[at(a)] < times[at(b)]; });
  return out;
}

std::optional<StateSpace> shorter_way(const Kernel& k, const Points& x, Index n) {
  if (!on_a_line(x)) return std::nullopt;
  std::optional<StateSpace> found = state_space_of(k);
  return found && is_shorter(found->states(), n) ? std::move(found) : std::nullopt;
}

}  // namespace mercer::state_space
