#include "mercer/invariance.hpp"

#include <algorithm>
#include <cassert>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/fits_in_order.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

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
  return fmt::format(
      "invariance: fitted to {} points, then to the {} that f rested on and {} copies of them ({}); now f rests on {} "
      "of these points and {} copies",
      rounds[0].points, points, rounds[1].copies, fmt::join(each, ", "), rounds[1].support - rounds[1].support_copies,
      rounds[1].support_copies);
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
  const Stopwatch watch;
  const Model first = fit(training);
  std::vector<Round> rounds = {{.points = given.K.size(), .support = first.expansion().size()}};
  const std::string interrupted = "interrupted";
  if (!first.report().converged && first.report().stopped == interrupted) {
    return first.with([&](Model::Parts& parts) {
      parts.report.notes.emplace_back("invariance: interrupted before there were copies; f rests on none");
    });
  }
  if (first.support().empty()) {
    fail(ErrorKind::data, "`invariance`: f rests on no training point, so that there is nothing to copy; leave it out");
  }
  const std::vector<Index> which = with_equals(first.support(), training);
  Training second = with_copies(maps, training, which);
  second.checkpoints = checkpoints.next();
  second.seconds = std::max(0.0, given.seconds - watch.seconds());
  Model fitted = fit(second);
  const auto originals = static_cast<Index>(which.size());
  const std::vector<Index>& rests_on = fitted.support();
  rounds.push_back({.points = second.K.size(),
                    .copies = second.K.size() - originals,
                    .support = fitted.expansion().size(),
                    .support_copies = std::ranges::count_if(rests_on, [&](Index i) { return i >= originals; })});
  return std::move(fitted).with([&](Model::Parts& parts) {
    Expansion::Parts f = parts.f.parts();
    f.support.clear();
    f.training_size = given.K.size();
    parts.f = Expansion(std::move(f));
    parts.report.notes.insert(parts.report.notes.begin(), words_of(maps, rounds));
    if (!first.report().converged) {
      parts.report.notes.push_back("invariance: the first fit did not converge: " + first.report().stopped);
    }
    if (given.start) {
      parts.report.notes.emplace_back(
          "invariance: begun anew; f of points and copies is no beginning for that of points");
    }
    parts.report.iterations += first.report().iterations;
    parts.report.tables.push_back(table_of(rounds));
  });
}

}  // namespace mercer
