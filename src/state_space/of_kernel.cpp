// The state space of a kernel, from its expression.
#include <cmath>

#include "kernel/catalog.hpp"
#include "state_space/state_space.hpp"

namespace mercer::state_space {

namespace {

using detail::Node;
using Groups = std::optional<std::vector<Group>>;

Group process_group(Process p) {
  Group out;
  out.processes.push_back(p);
  return out;
}

Group functions_group(Functions f) {
  Group out;
  out.functions.push_back(std::move(f));
  return out;
}

Process matern(int order, double ell, Index ell_at) {
  const double rate = std::sqrt(2.0 * order + 1) / ell;
  return {.order = order, .rate = rate, .rate_by = {ell_at, -rate / ell}};
}

// (t s + c)^degree = sum_k binomial(degree, k) c^(degree - k) t^k s^k
Functions powers(int degree, double c, Index c_at) {
  Functions out{.shape = c_at};
  double binomial = 1;
  for (int k = 0; k <= degree; ++k) {
    out.weights.push_back(std::sqrt(binomial * std::pow(c, degree - k)));
    out.slopes.push_back((degree - k) / (2 * c));
    binomial = binomial * (degree - k) / (k + 1);
  }
  return out;
}

// exp(-(1 - cos a) q) = sum_j w_j cos(j a) with w_j = (2 - [j = 0]) exp(-q) I_j(q), which add up to 1, q = 1/ell^2. I_j
// by its recurrence from above, where it is stable (Miller), and dI_j/dq = (I_(j-1) + I_(j+1)) / 2.
std::optional<Functions> harmonics(double period, Index period_at, double ell, Index ell_at) {
  const double q = 1 / (ell * ell);
  constexpr double kMost = 250;
  const double start = 40 + 10 * std::sqrt(q);
  if (!(start < 40 + 10 * kMost)) return std::nullopt;
  const auto last = static_cast<Index>(start);
  Vector I(at(last + 2));
  I[at(last)] = 1e-280;
  double sum = 0;
  for (Index j = last; j >= 1; --j) {
    I[at(j - 1)] = I[at(j + 1)] + 2 * static_cast<double>(j) / q * I[at(j)];
    sum += 2 * I[at(j)];
    if (I[at(j - 1)] > 1e250) {
      for (double& value : I) value *= 1e-250;
      sum *= 1e-250;
    }
  }
  sum += I[0];
  Index count = last;
  for (double rest = 0; count > 0 && rest + 2 * I[at(count)] / sum <= kLeftOut; --count) rest += 2 * I[at(count)] / sum;
  Functions out{.kind = Functions::Kind::harmonics, .shape = ell_at, .period = period, .period_at = period_at};
  const double q_by_ell = -2 * q / ell;
  for (Index j = 0; j <= count; ++j) {
    const double weight = (j == 0 ? 1 : 2) * I[at(j)] / sum;
    const double by_q = (j == 0 ? I[1] : 0.5 * (I[at(j - 1)] + I[at(j + 1)])) / I[at(j)] - 1;
    for (int sine = 0; sine < (j == 0 ? 1 : 2); ++sine) {
      out.weights.push_back(std::sqrt(weight));
      out.slopes.push_back(0.5 * by_q * q_by_ell);
    }
  }
  return out;
}

Groups one(Group g) { return std::vector<Group>{std::move(g)}; }

Index states_of(const std::vector<Group>& groups) {
  Index out = 0;
  for (const Group& g : groups) {
    Index own = g.count();
    for (const Process& p : g.processes) own *= p.size();
    out += own;
  }
  return out;
}

Groups product(const Groups& a, const Groups& b) {
  if (!a || !b || states_of(*a) * states_of(*b) > kMostStates) return std::nullopt;
  std::vector<Group> out;
  for (const Group& left : *a) {
    for (const Group& right : *b) {
      Group& both = out.emplace_back(left);
      both.processes.insert(both.processes.end(), right.processes.begin(), right.processes.end());
      both.functions.insert(both.functions.end(), right.functions.begin(), right.functions.end());
      both.multiples.insert(both.multiples.end(), right.multiples.begin(), right.multiples.end());
    }
  }
  return out;
}

Groups leaf(const Node& node, Index at) {
  const std::string& name = node.entry->name;
  const auto value = [&](std::string_view which) { return node.param(which).values.front(); };
  if (name == "laplace" || name == "exponential") return one(process_group(matern(0, value("ell"), at)));
  if (name == "matern") {
    const double order = node.number("nu") - 0.5;
    if (order != std::floor(order) || !(order >= 0) || order > kMostOrder) return std::nullopt;
    return one(process_group(matern(static_cast<int>(order), value("ell"), at)));
  }
  if (name == "sho") {
    const double omega = value("omega"), q = value("q");
    return one(process_group({.kind = Process::Kind::oscillator,
                              .rate = omega,
                              .rate_by = {at, 1},
                              .damping = 1 / (2 * q),
                              .damping_by = {at + 1, -1 / (2 * q * q)}}));
  }
  if (name == "linear") return one(functions_group({.weights = {1}, .slopes = {0}, .first_power = 1}));
  if (name == "periodic") {
    std::optional<Functions> found = harmonics(value("period"), at, value("ell"), at + 1);
    return found ? one(functions_group(std::move(*found))) : std::nullopt;
  }
  if (name != "const" && name != "poly") return std::nullopt;
  const double c = value("c");
  if (!(c > 0)) return std::nullopt;  // the root of 0 has no slope
  if (name == "poly") return one(functions_group(powers(static_cast<int>(node.number("degree")), c, at)));
  Group out;
  out.multiples.push_back({c, at});
  return one(std::move(out));
}

// `at` counts the parameters before those of the node, which come before those of its children.
Groups groups_of(const Node& node, Index at) {
  const std::string& name = node.entry->name;
  if (node.children.empty()) return leaf(node, at);
  Index next = at + own_parameters(node);
  if (name == "scale") {
    Groups out = groups_of(*node.children.front(), next);
    const double value = node.params.front().values.front();
    if (!out || !(value > 0)) return std::nullopt;
    for (Group& g : *out) g.multiples.push_back({value, at});
    return out;
  }
  if (name == "power") {
    const Groups base = groups_of(*node.children.front(), next);
    Groups out = base;
    for (int d = 1; d < static_cast<int>(node.number("degree")); ++d) out = product(out, base);
    return out;
  }
  if (name != "sum" && name != "product") return std::nullopt;
  Groups out;
  for (const detail::NodePtr& child : node.children) {
    Groups own = groups_of(*child, next);
    next += all_parameters(*child);
    if (!own) return std::nullopt;
    if (!out) {
      out = std::move(own);
    } else if (name == "product") {
      out = product(out, own);
      if (!out) return std::nullopt;
    } else {
      out->insert(out->end(), std::make_move_iterator(own->begin()), std::make_move_iterator(own->end()));
    }
  }
  return out;
}

}  // namespace

std::optional<StateSpace> state_space_of(const Kernel& k) {
  Groups groups = groups_of(k.node(), 0);
  if (!groups || states_of(*groups) > kMostStates) return std::nullopt;
  return StateSpace(std::move(*groups), all_parameters(k.node()));
}

}  // namespace mercer::state_space
