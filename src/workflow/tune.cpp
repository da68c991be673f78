// Options and kernel parameters by cross-validation.
#include "mercer/tune.hpp"

#include "base/fail.hpp"
#include "workflow/columns.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

Division folds_for(const Search& search, const Training& training) {
  if (!search.folds_file.empty()) {
    const std::vector<Column> columns = read_columns(search.folds_file, training.K.size());
    if (columns.size() != 1) {
      fail(ErrorKind::shape, "{}: {} columns; --folds takes one, with the fold of each point", search.folds_file,
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
  return divide(training, search.folds.value_or(5), search.seed, search.repeats.value_or(1));
}

}  // namespace

TuneResult tune(const Prepared& data, const Search& search, const Execution& how) {
  Tuning tuning{.machine = data.machine,
                .settings = data.settings,
                .axes = search.axes,
                .random = search.random,
                .seed = search.seed,
                .metric = search.metric};
  const bool in_folds = needs_folds(tuning), says_folds = search.folds || search.repeats || !search.folds_file.empty();
  if (!in_folds && says_folds) {
    fail(ErrorKind::usage, "tune: {} is judged by fits to all points; leave out --folds, --cv and --repeats",
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
