// arccos, ntk: kernels of infinitely wide networks. Both depend on the norms and the angle.
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

Value emit_arccos(const Site& site, Emitter& e) {
  const int order = static_cast<int>(site.node.number("order"));
  const Emitter::Ends norm = e.norm(site.view, "arccos()");
  const Slot chord = e.edge(e.unit(site.view, "arccos()"), chord_edge("arccos()"), "chord");
  const Slot angular = e.op(arccos_op(order, chord, norm.x, norm.y));
  if (order == 0) return {.factors = {angular}, .bound = 1};
  return {.factors = {angular, e.product_of(norm)}};
}

Value emit_ntk(const Site& site, Emitter& e) {
  const Emitter::Ends norm = e.norm(site.view, "ntk()");
  const Slot chord = e.edge(e.unit(site.view, "ntk()"), chord_edge("ntk()"), "chord");
  const Slot angular = e.op(ntk_op(static_cast<int>(site.node.number("depth")), chord));
  return {.factors = {angular, e.product_of(norm)}};
}

}  // namespace mercer::detail
