#include "solve/iterate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/column_products.hpp"

namespace mercer::solve {

namespace {

constexpr int kRestarts = 8;

// Where an iteration is: in its restart, after so many steps of those before, which came to x, on the way to residuals
// of which the squares are enough; and where the search begins that is taken up, empty for one that is begun.
struct Place {
  int again = 0, steps = 0;
  Vector enough = {};
  Matrix x;
  Vector search = {};
};

Vector numbers_of(const Place& place, const Vector& search, const Vector& same) {
  Vector out = {static_cast<double>(same.size())};
  out.insert(out.end(), same.begin(), same.end());
  out.insert(out.end(), {static_cast<double>(place.again), static_cast<double>(place.steps)});
  out.insert(out.end(), place.enough.begin(), place.enough.end());
  out.insert(out.end(), place.x.data(), place.x.data() + place.x.rows() * place.x.cols());
  out.insert(out.end(), search.begin(), search.end());
  return out;
}

Place place_of(const Vector& numbers, const Vector& same, Place out) {
  const std::size_t columns = at(out.x.cols()), counts = same.size() + 3, begin = counts + columns;
  const std::size_t size = at(out.x.rows()) * columns;
  if (numbers.size() < begin + size || !std::equal(same.begin(), same.end(), numbers.begin() + 1)) {
    fail(ErrorKind::usage,
         "the work that was interrupted had another preconditioner, as large as memory was free; begin anew, or "
         "`memory` "
         "says how much there is");
  }
  out.again = static_cast<int>(numbers[counts - 2]);
  out.steps = static_cast<int>(numbers[counts - 1]);
  const auto targets = numbers.begin() + static_cast<std::ptrdiff_t>(counts);
  out.enough.assign(targets, targets + static_cast<std::ptrdiff_t>(columns));
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(begin), size, out.x.data());
  out.search.assign(numbers.begin() + static_cast<std::ptrdiff_t>(begin + size), numbers.end());
  return out;
}

Vector squares(const Matrix& m) {
  Vector out;
  for (Index c = 0; c < m.cols(); ++c) out.push_back(linalg::column_square(m, c));
  return out;
}

// The part of the way from |b| to what is wanted that lies behind residuals with these squares, by their logarithms.
double share_behind(const Vector& now, const Vector& norm, const Vector& wanted) {
  double out = 1;
  for (std::size_t c = 0; c < now.size(); ++c) {
    if (!(now[c] > wanted[c]) || !(norm[c] > wanted[c])) continue;
    out = std::min(out, wanted[c] > 0 ? 1 - std::log(now[c] / wanted[c]) / std::log(norm[c] / wanted[c]) : 0.0);
  }
  return std::clamp(out, 0.0, 1.0);
}

// After somebody has cancelled, nobody is asked again: what there is must be measured once.
Matrix measured(const Iteration& how, const Matrix& x, const Monitor& monitor, bool& cancelled) {
  try {
    if (!cancelled) return how.residual(x, monitor);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    cancelled = true;
  }
  return how.residual(x, {});
}

}  // namespace

Iterated iterate(const Matrix& b, const Iteration& how) {
  const Index columns = b.cols();
  Iterated out{Matrix(b.rows(), columns), b, {}, {.direct = false}};
  out.norm = squares(b);
  Vector wanted = out.norm;
  for (double& square : wanted) square *= how.tolerance * how.tolerance;
  Place place{.x = Matrix(b.rows(), columns)};
  if (how.checkpoints) {
    if (const Vector last = how.checkpoints->last(); !last.empty()) place = place_of(last, how.same, std::move(place));
  }
  Accuracy& accuracy = out.accuracy;
  double done = 0;
  const Monitor of_step([&](const Progress&) {
    how.monitor.report({"solve", done});
    return true;
  });
  const linalg::LinearSystem system = how.system(of_step);
  using State = linalg::Steps::State;
  for (; place.again < kRestarts && !accuracy.cancelled; ++place.again) {
    if (place.search.empty()) {
      place.enough = squares(out.r);
      for (std::size_t c = 0; c < wanted.size(); ++c) {
        place.enough[c] = std::max(wanted[c], how.gain * how.gain * place.enough[c]);
      }
    }
    const double begun = done, end = std::max(begun, share_behind(place.enough, out.norm, wanted));
    const auto keep = [&](const State& state) { how.checkpoints->keep(numbers_of(place, state(), how.same)); };
    linalg::Steps steps{.before =
                            [&](double behind, const State& state) {
                              done = std::max(done, begun + behind * (end - begun));
                              how.monitor.report({"solve", done});
                              if (how.checkpoints && how.checkpoints->due()) keep(state);
                            },
                        .from = std::exchange(place.search, {})};
    if (how.checkpoints) steps.cancelled = keep;
    const linalg::Stop stop{.most = how.most_steps - place.steps, .squares = place.enough, .gentle = true};
    const linalg::ConjugateGradients found = linalg::conjugate_gradients(system, out.r, stop, steps);
    place.steps += found.most_steps();
    accuracy.cancelled = found.cancelled;
    for (Index i = 0; i < b.rows() * columns; ++i) place.x.data()[i] += found.x.data()[i];
    out.r = measured(how, place.x, of_step, accuracy.cancelled);
    const Vector now = squares(out.r);
    accuracy.reached = std::equal(now.begin(), now.end(), wanted.begin(), std::less_equal<>());
    if (accuracy.reached || found.most_steps() == 0 || place.steps >= how.most_steps) break;
  }
  accuracy.steps = place.steps;
  accuracy.rounding = !accuracy.reached && !accuracy.cancelled && place.steps < how.most_steps;
  out.x = std::move(place.x);
  for (Index c = 0; c < columns; ++c) {
    if (out.norm[at(c)] == 0) continue;
    accuracy.residual = std::max(accuracy.residual, std::sqrt(linalg::column_square(out.r, c) / out.norm[at(c)]));
  }
  return out;
}

}  // namespace mercer::solve
