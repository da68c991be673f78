#include "selection/grow_centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "base/text.hpp"
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

// What is open and trials settle by themselves, with centres.
class Settling {
 public:
  Settling(const Machine& machine, const Settings& given, const Choice& choice)
      : machine_(machine),
        plan_(machine.choosing ? machine.choosing(given, nullptr) : Choosing{}),
        settings_(choice.settings) {
    std::erase_if(plan_.read, [&](const std::string& name) { return given.contains(name); });
    if (plan_.settling.empty()) plan_.read.clear();
  }

  bool any() const { return !plan_.read.empty(); }
  bool settles(Index centres) const { return any() && centres <= kFar; }
  // Settled anew, or as it was before where there are many centres.
  Model fit_to(const Training& training) {
    const Index centres = training.centres->size();
    Model out = fit(machine_, settings_for(centres), training);
    for (const std::string& name : plan_.read) {
      if (settles(centres)) settings_[name] = number(out.report().figure(name).value());
    }
    return out;
  }
  Settings settings_for(Index centres) const {
    Settings out = settings_;
    for (const auto& [name, value] : plan_.settling) {
      if (settles(centres)) out[name] = value;
    }
    return out;
  }
  Settings settled() const {
    Settings out;
    for (const std::string& name : plan_.read) out[name] = settings_.at(name);
    return out;
  }

 private:
  const Machine& machine_;
  Choosing plan_;
  Settings settings_;
};

// "ridge=1.2e-05 with 2000 centres"
std::string words_of(const Settings& settled, Index centres) {
  std::vector<std::string> all;
  for (const auto& [name, value] : settled) all.push_back(fmt::format("{}={:.4g}", name, std::stod(value)));
  return fmt::format("{} with {} centres", fmt::join(all, ", "), centres);
}

Training on_kernel_of(const Choice& choice, const Training& training) {
  Training out = training;
  out.K = gram_for(*choice.kernel, *training.K.points(), {});
  return out;
}

}  // namespace

Index most_centres(const Machine& machine, const Settings& settings, Extent extent, Index first, const Wishes& wishes) {
  if (extent.memory == 0) extent.memory = static_cast<std::size_t>(extent.share());
  Index out = first;
  for (extent.centres = 2 * first; extent.centres <= extent.weighted / 2; extent.centres *= 2) {
    try {
      const Plan plan = plan_for(machine, settings, extent);
      if (plan.pairs / wishes.rates.pairs + plan.flops / wishes.rates.flops > wishes.seconds) break;
    } catch (const Error&) {  // no room
      break;
    }
    out = extent.centres;
  }
  return out;
}

Growth settle_on_centres(const Machine& machine, const Settings& given, const Choice& choice, const Training& training,
                         const CentreWishes& wishes) {
  Growth out{.count = wishes.count};
  Settling settling(machine, given, choice);
  if (!settling.any()) return out;
  Training sample = Deciding(on_kernel_of(choice, training)).sample(kSample).training;
  sample.how = training.how;
  CentreWishes some = wishes;
  some.count = std::min({wishes.count, kFar, sample.K.size()});
  try {
    sample.centres = choose_centres(*choice.kernel, *sample.K.points(), some, training.how);
    settling.fit_to(sample);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    return out;
  }
  out.settled = settling.settled();
  out.words = words_of(out.settled, some.count);
  return out;
}

Growth grow_centres(const Machine& machine, const Settings& given, const Choice& choice, const Training& training,
                    const CentreWishes& most) {
  Growth out{.count = most.count};
  const Criterion* const criterion = usual_criterion(machine.task_for(choice.settings));
  if (criterion == nullptr || most.count <= kFirst) return settle_on_centres(machine, given, choice, training, most);
  const Deciding::Sample sample = Deciding(on_kernel_of(choice, training)).sample(kSample);
  const Index parts = std::max(kShare, sample.different / kMostHeldOut);
  if (sample.different < 2 * parts) return out;
  const Fold fold = divide(sample.training, parts).folds.front();
  const Cut cut(sample.training, fold);
  const auto error_of = [&](double score) { return criterion->larger_is_better ? 1 - score : score; };

  CentreWishes wishes = most;
  wishes.count = std::min(most.count, cut.rest().K.size());
  std::optional<centres::Growing> growing;
  Index there = 0;
  const auto centres_of = [&](Index count) {
    if (!growing || count < there) growing.emplace(*choice.kernel, *cut.rest().K.points(), wishes, training.how);
    there = count;
    return growing->of(count);
  };
  Settling settling(machine, given, choice);
  Training rest = cut.rest();
  rest.how = training.how;
  std::vector<std::pair<Index, double>> tried;
  bool interrupted = false, is_enough = false;
  Index settled_with = 0;
  // What a sample has no use for, all points may: the centres that n points can use grow with the root of n (Rudi,
  // Camoriano & Rosasco, NeurIPS 2015).
  const double times = std::sqrt(static_cast<double>(training.K.size()) / static_cast<double>(sample.different));
  const auto for_all = [&](Index count) {
    return std::max(count, std::min(static_cast<Index>(static_cast<double>(count) * times), wishes.count));
  };
  // By what the last trial took: at most as the square of the number, and as many times as there are more points.
  double seconds_of_one = 0;
  bool in_time = true;
  const auto ends_with = [&](Index count) {
    const double points = static_cast<double>(training.K.size()) / static_cast<double>(rest.K.size());
    const auto m = static_cast<double>(count);
    return !(points * seconds_of_one * m * m > training.seconds);
  };
  try {
    double least = std::numeric_limits<double>::infinity();
    for (Index count = kFirst;;) {
      if (count > rest.K.size()) break;
      rest.centres = centres_of(count);
      const Model model = settling.fit_to(rest);
      if (!model.report().converged && model.report().stopped == "interrupted") {
        interrupted = true;
        break;
      }
      seconds_of_one = model.report().seconds / (static_cast<double>(count) * static_cast<double>(count));
      tried.emplace_back(count, criterion->of(cut.say(model, training.how), sample.training, fold));
      const double error = error_of(tried.back().second);
      const bool helped = tried.size() == 1 || (ends_with(count) && error < (1 - kWorthIt) * least);
      if (helped) {
        out.count = count;
        out.centres = rest.centres;
        out.settled = settling.settled();
        if (settling.settles(count)) settled_with = count;
        least = error;
        is_enough = for_all(count) == wishes.count;  // whatever more would gain
      }
      if (is_enough || count == most.count || (!helped && count >= kFar)) break;
      const Index next = std::min(helped ? 2 * count : kFar, most.count);
      in_time = ends_with(next);
      if (!in_time) break;
      count = next;
    }
    const Index last = std::min(for_all(out.count), kFar);
    if (settling.any() && !interrupted && in_time && last > settled_with) {
      rest.centres = centres_of(last);
      settling.fit_to(rest);
      out.settled = settling.settled();
      settled_with = last;
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
                  !in_time                         ? "; more would not end in the time"
                  : more                           ? "; more would help, and take more memory or time than is allowed"
                  : tried.back().first > out.count ? fmt::format("; {} gain less than 1 %", tried.back().first)
                                                   : "");
  if (const Index count = for_all(out.count); count > out.count && !interrupted && ends_with(count)) {
    out.words += fmt::format("; {} for all points, by the root of how many more there are", count);
    out.count = count;
    out.centres = centres_of(count);
  }
  if (!out.settled.empty()) out.words += "; " + words_of(out.settled, settled_with);
  return out;
}

Trials growth_of(const Machine& machine, const Settings& given, const Choice& choice, const Extent& extent, Index most,
                 bool is_given) {
  Trials out;
  const Settling settling(machine, given, choice);
  Extent sample = extent;
  sample.points = sample.weighted = std::min(extent.points, kSample);
  const auto fit_with = [&](Index centres) {
    sample.centres = centres;
    const Plan one = plan_for(machine, settling.settings_for(centres), sample);
    out.bytes = one.bytes;  // the most centres take the memory of all before them
    out.pairs += one.pairs;
    out.flops += one.flops;
    // What chose them is there beside the fit, to choose more.
    for (const Room& part : one.parts) out.bytes -= part.what == centres::kChoosing ? part.bytes : 0;
    out.bytes += centres::bytes_of_choosing(centres, std::min(sample.points, most_looked_at(most)));
  };
  for (Index centres = kFirst; centres < most && !is_given; centres *= 2) fit_with(centres);
  if (settling.any()) fit_with(std::min(most, kFar));
  const double bytes = out.bytes;
  if (!is_given) fit_with(most);
  out.bytes = std::max(out.bytes, bytes);
  return out;
}

}  // namespace mercer::detail
