#include "state_space/damping.hpp"

#include "base/dot.hpp"

namespace mercer::state_space {

Damping::Damping(const std::vector<Block>& blocks) : blocks_(&blocks), states_(blocks) {
  for (const Block& b : blocks) {
    for (const Process& p : b.motion.processes()) any_ = any_ || p.damping_by.parameter >= 0;
  }
}

// d value = 2 <G T P', dT> + <r m', dT> + <G, dQ>, of which the copies of a motion share dT and dQ.
void Damping::add(const double* G, const double* before, const double* r, const double* m, Index T, double dt,
                  const double* step, MotionSlopes& to) {
  const Index J = states_.states();
  turned_.assign(before, before + J * J);  // T P', transposed: row j is T times row j of P'
  for (Index j = 0; j < J; ++j) states_.advance(turned_.data() + j * J, step);
  Index first = 0;
  for (std::size_t b = 0; b < blocks_->size(); ++b) {
    const Block& block = (*blocks_)[b];
    const Index size = block.motion.size(), copies = block.copies;
    for (std::size_t p = 0; p < block.motion.processes().size(); ++p) {
      if (block.motion.processes()[p].damping_by.parameter < 0) continue;
      dphi_.resize(at(size * size));
      dq_.resize(at(size * size));
      block.motion.by_damping(dt, p, dphi_.data(), dq_.data());
      double sum = 0;
      for (Index a = 0; a < size; ++a) {
        for (Index c = 0; c < size; ++c) {
          for (Index k = 0; k < copies; ++k) {
            const Index i = first + a * copies + k, j = first + c * copies + k;
            double by_phi = 2 * dot(G + i * J, turned_.data() + j * J, J);
            for (Index t = 0; t < T; ++t) by_phi += r[t * J + i] * m[t * J + j];
            sum += by_phi * dphi_[at(a * size + c)] + G[i * J + j] * dq_[at(a * size + c)];
          }
        }
      }
      to.by_damping[b][p] += sum;
    }
    first += block.states();
  }
}

}  // namespace mercer::state_space
