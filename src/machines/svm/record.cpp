#include "machines/svm/record.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

namespace {

void put(Vector& out, const Vector& numbers) {
  out.push_back(static_cast<double>(numbers.size()));
  out.insert(out.end(), numbers.begin(), numbers.end());
}

// No fit takes more, and a double holds every whole number up to it.
constexpr double kMostSteps = 9007199254740992;

// From front to back. What does not fit was written by something else.
class Reader {
 public:
  explicit Reader(VectorView numbers) : numbers_(numbers) {}

  double number() { return some(1).front(); }
  // A whole number, at most `most`.
  Index whole(double most) {
    const double out = number();
    if (!(out >= 0 && out <= most)) refuse();
    return static_cast<Index>(out);
  }
  // How many there are of what takes at least one number each.
  std::size_t count() { return static_cast<std::size_t>(whole(static_cast<double>(numbers_.size() - next_))); }
  Vector vector() {
    const VectorView out = some(count());
    return {out.begin(), out.end()};
  }

 private:
  [[noreturn]] static void refuse() {
    fail(ErrorKind::usage, "the work that was interrupted is not that of this fit; begin anew without `resume`");
  }
  VectorView some(std::size_t count) {
    if (count > numbers_.size() - next_) refuse();
    next_ += count;
    return numbers_.subspan(next_ - count, count);
  }

  VectorView numbers_;
  std::size_t next_ = 0;
};

Vector numbers_of(const DualSolution& s) {
  Vector out = {s.level[0],
                s.level[1],
                s.objective,
                s.gap,
                s.converged ? 1.0 : 0.0,
                s.certified ? 1.0 : 0.0,
                static_cast<double>(s.steps),
                static_cast<double>(s.rounds)};
  put(out, s.b);
  put(out, s.f);
  put(out, Vector(s.stopped.begin(), s.stopped.end()));
  return out;
}

DualSolution solution_of(const Vector& numbers) {
  Reader read(numbers);
  DualSolution out;
  for (double& level : out.level) level = read.number();
  out.objective = read.number();
  out.gap = read.number();
  out.converged = read.number() != 0;
  out.certified = read.number() != 0;
  out.steps = read.whole(kMostSteps);
  out.rounds = read.whole(kMostSteps);
  out.b = read.vector();
  out.f = read.vector();
  for (const double letter : read.vector()) out.stopped.push_back(static_cast<char>(letter));
  return out;
}

}  // namespace

Record::Record(std::shared_ptr<Checkpoints> checkpoints, Index problems) : checkpoints_(std::move(checkpoints)) {
  if (!checkpoints_) return;
  for (Index i = 0; i < problems; ++i) problems_.push_back(std::make_unique<RecordOfProblem>(*this));
  const Vector last = checkpoints_->last();
  if (last.empty()) return;
  Reader read(last);
  for (const auto& problem : problems_) {
    problem->solutions_.resize(read.count());
    for (Vector& solution : problem->solutions_) solution = read.vector();
    problem->loop_ = read.vector();
  }
}

Record::~Record() = default;

RecordOfProblem* Record::of(Index problem) { return checkpoints_ ? problems_[at(problem)].get() : nullptr; }

bool Record::has_unfinished() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(problems_,
                             [](const auto& problem) { return !problem->loop_.empty() || problem->given_up_; });
}

Vector Record::numbers() const {
  Vector out;
  for (const auto& problem : problems_) {
    out.push_back(static_cast<double>(problem->solutions_.size()));
    for (const Vector& solution : problem->solutions_) put(out, solution);
    put(out, problem->loop_);
  }
  return out;
}

void Record::write() {
  checkpoints_->keep(numbers());
  // The others are kept as they were when they were last asked.
  for (const auto& problem : problems_) problem->wanted_ = true;
}

void Record::end() {
  if (!checkpoints_) return;
  if (has_unfinished()) {
    write();
  } else {
    checkpoints_->done(numbers());
  }
}

std::optional<DualSolution> RecordOfProblem::next() {
  if (next_ >= solutions_.size()) return std::nullopt;
  return solution_of(solutions_[next_++]);
}

bool RecordOfProblem::is_due() const {
  const std::lock_guard lock(all_.mutex_);
  return wanted_ || all_.checkpoints_->due();
}

void RecordOfProblem::keep(Vector loop) {
  const std::lock_guard lock(all_.mutex_);
  loop_ = std::move(loop);
  if (all_.checkpoints_->due()) all_.write();
  wanted_ = false;
}

void RecordOfProblem::give_up() {
  const std::lock_guard lock(all_.mutex_);
  given_up_ = true;
}

void RecordOfProblem::add(const DualSolution& solution) {
  const std::lock_guard lock(all_.mutex_);
  solutions_.push_back(numbers_of(solution));
  next_ = solutions_.size();
  loop_.clear();
}

}  // namespace mercer::detail
