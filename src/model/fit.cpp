// A machine fitted by its row, whoever wrote it.
#include <algorithm>

#include "base/fail.hpp"
#include "base/stages.hpp"
#include "gram/about_mean.hpp"
#include "kernel/print.hpp"
#include "model/on_centres.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

bool is_ours(const Machine& row) {
  return std::ranges::any_of(machines(), [&](const Machine& one) { return &one == &row; });
}

// What a fit was asked for: the settings given, and the defaults of the others.
Settings complete(const Machine& machine, const Settings& given) {
  Settings all = given;
  for (const MachineOption& option : machine.options) {
    if (!option.fallback.empty()) all.emplace(option.name, option.fallback);
  }
  return all;
}

}  // namespace

bool Machine::obeys(Exception::Law law, const Settings& settings) const {
  const Settings all = complete(*this, settings);
  return std::ranges::none_of(exceptions, [&](const Exception& exception) {
    return exception.law == law && std::ranges::all_of(exception.when, [&](const auto& setting) {
             const auto found = all.find(setting.first);
             return found != all.end() && found->second == setting.second;
           });
  });
}

namespace {

// Objects without parts that a kernel counts: a string shorter than its substrings, a graph without edges.
void note_empty_points(const Gram& K, Report& report) {
  const auto points = K.points();
  if (!points || points->domain().kind == "reals") return;
  const Vector diagonal = K.diagonal();
  const auto empty = std::count(diagonal.begin(), diagonal.end(), 0.0);
  if (empty == 0) return;
  report.notes.push_back(
      fmt::format("{} of {} points have k(x, x) = 0: the kernel finds nothing in them (strings shorter "
                  "than it counts, empty objects), and 0 in common with all others",
                  empty, diagonal.size()));
}

// Inner products about an origin that is far away hardly tell the inputs apart. A bias, where a machine has one, takes
// what all have in common; relevance vector machines have one and lose the digits all the same, basis by basis.
void note_far_inputs(const Training& training, Model::Parts& parts) {
  const auto read = {Reading::value, Reading::binary, Reading::votes, Reading::largest};
  if (std::ranges::find(read, parts.reading) == read.end()) return;
  const auto& f = parts.f.parts();
  const bool of_basis = parts.posterior && parts.posterior->kind == Posterior::Kind::weights;
  const bool trend = !f.slope.view().empty() || (parts.posterior && parts.posterior->trend != Trend::none);
  const bool bias = trend || std::ranges::any_of(f.bias, [](double b) { return b != 0; });
  if ((bias && !of_basis) || !detail::is_far_from_origin(training.K, training.weights)) return;
  parts.report.notes.push_back(fmt::format(
      "inputs are more than ten times their spread away from 0, where values of {} are much the same for all: what "
      "tells inputs apart is a small part of them{}; scale the inputs (`scale=standard`), or take their means out",
      detail::print_short(*training.K.kernel()), of_basis ? "" : ", and f has no bias of its own for the rest"));
}

}  // namespace

Model fit(std::string_view name, const Settings& settings, const Training& training) {
  return fit(machine(name), settings, training);
}

Model fit(const Machine& row, const Settings& settings, const Training& training) {
  const detail::SettingsReader checked(row, settings);
  if (training.start && !row.takes_start) {
    fail(ErrorKind::usage, "{}: begins anew each time and cannot start from a model; leave the start out", row.name);
  }
  // Ours look at what they are given themselves.
  const Threads threads =
      is_ours(row) ? Threads(training.how.threads)
                   : detail::check_training(row.name, row.task_for(settings), training, detail::Classes::named);
  const StageClock clock("solve");
  // What cannot fit is refused now; what is wrong with the data is said by who looks at them.
  const Plan plan = training.plan ? *training.plan : plan_for(row, settings, extent_of(training));
  Model fitted = training.centres ? detail::fit_on_centres(row, settings, training) : row.fit(settings, training);
  return std::move(fitted).with([&](Model::Parts& parts) {
    parts.machine = row.name;
    // What one of ours says that it used stands; the result of another may be that of any machine.
    if (!is_ours(row)) parts.settings.clear();
    parts.settings.merge(complete(row, settings));
    parts.report.seconds = 0;
    parts.report.stages.clear();
    for (const StageClock::Entry& stage : clock.seconds()) {
      parts.report.seconds += stage.seconds;
      parts.report.stages.push_back({stage.name, stage.seconds});
    }
    parts.report.plan = plan;
    // Whoever fits again begins where this fit began, and not at what it has learnt.
    const std::optional<Kernel>&begun = training.K.kernel(), &ended = parts.f.parts().kernel;
    if (begun && ended && begun != ended && !training.start) parts.provenance.read["kernel"] = begun->str();
    note_empty_points(training.K, parts.report);
    note_far_inputs(training, parts);
    if (parts.inputs == Schema{} && training.K.points()) parts.inputs = Schema::of(*training.K.points());
  });
}

}  // namespace mercer
