#include "state_space/state_space.hpp"

#include <cmath>
#include <numbers>

namespace mercer::state_space {

namespace {

// Of harmonics: those before the first cosine.
Index constants(const Functions& f) { return f.first == 0 ? 1 : 0; }

// Values of functions at one time.
void evaluate(const Functions& f, double t, double* out) {
  if (f.kind == Functions::Kind::powers) {
    double power = std::pow(t, f.first);
    for (Index j = 0; j < f.count(); ++j, power *= t) out[j] = f.weights[at(j)] * power;
    return;
  }
  // The remainder is exact, however long ago the first period was.
  const double angle = 2 * std::numbers::pi * (std::fmod(t, f.period) / f.period);
  const double c1 = std::cos(angle), s1 = std::sin(angle);
  double c = 1, s = 0;
  if (constants(f) > 0) out[0] = f.weights[0];
  for (Index j = constants(f); j < f.count(); j += 2) {
    const double next = c * c1 - s * s1;
    s = s * c1 + c * s1;
    c = next;
    out[j] = f.weights[at(j)] * c;
    out[j + 1] = f.weights[at(j + 1)] * s;
  }
}

void pull(const Functions& f, double since, const double* values, const double* adjoint, VectorRef to) {
  if (f.shape >= 0) {
    double sum = 0;
    for (Index j = 0; j < f.count(); ++j) sum += f.slopes[at(j)] * values[j] * adjoint[j];
    to[at(f.shape)] += sum;
  }
  if (f.kind == Functions::Kind::powers) return;
  double by_angle = 0;  // cosine and sine of a harmonic have the same weight
  for (Index j = constants(f); j < f.count(); j += 2) {
    const Index harmonic = (j - constants(f)) / 2 + 1;
    by_angle += static_cast<double>(harmonic) * (values[j] * adjoint[j + 1] - values[j + 1] * adjoint[j]);
  }
  to[at(f.period_at)] -= by_angle * 2 * std::numbers::pi * since / (f.period * f.period);
}

double root_of(const Group& g) {
  double out = 1;
  for (const Multiple& m : g.multiples) out *= m.value;
  return std::sqrt(out);
}

// The index in each list of functions of one of their products.
Index index_in(const Group& g, std::size_t which, Index product) {
  for (std::size_t f = g.functions.size(); f-- > which + 1;) product /= g.functions[f].count();
  return product % g.functions[which].count();
}

}  // namespace

Index Group::count() const {
  Index out = 1;
  for (const Functions& f : functions) out *= f.count();
  return out;
}

StateSpace::StateSpace(std::vector<Group> groups, Index parameters)
    : groups_(std::move(groups)), parameters_(parameters) {
  std::stable_partition(groups_.begin(), groups_.end(), [](const Group& g) { return !g.processes.empty(); });
  Index still = 0;
  for (const Group& g : groups_) {
    features_ += g.count();
    if (g.processes.empty()) {
      still += g.count();
    } else {
      blocks_.push_back({Motion(g.processes), g.count()});
    }
  }
  if (still > 0) blocks_.push_back({Motion({}), still});
  for (const Block& b : blocks_) states_ += b.states();
}

void StateSpace::features(VectorView times, MatrixRef out) const {
  Index first = 0;
  for (const Group& g : groups_) {
    const Index count = g.count();
    const double root = root_of(g);
    Vector own, all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      double* const to = out.row(static_cast<Index>(i)) + first;
      if (g.functions.empty()) {
        *to = root;
        continue;
      }
      evaluate(g.functions.front(), times[i], to);
      Index made = g.functions.front().count();
      for (std::size_t f = 1; f < g.functions.size(); ++f) {
        const Index more = g.functions[f].count();
        own.resize(at(more));
        evaluate(g.functions[f], times[i], own.data());
        all.assign(to, to + made);
        for (Index a = 0; a < made; ++a) {
          for (Index b = 0; b < more; ++b) to[a * more + b] = all[at(a)] * own[at(b)];
        }
        made *= more;
      }
      for (Index j = 0; j < count; ++j) to[j] *= root;
    }
    first += count;
  }
}

void StateSpace::pull_features(VectorView times, double origin, MatrixView values, MatrixView adjoint,
                               VectorRef to) const {
  Index first = 0;
  for (const Group& g : groups_) {
    const Index count = g.count();
    const double root = root_of(g);
    std::vector<Vector> own(g.functions.size()), pulled(g.functions.size());
    double by_log_root = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double *value = values.row(static_cast<Index>(i)) + first,
                   *slope = adjoint.row(static_cast<Index>(i)) + first;
      for (Index j = 0; j < count; ++j) by_log_root += value[j] * slope[j];
      for (std::size_t f = 0; f < g.functions.size(); ++f) {
        own[f].resize(at(g.functions[f].count()));
        pulled[f].assign(own[f].size(), 0.0);
        evaluate(g.functions[f], times[i], own[f].data());
      }
      if (g.functions.size() == 1) {
        for (Index j = 0; j < count; ++j) pulled[0][at(j)] = root * slope[j];
      } else {
        for (std::size_t f = 0; f < g.functions.size(); ++f) {
          for (Index j = 0; j < count; ++j) {
            double others = root * slope[j];
            for (std::size_t o = 0; o < g.functions.size(); ++o) {
              if (o != f) others *= own[o][at(index_in(g, o, j))];
            }
            pulled[f][at(index_in(g, f, j))] += others;
          }
        }
      }
      for (std::size_t f = 0; f < g.functions.size(); ++f) {
        pull(g.functions[f], times[i] - origin, own[f].data(), pulled[f].data(), to);
      }
    }
    for (const Multiple& m : g.multiples) to[at(m.parameter)] += by_log_root / (2 * m.value);
    first += count;
  }
}

void StateSpace::pull_motions(const MotionSlopes& slopes, VectorRef to) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<Process>& processes = blocks_[b].motion.processes();
    for (std::size_t p = 0; p < processes.size(); ++p) {
      const Process& process = processes[p];
      if (process.rate_by.parameter >= 0) {
        to[at(process.rate_by.parameter)] += slopes.by_rate[b][p] * process.rate_by.slope;
      }
      if (process.damping_by.parameter >= 0) {
        to[at(process.damping_by.parameter)] += slopes.by_damping[b][p] * process.damping_by.slope;
      }
    }
  }
}

MotionSlopes StateSpace::no_slopes() const {
  MotionSlopes out;
  for (const Block& b : blocks_) {
    out.by_rate.emplace_back(b.motion.processes().size());
    out.by_damping.emplace_back(b.motion.processes().size());
  }
  return out;
}

}  // namespace mercer::state_space
