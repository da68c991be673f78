// mercer/invariance.hpp: what a machine should not tell apart. It is fitted, copies of the points that it rests on are
// made that mean the same (a digit moved by a pixel), and it is fitted again to those points and their copies: virtual
// support vectors (DeCoste & Schoelkopf, Machine Learning 46, 2002).
//
//     fit("svc", {{"C", "10"}, {"invariance", "shift(28x28, 1)"}}, training);
//     fit_invariant({row_map("negative", function)}, training, [](const Training& t) { return Svc{.C = 10}.fit(t); });
//
// Copies have the targets and weights of their points. Those of all maps are taken side by side, not one map after the
// other. They are made of the inputs before these were prepared (Training::origin), behind the last map that moves
// pixels and before all others: a deskewed picture is shifted, and its norm taken then. Deskewed after the shift, all
// copies would be one.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// Of the inputs `which` of the origin, as K takes points.
Points copies_of(const Origin& origin, const RowMap& map, Index copy, std::span<const Index> which);

// The model predicts from training points and copies, so that it has no numbers of its support; its training_size is
// that of `training`. The report is that of the second fit, with notes of what points came from where and the table
// `invariance`: for each fit its points, how many of them were copies, and both of its support vectors. Equal points
// with equal targets have copies together. What interrupts the first fit ends the work, with its model.
//
// Where Training::seconds are limited, the first fit has half of them and the second what is left, and begins with the
// f of the first where the machine can. The model is converged where both fits are. Where one is not, that of the two
// is kept which is right, or nearer, more often at up to 2,000 of the points and their copies, and a note says which.
// UsageError where K is no kernel at points, or f rests on none of them.
Model fit_invariant(const std::vector<RowMap>& maps, const Training& training,
                    const std::function<Model(const Training&)>& fit);

}  // namespace mercer
