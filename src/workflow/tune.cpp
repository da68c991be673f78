// Options and kernel parameters by cross-validation.
#include "mercer/tune.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "selection/equal_points.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

Division folds_for(const Search& search, const Training& training) {
  if (!search.folds_file.empty()) {
    const std::vector<Column> columns = data::read_columns(search.folds_file, training.K.size());
    if (columns.size() != 1) {
      fail(ErrorKind::shape, "{}: {} columns; `folds_file` takes one, with the fold of each point", search.folds_file,
           columns.size());
    }
    Division given{given_folds(columns[0].texts()), {}};
    if (const Index split = points_split(training, given.folds); split > 0) {
      given.remark = fmt::format(
          "{}: {} points are held out while an equal point is fitted to, which flatters; put equal points into one "
          "fold",
          search.folds_file, split);
    }
    return given;
  }
  const Index repeats = search.repeats.value_or(1);
  if (search.folds) return divide(training, *search.folds, search.seed, repeats);
  constexpr Index kUsual = 5;
  const detail::Counted counted = detail::count_points(training, detail::first_equal(training.K));
  const Index folds = std::clamp<Index>(counted.different, 2, kUsual);
  Division out = divide(training, folds, search.seed, repeats);
  if (folds < kUsual) {
    const std::string fewer = fmt::format("{} folds instead of {}: there are no more different points", folds, kUsual);
    out.remark = out.remark.empty() ? fewer : fewer + "; " + out.remark;
  }
  return out;
}

bool is_option(const Machine& machine, const std::string& name) {
  return std::ranges::any_of(machine.options, [&](const MachineOption& option) { return option.name == name; });
}

}  // namespace

// Each kernel's K once where it is kept, then a fit for each fold and candidate, as many side by side as there are
// threads; the best is fitted to all points in the end.
Plan plan(const Prepared& data, const Search& search, const Execution& how) {
  const Threads limit(how.threads);
  const Machine& row = machine(data.machine);
  const Extent extent = extent_of(data.training);
  Plan out = timed(plan_for(row, data.settings, extent), data.training.K, {.threads = 1});
  const Plan shared = plan_to_share(extent);
  double candidates = 1, kernels = 1;
  for (const Axis& axis : search.axes) {
    candidates *= static_cast<double>(axis.values.size());
    if (!is_option(row, axis.name)) kernels *= static_cast<double>(axis.values.size());
  }
  if (search.random > 0) candidates = kernels = static_cast<double>(search.random);
  const bool in_folds = needs_folds({.machine = data.machine, .settings = data.settings, .metric = search.metric});
  const auto folds = static_cast<double>(search.folds.value_or(5)), rest = in_folds ? (folds - 1) / folds : 1;
  const double fits = candidates * (in_folds ? folds * static_cast<double>(search.repeats.value_or(1)) : 1);
  const double workers = std::min(fits, static_cast<double>(thread_count(how.threads)));

  const double of_fit = out.bytes, all = Needs{.size = extent.points}.squares();
  const double side_by_side = workers * (rest * rest) * (of_fit + (shared.kept ? all : 0));
  out.parts = {{"fits side by side, and the last", std::max(of_fit, side_by_side)}};
  if (shared.kept) {
    out.form = shared.form;
    out.kept = true;
    out.parts.push_back(shared.parts.front());
  }
  out.why = shared.why;
  out.bytes = 0;
  for (const Room& part : out.parts) out.bytes += part.bytes;

  const double pairs = out.pairs, flops = out.flops, seconds = out.seconds;
  out.pairs = pairs * (shared.kept ? kernels + 1 : fits * rest * rest + 1);
  out.flops = flops * (fits * rest * rest * rest + 1);
  out.seconds = seconds * (fits * rest * rest / workers + 1);
  out.solver += fmt::format("; {:.0f} candidates, {:.0f} fits", candidates, fits + 1);
  return in_process(out, how);
}

TuneResult tune(const Prepared& data, const Search& search, const Execution& how) {
  Tuning tuning{.machine = data.machine,
                .settings = data.settings,
                .axes = search.axes,
                .random = search.random,
                .seed = search.seed,
                .metric = search.metric};
  const bool in_folds = needs_folds(tuning), says_folds = search.folds || search.repeats || !search.folds_file.empty();
  if (!in_folds && says_folds) {
    fail(ErrorKind::usage, "tune: {} is judged by fits to all points; leave out `folds_file`, `folds` and `repeats`",
         data.machine);
  }
  std::string remark;
  if (in_folds) {
    Division division = folds_for(search, data.training);
    tuning.folds = std::move(division.folds);
    remark = std::move(division.remark);
  }
  Training training = data.training;
  training.how = how;
  TuneResult out{.tuned = mercer::tune(tuning, training),
                 .folds = static_cast<Index>(tuning.folds.size()),
                 .remarks = data.remarks};
  out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  if (!remark.empty()) out.remarks.push_back(std::move(remark));
  complete(data, out.tuned);
  return out;
}

}  // namespace mercer::workflow
