#include "selection/grow_centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "centres/growing.hpp"
#include "selection/criterion.hpp"
#include "selection/deciding.hpp"
#include "selection/held_out.hpp"
#include "selection/trials.hpp"

namespace mercer::detail {

namespace {

constexpr Index kFirst = 250;
// Points that decide, and of these the share that is held out, and how many at most.
constexpr Index kSample = 50000, kShare = 10, kMostHeldOut = 5000;
constexpr double kWorthIt = 0.01;
// What K needs next may come by the thousand (of rbf the products of three columns, of 20 columns 1,540): so many are
// tried, which on a sample takes seconds, before nothing more is to be gained.
constexpr Index kFar = 2000;

const Criterion* usual_criterion(Task task) {
  const std::vector<const Criterion*> all = criteria(task);
  return all.empty() || all.front()->of == nullptr ? nullptr : all.front();
}

}  // namespace

Growth grow_centres(const Machine& machine, const Choice& choice, const Training& training, const CentreWishes& most) {
  Growth out{.count = most.count};
  const Criterion* const criterion = usual_criterion(machine.task_for(choice.settings));
  if (criterion == nullptr || most.count <= kFirst) return out;
  Training all = training;
  all.K = gram_for(*choice.kernel, *training.K.points(), {});
  const Deciding::Sample sample = Deciding(all).sample(kSample);
  const Index parts = std::max(kShare, sample.different / kMostHeldOut);
  if (sample.different < 2 * parts) return out;
  const Fold fold = divide(sample.training, parts).folds.front();
  const Cut cut(sample.training, fold);
  const auto error_of = [&](double score) { return criterion->larger_is_better ? 1 - score : score; };

  CentreWishes wishes = most;
  wishes.count = std::min(most.count, cut.rest().K.size());
  centres::Growing growing(*choice.kernel, *cut.rest().K.points(), wishes, training.how);
  std::vector<std::pair<Index, double>> tried;
  bool interrupted = false, settled = false;
  // What a sample has no use for, all points may: the centres that n points can use grow with the root of n (Rudi,
  // Camoriano & Rosasco, NeurIPS 2015).
  const double times = std::sqrt(static_cast<double>(training.K.size()) / static_cast<double>(sample.different));
  const auto for_all = [&](Index count) {
    return std::max(count, std::min(static_cast<Index>(static_cast<double>(count) * times), wishes.count));
  };
  try {
    double least = std::numeric_limits<double>::infinity();
    for (Index count = kFirst;;) {
      Training rest = cut.rest();
      rest.how = training.how;
      if (count > rest.K.size()) break;
      rest.centres = growing.of(count);
      const Model model = fit(machine, choice.settings, rest);
      if (!model.report().converged && model.report().stopped == "interrupted") {
        interrupted = true;
        break;
      }
      tried.emplace_back(count, criterion->of(cut.say(model, training.how), sample.training, fold));
      const double error = error_of(tried.back().second);
      const bool helped = tried.size() == 1 || error < (1 - kWorthIt) * least;
      if (helped) {
        out.count = count;
        out.centres = rest.centres;
        least = error;
        settled = for_all(count) == wishes.count;  // whatever more would gain
      }
      if (settled || count == most.count || (!helped && count >= kFar)) break;
      count = std::min(helped ? 2 * count : kFar, most.count);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    interrupted = true;
  }
  if (tried.empty()) return out;
  out.table = Report::Table{"centres", {"centres", criterion->name}, Matrix(static_cast<Index>(tried.size()), 2)};
  for (Index r = 0; r < out.table->rows.rows(); ++r) {
    out.table->rows(r, 0) = static_cast<double>(tried[static_cast<std::size_t>(r)].first);
    out.table->rows(r, 1) = tried[static_cast<std::size_t>(r)].second;
  }
  const bool more = out.count == most.count && tried.size() > 1;
  out.words =
      fmt::format("{} centres: {} {:.4g} of {} points held out{}", out.count, criterion->name,
                  std::find_if(tried.begin(), tried.end(), [&](const auto& t) { return t.first == out.count; })->second,
                  fold.size(),
                  more                             ? "; more would help, and take more memory or time than is allowed"
                  : tried.back().first > out.count ? fmt::format("; {} gain less than 1 %", tried.back().first)
                                                   : "");
  if (const Index count = for_all(out.count); count > out.count && !interrupted) {
    out.words += fmt::format("; {} for all points, by the root of how many more there are", count);
    out.count = count;
    out.centres = count < tried.back().first
                      ? centres::Growing(*choice.kernel, *cut.rest().K.points(), wishes, training.how).of(count)
                      : growing.of(count);
  }
  return out;
}

Trials growth_of(const Machine& machine, const Settings& settings, const Extent& extent, Index most) {
  Trials out;
  Extent sample = extent;
  sample.points = sample.weighted = std::min(extent.points, kSample);
  for (sample.centres = kFirst; sample.centres < most; sample.centres *= 2) out.add(machine, settings, sample, 1);
  out.bytes = 0;  // the most centres take the memory of all before them
  sample.centres = most;
  out.add(machine, settings, sample, 1);
  return out;
}

}  // namespace mercer::detail
