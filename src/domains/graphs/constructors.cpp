// Kernels between graphs as C++ functions.
#include "kernel/build.hpp"
#include "mercer/kernels.hpp"

namespace mercer {

using detail::axiom;

Kernel wl(int h, const std::string& labels) { return axiom("wl", {}, {static_cast<double>(h), labels}); }
Kernel shortest_path(const std::string& labels) { return axiom("shortest_path", {}, {labels}); }
Kernel label_histogram() { return axiom("label_histogram", {}, {}); }
Kernel graphlet(int size) { return axiom("graphlet", {}, {static_cast<double>(size)}); }
Kernel random_walk(double lambda, const std::string& kind, const std::string& labels, int steps) {
  const detail::Entry& entry = detail::entry("random_walk");
  return axiom("random_walk", {detail::plain(entry.args.front(), lambda)}, {kind, labels, static_cast<double>(steps)});
}

Kernel wl(int h, const Kernel& base, const std::string& labels) {
  return detail::TrustedCore::theorem(detail::entry("wl"), {}, {static_cast<double>(h), labels}, {base.share()});
}
Kernel shortest_path(const Kernel& node, const std::string& labels) {
  return detail::TrustedCore::theorem(detail::entry("shortest_path"), {}, {labels}, {node.share()});
}
Kernel random_walk(double lambda, const Kernel& node, const std::string& labels) {
  const detail::Entry& entry = detail::entry("random_walk");
  return detail::TrustedCore::theorem(entry, {detail::plain(entry.args.front(), lambda)},
                                      {std::string("geometric"), labels, 0.0}, {node.share()});
}

}  // namespace mercer
