// The state space of a kernel, from its expression.
#include <algorithm>
#include <cmath>

#include "kernel/catalog.hpp"
#include "state_space/state_space.hpp"

namespace mercer::state_space {

namespace {

using detail::Node;
// The columns that a part of a kernel is given; none: all there are.
using Given = std::optional<Columns>;

// A part of a kernel: k(t, t') where the columns of `apart` are equal, and 0 else.
struct Part {
  std::vector<Group> groups = {};
  std::vector<Columns::Item> apart = {};
};
using Found = std::optional<Part>;

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

Found one(Group g) { return Part{.groups = {std::move(g)}}; }

Index states_of(const std::vector<Group>& groups) {
  Index out = 0;
  for (const Group& g : groups) {
    Index own = g.count();
    for (const Process& p : g.processes) own *= p.size();
    out += own;
  }
  return out;
}

Found product(const Found& a, const Found& b) {
  if (!a || !b || states_of(a->groups) * states_of(b->groups) > kMostStates) return std::nullopt;
  Part out{.apart = a->apart};
  for (const Columns::Item& item : b->apart) {
    if (std::ranges::find(out.apart, item) == out.apart.end()) out.apart.push_back(item);
  }
  for (const Group& left : a->groups) {
    for (const Group& right : b->groups) {
      Group& both = out.groups.emplace_back(left);
      both.processes.insert(both.processes.end(), right.processes.begin(), right.processes.end());
      both.functions.insert(both.functions.end(), right.functions.begin(), right.functions.end());
      both.multiples.insert(both.multiples.end(), right.multiples.begin(), right.multiples.end());
    }
  }
  return out;
}

Found leaf(const Node& node, Index at) {
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
  if (name == "linear") return one(functions_group({.weights = {1}, .slopes = {0}, .first = 1}));
  if (name == "wave") {
    return one(functions_group({.kind = Functions::Kind::harmonics,
                                .weights = {1, 1},
                                .slopes = {0, 0},
                                .first = 1,
                                .period = value("period"),
                                .period_at = at}));
  }
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

// 1 where times are equal; of other columns, where these are.
Found equal_leaf(const Given& given, const Given& time) {
  if (given == time) return one(process_group({.kind = Process::Kind::white}));
  if (!given) return std::nullopt;
  return Part{.groups = {Group{}}, .apart = given->items()};
}

// Whether all that moves with time sees one and the same selection of columns, and which.
struct Time {
  bool any = false, one = true;
  Given columns = {};
};
void look_for_time(const Node& node, const Given& given, Time& out) {
  const std::string& name = node.entry->name;
  if (name == "equal" || name == "const") return;
  if (node.children.empty()) {
    out.one = out.one && (!out.any || out.columns == given);
    out.any = true;
    out.columns = given;
    return;
  }
  const bool chooses = name == "on";
  if (chooses && given) out.one = false;  // of a selection another one
  const Given seen = chooses ? Given(std::get<Columns>(node.option("columns"))) : given;
  for (const detail::NodePtr& child : node.children) look_for_time(*child, seen, out);
}

// `at` counts the parameters before those of the node, which come before those of its children.
Found part_of(const Node& node, Index at, const Given& given, const Given& time) {
  const std::string& name = node.entry->name;
  if (name == "equal") return equal_leaf(given, time);
  if (node.children.empty()) return leaf(node, at);
  Index next = at + own_parameters(node);
  if (name == "on") return part_of(*node.children.front(), next, std::get<Columns>(node.option("columns")), time);
  if (name == "scale") {
    Found out = part_of(*node.children.front(), next, given, time);
    const double value = node.params.front().values.front();
    if (!out || !(value > 0)) return std::nullopt;
    for (Group& g : out->groups) g.multiples.push_back({value, at});
    return out;
  }
  if (name == "power") {
    const Found base = part_of(*node.children.front(), next, given, time);
    Found out = base;
    for (int d = 1; d < static_cast<int>(node.number("degree")); ++d) out = product(out, base);
    return out;
  }
  if (name != "sum" && name != "product") return std::nullopt;
  Found out;
  for (const detail::NodePtr& child : node.children) {
    Found own = part_of(*child, next, given, time);
    next += all_parameters(*child);
    if (!own) return std::nullopt;
    if (!out) {
      out = std::move(own);
    } else if (name == "product") {
      out = product(out, own);
      if (!out) return std::nullopt;
    } else if (out->apart != own->apart) {
      return std::nullopt;  // a part that series share is no state of each
    } else {
      out->groups.insert(out->groups.end(), std::make_move_iterator(own->groups.begin()),
                         std::make_move_iterator(own->groups.end()));
    }
  }
  return out;
}

}  // namespace

std::optional<AlongLines> along_lines(const Kernel& k) {
  Time time;
  look_for_time(k.node(), std::nullopt, time);
  if (!time.one) return std::nullopt;
  Found part = part_of(k.node(), 0, std::nullopt, time.columns);
  if (!part || states_of(part->groups) > kMostStates) return std::nullopt;
  AlongLines out{.model = StateSpace(std::move(part->groups), all_parameters(k.node())), .time = time.columns};
  if (!part->apart.empty()) out.apart = Columns(std::move(part->apart));
  return out;
}

std::optional<StateSpace> state_space_of(const Kernel& k) {
  std::optional<AlongLines> found = along_lines(k);
  return found && !found->time && !found->apart ? std::optional(std::move(found->model)) : std::nullopt;
}

}  // namespace mercer::state_space
