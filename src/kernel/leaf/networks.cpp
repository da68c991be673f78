// arccos, ntk: kernels of infinitely wide networks. Both depend on the norms and the angle.
#include "kernel/leaf/leaves.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

Value emit_arccos(const Site& site, Emitter& e) {
  const int order = static_cast<int>(site.node.number("order"));
  const Emitter::Ends norm = e.norm(site.view, "arccos()");
  const Slot r2 = e.squared_distance(e.unit(site.view, "arccos()"), "arccos()");
  const Slot angular = e.op(arccos_op(order, r2, norm.x, norm.y));
  if (order == 0) return {.factors = {angular}};
  return {.factors = {angular, norm.x, norm.y}};
}

Value emit_ntk(const Site& site, Emitter& e) {
  const Emitter::Ends norm = e.norm(site.view, "ntk()");
  const Slot r2 = e.squared_distance(e.unit(site.view, "ntk()"), "ntk()");
  const Slot angular = e.op(ntk_op(static_cast<int>(site.node.number("depth")), r2));
  return {.factors = {angular, norm.x, norm.y}};
}

}  // namespace mercer::detail
