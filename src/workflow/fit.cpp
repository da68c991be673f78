// Choosing what is not given, and fitting.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/sha256.hpp"
#include "base/stages.hpp"
#include "base/stopwatch.hpp"
#include "centres/growing.hpp"
#include "domains/fingerprints.hpp"
#include "io/checkpoint_file.hpp"
#include "kernel/print.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "selection/copies_held_out.hpp"
#include "selection/grow_centres.hpp"
#include "selection/trials.hpp"
#include "workflow/complete.hpp"

namespace mercer::workflow {

namespace {

// Of the time, when trials of options and kernels end, and those of centres; the fit has the rest.
constexpr double kForTrials = 1.0 / 3, kForChoosing = 0.5;

// Says stop when the time is over.
class Deadline {
 public:
  Deadline(std::optional<double> seconds, const Monitor& monitor) : seconds_(seconds), monitor_(monitor) {}

  Monitor monitor() {
    if (!seconds_) return monitor_;
    return Monitor([this](const Progress& progress) {
      monitor_.report(progress);
      is_over_ = is_over_ || since_start_.seconds() > *seconds_;
      return !is_over_;
    });
  }
  bool is_over() const { return is_over_; }

 private:
  std::optional<double> seconds_;
  const Monitor& monitor_;
  Stopwatch since_start_;
  bool is_over_ = false;
};

Training training_of(const Prepared& data, const Execution& how) {
  Training out = data.training;
  out.how = how;
  return out;
}

// What a plan may spend, of which some may be spent.
Wishes wishes_of(const Prepared& data, const Execution& how, double spent = 0) {
  Wishes out;
  if (!data.time) return out;
  out.ends = true;
  out.seconds = std::max(0.0, *data.time - spent);
  out.rates = measured_rates(data.training.K, how);
  return out;
}

// What the machine approximates to end in time, where it may choose.
Shortcut shortcut_of(const Prepared& data, const Execution& how) {
  const Machine& row = machine(data.machine);
  if (!row.shortcut || data.plain || data.training.start || data.centres) return {};
  return row.shortcut(data.settings, extent_of(data.training), wishes_of(data, how)).value_or(Shortcut{});
}

// What is given, and what a shortcut adds.
Settings with(const Shortcut& shortcut, Settings settings) {
  settings.insert(shortcut.settings.begin(), shortcut.settings.end());
  return settings;
}

// These, and of what is yet to be chosen about what it comes to.
Settings expected_settings(const Prepared& data, const Shortcut& shortcut) {
  Settings out = with(shortcut, data.settings);
  const Machine& row = machine(data.machine);
  if (data.plain || data.training.start || !row.choosing) return out;
  const Choosing open = row.choosing(data.settings, nullptr);
  for (const std::string& name : open.read) {
    if (const auto value = open.expected.find(name); value != open.expected.end()) out.insert(*value);
  }
  return out;
}

// `allowed`: the centres that stand for all points, decided before; none: the plan decides.
Plan plan_of(const Prepared& data, const Settings& settings, const std::optional<Kernel>& kernel,
             std::optional<Index> allowed, const Execution& how, double spent = 0) {
  const Gram& K = data.training.K;
  const Extent extent = kernel && K.kernel() != kernel ? extent_of(data.training, *kernel) : extent_of(data.training);
  Wishes wishes = allowed ? Wishes{} : wishes_of(data, how, spent);
  wishes.centres = allowed.value_or(0);
  wishes.approximate = !allowed;
  if (data.centres && !allowed) wishes.centres = data.centres->count;
  if (data.centres && wishes.centres == 0) wishes.centres = usual_centres(extent.points);
  return plan_for(machine(data.machine), settings, extent, wishes);
}

// Measuring how fast it goes is nothing beside it.
bool is_long(const Plan& plan) { return plan.pairs > 1e7 || plan.flops > 1e10; }

}  // namespace

namespace {

// As many as find room, and half of the time; the other half goes to trying them.
Index most_centres(const Prepared& data, const Choice& choice, Index first, const Execution& how) {
  const Rates rates = data.time ? measured_rates(data.training.K, how) : Rates{};
  const double allowed = data.time.value_or(Wishes{}.seconds) / 2;
  return detail::most_centres(machine(data.machine), choice.settings, extent_of(data.training, *choice.kernel), first,
                              {.seconds = allowed, .rates = rates});
}

// Samples lie beside the rows that they are of.
detail::Trials beside_rows(const Prepared& data, const Extent& extent, detail::Trials trials) {
  if (trials.bytes > 0 && extent.rows_at_once == 0) {
    trials.bytes += detail::bytes_in_memory(*data.training.K.points(), extent.points);
  }
  return trials;
}

detail::Trials growth_beside(const Prepared& data, const Extent& extent, const Choice& choice, Index most,
                             bool is_given) {
  return beside_rows(data, extent,
                     detail::growth_of(machine(data.machine), data.settings, choice, extent, most, is_given));
}

// What a fit takes should centres stand for all points after all, because steps with what is chosen take longer than
// with what was counted. None where these find no room.
std::optional<Plan> with_centres(const Prepared& data, const Choice& choice, const Execution& how) {
  const Extent extent = extent_of(data.training);
  try {
    const Index most = most_centres(data, choice, usual_centres(extent.points), how);
    const detail::Trials growth = growth_beside(data, extent, choice, most, false);
    Plan out = plan_of(data, choice.settings, choice.kernel, most, how);
    out.bytes = std::max(out.bytes, growth.bytes);
    out.pairs += growth.pairs;
    out.flops += growth.flops;
    return out;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return std::nullopt;
  }
}

// After trials all of what chooses centres counts: some of what these gave back stays with the process.
void add_choosing(Plan& plan) {
  for (const Room& part : plan.parts) plan.bytes -= part.what == centres::kChoosing ? part.bytes : 0;
  std::erase_if(plan.parts, [](const Room& part) { return part.what == centres::kChoosing; });
  const Index looked_at = std::min(plan.points, most_looked_at(plan.centres));
  plan.parts.push_back({"choosing centres", centres::bytes_of_choosing(plan.centres, looked_at)});
  plan.bytes += plan.parts.back().bytes;
}

// Of a fit that is not told everything: with the most centres that it may come to, and what its trials take.
Plan with_trials(const Prepared& data, const Settings& expected, Plan plan, const Execution& how) {
  const Choice choice{.settings = expected, .kernel = data.training.K.kernel()};
  const Extent extent = extent_of(data.training);
  Extent planned = extent;
  planned.centres = plan.centres;
  detail::Trials all = beside_rows(
      data, extent, detail::trials_of(machine(data.machine), data.settings, data.kernel_given, choice.kernel, planned));
  if (plan.centres > 0) {
    const bool is_given = data.centres && data.centres->count > 0;
    const Index most = is_given ? plan.centres : most_centres(data, choice, plan.centres, how);
    const detail::Trials growth = growth_beside(data, extent, choice, most, is_given);
    all = {std::max(all.bytes, growth.bytes), all.pairs + growth.pairs, all.flops + growth.flops};
    std::string why = std::move(plan.why);
    plan = plan_of(data, choice.settings, choice.kernel, most, how);
    plan.why = std::move(why);
    if (all.bytes > 0) add_choosing(plan);
  }
  plan.pairs += all.pairs;
  plan.flops += all.flops;
  const auto need = [&](std::string what, double bytes) {
    const double more = bytes - plan.bytes;
    if (!(more > 0)) return;
    plan.parts.push_back({std::move(what), more});
    plan.bytes += more;
  };
  need("trials, beyond that", all.bytes);
  const bool may_change = plan.centres == 0 && plan.by_steps && !data.centres && choice.settings != data.settings;
  if (const std::optional<Plan> other = may_change ? with_centres(data, choice, how) : std::nullopt) {
    const auto work = [](const Plan& one) { return one.pairs / Rates{}.pairs + one.flops / Rates{}.flops; };
    need("centres, should they stand for all points, beyond that", other->bytes);
    plan.open = fmt::format("; should that be too slow, centres stand for all points, in about {:.1g} times the time",
                            (work(*other) + all.pairs / Rates{}.pairs + all.flops / Rates{}.flops) / work(plan));
  }
  return plan;
}

// Whether something ends the fit when its time is over.
bool ends_in_time(const Machine& row, const Plan& plan) { return row.keeps_time || row.iterative || plan.by_steps; }

// Whoever names a time does not want to wait many times as long. Plans count roughly, and a second is no wait.
void require_time(const Prepared& data, const Plan& plan, const Execution& how) {
  constexpr double kTimes = 3, kNoWait = 1;
  const Machine& row = machine(data.machine);
  if (!data.time || ends_in_time(row, plan)) return;
  const double seconds = timed(plan, data.training.K, how).seconds;
  if (seconds <= std::max(kNoWait, kTimes * *data.time)) return;
  fail(ErrorKind::usage,
       "{}: a fit to {} points would take about {}, `time` allows {}, and nothing can end it before{}", data.machine,
       data.training.K.size(), detail::about(seconds), detail::about(*data.time),
       row.centres == OnCentres::refused ? "; allow more, or take fewer points" : "; allow more, or take `centres`");
}

// What was decided by the process that this one goes on from.
std::optional<CentresAllowed> allowed_before(const Prepared& data) {
  if (!data.resume || data.checkpoint.empty()) return std::nullopt;
  const std::optional<Vector> kept = CheckpointFile::decided(data.checkpoint);
  if (!kept || kept->size() != 2) return std::nullopt;
  return CentresAllowed{static_cast<Index>(kept->front()), static_cast<Index>(kept->back())};
}

// Ends what belongs to choosing.
Deadline share_of(const Prepared& data, double share, const Stopwatch& since_start, const Execution& how) {
  return {data.time ? std::optional(std::max(0.0, share * *data.time - since_start.seconds())) : std::nullopt,
          how.monitor};
}
std::string share_was_over(std::string_view what, double share) {
  return fmt::format("choosing {} ended with {:.0f} % of `time`: the rest is for the fit", what, 100 * share);
}

// How many, where they stand for all points.
void choose_centres(const Prepared& data, const Plan& plan, const std::optional<CentresAllowed>& before, Chosen& out,
                    const Stopwatch& since_start, const Execution& how) {
  out.allowed = {plan.centres, plan.centres};
  if (plan.centres == 0) return;
  CentreWishes wishes = data.centres.value_or(CentreWishes{.count = 0});
  const bool given = wishes.count > 0;
  if (!given) wishes.count = std::min(plan.centres, data.weighted ? data.weighted->size() : plan.centres);
  if (given && data.weighted && wishes.count > data.weighted->size() &&
      data.weighted->size() < data.training.K.size()) {
    fail(ErrorKind::usage, "`centres`: {} of {} points, of which {} are different and count; choose at most these",
         wishes.count, data.training.K.size(), data.weighted->size());
  }
  if (!data.plain && !out.choice.interrupted) {
    const WholeStage stage("choose");
    if (!given) {
      wishes.count = before ? before->most : most_centres(data, out.choice, wishes.count, how);
      if (data.weighted) wishes.count = std::min(wishes.count, data.weighted->size());
    }
    out.allowed.most = wishes.count;
    Deadline deadline = share_of(data, kForChoosing, since_start, how);
    Training training = training_of(data, how);
    training.how.monitor = deadline.monitor();
    if (data.time) training.seconds = (1 - kForChoosing) * *data.time;
    const auto count = given ? detail::settle_on_centres : detail::grow_centres;
    const detail::Growth growth = count(machine(data.machine), data.settings, out.choice, training, wishes);
    if (deadline.is_over()) out.remarks.push_back(share_was_over("centres", kForChoosing));
    // Where there was no time to try any, those that the plan counts on.
    wishes.count = deadline.is_over() && !growth.table && !given ? std::min(plan.centres, growth.count) : growth.count;
    out.centres = growth.centres;
    for (const auto& [name, value] : growth.settled) out.choice.settings[name] = value;
    if (growth.table) out.choice.others.push_back(*growth.table);
    if (!growth.words.empty()) out.remarks.push_back(growth.words);
    if (!growth.settled.empty()) out.choice.words += "; " + growth.words;
  }
  if (!data.centres) {
    out.remarks.push_back(
        fmt::format("approximated: {} centres stand for all points, because {}; `centres` and `time` "
                    "decide otherwise",
                    wishes.count, plan.why));
  }
  out.wishes = wishes;
}

}  // namespace

Plan plan(const Prepared& data, const Execution& how) {
  const Shortcut shortcut = shortcut_of(data, how);
  const Settings counted = expected_settings(data, shortcut), given = with(shortcut, data.settings);
  Plan out = plan_of(data, counted, data.training.K.kernel(), std::nullopt, how);
  if (!data.plain && !data.training.start && data.training.K.kernel()) {
    out = with_trials(data, counted, std::move(out), how);
  }
  std::vector<std::string> open;
  for (const auto& [name, value] : counted) {
    if (!given.contains(name)) open.push_back(fmt::format("{}, counted as {}", name, value));
  }
  if (!open.empty()) {
    out.open = fmt::format("{}: how K is held and solved is decided again by what is chosen{}", fmt::join(open, "; "),
                           out.open);
  }
  return in_process(timed(std::move(out), data.training.K, how), how);
}

Chosen choose(const Prepared& data, const Execution& how) {
  const Stopwatch since_start;
  const std::optional<CentresAllowed> before = allowed_before(data);
  const std::optional<Index> planned = before ? std::optional(before->planned) : std::nullopt;
  // What cannot be fitted in the end is not begun.
  const Shortcut shortcut = shortcut_of(data, how);
  const Settings given = with(shortcut, data.settings);
  Plan plan = plan_of(data, expected_settings(data, shortcut), data.training.K.kernel(), planned, how);
  require_time(data, plan, how);
  Chosen out{.choice = {.settings = given, .kernel = data.training.K.kernel()}, .remarks = data.remarks};
  if (!shortcut.words.empty()) out.remarks.push_back("approximated: " + shortcut.words);
  // A fit that goes on from a model goes on with its options.
  if (!data.plain && !data.training.start) {
    const WholeStage stage("choose");
    Deadline deadline = share_of(data, kForTrials, since_start, how);
    Training training = training_of(data, how);
    training.how.monitor = deadline.monitor();
    training.plan = plan;
    out.choice = mercer::choose(machine(data.machine), given, data.kernel_given, training);
    if (deadline.is_over() && out.choice.interrupted) {
      out.choice.interrupted = false;  // by nobody who waits
      out.remarks.push_back(share_was_over("options", kForTrials));
    }
    // Who stops before anything was tried does not wait for a fit.
    if (out.choice.interrupted && out.choice.tried && out.choice.tried->rows.rows() == 0) {
      fail(ErrorKind::cancelled, "{}: stopped on request", data.machine);
    }
    plan = plan_of(data, out.choice.settings, out.choice.kernel, planned, how, since_start.seconds());
  }
  const Choice& choice = out.choice;
  // What was chosen may be what auto is; its words name it then.
  const bool named = choice.kernel && choice.words.starts_with(detail::print_short(*choice.kernel));
  if (choice.words.empty() || (choice.kernel == data.training.K.kernel() && !named)) {
    out.remarks.insert(out.remarks.end(), data.kernel_remarks.begin(), data.kernel_remarks.end());
  }
  if (!choice.words.empty()) out.remarks.push_back(fmt::format("chosen: {}; `plain` chooses nothing", choice.words));
  choose_centres(data, plan, before, out, since_start, how);
  out.seconds = since_start.seconds();
  return out;
}

namespace {

// The data, and all that was decided of what is done with them.
std::string problem_of(const Prepared& data, const Choice& choice, const Training& training) {
  Sha256 out;
  const auto text = [&](std::string_view words) {
    out.add(fmt::format("{}:", words.size()));
    out.add(words);
  };
  const auto all = [&]<class T>(std::span<const T> values) {
    text({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  };
  text(MERCER_VERSION);
  text(data.machine);
  for (const auto& [name, value] : choice.settings) text(name + "=" + value);
  if (choice.kernel) text(choice.kernel->str());
  text(str(data.scaling.maps));
  text(data.provenance.sha256);
  all(std::span<const std::int64_t>(data.provenance.rows));
  for (const Vector* const v : {&training.weights, &data.scaling.shift, &data.scaling.factor})
    all(std::span<const double>(*v));
  for (const std::string& name : training.labels.classes) text(name);
  all(std::span<const Index>(training.labels.of));
  all(std::span<const double>(training.y.data(), static_cast<std::size_t>(training.y.rows() * training.y.cols())));
  if (training.centres) all(std::span<const std::int64_t>(fingerprints(training.centres->points())));
  return out.digits();
}

// Of a fit that goes by steps; null where none is asked for.
std::shared_ptr<CheckpointFile> checkpoints_of(const Prepared& data, const Chosen& chosen, const Training& training) {
  if (data.checkpoint.empty() || !machine(data.machine).resumes || !training.plan->by_steps) return nullptr;
  const Vector decided = {static_cast<double>(chosen.allowed.planned), static_cast<double>(chosen.allowed.most)};
  return std::make_shared<CheckpointFile>(data.checkpoint, problem_of(data, chosen.choice, training), decided,
                                          data.resume);
}

std::string resume_words(const Prepared& data, const CheckpointFile* kept) {
  if (kept == nullptr) return "begun anew: a fit that does not go by steps leaves nothing to go on from";
  if (kept->last().empty()) return fmt::format("begun anew: there is no {} to go on from", data.checkpoint);
  return fmt::format("gone on from {}", data.checkpoint);
}

// Whether there is something to go on with: what ended by itself, converged or not, would end there again.
bool is_told_to_stop(const Report& report, const Deadline& deadline) {
  if (report.converged) return false;
  return report.stopped == "interrupted" || deadline.is_over() || detail::is_over_time(report.stopped);
}

// To the table of the fits, what each did to points held out.
Model with_held_out(Model model, const detail::CopiesHeldOut& held) {
  return std::move(model).with([&](Model::Parts& parts) {
    for (Report::Table& table : parts.report.tables) {
      if (table.name != "invariance") continue;
      Matrix rows(table.rows.rows(), table.rows.cols() + 1);
      for (Index r = 0; r < rows.rows(); ++r) {
        std::copy_n(table.rows.row(r), table.rows.cols(), rows.row(r));
        rows(r, table.rows.cols()) = r == 0 ? held.without : held.with;
      }
      table.rows = std::move(rows);
      table.columns.push_back("held_out_" + held.criterion);
    }
    parts.report.notes.push_back(fmt::format(
        "invariance: {} of {} points held out, fitted to {} others: {:.4g} without copies, {:.4g} with them",
        held.criterion, held.held_out, held.fitted, held.without, held.with));
  });
}

// In what is left of the time; fits that did not end in it are not asked again what they do in less.
Model compared(Model model, const Prepared& data, const Chosen& chosen, const Execution& how,
               const Stopwatch& since_start) {
  const double left = data.time ? *data.time - chosen.seconds - since_start.seconds() : 0;
  if (data.time && (left <= 0 || !model.report().converged)) return model;
  Execution in_time = how;
  Deadline deadline(data.time ? std::optional(left) : std::nullopt, how.monitor);
  in_time.monitor = deadline.monitor();
  const auto held = detail::copies_held_out(machine(data.machine), chosen.choice, training_of(data, in_time));
  return held ? with_held_out(std::move(model), *held) : model;
}

// What intervals need, unless the model can do without. Who says stop has a model all the same.
Model with_intervals(Model model, Training training, const Execution& how, std::vector<std::string>& remarks) {
  if (Intervals::known(model) || ClassSets::known(model)) return model;
  training.how = how;
  training.start = {};
  training.checkpoints = {};
  try {
    return with_errors_held_out(model, training);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    remarks.emplace_back("interrupted: no errors of points held out are kept, so there will be no intervals or sets");
    return model;
  }
}

}  // namespace

FitResult fit(const Prepared& data, const Chosen& chosen, const Execution& how) {
  const Stage stage("fit");
  const Machine& row = machine(data.machine);
  Training training = training_of(data, how);
  const std::optional<Kernel>& kernel = chosen.choice.kernel;
  training.plan = plan_of(data, chosen.choice.settings, kernel, chosen.wishes ? chosen.wishes->count : 0, how);
  if (is_long(*training.plan)) training.plan = timed(*training.plan, training.K, how);
  const bool ends = ends_in_time(row, *training.plan);
  const std::optional<double> left =
      data.time ? std::optional(std::max(0.0, *data.time - chosen.seconds)) : std::nullopt;
  Deadline deadline(ends && !row.keeps_time ? left : std::nullopt, how.monitor);
  training.how.monitor = deadline.monitor();
  const Stopwatch since_start;
  std::optional<Model> model;
  std::vector<std::string> remarks = chosen.remarks;
  bool is_done = false;
  try {
    if (chosen.wishes) {
      if (kernel != training.K.kernel()) training.K = gram_for(*kernel, *data.x, {});
      training.plan->centres_by = name_of(chosen.wishes->by);
      training.centres = chosen.centres ? *chosen.centres
                                        : mercer::choose_centres(*kernel, *data.weighted, *chosen.wishes, training.how);
    }
    const std::shared_ptr<CheckpointFile> kept = checkpoints_of(data, chosen, training);
    training.checkpoints = kept;
    if (data.resume) remarks.push_back(resume_words(data, kept.get()));
    if (left) training.seconds = std::max(0.0, *left - since_start.seconds());
    model = complete(data, fit_chosen(row, chosen.choice, training));
    is_done = !is_told_to_stop(model->report(), deadline) || (kept && kept->is_done());
    if (kept && !kept->fault().empty()) remarks.push_back("no checkpoint could be kept: " + kept->fault());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled || !deadline.is_over()) throw;
    fail(ErrorKind::usage, "{}: {} before there was anything to keep; `time` allows more", data.machine,
         detail::time_was_over(*data.time));
  }
  if (!model->report().converged && (deadline.is_over() || detail::is_over_time(model->report().stopped))) {
    model =
        std::move(*model).with([&](Model::Parts& parts) { parts.report.stopped = detail::time_was_over(*data.time); });
  } else if (const double took = chosen.seconds + since_start.seconds(); data.time && took > *data.time) {
    remarks.push_back(fmt::format("{:.3g} s were taken, and `time` is {:.3g} s: {}", took, *data.time,
                                  ends ? "the fit had come to its end before it could be told to stop"
                                       : "the fit does not go by steps, and nothing ends it before"));
  }
  if (model->report().table("invariance") != nullptr) {
    model = compared(std::move(*model), data, chosen, how, since_start);
  }
  if (data.intervals) model = with_intervals(std::move(*model), std::move(training), how, remarks);
  return {std::move(*model), chosen.choice, std::move(remarks), is_done};
}

FitResult fit(const Prepared& data, const Execution& how) { return fit(data, choose(data, how), how); }

FitResult fit(const FitRequest& request, const Execution& how) { return fit(prepare(request, how), how); }

}  // namespace mercer::workflow
