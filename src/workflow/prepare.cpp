// From a request to what a machine is fitted to.
#include <fmt/format.h>

#include <algorithm>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "data/all_pairs.hpp"
#include "data/columns.hpp"
#include "data/label_column.hpp"
#include "data/targets.hpp"
#include "mercer/kernels.hpp"
#include "points/distinct.hpp"
#include "selection/first_kernel.hpp"
#include "workflow/provenance.hpp"
#include "workflow/raw_training.hpp"
#include "workflow/usual_kernel.hpp"
#include "workflow/usual_scaling.hpp"

namespace mercer::workflow {

namespace {

bool is_usual(const KernelChoice& kernel) { return std::holds_alternative<Usual>(kernel); }

// Options that are not given go on as they were.
Settings settings_for(const FitRequest& request) {
  Settings out = request.settings;
  if (request.start) {
    for (const auto& [name, value] : request.start->parts().settings) out.emplace(name, value);
  }
  return out;
}

void require_start(const FitRequest& request) {
  if (!request.start || request.start->parts().machine == request.machine) return;
  fail(ErrorKind::usage, "`start`: this is a model of {}, not of {}", request.start->parts().machine, request.machine);
}

// The points that count, each once: scales and `auto` are read off them, so that a weight of 2 is the point twice.
Points of_weight(const Points& x, const Vector& weights) {
  std::vector<Index> which;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) which.push_back(static_cast<Index>(i));
  }
  return distinct(which.empty() || which.size() == weights.size() ? x : x.select(which));
}

std::vector<std::string> labels_of(const KernelChoice& kernel, const Points& x) {
  const Kernel* const k = std::get_if<Kernel>(&kernel);
  return k != nullptr ? label_columns(*k, x) : std::vector<std::string>();
}

// A density of what comes out of a map is none of what went in.
void require_maps(const FitRequest& request) {
  if (request.prepare.empty()) return;
  if (machine(request.machine).task_for(settings_for(request)) == Task::density) {
    fail(ErrorKind::usage,
         "`prepare`: {} finds a density of the inputs, and that of prepared ones is another; prepare them before the "
         "fit",
         request.machine);
  }
  if (request.start && request.start->parts().scaling.maps != request.prepare) {
    const std::vector<RowMap>& own = request.start->parts().scaling.maps;
    fail(ErrorKind::usage, "`prepare`: the model to go on from has {}; leave it out", own.empty() ? "none" : str(own));
  }
}

// Whether a kernel is found along a line: it has its length and its cycle in the units of the column.
bool finds_kernel(const FitRequest& request, const Points& x) {
  if (!machine(request.machine).by_evidence || !is_usual(request.kernel)) return false;
  return detail::is_long_line(x) || (!request.series_by.empty() && data::column_count(x) == 2);
}

// `labels` stay as they are; `coded`: some of them stand for categories and gaps, beside numbers that are scaled.
Scaling scaling_for(const FitRequest& request, const Points& x, const std::vector<std::string>& labels, bool coded) {
  if (request.start && !request.scale) return request.start->parts().scaling;
  const std::vector<RowMap>& maps = request.start ? request.start->parts().scaling.maps : request.prepare;
  const auto usual = [&] {
    if (!maps.empty() || finds_kernel(request, x)) return Scaling::Kind::none;
    return usual_scaling(x, coded);
  };
  return leaving(labels, x, Scaling::of(request.scale ? *request.scale : usual(), x, maps));
}

std::vector<std::string> scaling_remarks(const FitRequest& request, const Scaling& scaling, const Points& x,
                                         const std::vector<std::string>& labels) {
  const bool asked = request.scale || request.start || !scaling.maps.empty();
  if (!asked && finds_kernel(request, x)) {
    return {"inputs as they are: lengths along a line are in its units; `scale=standard` scales them"};
  }
  std::vector<std::string> out = {scaling_remark(scaling.kind, asked, x)};
  if (!scaling.maps.empty()) {
    const std::string maps = "inputs prepared by " + str(scaling.maps);
    out = scaling.kind == Scaling::Kind::none ? std::vector{maps} : std::vector{maps, out.front()};
  }
  if (scaling.kind != Scaling::Kind::none && !labels.empty()) {
    out.push_back(fmt::format("{} as {}: to the kernel {}", fmt::join(labels, ", "),
                              labels.size() == 1 ? "it is" : "they are",
                              labels.size() == 1 ? "its numbers are labels" : "their numbers are labels"));
  }
  return out;
}

// K of what a machine is fitted to; what a fit makes of it is planned when all is known. A machine may look at some
// rows only; what is refused is named by its row in the file.
Gram checked_gram(const Kernel& k, const Points& x) {
  Gram K = gram_for(k, x, {});
  if (x.domain().kind != "reals") (void)K.diagonal();
  return K;
}

Prepared prepare_matrix(const FitRequest& request, const RawTraining& raw) {
  if (request.scale && *request.scale != Scaling::Kind::none) {
    fail(ErrorKind::usage, "`scale`: kernel values cannot be scaled like inputs; leave it out");
  }
  if (!request.prepare.empty()) {
    fail(ErrorKind::usage, "`prepare`: kernel values are no inputs that could be prepared; leave it out");
  }
  if (request.centres) {
    fail(ErrorKind::usage,
         "`centres`: K is given as numbers, and these have no points that could be centres; leave it out");
  }
  return {.machine = request.machine,
          .source = request.source.path,
          .training = {.K = precomputed(data::square_matrix(raw.points, request.source.path))},
          .remarks = {"numbers of all pairs are given"}};
}

// Inputs as they came are kept only for those that make copies of them.
std::optional<Origin> origin_for(const FitRequest& request, const Points& inputs, const Scaling& prepared) {
  const Settings settings = settings_for(request);
  const auto named = settings.find("invariance");
  if (named == settings.end() || named->second.empty()) return std::nullopt;
  return Origin{inputs, prepared};
}

// Maps take the columns of a row for numbers of one kind: pixels, or what has a length together.
void refuse_maps_of(const std::vector<std::string>& coded, const FitRequest& request) {
  const auto copies = request.settings.find("invariance");
  const bool copied = copies != request.settings.end() && !copies->second.empty();
  if (request.prepare.empty() && !copied) return;
  fail(ErrorKind::data,
       "`{}`: it takes rows of numbers, and {} stands for a category or a gap; leave such columns out by `drop`",
       copied ? "invariance" : "prepare", coded.front());
}

Prepared prepare_points(const FitRequest& request, RawTraining& raw) {
  if (request.start) {
    const Schema& known = request.start->parts().inputs;
    if (raw.counted && known.counted) raw.points = data::counted_as(known.columns, raw.points);
    known.require(raw.points);
  }
  Schema inputs = Schema::of(raw.points);
  inputs.counted = raw.counted;
  const Points weighted = of_weight(raw.points, raw.weights);
  const KernelChoice kernel = raw.of_series ? KernelChoice(*raw.of_series) : request.kernel;
  const std::vector<std::string> labels = labels_of(kernel, weighted);
  std::vector<std::string> kept = labels;
  if (raw.recipe) {
    const std::vector<std::string> coded = data::coded_columns(*raw.recipe);
    if (!coded.empty()) refuse_maps_of(coded, request);
    kept.insert(kept.end(), coded.begin(), coded.end());
  }
  const Scaling scaling = scaling_for(request, weighted, kept, kept.size() > labels.size());
  const Points x = scaling.apply(raw.points);
  const Points seen = weighted.size() == x.size() ? x : scaling.apply(weighted);
  std::vector<std::string> kernel_remarks;
  const Kernel k = kernel_for(kernel, machine(request.machine), request.start, seen, raw.recipe != nullptr,
                              request.source.path, kernel_remarks);
  const bool found = finds_kernel(request, weighted);
  return {.machine = request.machine,
          .source = request.source.path,
          .training = {.K = checked_gram(k, x), .origin = origin_for(request, raw.points, scaling)},
          .x = x,
          .weighted = seen,
          .scaling = scaling,
          .inputs = inputs,
          .recipe = raw.recipe,
          .remarks = scaling_remarks(request, scaling, x, labels),
          .kernel_remarks = std::move(kernel_remarks),
          .kernel_given = !found && (!is_usual(kernel) || request.start || x.domain().kind == "table")};
}

// Of a machine that learns without a target: what may be one all the same.
void remark_on_labels(const FitRequest& request, const RawTraining& raw, std::vector<std::string>& remarks) {
  if (!request.target.empty()) {
    remarks.push_back(fmt::format("{} learns without a target: {} is left out", request.machine, request.target));
    return;
  }
  if (is_precomputed(request.kernel)) return;
  if (is_usual(request.kernel) && data::holds_distances(raw.points)) {
    remarks.emplace_back(
        "the rows are taken for points, though they look like distances: as many rows as columns, symmetric, 0 on "
        "the diagonal; `kernel=precomputed` takes them as a matrix of all pairs");
  }
  if (const auto remark = data::label_remark(raw.as_read.value_or(raw.points))) remarks.push_back(*remark);
}

}  // namespace

Prepared prepare(const FitRequest& request, const Execution& how) {
  const Threads limit(how.threads);
  const Machine& row = machine(request.machine);
  require_start(request);
  require_maps(request);
  const Settings settings = settings_for(request);
  const Task task = row.task_for(settings);
  if (request.intervals && !(task == Task::regression) && !(task == Task::classification)) {
    fail(ErrorKind::usage, "`intervals`: {} predicts no numbers and no classes; leave it out", row.name);
  }
  RawTraining raw = read_raw(request, task);
  const Stage stage("prepare");
  how.monitor.report({"read", 1});

  const bool given_as_numbers = is_precomputed(request.kernel);
  Prepared out = given_as_numbers ? prepare_matrix(request, raw) : prepare_points(request, raw);
  out.remarks.insert(out.remarks.begin(), raw.remarks.begin(), raw.remarks.end());
  out.settings = settings;
  if (!raw.in_pieces.empty()) out.remarks.push_back(raw.in_pieces);
  out.plain = request.plain;
  out.centres = request.centres;
  out.time = request.time;
  out.checkpoint = request.checkpoint;
  out.resume = request.resume;
  out.intervals = request.intervals;
  out.left_out = raw.left_out;
  out.provenance = provenance_of(request, raw);
  out.training.weights = raw.weights;
  out.training.memory = request.memory;
  out.training.start = request.start;
  if (task.takes_target()) {
    data::Targets found =
        data::targets_of(raw.targets, task, out.machine, given_as_numbers ? request.target : request.source.path,
                         raw.last_column, raw.as_read.value_or(raw.points));
    out.training.labels = std::move(found.labels);
    out.training.y = std::move(found.y);
    out.remarks.insert(out.remarks.end(), found.remarks.begin(), found.remarks.end());
    for (const Column& column : raw.targets) out.targets.push_back(column.name);
  } else {
    remark_on_labels(request, raw, out.remarks);
  }
  return out;
}

Prepared changed(const Prepared& data, const Settings& settings, const KernelChoice& kernel) {
  const Machine& row = machine(data.machine);
  if (!(row.task_for(settings) == row.task_for(data.settings))) {
    fail(ErrorKind::usage, "{}: these options make another task of {}; prepare the data anew", data.source,
         data.machine);
  }
  Prepared out = data;
  out.settings = settings;
  if (!data.x) {
    if (!std::holds_alternative<Kernel>(kernel)) return out;
    fail(ErrorKind::usage, "`kernel`: {} holds kernel values, and no points for another kernel", data.source);
  }
  if (is_precomputed(kernel)) {
    fail(ErrorKind::usage, "`kernel`: {} holds points, and no kernel values; prepare the data anew", data.source);
  }
  if (data.scaling.kind != Scaling::Kind::none &&
      labels_of(kernel, *data.x) != label_columns(*data.training.K.kernel(), *data.x)) {
    fail(ErrorKind::usage, "{}: to this kernel the numbers of other columns are labels; prepare the data anew",
         data.source);
  }
  out.kernel_remarks.clear();
  out.kernel_given = !is_usual(kernel);
  const Kernel k =
      kernel_for(kernel, row, std::nullopt, *data.weighted, data.recipe != nullptr, data.source, out.kernel_remarks);
  out.training.K = checked_gram(k, *data.x);
  return out;
}

}  // namespace mercer::workflow
