// The algebra of one step of a filter, on plain arrays: covariances are J x J by rows, both triangles.
//
// The states are those of some blocks: copies of one motion, side by side, so that the component a of copy c of a block
// that begins at b is at b + a copies + c. A point sees its features: h has them at the first components, and zeros
// else. `Blocks` holds for all; `Single` for one copy of one motion, of a size that the compiler knows.
#pragma once

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "state_space/motion.hpp"

namespace mercer::state_space {

struct Block {
  Motion motion;
  Index copies = 1;

  Index states() const { return motion.size() * copies; }
};

// Of each process of each motion: sums over steps of d value / d (rate dt) dt, and of d value / d damping.
struct MotionSlopes {
  std::vector<Vector> by_rate, by_damping;
};

// Where the transitions of a step are: Phi and Q of each motion that moves, one behind the other.
inline Index transition_size(const std::vector<Block>& blocks) {
  Index out = 0;
  for (const Block& b : blocks) out += b.motion.moves() ? 2 * b.motion.size() * b.motion.size() : 0;
  return out;
}

// out = sum_b a_ab in_b, or of the transpose.
template <bool transposed>
inline double entry(const double* phi, Index size, Index a, Index b) {
  return transposed ? phi[b * size + a] : phi[a * size + b];
}

template <int J>
class Single {
 public:
  explicit Single(const std::vector<Block>& blocks) : motion_(&blocks.front().motion) {}
  static constexpr Index states() { return J; }
  static constexpr Index features() { return 1; }

  // Zeros. Arrays, so that what a pass goes on with stays in registers.
  using State = std::array<double, J>;
  using Square = std::array<double, static_cast<std::size_t>(J) * J>;
  static State state() { return {}; }
  static Square square() { return {}; }
  static std::array<double, 1> feature() { return {}; }

  void stationary(double* P) const { std::copy_n(motion_->stationary().data(), J * J, P); }

  static void predict(double* P, const double* step) { turn<false>(P, step, step + J * J); }
  // The same from P + a x x'. Where a comes out of a division, P need not wait for it.
  static void predict_from(double a, const double* x, double* P, const double* step) {
    State moved{};
    for (int i = 0; i < J; ++i) {
      for (int j = 0; j < J; ++j) moved[at(i)] += step[i * J + j] * x[j];
    }
    turn<false>(P, step, step + J * J);
    add_square(a, moved.data(), P);
  }
  static void pull(double* G, const double* step) { turn<true>(G, step, nullptr); }
  static void advance(double* m, const double* step) { turn_vector<false>(m, step); }
  static void retreat(double* r, const double* step) { turn_vector<true>(r, step); }

  static double observe(const double* P, const double* phi, double* v) {  // v = P h; h'v
    for (int i = 0; i < J; ++i) v[i] = phi[0] * P[i];
    return phi[0] * v[0];
  }
  static double seen(const double* phi, const double* m) { return phi[0] * m[0]; }  // h'm
  static void add_seen(double a, const double* phi, double* r) { r[0] += a * phi[0]; }
  static void add_square(double a, const double* k, double* P) {  // P += a k k'
    for (int i = 0; i < J; ++i) {  // products of k do not wait for a, which comes out of a division
      for (int j = 0; j < J; ++j) P[i * J + j] += a * (k[i] * k[j]);
    }
  }
  static void add_both(const double* phi, const double* x, double* G) {  // G += (x h' + h x') / 2
    for (int i = 0; i < J; ++i) {
      const double half = 0.5 * phi[0] * x[i];
      G[i * J] += half;
      G[i] += half;
    }
  }
  static void multiply(const double* P, const double* x, double* out) {
    for (int i = 0; i < J; ++i) {
      out[i] = 0;
      for (int j = 0; j < J; ++j) out[i] += P[i * J + j] * x[j];
    }
  }
  static void multiply_seen(const double* P, const double* x, double* out) {  // those rows that h sees
    out[0] = 0;
    for (int j = 0; j < J; ++j) out[0] += P[j] * x[j];
  }
  static void take_seen(const double* x, double* out) { out[0] = x[0]; }

  // G = d value / d P and r = d value / d m of T means, after a step.
  void add_rates(const double* G, const double* P, const double* r, const double* m, Index T, double dt,
                 MotionSlopes& to) const {
    std::array<double, static_cast<std::size_t>(J) * J> S{};  // sum_k G_ak P_ck + r_a m_c / 2
    for (int a = 0; a < J; ++a) {
      for (int c = 0; c < J; ++c) {
        double sum = 0;
        for (int k = 0; k < J; ++k) sum += G[a * J + k] * P[c * J + k];
        for (Index t = 0; t < T; ++t) sum += 0.5 * r[t * J + a] * m[t * J + c];
        S[at(a * J + c)] = sum;
      }
    }
    for (std::size_t p = 0; p < motion_->processes().size(); ++p) {
      const double *F = motion_->generator(p).data(), *W = motion_->diffusion(p).data();
      double slope = 0;
      for (std::size_t e = 0; e < S.size(); ++e) slope += 2 * F[e] * S[e] + W[e] * G[e];
      to.by_rate[0][p] += slope * dt;
    }
  }

 private:
  template <bool transposed>
  static void turn(double* P, const double* phi, const double* q) {
    std::array<double, static_cast<std::size_t>(J) * J> M;
    for (int a = 0; a < J; ++a) {
      for (int b = 0; b < J; ++b) {
        double sum = 0;
        for (int c = 0; c < J; ++c) sum += entry<transposed>(phi, J, a, c) * P[c * J + b];
        M[at(a * J + b)] = sum;
      }
    }
    for (int a = 0; a < J; ++a) {
      for (int b = 0; b <= a; ++b) {
        double sum = q == nullptr ? 0 : q[a * J + b];
        for (int c = 0; c < J; ++c) sum += M[at(a * J + c)] * entry<transposed>(phi, J, b, c);
        P[a * J + b] = P[b * J + a] = sum;
      }
    }
  }
  template <bool transposed>
  static void turn_vector(double* m, const double* phi) {
    std::array<double, J> out;
    for (int a = 0; a < J; ++a) {
      double sum = 0;
      for (int c = 0; c < J; ++c) sum += entry<transposed>(phi, J, a, c) * m[c];
      out[static_cast<std::size_t>(a)] = sum;
    }
    std::copy_n(out.begin(), J, m);
  }

  const Motion* motion_;
};

class Blocks {
 public:
  explicit Blocks(const std::vector<Block>& blocks);
  Index states() const { return states_; }
  Index features() const { return features_; }

  using State = Vector;
  using Square = Vector;
  State state() const { return Vector(at(states_)); }
  Square square() const { return Vector(at(states_ * states_)); }
  Vector feature() const { return Vector(at(features_)); }

  void stationary(double* P) const;
  void predict(double* P, const double* step) const { turn<false>(P, step); }
  void predict_from(double a, const double* x, double* P, const double* step) const {
    add_square(a, x, P);
    predict(P, step);
  }
  void pull(double* G, const double* step) const { turn<true>(G, step); }
  void advance(double* m, const double* step) const { turn_vector<false>(m, step); }
  void retreat(double* r, const double* step) const { turn_vector<true>(r, step); }
  double observe(const double* P, const double* phi, double* v) const;
  double seen(const double* phi, const double* m) const;
  void add_seen(double a, const double* phi, double* r) const;
  void add_square(double a, const double* k, double* P) const;
  void add_both(const double* phi, const double* x, double* G) const;
  void multiply(const double* P, const double* x, double* out) const;
  void multiply_seen(const double* P, const double* x, double* out) const;
  void take_seen(const double* x, double* out) const;
  void add_rates(const double* G, const double* P, const double* r, const double* m, Index T, double dt,
                 MotionSlopes& to) const;

 private:
  struct Place {
    const Motion* motion;
    Index copies, first, feature, size;
  };
  template <bool transposed>
  void turn(double* P, const double* step) const;
  template <bool transposed>
  void turn_vector(double* m, const double* step) const;

  std::vector<Place> places_;
  Index states_ = 0, features_ = 0;
};

}  // namespace mercer::state_space
