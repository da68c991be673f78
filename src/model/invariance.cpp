#include "mercer/invariance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/fits_in_order.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

// Of the time there is. What an f rests on that is far from done is not worth copying; what the first fit leaves over
// is for the second, which begins with its f.
constexpr double kOfFirst = 0.5;

// Points and copies, how many of each: a row of the table.
struct Round {
  Index points = 0, copies = 0, support = 0, support_copies = 0;
};

bool same_target(const Training& training, Index i, Index j) {
  if (training.labels.size() > 0 && training.labels.of[at(i)] != training.labels.of[at(j)]) return false;
  const Matrix& y = training.y;
  return y.rows() == 0 || std::equal(y.row(i), y.row(i) + y.cols(), y.row(j));
}

// What f rests on, and all that are equal to it: which of equal points a solver gives the weight to is chance.
std::vector<Index> with_equals(const std::vector<Index>& support, const Training& training) {
  const std::vector<Index> equal_to = training.K.points()->rep().first_equal();
  std::vector<std::vector<Index>> known(equal_to.size());
  for (const Index s : support) known[at(equal_to[at(s)])].push_back(s);
  std::vector<Index> out;
  for (const Index i : detail::weighted_points(training)) {
    const std::vector<Index>& here = known[at(equal_to[at(i)])];
    if (std::ranges::any_of(here, [&](Index s) { return same_target(training, i, s); })) out.push_back(i);
  }
  return out;
}

Index copies_by(const std::vector<RowMap>& maps) {
  Index out = 0;
  for (const RowMap& map : maps) out += map.copies();
  return out;
}

// These points, then copy after copy of all of them.
Training with_copies(const std::vector<RowMap>& maps, const Training& training, const std::vector<Index>& which) {
  const Points x = *training.K.points();
  const Origin origin = training.origin.value_or(Origin{x});
  const auto n = static_cast<Index>(which.size());
  const Index times = 1 + copies_by(maps);
  Matrix all = Matrix::uninitialized(n * times, x.domain().dimension);
  Index next = 0;
  const auto add = [&](const Points& some) {
    assert(some.size() == n && some.domain().dimension == all.cols());
    const DenseRows from = dense_rows(some);
    for (Index i = 0; i < n; ++i) std::copy_n(from.values.row(i), all.cols(), all.row(next++));
  };
  add(x.select(which));
  for (const RowMap& map : maps) {
    for (Index copy = 0; copy < map.copies(); ++copy) add(copies_of(origin, map, copy, which));
  }
  Training out{.K = gram_for(*training.K.kernel(), named_like(rows(std::move(all)), x), {}),
               .how = training.how,
               .memory = training.memory};
  out.labels.classes = training.labels.classes;
  if (training.y.rows() > 0) out.y = Matrix::uninitialized(n * times, training.y.cols());
  for (Index i = 0; i < n * times; ++i) {
    const Index of = which[at(i % n)];
    if (training.labels.size() > 0) out.labels.of.push_back(training.labels.of[at(of)]);
    if (training.y.rows() > 0) std::copy_n(training.y.row(of), out.y.cols(), out.y.row(i));
    if (!training.weights.empty()) out.weights.push_back(training.weights[at(of)]);
  }
  return out;
}

void require_points(const std::vector<RowMap>& maps, const Training& training) {
  for (const RowMap& map : maps) {
    if (map.use() != RowMap::Use::preparation) continue;
    fail(ErrorKind::usage, "`invariance`: {} makes no copies that mean the same; it prepares inputs", map.str());
  }
  if (training.K.kind() != GramKind::kernel) {
    fail(ErrorKind::usage, "`invariance`: copies are made of points, and K is given as numbers; leave it out");
  }
  if (training.origin && training.origin->inputs.size() != training.K.size()) {
    fail(ErrorKind::shape, "`invariance`: {} inputs for {} training points", training.origin->inputs.size(),
         training.K.size());
  }
  const Points x = *training.K.points();
  const Origin origin = training.origin.value_or(Origin{x});
  if (origin.inputs.domain() != x.domain()) {
    fail(ErrorKind::domain, "`invariance`: the inputs are {} and the points of K {}", origin.inputs.domain().str(),
         x.domain().str());
  }
  // What is wrong with a map is said before anything is fitted.
  const std::vector<Index> first(training.K.size() > 0 ? 1 : 0, 0);
  for (const RowMap& map : maps) {
    (void)copies_of(origin, map, 0, first);
  }
}

Report::Table table_of(const std::vector<Round>& rounds) {
  Report::Table out{"invariance",
                    {"points", "copies", "support_vectors", "support_copies"},
                    Matrix(static_cast<Index>(rounds.size()), 4)};
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    double* const row = out.rows.row(static_cast<Index>(r));
    row[0] = static_cast<double>(rounds[r].points);
    row[1] = static_cast<double>(rounds[r].copies);
    row[2] = static_cast<double>(rounds[r].support);
    row[3] = static_cast<double>(rounds[r].support_copies);
  }
  return out;
}

std::string words_of(const std::vector<RowMap>& maps, const std::vector<Round>& rounds) {
  std::vector<std::string> each;
  const Index points = rounds[1].points - rounds[1].copies;
  for (const RowMap& map : maps) each.push_back(fmt::format("{} by {}", points * map.copies(), map.str()));
  return fmt::format("invariance: fitted to {} points, then to the {} that f rested on and {} copies of them ({})",
                     rounds[0].points, points, rounds[1].copies, fmt::join(each, ", "));
}

// The same f, of the points that `training` holds first: `which` of those it was fitted to.
Model on_points_of(const Training& training, const std::vector<Index>& which, const Model& model) {
  return model.with([&](Model::Parts& parts) {
    Expansion::Parts f = parts.f.parts();
    for (Index& i : f.support) i = std::ranges::lower_bound(which, i) - which.begin();
    f.training_size = training.K.size();
    parts.f = Expansion(std::move(f));
  });
}

bool takes_start(const Model& model) {
  return std::ranges::any_of(machines(),
                             [&](const Machine& row) { return row.name == model.parts().machine && row.takes_start; });
}

// Some of the points, evenly over all of them, and copies of these: what two models are compared by, of which neither
// may have come to an end.
Training judges(const std::vector<RowMap>& maps, const Training& training) {
  constexpr Index kMost = 2000;
  const std::vector<Index> all = detail::weighted_points(training);
  const auto n = static_cast<Index>(all.size()), count = std::min(n, kMost);
  std::vector<Index> some;
  for (Index i = 0; i < count; ++i) some.push_back(all[at(i * n / count)]);
  return with_copies(maps, training, some);
}

// The weight of what is said wrongly, or of the errors; none where there is no truth.
std::optional<double> error_at(const Training& points, const Model& model) {
  const Execution how{.threads = points.how.threads};  // whoever said stop has a model all the same
  const Vector weights = detail::weights_of(points);
  const Points x = *points.K.points();
  double sum = 0, total = 0;
  const auto add = [&](std::size_t i, double error) {
    sum += weights[i] * error;
    total += weights[i];
  };
  if (model.is_classifier()) {
    const std::vector<Index> said = model.predict_classes(x, how);
    for (std::size_t i = 0; i < said.size(); ++i) add(i, said[i] == points.labels.of[i] ? 0 : 1);
  } else if (model.parts().reading == Reading::value) {
    const Matrix said = model.predict_targets(x, how);
    for (Index i = 0; i < said.rows(); ++i) {
      for (Index t = 0; t < said.cols(); ++t) add(at(i), std::abs(said(i, t) - points.y(i, t)));
    }
  } else {
    return std::nullopt;
  }
  return sum / total;
}

// Which of the two is kept where one of the fits has not ended, and the words for it.
struct Kept {
  bool second = true;
  std::string why = {};
};
Kept better_of(const std::vector<RowMap>& maps, const Training& training, const Model& first, const Model& second) {
  if (first.report().converged && second.report().converged) return {};
  const Training points = judges(maps, training);
  const std::optional<double> before = error_at(points, first), after = error_at(points, second);
  if (!before) return {second.report().converged, "the one that ended, or else the first"};
  const Index copies = points.K.size() * copies_by(maps) / (1 + copies_by(maps));
  return {*after < *before, fmt::format("{} of {} points and {} copies is {:.4g} by the first and {:.4g} by the second",
                                        first.is_classifier() ? "the share told wrongly" : "the mean error",
                                        points.K.size() - copies, copies, *before, *after)};
}

// Ends early with what the first fit has.
Model without_copies(const Model& first, const std::string& why) {
  return first.with([&](Model::Parts& parts) {
    parts.report.notes.push_back(fmt::format("invariance: {} before there were copies; f rests on none", why));
  });
}

}  // namespace

Points copies_of(const Origin& origin, const RowMap& map, Index copy, std::span<const Index> which) {
  const std::vector<RowMap>& maps = origin.prepared.maps;
  auto behind = maps.end();
  while (behind != maps.begin() && !(behind - 1)->moves_pixels()) --behind;
  Points x = origin.inputs.select(which);
  for (auto one = maps.begin(); one != behind; ++one) x = one->apply(x);
  Scaling rest = origin.prepared;
  rest.maps.assign(behind, maps.end());
  return rest.apply(map.apply(x, copy));
}

Model fit_invariant(const std::vector<RowMap>& maps, const Training& given,
                    const std::function<Model(const Training&)>& fit) {
  require_points(maps, given);
  Training training = given;
  training.start.reset();  // f of copies is no beginning for f of the points
  detail::FitsInOrder checkpoints(given.checkpoints);
  training.checkpoints = checkpoints.next();
  const bool hurried = std::isfinite(given.seconds);
  const Stopwatch watch;
  training.seconds = kOfFirst * given.seconds;
  const auto whole_time = [&](Model model) {  // in words, where it is a share that was over
    return std::move(model).with([&](Model::Parts& parts) {
      if (detail::is_over_time(parts.report.stopped)) parts.report.stopped = detail::time_was_over(given.seconds);
    });
  };
  const Model first = whole_time(fit(training));
  std::vector<Round> rounds = {{.points = given.K.size(), .support = first.expansion().size()}};
  const std::string interrupted = "interrupted";
  if (!first.report().converged && first.report().stopped == interrupted) return without_copies(first, interrupted);
  if (first.support().empty()) {
    if (!first.report().converged) return without_copies(first, first.report().stopped);
    fail(ErrorKind::data, "`invariance`: f rests on no training point, so that there is nothing to copy; leave it out");
  }
  const std::vector<Index> which = with_equals(first.support(), training);
  Training second = with_copies(maps, training, which);
  second.checkpoints = checkpoints.next();
  if (hurried) {
    second.seconds = std::max(0.0, given.seconds - watch.seconds());
    if (takes_start(first)) second.start = on_points_of(second, which, first);
  }
  const Model again = whole_time(fit(second));
  const auto originals = static_cast<Index>(which.size());
  const std::vector<Index>& rests_on = again.support();
  rounds.push_back({.points = second.K.size(),
                    .copies = second.K.size() - originals,
                    .support = again.expansion().size(),
                    .support_copies = std::ranges::count_if(rests_on, [&](Index i) { return i >= originals; })});
  const Kept kept = better_of(maps, training, first, again);
  const Model& better = kept.second ? again : first;
  return better.with([&](Model::Parts& parts) {
    if (kept.second) {
      Expansion::Parts f = parts.f.parts();
      f.support.clear();
      f.training_size = given.K.size();
      parts.f = Expansion(std::move(f));
    }
    Report& report = parts.report;
    std::vector<std::string> notes = {words_of(maps, rounds)};
    notes.front() += kept.second ? fmt::format("; now f rests on {} of these points and {} copies",
                                               rounds[1].support - rounds[1].support_copies, rounds[1].support_copies)
                                 : "; f is that of the first fit and rests on no copies";
    for (const auto& [name, one] : {std::pair{"first", &first}, std::pair{"second", &again}}) {
      if (one->report().converged) continue;
      notes.push_back(fmt::format("invariance: the {} fit did not converge: {}", name, one->report().stopped));
      report.converged = false;
      report.stopped = one->report().stopped;
    }
    if (!kept.why.empty()) {
      notes.push_back(fmt::format("invariance: the {} fit is kept: {}", kept.second ? "second" : "first", kept.why));
    }
    if (given.start) {
      notes.emplace_back("invariance: begun anew; f of points and copies is no beginning for that of points");
    }
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    report.iterations = first.report().iterations + again.report().iterations;
    report.tables.push_back(table_of(rounds));
  });
}

}  // namespace mercer
