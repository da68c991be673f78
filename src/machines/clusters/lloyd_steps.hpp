// What Lloyd's iterations do alike, however they come to the distances.
#pragma once

#include <cmath>
#include <vector>

#include "machines/clusters/lloyd.hpp"

namespace mercer::detail {

// A point stays where it is unless another centre is nearer by more than rounding makes of it, so that none goes round
// in circles.
inline constexpr double kMoveSlack = 1e-12;

struct NearestMean {
  Index cluster;
  double square;  // of the distance
};
// `square(c)`: of the distance from c, infinite where there is nobody. `slack`: what makes a point of `own` move.
template <class Square>
NearestMean nearest_of(Index clusters, Index own, double slack, const Square& square) {
  NearestMean out{own, square(own)};
  if (std::isinf(out.square)) slack = 0;
  for (Index c = 0; c < clusters; ++c) {
    const double other = square(c);
    if (other < out.square - (out.cluster == own ? slack : 0)) out = {c, other};
  }
  return out;
}

// A cluster without points gets the one farthest from its centre, of those that are not alone. `distances`: squared,
// of each point from its centre.
void fill_empty(const WeightedPoints& points, Index clusters, std::vector<Index>& of, Vector& distances,
                const Execution& how);

// An objective that rises by more than rounding: NumericError.
class Rise {
 public:
  Rise(const WeightedPoints& points, const Lloyd& options);
  void require_none(double before, double after, std::size_t iteration) const;

 private:
  std::string_view machine_;
  double scale_ = 0;
};

}  // namespace mercer::detail
