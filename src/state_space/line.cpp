#include "state_space/line.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "points/distinct.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"

namespace mercer::state_space {

namespace {

// `line` of each point, of which there are `count`.
Placed in_lines(const Vector& times, const std::vector<Index>& line, Index count) {
  Placed out;
  out.order.resize(times.size());
  std::iota(out.order.begin(), out.order.end(), Index{0});
  const auto before = [&](Index a, Index b) {
    const Index own = line[at(a)], other = line[at(b)];
    return own != other ? own < other : times[at(a)] < times[at(b)];
  };
  if (!std::is_sorted(out.order.begin(), out.order.end(), before)) {
    std::stable_sort(out.order.begin(), out.order.end(), before);
  }
  std::vector<Index> sizes(at(count));
  for (const Index l : line) ++sizes[at(l)];
  Index first = 0;
  for (const Index size : sizes) {
    out.lines.push_back({first, first + size});
    first += size;
  }
  for (std::size_t p = 0; p < out.order.size(); ++p) {
    const Index i = out.order[p];
    out.times.push_back(times[at(i)]);
    out.as_given = out.as_given && i == static_cast<Index>(p);
    const bool same_line = p > 0 && line[at(i)] == line[at(out.order[p - 1])];
    out.in_time = out.in_time && (!same_line || i > out.order[p - 1]);
  }
  return out;
}

}  // namespace

bool on_a_line(const Points& x) {
  return x.domain().kind == "reals" && x.domain().dimension == 1 && !is_sparse(x) && !is_streamed(x);
}

std::optional<AlongLines> along_lines(const Kernel& k, const Points& x) {
  if (is_streamed(x)) return std::nullopt;
  std::optional<AlongLines> out = along_lines(k);
  return out && on_a_line(out->time ? x.columns(*out->time) : x) ? std::move(out) : std::nullopt;
}

std::optional<AlongLines> shorter_way(const Kernel& k, const Points& x, Index n) {
  std::optional<AlongLines> found = along_lines(k, x);
  return found && is_shorter(found->model.states(), n) ? std::move(found) : std::nullopt;
}

Vector times_of(const Points& x) {
  const auto rows = dense_rows(x);
  Vector out(at(x.size()));
  for (Index i = 0; i < x.size(); ++i) out[at(i)] = rows.values(i, 0);
  return out;
}

Vector times_of(const AlongLines& lines, const Points& x) { return times_of(lines.time ? x.columns(*lines.time) : x); }

std::vector<Index> in_order(VectorView times) {
  std::vector<Index> out(times.size());
  std::iota(out.begin(), out.end(), Index{0});
  if (std::is_sorted(times.begin(), times.end())) return out;
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return times[at(a)] < times[at(b)]; });
  return out;
}

std::shared_ptr<const Placed> placed(const AlongLines& lines, const Points& x) {
  const std::string key =
      "along " + (lines.time ? lines.time->str() : "") + " by " + (lines.apart ? lines.apart->str() : "");
  return x.rep().cached<Placed>(key, [&] {
    const Vector times = times_of(lines, x);
    if (!lines.apart) return in_lines(times, std::vector<Index>(times.size()), 1);
    const Points names = x.columns(*lines.apart);
    const std::vector<Index> equal_to = first_equal(names);
    std::vector<Index> line(times.size()), firsts;
    for (Index i = 0; i < x.size(); ++i) {
      const Index first = equal_to[at(i)];
      if (first == i) firsts.push_back(i);
      line[at(i)] = first == i ? static_cast<Index>(firsts.size()) - 1 : line[at(first)];
    }
    Placed out = in_lines(times, line, static_cast<Index>(firsts.size()));
    out.names = names.select(firsts);
    return out;
  });
}

Placed placed_among(const Placed& those, const AlongLines& lines, const Points& x) {
  const Vector times = times_of(lines, x);
  const auto count = static_cast<Index>(those.lines.size());
  std::vector<Index> line(times.size());
  if (those.names) {
    const std::vector<Index> equal_to = first_equal(join(*those.names, x.columns(*lines.apart)));
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = std::min(equal_to[at(count) + i], count);
  }
  return in_lines(times, line, count + 1);
}

}  // namespace mercer::state_space
