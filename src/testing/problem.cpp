#include "testing/problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/bags.hpp"
#include "mercer/kernels.hpp"
#include "testing/compare.hpp"

namespace mercer::testing {

Problem Problem::draw(Index size, Index classes, std::uint64_t seed, bool bags) {
  constexpr double kSpacing = 0.6, kScatter = 0.15, kNoise = 0.2;
  Random random(seed);
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(size))));
  Problem out{.k = bags ? mean_embedding(rbf(0.5)) : rbf(0.5),
              .x = Matrix(size, 2),
              .y = Matrix(size, 2),
              .class_of = {},
              .classes = classes,
              .bags = bags};
  for (Index i = 0; i < size; ++i) {
    const double u = out.x(i, 0) =
        kSpacing * static_cast<double>(i % side - side / 2) + kScatter * random.uniform(-1, 1);
    const double v = out.x(i, 1) =
        kSpacing * static_cast<double>(i / side - side / 2) + kScatter * random.uniform(-1, 1);
    out.y(i, 0) = std::sin(2 * u) + v + kNoise * random.normal();
    out.y(i, 1) = 3 - std::cos(u * v) + kNoise * random.normal();
    const auto stripe = static_cast<Index>(std::floor(0.8 * (u + v) + 100));
    out.class_of.push_back(random.uniform() < 0.1 ? random.below(classes) : stripe % classes);
  }
  // However few points there are, the first ones have the classes between them.
  for (Index c = 0; c < std::min(classes, size); ++c) out.class_of[at(c)] = c;
  return out;
}

Points Problem::like(const Points& rows) const {
  return bags ? mercer::bags(rows, numbers_up_to(rows.size() + 1)) : rows;
}

Problem Problem::select(std::span<const Index> which) const {
  const auto count = static_cast<Index>(which.size());
  Problem out{.k = k,
              .x = Matrix(count, x.cols()),
              .y = Matrix(count, y.cols()),
              .class_of = {},
              .classes = classes,
              .bags = bags};
  for (Index i = 0; i < count; ++i) {
    const Index from = which[at(i)];
    std::copy_n(x.row(from), x.cols(), out.x.row(i));
    std::copy_n(y.row(from), y.cols(), out.y.row(i));
    out.class_of.push_back(class_of[at(from)]);
    if (!weights.empty()) out.weights.push_back(weights[at(from)]);
  }
  return out;
}

Training Problem::training(Task task, const Execution& how) const {
  Training out = training(task, lazy(k, points()));
  out.how = how;
  return out;
}

Training Problem::training(Task task, const Gram& K) const {
  Training out{.K = K, .weights = weights};
  if (task->target == Task::Target::numbers) out.y = y;
  if (task->target == Task::Target::classes) {
    for (Index c = 0; c < classes; ++c) out.labels.classes.emplace_back(1, static_cast<char>('a' + c));
    out.labels.of = class_of;
  }
  return out;
}

}  // namespace mercer::testing
