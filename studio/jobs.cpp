#include "studio/jobs.hpp"

#include <chrono>

#include "studio/errors.hpp"

namespace mercer::studio {

namespace {

constexpr std::size_t kMostRemembered = 100;
constexpr std::chrono::milliseconds kBetweenNews{100};

bool is_over(Jobs::State state) { return state != Jobs::State::waiting && state != Jobs::State::running; }

Json about(std::uint64_t id, const Jobs::Place& place) {
  return {{"job", std::to_string(id)}, {"slot", place.slot}, {"seq", place.seq}};
}

}  // namespace

const char* name_of(Jobs::State state) {
  switch (state) {
    case Jobs::State::waiting: return "waiting";
    case Jobs::State::running: return "running";
    case Jobs::State::done: return "done";
    case Jobs::State::failed: return "failed";
    case Jobs::State::replaced: return "replaced";
    case Jobs::State::cancelled: return "cancelled";
  }
  return "";
}

std::optional<std::uint64_t> Jobs::submit(Lane& lane, const Place& place, Work work) {
  auto job = std::make_shared<Job>();
  job->place = place;
  job->lane = &lane;
  job->work = std::move(work);
  std::shared_ptr<Job> older;
  bool late = false;
  {
    const std::lock_guard lock(mutex_);
    job->id = ++last_;
    jobs_[job->id] = job;
    std::shared_ptr<Job>& newest = newest_[place.slot];
    late = newest && newest->place.seq > place.seq;
    if (!late) older = std::exchange(newest, job);
    forget_old();
  }
  if (late) {
    end(*job, State::replaced, about(job->id, place));
    return job->id;
  }
  if (older) stop(older, State::replaced);
  if (lane.post([this, job] { run(job); }, job->id)) return job->id;
  const std::lock_guard lock(mutex_);
  jobs_.erase(job->id);
  if (const auto found = newest_.find(place.slot); found != newest_.end() && found->second == job) newest_.erase(found);
  return std::nullopt;
}

bool Jobs::cancel(std::uint64_t id) {
  std::shared_ptr<Job> job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return false;
    job = found->second;
  }
  stop(job, State::cancelled);
  return true;
}

void Jobs::cancel_all() {
  std::vector<std::shared_ptr<Job>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : jobs_) all.push_back(job);
  }
  for (const auto& job : all) stop(job, State::cancelled);
}

std::optional<Jobs::Status> Jobs::status(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return Status{found->second->place, found->second->state};
}

void Jobs::stop(const std::shared_ptr<Job>& job, State as) {
  State running = State::running;
  if (!job->stopped_as.compare_exchange_strong(running, as)) return;
  // One that has begun hears of it from its monitor and tells it then.
  if (job->lane->withdraw(job->id)) end(*job, as, about(job->id, job->place));
}

void Jobs::run(const std::shared_ptr<Job>& job) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over(job->state)) return;
    job->state = State::running;
  }
  auto told = std::chrono::steady_clock::now();
  const Monitor monitor([&](const Progress& progress) {
    if (job->stopped_as != State::running) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - told < kBetweenNews) return true;
    told = now;
    Json news = about(job->id, job->place);
    news["stage"] = progress.stage;
    news["fraction"] = progress.fraction;
    events_.publish("progress", job->place.slot, to_text(news));
    return true;
  });
  Json data = about(job->id, job->place);
  State state = State::done;
  if (job->stopped_as == State::running) {
    try {
      data.update(job->work(monitor));
    } catch (...) {
      const Failure failure = current_failure();
      state = State::failed;
      data.update(failure.json());
    }
  }
  // A machine that is told to stop may return what it has; nobody wants it.
  if (job->stopped_as != State::running) {
    state = job->stopped_as;
    data = about(job->id, job->place);
  }
  if (state == State::failed) log_(data["error"].get<std::string>());
  end(*job, state, std::move(data));
}

void Jobs::end(Job& job, State state, Json data) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over(job.state)) return;
    job.state = state;
    job.work = nullptr;
  }
  events_.publish(name_of(state), job.place.slot, to_text(data));
}

// Under the mutex.
void Jobs::forget_old() {
  for (auto one = jobs_.begin(); one != jobs_.end() && jobs_.size() > kMostRemembered;) {
    const std::shared_ptr<Job> job = one->second;
    if (!is_over(job->state)) {
      ++one;
      continue;
    }
    const auto newest = newest_.find(job->place.slot);
    if (newest != newest_.end() && newest->second == job) newest_.erase(newest);
    one = jobs_.erase(one);
  }
}

}  // namespace mercer::studio
