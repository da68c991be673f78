// Options and kernel parameters by cross-validation.
#include "mercer/tune.hpp"

#include "base/fail.hpp"
#include "workflow/columns.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

std::vector<Fold> folds_for(const Search& search, const Training& training) {
  if (!search.folds_file.empty()) {
    const std::vector<Column> columns = read_columns(search.folds_file, training.K.size());
    if (columns.size() != 1) {
      fail(ErrorKind::shape, "{}: {} columns; --folds takes one, with the fold of each point", search.folds_file,
           columns.size());
    }
    return given_folds(columns[0].texts());
  }
  const Index folds = search.folds.value_or(5), repeats = search.repeats.value_or(1);
  return training.labels.size() > 0 ? stratified_folds(training.labels, folds, search.seed, repeats)
                                    : random_folds(training.K.size(), folds, search.seed, repeats);
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
  if (in_folds) tuning.folds = folds_for(search, data.training);
  Training training = data.training;
  training.how = how;
  TuneResult out{.tuned = mercer::tune(tuning, training),
                 .folds = static_cast<Index>(tuning.folds.size()),
                 .remarks = data.remarks};
  out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  complete(data, out.tuned);
  return out;
}

}  // namespace mercer::workflow
