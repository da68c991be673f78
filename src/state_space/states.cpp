#include "state_space/states.hpp"

#include "simd/loops.hpp"
#include "simd/outer.hpp"

namespace mercer::state_space {

namespace {

thread_local Vector room;  // of the block that is being turned

double* room_for(Index count) {
  if (static_cast<Index>(room.size()) < count) room.resize(at(count));
  return room.data();
}

// In rows shorter than this a call costs more than it saves.
constexpr Index kShort = 12;

void add_scaled(double a, const double* x, Index n, double* out) {
  if (n >= kShort) return simd::add_scaled(a, x, at(n), out);
  for (Index i = 0; i < n; ++i) out[i] += a * x[i];
}

double dot(const double* a, const double* b, Index n) {
  if (n >= kShort) return simd::dot(a, b, at(n));
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// out += sum_i w_i row_i
void add_rows(const double* rows, const double* w, Index count, Index n, double* out) {
  simd::tile_products(rows, at(n), at(count), at(n), nullptr, nullptr, w, out);
}

}  // namespace

Blocks::Blocks(const std::vector<Block>& blocks) {
  for (const Block& b : blocks) {
    places_.push_back({&b.motion, b.copies, states_, features_, b.motion.size()});
    states_ += b.states();
    features_ += b.copies;
  }
}

void Blocks::stationary(double* P) const {
  std::fill_n(P, states_ * states_, 0.0);
  for (const Place& p : places_) {
    for (Index a = 0; a < p.size; ++a) {
      for (Index b = 0; b < p.size; ++b) {
        for (Index c = 0; c < p.copies; ++c) {
          P[(p.first + a * p.copies + c) * states_ + p.first + b * p.copies + c] = p.motion->stationary()(a, b);
        }
      }
    }
  }
}

// Rows of a block; of these the columns of the block; and what the others have in those columns, which is the same.
template <bool transposed>
void Blocks::turn(double* P, const double* step) const {
  const Index J = states_;
  for (const Place& p : places_) {
    if (!p.motion->moves()) continue;
    const double *phi = step, *q = step + p.size * p.size;
    step += 2 * p.size * p.size;
    const Index all = p.size * p.copies, end = p.first + all;
    double* const old = room_for(all * J + p.size);
    double* const weights = old + all * J;
    const auto combine = [&](Index a, const double* from, Index stride, Index n, double* to) {
      std::fill_n(to, n, 0.0);
      if (n < kShort) {
        for (Index b = 0; b < p.size; ++b) {
          const double w = entry<transposed>(phi, p.size, a, b);
          for (Index i = 0; i < n; ++i) to[i] += w * from[b * stride + i];
        }
        return;
      }
      for (Index b = 0; b < p.size; ++b) weights[b] = entry<transposed>(phi, p.size, a, b);
      simd::tile_products(from, at(stride), at(p.size), at(n), nullptr, nullptr, weights, to);
    };
    std::copy_n(P + p.first * J, all * J, old);
    for (Index a = 0; a < p.size; ++a) {
      for (Index c = 0; c < p.copies; ++c) {
        combine(a, old + c * J, p.copies * J, J, P + (p.first + a * p.copies + c) * J);
      }
    }
    for (Index i = p.first; i < end; ++i) {
      double* const row = P + i * J + p.first;
      std::copy_n(row, all, old);
      for (Index a = 0; a < p.size; ++a) combine(a, old, p.copies, p.copies, row + a * p.copies);
    }
    for (Index i = 0; i < J; ++i) {
      if (i == p.first) i = end;
      if (i >= J) break;
      for (Index k = p.first; k < end; ++k) P[i * J + k] = P[k * J + i];
    }
    if (transposed) continue;
    for (Index a = 0; a < p.size; ++a) {
      for (Index b = 0; b < p.size; ++b) {
        for (Index c = 0; c < p.copies; ++c) {
          P[(p.first + a * p.copies + c) * J + p.first + b * p.copies + c] += q[a * p.size + b];
        }
      }
    }
  }
}
template void Blocks::turn<false>(double*, const double*) const;
template void Blocks::turn<true>(double*, const double*) const;

template <bool transposed>
void Blocks::turn_vector(double* m, const double* step) const {
  for (const Place& p : places_) {
    if (!p.motion->moves()) continue;
    double* const own = m + p.first;
    double* const old = room_for(p.size * p.copies);
    std::copy_n(own, p.size * p.copies, old);
    for (Index a = 0; a < p.size; ++a) {
      double* const to = own + a * p.copies;
      std::fill_n(to, p.copies, 0.0);
      for (Index b = 0; b < p.size; ++b) {
        add_scaled(entry<transposed>(step, p.size, a, b), old + b * p.copies, p.copies, to);
      }
    }
    step += 2 * p.size * p.size;
  }
}
template void Blocks::turn_vector<false>(double*, const double*) const;
template void Blocks::turn_vector<true>(double*, const double*) const;

double Blocks::observe(const double* P, const double* phi, double* v) const {
  std::fill_n(v, states_, 0.0);
  for (const Place& p : places_) add_rows(P + p.first * states_, phi + p.feature, p.copies, states_, v);
  return seen(phi, v);
}

double Blocks::seen(const double* phi, const double* m) const {
  double sum = 0;
  for (const Place& p : places_) sum += dot(phi + p.feature, m + p.first, p.copies);
  return sum;
}

void Blocks::add_seen(double a, const double* phi, double* r) const {
  for (const Place& p : places_) add_scaled(a, phi + p.feature, p.copies, r + p.first);
}

void Blocks::add_square(double a, const double* k, double* P) const { simd::add_square(a, k, at(states_), P); }

void Blocks::add_both(const double* phi, const double* x, double* G) const {
  double* const h = room_for(states_);
  std::fill_n(h, states_, 0.0);
  for (const Place& p : places_) std::copy_n(phi + p.feature, p.copies, h + p.first);
  simd::add_both(0.5, x, h, at(states_), G);
}

void Blocks::multiply(const double* P, const double* x, double* out) const {
  std::fill_n(out, states_, 0.0);
  add_rows(P, x, states_, states_, out);
}

void Blocks::multiply_seen(const double* P, const double* x, double* out) const {
  std::fill_n(out, features_, 0.0);
  for (const Place& p : places_) {
    simd::tile_products(P + p.first * states_, at(states_), at(p.copies), at(states_), x, out + p.feature, nullptr,
                        nullptr);
  }
}

void Blocks::take_seen(const double* x, double* out) const {
  for (const Place& p : places_) std::copy_n(x + p.first, p.copies, out + p.feature);
}

void Blocks::add_rates(const double* G, const double* P, const double* r, const double* m, Index T, double dt,
                       MotionSlopes& to) const {
  for (std::size_t block = 0; block < places_.size(); ++block) {
    const Place& p = places_[block];
    if (!p.motion->moves()) continue;
    for (Index a = 0; a < p.size; ++a) {
      for (Index b = 0; b < p.size; ++b) {
        bool needed = false;
        for (std::size_t k = 0; k < p.motion->processes().size(); ++k) {
          needed = needed || p.motion->generator(k)(a, b) != 0 || p.motion->diffusion(k)(a, b) != 0;
        }
        if (!needed) continue;
        double turned = 0, fresh = 0;
        for (Index c = 0; c < p.copies; ++c) {
          const Index i = p.first + a * p.copies + c, j = p.first + b * p.copies + c;
          turned += 2 * dot(G + i * states_, P + j * states_, states_);
          for (Index t = 0; t < T; ++t) turned += r[t * states_ + i] * m[t * states_ + j];
          fresh += G[i * states_ + j];
        }
        for (std::size_t k = 0; k < p.motion->processes().size(); ++k) {
          to.by_rate[block][k] += dt * (p.motion->generator(k)(a, b) * turned + p.motion->diffusion(k)(a, b) * fresh);
        }
      }
    }
  }
}

}  // namespace mercer::state_space
