#include "machines/clusters/lloyd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "machines/clusters/lloyd_steps.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kChunk = 4096;  // points at a time

// One start on its way: a partition, and what its points would rather be in.
struct Run {
  Partition now, before = {};
  std::vector<Index> next = {};
  std::vector<Index> moved = {};  // points of some weight whose `next` is another
};

class Iterations {
 public:
  Iterations(const WeightedPoints& points, Index clusters, const Lloyd& options, const Execution& how)
      : points_(points), n_(points.K.size()), k_(clusters), options_(options), how_(how), rise_(points, options) {}

  std::vector<Partition> run(std::vector<std::vector<Index>> starts) {
    std::vector<Run> runs(starts.size());
    std::vector<Run*> active;
    for (std::size_t r = 0; r < starts.size(); ++r) {
      runs[r].next = std::move(starts[r]);
      active.push_back(&runs[r]);
    }
    multiply(active);
    for (Run& run : runs) measure(run);
    try {
      for (Index t = 0; t < options_.max_iterations && !active.empty(); ++t) {
        how_.monitor.report({"clusters", static_cast<double>(t) / static_cast<double>(options_.max_iterations)});
        step(active);
      }
      for (Run* run : active) assign(*run);  // those that end at the limit may have settled
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      for (Run& run : runs) run.now.interrupted = true;
    }
    std::vector<Partition> out;
    for (Run& run : runs) out.push_back(std::move(run.now));
    return out;
  }

 private:
  void step(std::vector<Run*>& active) {
    for (Run* run : active) assign(*run);
    std::erase_if(active, [](const Run* run) { return run->now.settled; });
    std::vector<Run*> many;
    for (Run* run : active) {
      if (static_cast<double>(run->moved.size()) > options_.rows_per_product) many.push_back(run);
    }
    if (options_.indefinite) {
      for (Run* run : active) run->before = run->now;
    }
    if (!many.empty()) multiply(many);
    for (Run* run : many) finish(*run);
    for (Run* run : active) {
      if (std::ranges::find(many, run) != many.end()) continue;
      add_rows(*run);
      finish(*run);
    }
    std::erase_if(active, [](const Run* run) { return run->now.settled; });
  }

  // A partition whose S is there: what it is worth.
  void finish(Run& run) const {
    measure(run);
    const Vector& course = run.now.course;
    const double before = course[course.size() - 2], after = course.back();
    const auto empty = [](const Partition& one) { return std::ranges::count(one.masses, 0.0); };
    if (options_.indefinite && (after > before || empty(run.now) > empty(run.before))) {
      run.now = std::move(run.before);
      run.now.settled = true;
      return;
    }
    rise_.require_none(before, after, course.size() - 1);
    run.now.settled = before - after < options_.tolerance * before;
  }

  // S = K Z of the next partitions, side by side.
  void multiply(const std::vector<Run*>& runs) const {
    Matrix z(n_, k_ * static_cast<Index>(runs.size()));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (Index i = 0; i < n_; ++i) z(i, k_ * static_cast<Index>(r) + runs[r]->next[at(i)]) = points_.weights[at(i)];
    }
    Matrix s = points_.K.multiply(z.view(), how_);
    for (Run* const run : runs) run->now.of = run->next;
    if (runs.size() == 1) {
      runs.front()->now.sums = std::move(s);
      return;
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Index first = k_ * static_cast<Index>(r);
      runs[r]->now.sums = Matrix(s.view().block({0, n_}, {first, first + k_}));
    }
  }

  // S goes on to the next partition by the rows of the points that move.
  void add_rows(Run& run) const {
    Matrix change(n_, k_);
    Matrix rows = Matrix::uninitialized(std::min(kBlockOfRows, static_cast<Index>(run.moved.size())), n_);
    for (std::size_t first = 0; first < run.moved.size(); first += at(kBlockOfRows)) {
      const std::span<const Index> which =
          std::span(run.moved).subspan(first, std::min(at(kBlockOfRows), run.moved.size() - first));
      const auto some = static_cast<Index>(which.size());
      const MatrixRef block = rows.ref().block({0, some}, {0, n_});
      points_.K.rows(which, block, how_);
      Matrix step(some, k_);
      for (Index r = 0; r < some; ++r) {
        const std::size_t i = at(which[at(r)]);
        step(r, run.now.of[i]) = -points_.weights[i];
        step(r, run.next[i]) = points_.weights[i];
      }
      linalg::multiply_left_transposed(1, block, step, 1, change);
    }
    for (Index e = 0; e < n_ * k_; ++e) run.now.sums.data()[e] += change.data()[e];
    run.now.of = run.next;
  }

  void measure(Run& run) const {
    Partition& now = run.now;
    now.masses.assign(at(k_), 0);
    now.squares.assign(at(k_), 0);
    for (Index i = 0; i < n_; ++i) {
      const Index c = now.of[at(i)];
      now.masses[at(c)] += points_.weights[at(i)];
      now.squares[at(c)] += points_.weights[at(i)] * now.sums(i, c);
    }
    now.objective = 0;
    for (Index i = 0; i < n_; ++i) now.objective += points_.weights[at(i)] * points_.diagonal[at(i)];
    for (std::size_t c = 0; c < at(k_); ++c) {
      if (now.masses[c] == 0) {
        now.squares[c] = kInfinity;
        continue;
      }
      now.objective -= now.squares[c] / now.masses[c];
      now.squares[c] /= now.masses[c] * now.masses[c];
    }
    now.course.push_back(now.objective);
  }

  double squared_distance(const Partition& now, Index i, Index c) const {
    if (now.masses[at(c)] == 0) return kInfinity;
    return points_.diagonal[at(i)] - 2 * now.sums(i, c) / now.masses[at(c)] + now.squares[at(c)];
  }

  void assign(Run& run) const {
    const Partition& now = run.now;
    run.next.resize(at(n_));
    Vector distances(at(n_));
    parallel_for((n_ + kChunk - 1) / kChunk, thread_count(how_.threads), {}, "clusters", [&](Index chunk, int) {
      for (Index i = chunk * kChunk; i < std::min(n_, (chunk + 1) * kChunk); ++i) {
        const Index own = now.of[at(i)];
        const NearestMean found =
            nearest_of(k_, own, kMoveSlack * (std::abs(points_.diagonal[at(i)]) + now.squares[at(own)]),
                       [&](Index c) { return squared_distance(now, i, c); });
        run.next[at(i)] = found.cluster;
        distances[at(i)] = found.square;
      }
    });
    fill_empty(points_, k_, run.next, distances, how_);
    run.moved.clear();
    for (Index i = 0; i < n_; ++i) {
      if (points_.weights[at(i)] > 0 && run.next[at(i)] != now.of[at(i)]) run.moved.push_back(i);
    }
    run.now.settled = run.moved.empty();
    if (run.now.settled) run.now.of = run.next;  // points of weight 0 move nothing
  }

  const WeightedPoints& points_;
  Index n_, k_;
  const Lloyd& options_;
  const Execution& how_;
  Rise rise_;
};

}  // namespace

Partition improve(const WeightedPoints& points, std::vector<std::vector<Index>> starts, Index clusters,
                  const Lloyd& how_far, const Execution& how) {
  std::vector<Partition> found = Iterations(points, clusters, how_far, how).run(std::move(starts));
  return std::move(*std::ranges::min_element(found, {}, &Partition::objective));
}

void renumber(Partition& partition, const WeightedPoints& points) {
  const std::size_t count = partition.masses.size();
  const double total = std::accumulate(partition.masses.begin(), partition.masses.end(), 0.0);
  std::vector<Index> nearest(count, static_cast<Index>(points.order.size()));  // place of its first point in the order
  for (std::size_t p = points.order.size(); p-- > 0;) {
    const std::size_t i = at(points.order[p]);
    if (points.weights[i] > 0) nearest[at(partition.of[i])] = static_cast<Index>(p);
  }
  // Sums of the same weights in another order may differ in their last digits.
  const auto rank = [&](std::size_t c) {
    return std::pair(-std::round(partition.masses[c] / total * 1e12), nearest[c]);
  };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t c) { return partition.masses[c] == 0; });
  std::ranges::sort(order, {}, rank);

  Partition out{.of = partition.of,
                .masses = {},
                .squares = {},
                .sums = Matrix::uninitialized(partition.sums.rows(), static_cast<Index>(order.size())),
                .objective = partition.objective,
                .course = std::move(partition.course),
                .settled = partition.settled,
                .interrupted = partition.interrupted};
  std::vector<Index> number(count);
  for (std::size_t c = 0; c < order.size(); ++c) {
    number[order[c]] = static_cast<Index>(c);
    out.masses.push_back(partition.masses[order[c]]);
    out.squares.push_back(partition.squares[order[c]]);
    for (Index i = 0; i < out.sums.rows(); ++i) {
      out.sums(i, static_cast<Index>(c)) = partition.sums(i, static_cast<Index>(order[c]));
    }
  }
  for (Index& c : out.of) c = number[at(c)];
  partition = std::move(out);
}

}  // namespace mercer::detail
