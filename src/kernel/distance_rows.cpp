#include "kernel/distance_rows.hpp"

#include "kernel/edge/rows.hpp"

namespace mercer::detail {

std::optional<Points> distance_rows(const Kernel& k, const Points& x) {
  const Program program = Emitter::compile(k.node());
  if (program.edges.size() != 1 || !program.vertices.empty() || !is_squared_distance(*program.edges.front().edge)) {
    return std::nullopt;
  }
  std::vector<const Step*> steps;
  for (View view = program.edges.front().view; view != 0;) {
    const Program::ViewSpec& spec = program.views[static_cast<std::size_t>(view)];
    steps.push_back(spec.step.get());
    view = spec.source;
  }
  Points out = x;
  for (; !steps.empty(); steps.pop_back()) out = steps.back()->apply({out, out}).x;
  return out.domain().kind == "reals" ? std::optional(out) : std::nullopt;
}

}  // namespace mercer::detail
