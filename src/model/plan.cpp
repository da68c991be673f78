#include "mercer/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "centres/effective_dimension.hpp"
#include "centres/growing.hpp"
#include "centres/pass.hpp"
#include "kernel/features.hpp"
#include "kernel/float_form.hpp"
#include "model/needs.hpp"
#include "model/rates.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"
#include "state_space/line.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 6> kForms = {"lazy", "cached", "exact", "factor", "given", "centres"};
constexpr std::array<std::string_view, 5> kMethods = {"automatic", "dense", "factored", "iterative", "state_space"};

// Below this the system is not asked whether it has so much.
constexpr double kNotWorthAsking = 1 << 26;
// What a thread works with: tiles, and buffers of matrix products.
constexpr double kOfAThread = 1 << 22;

// Of a row that is read again and again: its targets and weight, by what it is known again, and which rows are equal.
constexpr double kOfARow = 88, kCopiesOfTargets = 5;

double own_bytes(const Extent& extent, double copies = Needs{}.copies) {
  const auto n = static_cast<double>(extent.points), outputs = static_cast<double>(extent.outputs);
  if (extent.rows_at_once > 0) return n * (kOfARow + sizeof(double) * kCopiesOfTargets * outputs);
  return copies * sizeof(double) * (extent.stored + outputs) * n;
}

// Text and numbers of the rows that a thread reads, those numbers scaled, and as the loops want them.
double bytes_at_once(const Extent& extent) {
  constexpr double kTimes = 5;
  return kTimes * sizeof(double) * (extent.stored + static_cast<double>(extent.outputs)) *
         static_cast<double>(extent.rows_at_once);
}

double least_bytes(const Needs& needs) { return needs.squares() * needs.least + needs.least_bytes; }

bool fits(const Needs& needs, const Extent& extent) {
  const double least = least_bytes(needs);
  return (extent.memory == 0 && least <= kNotWorthAsking) || least <= extent.room();
}

// Those that are for the same and need no matrix of all pairs, as they are by default.
std::vector<std::string> without_matrices(Task task, const Extent& extent) {
  std::vector<std::string> out;
  for (const Machine& other : machines()) {
    if (!other.needs || !(other.task_for({}) == task)) continue;
    if (other.needs({}, extent).matrices == 0) out.push_back(other.name);
  }
  return out;
}

std::string_view source_of(const Extent& extent) { return extent.memory > 0 ? "allowed" : "free"; }

std::string count_of(double matrices) {
  return matrices == 1 ? "one matrix" : fmt::format("{:.3g} matrices", matrices);
}

std::string reason_for(const Needs& needs, const Extent& extent) {
  if (!needs.why.empty()) return needs.why;
  switch (needs.form) {
    case Form::exact: {
      const double bytes = needs.squares() * needs.matrices;
      const std::string all = fmt::format("{} of {} x {} numbers, {},", count_of(needs.matrices), needs.size,
                                          needs.size, detail::in_bytes(bytes));
      if (extent.memory == 0 && bytes <= kNotWorthAsking) return all + " is little";
      return fmt::format("{} in the {} that are {}", all, detail::in_bytes(extent.room()), source_of(extent));
    }
    case Form::cached: return "rows are wanted again and again: as many are kept as find room";
    case Form::factor: return "K has few features";
    case Form::given: return "K was given as numbers";
    case Form::lazy: return "no matrix of all pairs is needed: values of the kernel are used once, or cheap to compute";
    case Form::centres: return fmt::format("{} centres were asked for", extent.centres);
  }
  return {};
}

// What depends on the fit alone, and not on who else is in the process: reports and model files hold it.
void add_parts(Plan& plan, const Needs& needs, const Extent& extent) {
  const auto add = [&](std::string what, double bytes) {
    if (bytes > 0) plan.parts.push_back({std::move(what), bytes});
  };
  add(fmt::format("{} of {} x {} numbers", count_of(needs.matrices), needs.size, needs.size),
      needs.squares() * needs.matrices);
  for (const Room& room : needs.beside) add(room.what, room.bytes);
  add(extent.rows_at_once > 0 ? "targets, and marks of the rows" : "points and model", own_bytes(extent, needs.copies));
  for (const Room& part : plan.parts) plan.bytes += part.bytes;
}

}  // namespace

std::string_view name_of(Form form) { return kForms.at(static_cast<std::size_t>(form)); }
std::string_view name_of(Method method) { return kMethods.at(static_cast<std::size_t>(method)); }

double Extent::room() const { return memory > 0 ? static_cast<double>(memory) : available_memory(); }
double Extent::share() const { return memory > 0 ? static_cast<double>(memory) : available_memory() / 2; }

double detail::stored_numbers(const Points& x) {
  if (x.domain().kind != "reals") return 0;
  const Points some = head_of(x);
  const SparseMatrix* const rows = sparse_rows(some);
  if (rows == nullptr || rows->rows == 0) return static_cast<double>(x.domain().dimension);
  constexpr double kWithColumn = 1.5;  // an entry knows its column
  return kWithColumn * static_cast<double>(rows->values.size()) / static_cast<double>(rows->rows);
}

Extent extent_of(const Kernel& k, const Points& x) {
  Extent out{.points = x.size(), .weighted = x.size(), .features = detail::feature_count(k, x)};
  if (const auto lines = state_space::along_lines(k, x)) out.states = lines->model.states();
  if (x.domain().kind != "reals") return out;
  out.linear = k.str() == "linear()";
  out.dimension = x.domain().dimension;
  out.stored = detail::stored_numbers(x);
  if (is_streamed(x)) out.rows_at_once = std::min(x.size(), centres::rows_of_a_piece(x.size()));
  return out;
}

double detail::bytes_in_memory(const Points& head, Index rows) {
  return own_bytes({.points = rows, .stored = stored_numbers(head)});
}

namespace {

// As gram/packed/packed_points.cpp counts it for numbers that are neither bits nor bytes, whose values cost less.
double cost_of(Index columns) {
  constexpr double kFixedCost = 16;
  return kFixedCost + static_cast<double>(columns);
}

double cost_of(const Kernel& resolved, const Points& x) {
  const auto form = detail::float_form(resolved, x.slice({0, std::min<Index>(1, x.size())}));
  return form ? cost_of(form->inputs.domain().dimension) : 0;
}

// Of some points, of few points one: which kernel it is tells how large k(x, x) is, and where it depends on x, about is
// enough. A kernel on objects may take long for one of them.
double mean_diagonal(const Kernel& resolved, const Points& x) {
  constexpr Index kMany = 1000, kOfMany = 100;
  if (x.domain().kind != "reals") return 1;
  const Index some = x.size() < kMany ? 1 : kOfMany;
  const Points head = head_of(x);
  const Vector own = lazy(resolved, head.slice({0, std::min(some, head.size())})).diagonal();
  double sum = 0;
  for (const double k : own) sum += k;
  return sum > 0 && std::isfinite(sum) ? sum / static_cast<double>(own.size()) : 1;
}

}  // namespace

Extent extent_of(const Training& training) {
  const Gram& K = training.K;
  Extent out;
  if (const auto kernel = K.kernel(); kernel && K.points()) {
    out = extent_of(*kernel, *K.points());
    out.cost = cost_of(*kernel, *K.points());
    out.diagonal = mean_diagonal(*kernel, *K.points());
  }
  out.plain = K.kind() == GramKind::kernel;
  out.in_memory = !K.dense().empty();
  if (!out.plain) out.features = 0;
  out.points = K.size();
  out.weighted = training.weights.empty()
                     ? K.size()
                     : static_cast<Index>(std::count_if(training.weights.begin(), training.weights.end(),
                                                        [](double w) { return w > 0; }));
  const auto classes = static_cast<Index>(training.labels.classes.size());
  out.outputs = std::max<Index>(1, classes > 0 ? classes : training.y.cols());
  out.numbers = K.kind() == GramKind::numbers;
  out.has_start = training.start.has_value();
  out.memory = training.memory;
  if (training.centres) out.centres = training.centres->size();
  return out;
}

Extent extent_of(const Training& training, const Kernel& k) {
  Training other = training;
  other.K = lazy(k, *training.K.points());
  return extent_of(other);
}

void detail::require_room(std::string_view machine, Task task, const Needs& needs, const Extent& extent) {
  if (fits(needs, extent)) return;
  const double room = extent.room();
  const std::vector<std::string> others = without_matrices(task, extent);
  if (needs.least == 0) {
    fail(ErrorKind::usage, "{}: {} points need {} of memory, and {} are {}; {:.0f} points would fit", machine,
         extent.points, in_bytes(needs.least_bytes), in_bytes(room), source_of(extent),
         std::floor(static_cast<double>(extent.points) * room / needs.least_bytes));
  }
  fail(ErrorKind::usage,
       "{}: {} points need {} of memory for the numbers of all pairs, and {} are {}; {:.0f} points would fit{}",
       machine, needs.size, in_bytes(needs.squares() * needs.least), in_bytes(room), source_of(extent),
       std::floor(std::sqrt(room / (needs.least * sizeof(double)))),
       others.empty()
           ? ""
           : fmt::format(", and {} need{} no such matrix", fmt::join(others, ", "), others.size() == 1 ? "s" : ""));
}

namespace {

// Beside the points.
double bytes_held(const Needs& needs) {
  double out = needs.squares() * needs.matrices;
  for (const Room& room : needs.beside) out += room.bytes;
  return out;
}

// What a machine takes that is fitted in the features of centres, and what choosing them does.
Needs needs_on_centres(const Machine& machine, const Settings& settings, const Extent& extent) {
  const auto n = static_cast<double>(extent.points), m = static_cast<double>(extent.centres);
  Needs out;
  if (machine.centres == OnCentres::itself) {
    out = machine.needs(settings, extent);
  } else {
    Extent inner = extent;
    inner.centres = 0;
    inner.dimension = inner.features = extent.centres;
    inner.stored = m;
    inner.linear = true;
    inner.cost = cost_of(extent.centres);
    if (machine.needs) out = machine.needs(settings, inner);
    out.flops += 2 * m * out.pairs + n * m * m;
    out.pairs = n * m;
    const auto for_dimension = static_cast<double>(centres::looked_at_for_dimension(extent.centres, extent.points));
    out.pairs += m * for_dimension;
    out.flops += m * m * (2 * for_dimension + m);
    out.beside.push_back({"features of the points", out.copies * sizeof(double) * n * m});
    out.copies = Needs{}.copies;
  }
  const Index looked_at = std::min(extent.points, most_looked_at(extent.centres));
  out.form = Form::centres;
  out.why = {};
  // They are chosen before anything else is held.
  const double more = centres::bytes_of_choosing(extent.centres, looked_at) - bytes_held(out);
  if (more > 0) out.beside.push_back({std::string(centres::kChoosing), more});
  out.pairs += m * static_cast<double>(looked_at);
  out.flops += m * m * static_cast<double>(looked_at);
  return out;
}

// What there must be room for beside the rows; of rows that do not fit, all that is held of them. A machine that says
// what it cannot begin without takes of the rest what there is.
double bytes_beside(const Needs& needs, const Extent& extent) {
  const double held = bytes_held(needs);
  const double out = needs.least_bytes > 0 ? std::min(held, least_bytes(needs)) : held;
  return extent.rows_at_once == 0 ? out : out + own_bytes(extent) + bytes_at_once(extent);
}

double seconds_of(const Needs& needs, const Rates& rates) {
  return needs.pairs / rates.pairs + needs.flops / rates.flops;
}

std::string duration(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", std::ceil(seconds))
                       : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

// The most centres that find room.
Index centres_that_fit(const Machine& machine, const Settings& settings, Extent extent, Index most) {
  for (extent.centres = most; extent.centres > 1; extent.centres /= 2) {
    if (bytes_beside(needs_on_centres(machine, settings, extent), extent) <= extent.share()) break;
  }
  return std::max<Index>(1, extent.centres);
}

// The most points for which so many centres find room.
Index points_that_fit(const Machine& machine, const Settings& settings, Extent extent) {
  Index fits = 0, do_not = extent.points;
  while (do_not - fits > 1) {
    extent.points = extent.weighted = fits + (do_not - fits) / 2;
    const bool one = bytes_beside(needs_on_centres(machine, settings, extent), extent) <= extent.room();
    (one ? fits : do_not) = extent.points;
  }
  return fits;
}

[[noreturn]] void refuse_centres(const Machine& machine, const Settings& settings, Extent extent, double bytes) {
  const double room = extent.room();
  const std::string_view source = source_of(extent);
  extent.memory = static_cast<std::size_t>(room);  // what is free may change
  Extent fewer = extent;
  fewer.centres = centres_that_fit(machine, settings, extent, extent.centres);
  std::string advice = fmt::format("{} centres would fit", fewer.centres);
  if (bytes_beside(needs_on_centres(machine, settings, fewer), fewer) > room) {
    std::vector<std::string> others;
    for (const Machine& other : machines()) {
      if (other.streams && !machine.streams && other.task_for({}) == machine.task_for(settings))
        others.push_back(other.name);
    }
    advice =
        fmt::format("no number of centres would fit, {} points would{}", points_that_fit(machine, settings, extent),
                    others.empty() ? "" : fmt::format("; all of them, by passes, {}", fmt::join(others, ", ")));
  }
  fail(ErrorKind::usage, "{}: {} points and {} centres need {}, and {} are {}; {}", machine.name, extent.points,
       extent.centres, detail::in_bytes(bytes), detail::in_bytes(room), source, advice);
}

Plan made_of(const Needs& needs, const Extent& extent, const Wishes& wishes, std::string why) {
  Plan plan{.form = needs.form,
            .method = wishes.method,
            .solver = needs.solver,
            .by_steps = needs.by_steps,
            .points = extent.points,
            .centres = extent.centres,
            .rows_at_once = extent.rows_at_once,
            .bytes_at_once = extent.rows_at_once > 0 ? bytes_at_once(extent) : 0,
            .pairs = extent.in_memory || extent.numbers ? 0 : needs.pairs,
            .flops = needs.flops,
            .in_single = needs.in_single,
            .approximates = needs.approximates,
            .why = std::move(why)};
  if (extent.centres > 0) {
    plan.approximates = fmt::format("K by what {} centres say of it, K(X, Z) K(Z, Z)^-1 K(Z, X)", extent.centres);
  }
  add_parts(plan, needs, extent);
  return plan;
}

// The most of these with which a fit ends in the time, within reason.
Index centres_in_time(const Machine& machine, const Settings& settings, Extent extent, const Wishes& wishes) {
  constexpr Index kFewest = 100;
  while (extent.centres / 2 >= kFewest &&
         seconds_of(needs_on_centres(machine, settings, extent), wishes.rates) > wishes.seconds) {
    extent.centres /= 2;
  }
  return extent.centres;
}

// None where they find no room, or where the settings are for all points alone, as a solver may be.
std::optional<Plan> on_centres_instead(const Machine& machine, const Settings& settings, Extent extent,
                                       const Wishes& wishes, std::string why) {
  try {
    extent.centres = centres_that_fit(machine, settings, extent, usual_centres(extent.points));
    if (wishes.ends) extent.centres = centres_in_time(machine, settings, extent, wishes);
    const Needs needs = needs_on_centres(machine, settings, extent);
    if (bytes_beside(needs, extent) <= extent.room()) return made_of(needs, extent, wishes, std::move(why));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  return std::nullopt;
}

}  // namespace

Index usual_centres(Index points) { return std::min<Index>(points, 2000); }

Plan plan_for(const Machine& machine, const Settings& settings, const Extent& given, const Wishes& wishes) {
  Extent extent = given;
  if (wishes.memory > 0) extent.memory = wishes.memory;
  if (wishes.centres > 0) {
    centres::require_count(wishes.centres, extent.points);
    extent.centres = wishes.centres;
  }
  if (extent.centres > 0) {
    const Needs needs = needs_on_centres(machine, settings, extent);
    if (const double bytes = bytes_beside(needs, extent); bytes > extent.room()) {
      refuse_centres(machine, settings, extent, bytes);
    }
    return made_of(needs, extent, wishes, reason_for(needs, extent));
  }
  const Needs needs = machine.needs ? machine.needs(settings, extent) : Needs{.size = extent.points};
  const bool may = wishes.approximate && machine.centres != OnCentres::refused && extent.plain && !extent.numbers &&
                   !extent.in_memory && !extent.has_start && extent.points > 1;
  // A machine that is iterated and takes its time is left to it, unless passes on centres are its own way, or somebody
  // named the time and it has none of its own.
  const bool hurries = machine.streams || (wishes.ends && !machine.keeps_time);
  const double seconds = hurries ? seconds_of(needs, wishes.rates) : 0;
  const bool streamed = extent.rows_at_once > 0;
  if (streamed && !machine.streams) {
    fail(ErrorKind::usage, "{}: works on all rows at once, and {} rows are read in pieces; give it more memory",
         machine.name, extent.points);
  }
  if (may && (streamed || !fits(needs, extent) || seconds > wishes.seconds)) {
    std::string why = streamed ? "rows that are not in memory are gone through by passes, and all pairs of them are not"
                      : fits(needs, extent)
                          ? fmt::format("all {} points would take about {}, and {} are allowed", extent.points,
                                        duration(seconds), duration(wishes.seconds))
                          : fmt::format("all {} points would need {} for the numbers of all pairs, and {} are {}",
                                        extent.points, detail::in_bytes(needs.squares() * needs.least),
                                        detail::in_bytes(extent.room()), source_of(extent));
    if (const auto plan = on_centres_instead(machine, settings, extent, wishes, std::move(why))) return *plan;
  }
  detail::require_room(machine.name, machine.task_for(settings), needs, extent);
  return made_of(needs, extent, wishes, reason_for(needs, extent));
}

Plan plan_to_share(const Extent& extent) {
  Plan plan{.points = extent.points, .why = "there is no room for one K that all fits read and a part of it"};
  const double all = Needs{.size = extent.points}.squares();
  if (2 * all > extent.share()) return plan;
  plan.form = Form::exact;
  plan.kept = true;
  plan.why = "all fits read one K, and it finds room beside a part of it";
  plan.parts = {{"K for all fits", all}};
  plan.bytes = all;
  return plan;
}

Plan in_process(Plan plan, const Execution& how) {
  plan.parts.insert(plan.parts.begin(), {"in use before", used_memory()});
  plan.parts.push_back({plan.rows_at_once > 0 ? "tiles, buffers and rows of threads" : "tiles and buffers of threads",
                        (kOfAThread + plan.bytes_at_once) * thread_count(how.threads)});
  plan.bytes += plan.parts.front().bytes + plan.parts.back().bytes;
  return plan;
}

Plan timed(Plan plan, const Gram& K, const Execution& how) {
  const Threads limit(how.threads);
  if (plan.flops > 0) plan.seconds += plan.flops / detail::flops_per_second(how.threads);
  if (plan.pairs > 0 && K.kernel() && K.points()) {
    plan.seconds += plan.pairs / detail::pairs_per_second(*K.kernel(), *K.points(), how, plan.in_single);
  }
  return plan;
}

Rates measured_rates(const Gram& K, const Execution& how) {
  const Threads limit(how.threads);
  Rates out{.flops = detail::flops_per_second(how.threads)};
  if (K.kernel() && K.points()) out.pairs = detail::pairs_per_second(*K.kernel(), *K.points(), how);
  return out;
}

Plan plan_for(const Machine& machine, const Settings& settings, const Kernel& k, const Points& x,
              const Wishes& wishes) {
  const Plan plan = plan_for(machine, settings, extent_of(k, x), wishes);
  return in_process(timed(plan, gram_for(k, x, {}), {}), {});
}

Gram gram_for(const Kernel& k, const Points& x, const Plan& plan, const Execution& how) {
  return plan.kept ? exact(k, x, how) : lazy(k, x);
}

Gram gram_for(const Kernel& k, const Points& x, const Plan& plan) { return gram_for(k, x, plan, {}); }

namespace {

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", std::ceil(1e6 * seconds));
  if (seconds < 1) return fmt::format("{:.0f} ms", std::ceil(1e3 * seconds));
  return seconds < 120 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

std::string form_words(const Plan& plan) {
  switch (plan.form) {
    case Form::lazy: return "lazy, nothing of it kept";
    case Form::cached: return "cached, rows kept while there is room";
    case Form::exact: return fmt::format("exact, all {0} x {0} numbers", plan.points);
    case Form::centres: return fmt::format("what {} centres say of it", plan.centres);
    case Form::factor: return "factor, K = F F'";
    case Form::given: return "given, as numbers";
  }
  return {};
}

}  // namespace

std::string Plan::str() const {
  std::string out = fmt::format("K: {}\nbecause: {}\nsolver: {}\n", form_words(*this), why,
                                solver.empty() ? "as the machine has it" : solver);
  if (rows_at_once > 0) {
    out += fmt::format("rows: not in memory, read again in every pass, {} at a time by each thread\n", rows_at_once);
  }
  std::vector<std::string> all;
  for (const Room& part : parts) all.push_back(fmt::format("{} {}", part.what, detail::in_bytes(part.bytes)));
  out += fmt::format("memory: {} at the peak ({})\n", detail::in_bytes(bytes), fmt::join(all, ", "));
  if (seconds > 0) out += fmt::format("time: about {}\n", seconds_text(seconds));
  if (!open.empty()) out += fmt::format("open: {}\n", open);
  return out + fmt::format("approximated: {}\n", approximates.empty() ? "nothing" : approximates);
}

}  // namespace mercer
