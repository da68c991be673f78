// How states move: Phi and Q against the golden values, each other and central differences.
#include "state_space/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support.hpp"

namespace mercer::state_space::motion_test {
namespace {

Process matern(int order, double ell = 1) { return {.order = order, .rate = std::sqrt(2.0 * order + 1) / ell}; }
Process oscillator(double damping, double rate = 1) {
  return {.kind = Process::Kind::oscillator, .rate = rate, .damping = damping};
}

struct Step {
  Matrix phi, q;
};
Step step_of(const Motion& m, double dt) {
  Step out{Matrix(m.size(), m.size()), Matrix(m.size(), m.size())};
  m.transition(dt, out.phi.data(), out.q.data());
  return out;
}

Matrix product(const Matrix& a, const Matrix& b, bool transposed = false) {
  Matrix out(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.rows(); ++j) {
      for (Index k = 0; k < a.rows(); ++k) out(i, j) += a(i, k) * (transposed ? b(j, k) : b(k, j));
    }
  }
  return out;
}

std::vector<Motion> motions() {
  std::vector<Motion> out;
  for (int order = 0; order <= kMostOrder; ++order) out.push_back(Motion({matern(order, 0.7)}));
  for (const double damping : {1e-4, 0.3, 0.999999, 1.0, 1.000001, 1.7, 30.0})
    out.push_back(Motion({oscillator(damping)}));
  out.push_back(Motion({matern(1, 0.7), oscillator(0.2, 3)}));
  out.push_back(Motion({matern(2, 2), matern(0, 0.5), oscillator(1.5)}));
  return out;
}

constexpr double kSteps[] = {1e-7, 1e-4, 0.01, 0.06, 0.11, 0.3, 0.8, 2, 11, 1e3};

// Computed in 40-digit arithmetic; the state is in units of 1/rate, the variance 1.5.
TEST(Motion, NoiseOfASmallStepHasAllItsDigits) {
  const double rate = std::sqrt(3.0) / 0.8;
  const Step s = step_of(Motion({matern(1, 0.8)}), 1e-3);
  EXPECT_NEAR(1.5 * s.q(0, 0) / 2.0231666468517e-8, 1, 2e-14);
  EXPECT_NEAR(1.5 * s.q(0, 1) * rate / 3.03146546859325e-5, 1, 2e-14);
  EXPECT_NEAR(1.5 * s.q(1, 1) * rate * rate / 0.0606294042078015, 1, 2e-14);
}

// Two steps are one of twice the length, in every digit of every entry: also of those that are tiny.
TEST(Motion, StepsCompose) {
  for (const Motion& m : motions()) {
    for (const double dt : kSteps) {
      const Step one = step_of(m, dt), two = step_of(m, 2 * dt);
      const Matrix phi = product(one.phi, one.phi), moved = product(product(one.phi, one.q), one.phi, true);
      for (Index i = 0; i < m.size(); ++i) {
        for (Index j = 0; j < m.size(); ++j) {
          EXPECT_NEAR(phi(i, j), two.phi(i, j), 1e-12) << dt;
          const double scale = std::sqrt(two.q(i, i) * two.q(j, j));
          EXPECT_NEAR(moved(i, j) + one.q(i, j), two.q(i, j), 1e-12 * scale) << dt;
        }
      }
    }
  }
}

TEST(Motion, StationaryCovarianceStays) {
  for (const Motion& m : motions()) {
    EXPECT_NEAR(m.stationary()(0, 0), 1, 1e-14);
    for (const double dt : kSteps) {
      const Step s = step_of(m, dt);
      const Matrix moved = product(product(s.phi, m.stationary()), s.phi, true);
      for (Index e = 0; e < m.size() * m.size(); ++e) {
        EXPECT_NEAR(moved.data()[e] + s.q.data()[e], m.stationary().data()[e],
                    1e-12 * m.stationary()(m.size() - 1, m.size() - 1));
      }
    }
  }
}

// d Phi / du = F Phi and d Q / du = F Q + Q F' + W.
TEST(Motion, GeneratorsAreTheDerivatives) {
  for (const Motion& m : motions()) {
    for (const double dt : {0.05, 0.4, 1.3}) {
      for (std::size_t p = 0; p < m.processes().size(); ++p) {
        constexpr double h = 1e-6;
        const auto at_rate = [&](double factor) {
          std::vector<Process> others = m.processes();
          others[p].rate *= factor;
          return step_of(Motion(others), dt);
        };
        const Step up = at_rate(1 + h), down = at_rate(1 - h), here = step_of(m, dt);
        const double u = m.processes()[p].rate * dt;
        const Matrix phi = product(m.generator(p), here.phi), q = product(m.generator(p), here.q);
        for (Index i = 0; i < m.size(); ++i) {
          for (Index j = 0; j < m.size(); ++j) {
            EXPECT_NEAR(u * phi(i, j), (up.phi(i, j) - down.phi(i, j)) / (2 * h), 1e-6);
            EXPECT_NEAR(u * (q(i, j) + q(j, i) + m.diffusion(p)(i, j)), (up.q(i, j) - down.q(i, j)) / (2 * h), 1e-6);
          }
        }
      }
    }
  }
}

TEST(Motion, DampingHasItsDerivatives) {
  for (const double damping : {1e-2, 0.3, 0.9999, 1.0, 1.0001, 1.7, 8.0}) {
    for (const double dt : {0.01, 0.2, 0.9, 3.0, 15.0}) {
      constexpr double h = 1e-6;
      const auto with = [](double d) { return Motion({matern(1, 3), oscillator(d)}); };
      const Motion m = with(damping);
      const Step up = step_of(with(damping + h), dt), down = step_of(with(damping - h), dt);
      Matrix dphi(4, 4), dq(4, 4);
      m.by_damping(dt, 1, dphi.data(), dq.data());
      for (Index e = 0; e < 16; ++e) {
        EXPECT_NEAR(dphi.data()[e], (up.phi.data()[e] - down.phi.data()[e]) / (2 * h), 1e-8) << damping << " " << dt;
        EXPECT_NEAR(dq.data()[e], (up.q.data()[e] - down.q.data()[e]) / (2 * h), 1e-8) << damping << " " << dt;
      }
    }
  }
}

}  // namespace
}  // namespace mercer::state_space::motion_test
