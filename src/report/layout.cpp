#include "report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "base/at.hpp"
#include "mercer/machines/mds.hpp"
#include "mercer/nodes.hpp"

namespace mercer::report {

namespace {

constexpr int kSteps = 60;
constexpr double kApart = 1.5;  // between connected parts

// Numbers of edges between the nodes of one connected part.
Matrix hops(const Graph& graph, const std::vector<Index>& part, const std::vector<Index>& place) {
  const auto n = static_cast<Index>(part.size());
  Matrix out(n, n, -1);
  for (Index i = 0; i < n; ++i) {
    std::queue<Index> next;
    next.push(part[at(i)]);
    out(i, i) = 0;
    while (!next.empty()) {
      const Index node = next.front();
      next.pop();
      for (const std::int32_t other : graph.neighbours(node)) {
        double& distance = out(i, place[at(other)]);
        if (distance >= 0) continue;
        distance = out(i, place[at(node)]) + 1;
        next.push(other);
      }
    }
  }
  // Of a directed graph, whichever way is shorter.
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double a = out(i, j), b = out(j, i);
      out(i, j) = out(j, i) = a < 0 ? b : b < 0 ? a : std::min(a, b);
      if (out(i, j) < 0) out(i, j) = out(j, i) = 2;  // nodes that only lead to common ones
    }
  }
  return out;
}

Matrix start(const Matrix& d) {
  const Index n = d.rows();
  Matrix y(n, 2);
  const Model found = ClassicalMds{.components = 2, .at_most = true}.fit(precomputed(d));
  const Matrix& map = found.parts().fitted;
  for (Index i = 0; i < n; ++i) {
    // Nodes with the same distances from all others would fall on one place, and no step would part them.
    const double angle = 2.399963 * static_cast<double>(i);
    for (Index c = 0; c < 2; ++c) {
      y(i, c) = (c < map.cols() ? map(i, c) : 0) + 0.01 * (c == 0 ? std::cos(angle) : std::sin(angle));
    }
  }
  return y;
}

// Each node in turn goes where the others would have it, weighted by 1 / d^2.
void step(const Matrix& d, Matrix& y) {
  for (Index i = 0; i < d.rows(); ++i) {
    double across = 0, up = 0, weights = 0;
    for (Index j = 0; j < d.rows(); ++j) {
      if (j == i) continue;
      const double weight = 1 / (d(i, j) * d(i, j));
      const double dx = y(i, 0) - y(j, 0), dy = y(i, 1) - y(j, 1), length = std::max(std::hypot(dx, dy), 1e-9);
      across += weight * (y(j, 0) + d(i, j) * dx / length);
      up += weight * (y(j, 1) + d(i, j) * dy / length);
      weights += weight;
    }
    y(i, 0) = across / weights;
    y(i, 1) = up / weights;
  }
}

Matrix layout_of_part(const Matrix& d) {
  if (d.rows() == 1) return Matrix(1, 2);
  Matrix y = start(d);
  for (int i = 0; i < kSteps; ++i) step(d, y);
  return y;
}

}  // namespace

Matrix layout(const Graph& graph) {
  const std::vector<Index> part_of = connected_parts(graph);
  const Index parts = part_of.empty() ? 0 : *std::ranges::max_element(part_of) + 1;
  Matrix out(graph.nodes(), 2);
  double left = 0;
  for (Index p = 0; p < parts; ++p) {
    std::vector<Index> members, place(at(graph.nodes()));
    for (Index i = 0; i < graph.nodes(); ++i) {
      if (part_of[at(i)] != p) continue;
      place[at(i)] = static_cast<Index>(members.size());
      members.push_back(i);
    }
    const Matrix y = layout_of_part(hops(graph, members, place));
    double low = y(0, 0), high = y(0, 0), middle = 0;
    for (Index i = 0; i < y.rows(); ++i) {
      low = std::min(low, y(i, 0));
      high = std::max(high, y(i, 0));
      middle += y(i, 1) / static_cast<double>(y.rows());
    }
    for (Index i = 0; i < y.rows(); ++i) {
      out(members[at(i)], 0) = y(i, 0) - low + left;
      out(members[at(i)], 1) = y(i, 1) - middle;
    }
    left += high - low + kApart;
  }
  return out;
}

}  // namespace mercer::report
