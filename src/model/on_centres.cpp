#include "model/on_centres.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "centres/effective_dimension.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

bool wants_copies(const Settings& settings, const Training& training) {
  const auto named = settings.find("invariance");
  return (named != settings.end() && !named->second.empty()) ||
         (training.origin && !training.origin->invariance.empty());
}

void require_centres(const Machine& row, const Settings& settings, const Training& training) {
  if (row.centres == OnCentres::refused) {
    std::vector<std::string> others;
    for (const Machine& other : machines()) {
      if (other.centres != OnCentres::refused && other.task == row.task) others.push_back(other.name);
    }
    fail(ErrorKind::usage, "{}: its model is more than a function of few centres; it takes all points{}", row.name,
         others.empty() ? "" : fmt::format(", and centres are for {}", fmt::join(others, ", ")));
  }
  if (training.K.kind() != GramKind::kernel || training.K.kernel() != training.centres->kernel()) {
    fail(ErrorKind::usage, "{}: the centres are of {}, and K is not the matrix of that kernel at points", row.name,
         training.centres->kernel().str());
  }
  if (wants_copies(settings, training)) {
    fail(ErrorKind::usage,
         "{}: `invariance` makes copies of support vectors, and with centres there are none; leave one "
         "of them out",
         row.name);
  }
  if (training.start) {
    fail(ErrorKind::usage, "{}: a fit with centres begins anew; leave the start out", row.name);
  }
}

// f = sum_i alpha_i phi(x_i)'phi(x) + b as an expansion in the kernel of the centres.
Expansion carried_over(const Expansion& f, const Centres& centres, Index training_size) {
  const Expansion::Parts& found = f.parts();
  Matrix w(centres.size(), f.outputs());
  if (f.size() > 0) linalg::multiply_left_transposed(1, dense_rows(*found.centres).values, found.alpha, 0, w);
  Expansion::Parts parts = centres.expansion(w, found.bias, training_size).parts();
  parts.self = found.self;
  return Expansion(std::move(parts));
}

// A machine that knows its ridge has said it for that. Who stopped the fit has a model all the same.
void add_dimension(const Centres& centres, const Training& training, Report& report) {
  if (report.figure("effective_dimension")) return;
  Execution how = training.how;
  how.monitor = {};
  const centres::EffectiveDimension found =
      centres::effective_dimension(centres, *training.K.points(), training.weights, how);
  report.add("effective_dimension", found.value);
  if (found.looked_at == training.K.size()) return;
  report.notes.push_back(
      fmt::format("the effective dimension is an estimate from {} of {} points", found.looked_at, training.K.size()));
}

}  // namespace

void add_centres(const Centres& centres, const Training& training, Report& report) {
  const Centres::Choice& choice = centres.choice();
  report.add("centres", static_cast<double>(centres.size()));
  report.add("trace_left_out", choice.trace_left_out);
  add_dimension(centres, training, report);
  if (choice.looked_at == 0) return;
  report.notes.push_back(
      fmt::format("f is made of {} centres, chosen by {} from {} of {} points: of tr K they leave out {:.2g}{}",
                  centres.size(), name_of(choice.wishes.by), choice.looked_at, choice.points, choice.trace_left_out,
                  centres.size() < choice.wishes.count
                      ? fmt::format("; {} were wished, and the points have no more directions", choice.wishes.count)
                      : ""));
}

Model fit_on_centres(const Machine& row, const Settings& settings, const Training& training) {
  require_centres(row, settings, training);
  const Centres& centres = *training.centres;
  if (row.centres == OnCentres::itself) {
    return row.fit(settings, training).with([&](Model::Parts& parts) { add_centres(centres, training, parts.report); });
  }
  const Points x = *training.K.points();
  const double bytes = sizeof(double) * static_cast<double>(x.size()) * static_cast<double>(centres.size());
  const Extent extent = extent_of(training);
  if (bytes > extent.room()) {
    fail(ErrorKind::usage,
         "{}: {} points in the features of {} centres need {}, and there are {}; {:.0f} centres would fit", row.name,
         x.size(), centres.size(), in_bytes(bytes), in_bytes(extent.room()),
         extent.room() / sizeof(double) / static_cast<double>(x.size()));
  }
  Training inner = training;
  inner.centres.reset();
  inner.plan.reset();
  inner.K = lazy(linear(), rows(centres.features(x, training.how)));
  return row.fit(settings, inner).with([&](Model::Parts& parts) {
    parts.f = carried_over(parts.f, centres, x.size());
    parts.inputs = Schema::of(x);
    add_centres(centres, training, parts.report);
  });
}

}  // namespace mercer::detail
