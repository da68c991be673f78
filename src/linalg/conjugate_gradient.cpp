#include "linalg/conjugate_gradient.hpp"

#include <cmath>
#include <numeric>

namespace mercer::linalg {

namespace {

double product(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void add(double factor, const Vector& from, Vector& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// to = from + factor to
void turn(const Vector& from, double factor, Vector& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + factor * to[i];
}

}  // namespace

ConjugateGradients conjugate_gradients(const LinearSystem& system, Vector r, double enough, int most,
                                       const std::function<void()>& before_step) {
  const auto preconditioned = [&](Vector v) {
    if (system.precondition) system.precondition(v);
    return v;
  };
  const auto times_metric = [&](const Vector& v) {
    if (!system.metric) return v;
    Vector out(v.size());
    system.metric(v, out);
    return out;
  };
  ConjugateGradients out{Vector(r.size())};
  Vector p = preconditioned(r), G_p = times_metric(p), H_p(r.size());
  double rz = product(r, G_p);
  const double target = rz * enough;
  for (; out.steps < most && rz > target; ++out.steps) {
    if (before_step) before_step();
    system.apply(p, G_p, H_p);
    const double length = rz / product(H_p, G_p);
    if (!std::isfinite(length)) break;
    add(length, p, out.x);
    add(-length, H_p, r);
    const Vector z = preconditioned(r), G_z = times_metric(z);
    const double next = product(r, G_z), ratio = next / rz;
    turn(z, ratio, p);
    turn(G_z, ratio, G_p);
    rz = next;
  }
  out.reached = rz <= target;
  return out;
}

}  // namespace mercer::linalg
