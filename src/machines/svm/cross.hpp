// Cross-validation of support vector machines on one K. A fold's points stay in the problem with weight 0, which keeps
// their alphas at 0: so all folds and settings share the same rows of K, and f at the points held out, which the
// solver knows anyway, is what they are scored by. From C to a larger C a fit begins where the last one ended, with an
// f that is known.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machines/svm/kernel_rows.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/tune.hpp"

namespace mercer::detail {

// What Machine::cross asks for. `read` makes a machine of settings, or throws.
std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<Svc(const Settings&)>& read);
std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<NuSvc(const Settings&)>& read);
std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<Svr(const Settings&)>& read);
std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<NuSvr(const Settings&)>& read);

// ---- what these have in common ----

// A training set whose points of a fold weigh nothing. UsageError for a fold that is none.
Training weighing_nothing(const Training& all, const Fold& fold);

// For all of them; `segment` as for RowStore.
std::shared_ptr<RowStore> store_for(const Training& all, std::span<const Index> segment);

// Fits without a fold, with one setting after another that differs from it in C alone.
using Walk = std::function<mercer::HeldOut(const Settings& settings, const Execution& how)>;

// Walks through all settings and folds, side by side. Each walk is made by `begin` and has one thread at a time.
std::vector<mercer::HeldOut> walk_all(const Crossing& crossing, const std::string& machine,
                                      const std::function<Walk(const Fold& fold)>& begin);

}  // namespace mercer::detail
