#include "machines/processes/nearest/nearest_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "kernel/all_pairs.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kLogTwoPi = std::log(2 * std::numbers::pi);
// Neighbours are searched again when a column has become so many times as long beside another.
constexpr double kDrift = 2;
// How many points are asked whether twice as many neighbours would change what is said of them, by how many nats at
// most, and how many neighbours there are in the end at most.
constexpr Index kAsked = 2000, kMostInTheEnd = 120;
constexpr double kAdequate = 0.01;

std::vector<Index> order_of(const Points& x, std::uint64_t seed) {
  std::vector<Index> out(at(x.size()));
  std::iota(out.begin(), out.end(), 0);
  // By what they are, so that it does not matter in which order they came.
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return x.rep().compare(a, b) < 0; });
  if (x.domain().kind == "reals" && x.domain().dimension == 1) return out;
  Random random(seed);
  for (Index i = x.size() - 1; i > 0; --i) std::swap(out[at(i)], out[at(random.below(i + 1))]);
  return out;
}

// Runs pieces of work in the order of their numbers, whichever thread comes first, one at a time.
class InOrder {
 public:
  void add(Index number, std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(number, std::move(work));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
      first->second();
      waiting_.erase(first);
      ++next_;
    }
  }

 private:
  std::mutex mutex_;
  std::map<Index, std::function<void()>> waiting_;
  Index next_ = 0;
};

}  // namespace

// With u = (-K_cc^-1 k_ci, 1) / sqrt(v), z_t what is left of target t over sqrt(v), and g = sum_t z_t / s_t K_cc^-1
// r_c, d value / d A = 1/2 (c u u' + g u' + u g'), c = sum_t z_t^2 / s_t - the number of targets.
struct NearestProcess::Seed {
  LocalVectors u, g;
  std::array<double, LocalGroup::kSize> c;

  double at(Index i, Index j, Index s) const {
    return 0.5 * (c[mercer::at(s)] * u(i, 0, s) * u(j, 0, s) + g(i, 0, s) * u(j, 0, s) + u(i, 0, s) * g(j, 0, s));
  }
};

NearestProcess::NearestProcess(const ProcessData& data, Index neighbours, std::uint64_t seed, Execution how)
    : places_(places_of(data)), neighbours_(neighbours), how_(std::move(how)) {
  order_ = order_of(places_.x, seed);
  places_ = reordered(places_, order_);
}

NearestProcess::NearestProcess(const ProcessData& data, Index neighbours, std::vector<Index> order, Execution how)
    : order_(std::move(order)),
      places_(reordered(places_of(data), order_)),
      neighbours_(neighbours),
      how_(std::move(how)) {}

// A search along a gradient needs a function that does not jump: from the first derivatives on neighbours stay.
void NearestProcess::search_at(const Kernel& k, bool hold) {
  const bool keep = search_ && (held_ || search_->drift_to(k) <= kDrift);
  held_ = held_ || hold;
  if (keep) return;
  search_ = std::make_unique<NeighbourSearch>(k, places_.x);
  lists_ = search_->earlier(std::min(neighbours_, std::max<Index>(1, places_.size() - 1)), how_);
}

void NearestProcess::shift_at(const At& where) {
  shift_.clear();
  for (std::size_t i = 0; i < places_.shape.size(); ++i) {
    shift_.push_back(where.noise * places_.shape[i] + (places_.known.empty() ? 0 : places_.known[i] / *where.signal));
  }
}

// None where a variance is not positive in floating point.
std::optional<NearestProcess::Conditionals> NearestProcess::conditionals(const At& where, std::span<const Index> which,
                                                                         const NeighbourLists& lists,
                                                                         Matrix* inverse) const {
  const Index columns = places_.y.cols() + places_.H.cols();
  Conditionals out{.variance = Vector(at(lists.rows())), .left = Matrix::uninitialized(lists.rows(), columns)};
  if (inverse != nullptr) *inverse = Matrix(places_.size(), columns);
  InOrder in_order;
  for_each_own(*where.kernel, places_.x, which, lists, shift_, how_, [&](Index, int, const LocalGroup& group) {
    const auto m = at(group.m);
    LocalVectors v(group, columns);
    v.take(group, 0, places_.y);
    v.take(group, targets(), places_.H);
    for (Index s = 0; s < group.count; ++s) {
      const Index i = which.empty() ? group.first + s : which[at(group.first + s)];
      for (Index t = 0; t < targets(); ++t) v(group.m, t, s) = places_.y(i, t);
      for (Index f = targets(); f < columns; ++f) v(group.m, f, s) = places_.H(i, f - targets());
    }
    simd::factor_beside(m, group.a);
    simd::solve_beside(m, group.a, at(columns), v.data());
    for (Index s = 0; s < group.count; ++s) {
      out.variance[at(group.first + s)] = group.last(group.m, s);
      for (Index c = 0; c < columns; ++c) out.left(group.first + s, c) = v(group.m, c, s);
    }
    if (inverse == nullptr) return;
    // A^-1 = sum_i e_i e_i' / v_i with e_i = (-K_cc^-1 k_ci, 1): each point adds to its neighbours.
    LocalVectors e(group, 1);
    for (Index s = 0; s < group.count; ++s) {
      for (Index i = 0; i < group.m; ++i) e(i, 0, s) = -group.last(i, s);
    }
    simd::solve_back_beside(m, group.a, 1, e.data());
    std::vector<Index> missing;
    for (Index s = 0; s < group.count; ++s) missing.push_back(group.missing(s));
    in_order.add(group.first / LocalGroup::kSize, [&out, &lists, inverse, columns, missing, e, first = group.first] {
      for (Index s = 0; s < static_cast<Index>(missing.size()); ++s) {
        const double* const left = out.left.row(first + s);
        const double v = out.variance[at(first + s)];
        for (Index c = 0; c < columns; ++c) (*inverse)(first + s, c) += left[c] / v;
        Index i = missing[at(s)];
        for (const std::int32_t j : lists.of(first + s)) {
          const double share = e(i++, 0, s) / v;
          for (Index c = 0; c < columns; ++c) (*inverse)(j, c) += share * left[c];
        }
      }
    });
  });
  const bool fine = std::all_of(out.variance.begin(), out.variance.end(), [](double v) { return v > 0; });
  return fine ? std::optional(std::move(out)) : std::nullopt;
}

// Generalised least squares: what is left of the targets on what is left of the functions.
void NearestProcess::fit_trend() {
  const Index functions = places_.H.cols(), n = places_.size();
  b_ = Matrix(functions, targets());
  information_ = Matrix(functions, functions);
  for (Index i = 0; i < n && functions > 0; ++i) {
    const double* left = at_hand_.left.row(i);
    for (Index f = 0; f < functions; ++f) {
      const double over = left[targets() + f] / at_hand_.variance[at(i)];
      for (Index g = 0; g < functions; ++g) information_(f, g) += over * left[targets() + g];
      for (Index t = 0; t < targets(); ++t) b_(f, t) += over * left[t];
    }
  }
  Matrix factor = information_;
  if (linalg::cholesky(factor) != 0) {
    fail(
        ErrorKind::numeric,
        "gp: the mean function cannot be told apart from its parts on these points: a column of the inputs is constant "
        "or follows from others; use mean=constant or zero");
  }
  if (functions > 0) linalg::cholesky_solve(factor, b_);
  rest_ = places_.y;
  if (functions > 0) linalg::multiply(-1, places_.H, b_, 1, rest_);
}

double NearestProcess::quadratic(Index t, double noise) const {
  double sum = noise > 0 ? places_.square[at(t)] / noise : 0;
  for (Index i = 0; i < places_.size(); ++i) {
    const double* left = at_hand_.left.row(i);
    double rest = left[t];
    for (Index f = 0; f < b_.rows(); ++f) rest -= left[targets() + f] * b_(f, t);
    sum += rest * rest / at_hand_.variance[at(i)];
  }
  return sum;
}

// sum over targets of -1/2 q/s - n/2 log(2 pi s) - 1/2 log |A|. Without noise, observations at one place are one.
double NearestProcess::likelihood(const At& where, Vector& signal) const {
  const bool noisy = where.noise > 0;
  const auto n = static_cast<double>(noisy ? points() : places_.size());
  double log_determinant =
      noisy ? places_.log_determinant + static_cast<double>(places_.merged) * std::log(where.noise) : 0;
  for (const double v : at_hand_.variance) log_determinant += std::log(v);
  double value = 0;
  signal.clear();
  for (Index t = 0; t < targets(); ++t) {
    const double q = quadratic(t, where.noise);
    const double s = where.signal ? *where.signal : std::max(q / n, std::numeric_limits<double>::min());
    signal.push_back(s);
    value += -0.5 * q / s - 0.5 * n * (kLogTwoPi + std::log(s)) - 0.5 * log_determinant;
  }
  return value;
}

void NearestProcess::for_each_seed(const At& where, const Vector& signal, const SeedBody& body) const {
  for_each_own(*where.kernel, places_.x, {}, lists_, shift_, how_, [&](Index batch, int, const LocalGroup& group) {
    const auto m = at(group.m);
    LocalVectors z(group, targets());
    z.take(group, 0, rest_);
    for (Index s = 0; s < group.count; ++s) {
      for (Index t = 0; t < targets(); ++t) z(group.m, t, s) = rest_(group.first + s, t);
    }
    simd::factor_beside(m, group.a);
    simd::solve_beside(m, group.a, at(targets()), z.data());
    Seed seed{.u = LocalVectors(group, 1), .g = LocalVectors(group, 1), .c = {}};
    for (Index s = 0; s < group.count; ++s) {
      const double root = std::sqrt(group.last(group.m, s));
      seed.c[at(s)] = -static_cast<double>(targets());
      for (Index t = 0; t < targets(); ++t) {
        const double own_z = z(group.m, t, s) / root, over = own_z / signal[at(t)];
        seed.c[at(s)] += own_z * over;
        for (Index i = 0; i < group.m; ++i) seed.g(i, 0, s) += over * z(i, t, s);
      }
      for (Index i = 0; i < group.m; ++i) seed.u(i, 0, s) = -group.last(i, s) / root;
      seed.u(group.m, 0, s) = 1 / root;
    }
    simd::solve_back_beside(m, group.a, 1, seed.u.data());
    simd::solve_back_beside(m, group.a, 1, seed.g.data());
    body(batch, group, seed);
  });
}

Approach::Value NearestProcess::evaluate(const At& where, bool gradient) { return evaluate(where, gradient, nullptr); }

Approach::Value NearestProcess::evaluate(const At& where, bool gradient, Matrix* inverse) {
  Value out{.objective = -kInfinity, .signal = {}};
  try {
    shift_at(where);
    search_at(*where.kernel, gradient);
    std::optional<Conditionals> found = conditionals(where, {}, lists_, inverse);
    if (!found) return out;
    at_hand_ = std::move(*found);
  } catch (const Error& error) {  // a kernel that overflows here is out of the question
    if (error.kind() != ErrorKind::numeric) throw;
    return out;
  }
  fit_trend();
  out.objective = likelihood(where, out.signal);
  if (!std::isfinite(out.objective)) out.objective = -kInfinity;
  if (!gradient || !std::isfinite(out.objective)) return out;

  struct Part {
    Vector by_kernel;
    double by_noise = 0, by_known = 0;
  };
  const Index parameters = where.kernel->params().size();
  std::vector<Part> parts(at(local_batches(lists_)), Part{.by_kernel = Vector(at(parameters))});
  for_each_seed(where, out.signal, [&](Index batch, const LocalGroup& group, const Seed& seed) {
    Part& part = parts[at(batch)];
    std::vector<double> w;
    for (Index s = 0; s < group.count; ++s) {
      const Index missing = group.missing(s), order = group.m + 1 - missing;
      w.resize(at(order * order));
      for (Index i = 0; i < order; ++i) {
        for (Index j = 0; j < order; ++j) w[at(i * order + j)] = seed.at(missing + i, missing + j, s);
        const Index which = i + 1 < order ? group.given[at(s)][at(i)] : group.first + s;
        part.by_noise += w[at(i * order + i)] * places_.shape[at(which)];
        if (!places_.known.empty()) part.by_known += w[at(i * order + i)] * places_.known[at(which)];
      }
      group.bound.pullback(group.block[at(s)], group.block[at(s)], w.data(), part.by_kernel.data(), {}, group.scratch);
    }
  });
  std::vector<Vector> by_kernel;
  for (Part& part : parts) {
    out.by_noise += part.by_noise;
    if (where.signal) out.by_signal -= part.by_known / (*where.signal * *where.signal);
    by_kernel.push_back(std::move(part.by_kernel));
  }
  out.by_kernel = sum_of_gradients(by_kernel, *where.kernel);
  const bool noisy = where.noise > 0;
  const auto n = static_cast<double>(noisy ? points() : places_.size());
  for (Index t = 0; t < targets(); ++t) {
    const double s = out.signal[at(t)];
    out.by_signal += 0.5 * (quadratic(t, where.noise) / s - n) / s;
    if (!noisy) continue;
    out.by_noise +=
        0.5 * (places_.square[at(t)] / (s * where.noise) - static_cast<double>(places_.merged)) / where.noise;
  }
  return out;
}

Matrix NearestProcess::summed_seed(const At& where) {
  const Value value = evaluate(where, false);
  Matrix out(places_.size(), places_.size());
  std::mutex mutex;
  for_each_seed(where, value.signal, [&](Index, const LocalGroup& group, const Seed& seed) {
    const std::lock_guard lock(mutex);
    for (Index s = 0; s < group.count; ++s) {
      const Index missing = group.missing(s);
      const auto number = [&](Index i) { return i < group.m ? group.given[at(s)][at(i - missing)] : group.first + s; };
      for (Index i = missing; i <= group.m; ++i) {
        for (Index j = missing; j <= group.m; ++j) out(number(i), number(j)) += seed.at(i, j, s);
      }
    }
  });
  return out;
}

// How many neighbours say of some of the points what twice as many say, to kAdequate on average; and by how much those
// differ. b and the signal are those at hand.
NearestProcess::Adequate NearestProcess::adequate(const At& where, const Vector& signal) const {
  const Index n = places_.size(), asked = std::min(n, kAsked);
  std::vector<Index> some;
  for (Index i = 0; i < asked; ++i) some.push_back(i * n / asked);  // their order is random already
  const auto densities = [&](Index most) {
    Vector out;
    const std::optional<Conditionals> of = conditionals(where, some, search_->earlier(some, most, how_), nullptr);
    for (Index r = 0; r < asked && of; ++r) {
      for (Index t = 0; t < targets(); ++t) {
        double rest = of->left(r, t);
        for (Index f = 0; f < b_.rows(); ++f) rest -= of->left(r, targets() + f) * b_(f, t);
        const double v = of->variance[at(r)];
        out.push_back(-0.5 * (rest * rest / (v * signal[at(t)]) + std::log(v)));
      }
    }
    return out;
  };
  Adequate out{.neighbours = lists_.most()};
  for (Vector before = densities(out.neighbours);;) {
    Vector after = densities(std::min(2 * out.neighbours, n - 1));
    out.change = after.size() == before.size() ? 0 : kInfinity;
    for (std::size_t i = 0; i < std::min(after.size(), before.size()); ++i) {
      out.change += std::abs(after[i] - before[i]) / static_cast<double>(after.size());
    }
    const Index more = std::min({2 * out.neighbours, n - 1, kMostInTheEnd});
    if (out.change <= kAdequate || more <= out.neighbours) return out;
    before = more == std::min(2 * out.neighbours, n - 1) ? std::move(after) : densities(more);
    out.neighbours = more;
    if (more == n - 1) return {.neighbours = more, .change = 0};
  }
}

Approach::Solution NearestProcess::solution_so_far(const At& where) const {
  Solution out{.b = b_};
  out.alpha = Matrix(points(), targets());
  const double value = likelihood(where, out.signal);
  out.log_likelihood = {value, value};
  return out;
}

std::string NearestProcess::said() const {
  const bool line = places_.x.domain().kind == "reals" && places_.x.domain().dimension == 1;
  return fmt::format("each of {} {} given its {} nearest before it, in {}, searched by {}", places_.size(),
                     places_.merged > 0 ? "places" : "points", lists_.most(),
                     line ? "the order of the column" : "random order", search_->by_tree() ? "a tree" : "all pairs");
}

// The functions of the trend are 1 and columns around the middle of the points; the model knows that of the places.
Matrix NearestProcess::information_around_places() const {
  const Index functions = places_.H.cols();
  Matrix turn(functions, functions);
  for (Index f = 0; f < functions; ++f) {
    turn(f, f) = 1;
    for (Index i = 0; i < places_.size() && f > 0; ++i)
      turn(0, f) -= places_.H(i, f) / static_cast<double>(places_.size());
  }
  Matrix half(functions, functions), out(functions, functions);
  if (functions == 0) return out;
  linalg::multiply(1, information_, turn, 0, half);
  linalg::multiply_left_transposed(1, turn, half, 0, out);
  return out;
}

Approach::Solution NearestProcess::solve(const At& where) {
  const auto require = [](const Value& value) {
    if (std::isfinite(value.objective)) return;
    fail(ErrorKind::numeric,
         "gp: K + noise among neighbours is not positive definite in floating point; give the noise a larger value, or "
         "leave out points that are nearly equal");
  };
  search_.reset();
  const Index asked_for = neighbours_;
  const auto all = [this] { return lists_.most() + 1 >= places_.size(); };
  double change = 0;
  Matrix inverse;
  held_ = false;
  search_at(*where.kernel, false);
  if (!all()) {
    const Value value = evaluate(where, false);
    require(value);
    const Adequate found = adequate(where, value.signal);
    change = found.change;
    if (found.neighbours > lists_.most()) {
      neighbours_ = found.neighbours;
      lists_ = search_->earlier(neighbours_, how_);
    }
  }
  require(evaluate(where, false, &inverse));
  Solution out = solution_so_far(where);
  // A^-1 (y - H b)
  Matrix alpha = Matrix(inverse.view().block({0, inverse.rows()}, {0, targets()}));
  if (b_.rows() > 0) {
    linalg::multiply(-1, inverse.view().block({0, inverse.rows()}, {targets(), inverse.cols()}), b_, 1, alpha);
  }
  const Index n = places_.size();
  Posterior p{.kind = Posterior::Kind::nearest,
              .shift = Vector(at(n)),
              .covariance = information_around_places(),
              .targets = Matrix(n, targets()),
              .neighbours = std::max(2 * asked_for, lists_.most())};
  out.alpha = Matrix(n, targets());
  std::vector<Index> back(at(n));
  for (Index i = 0; i < n; ++i) {
    const Index to = order_[at(i)];
    back[at(to)] = i;
    p.shift[at(to)] = shift_[at(i)];
    std::copy_n(alpha.row(i), targets(), out.alpha.row(to));
    std::copy_n(rest_.row(i), targets(), p.targets.row(to));
  }
  if (places_.merged > 0) out.centres = places_.x.select(back);
  out.posterior = std::move(p);
  out.figures.push_back({"neighbours", static_cast<double>(lists_.most())});
  out.notes.push_back("the evidence is approximated: " + said());
  if (all()) {
    out.notes.back() = fmt::format("the evidence is exact: {} neighbours are all there are", lists_.most());
    return out;
  }
  out.figures.push_back({"change_by_twice_the_neighbours", change});
  if (neighbours_ > asked_for) {
    out.notes.push_back(fmt::format(
        "{} neighbours were asked for and learnt with; twice as many said otherwise by more than {} a point, "
        "and so evidence and model have {}",
        asked_for, kAdequate, lists_.most()));
  }
  if (change > kAdequate) {
    out.notes.push_back(
        fmt::format("twice as many neighbours would change log p(y_i | neighbours) by {:.2g} on average, more than {}: "
                    "ask for more, "
                    "or for another way",
                    change, kAdequate));
  }
  return out;
}

}  // namespace mercer::detail
