// Checkpoints in a file: docs/formats.md has its bytes.
#pragma once

#include <optional>
#include <string>

#include "base/stopwatch.hpp"
#include "mercer/checkpoints.hpp"

namespace mercer {

// Written every minute, beside and renamed, or as often as MERCER_CHECKPOINT_SECONDS says (0: at every step).
class CheckpointFile final : public Checkpoints {
 public:
  // `problem` names what the work is about: a file of another one is refused where `resume` asks to go on from it.
  // Without a file the work begins anew. One that is no checkpoint is refused. `decided`: what was decided before the
  // work began and would not be decided so again, for who goes on with it.
  CheckpointFile(std::string path, std::string problem, Vector decided, bool resume);
  // What the file says of that; none where it is not there, or no checkpoint.
  static std::optional<Vector> decided(const std::string& path);

  Vector last() const override { return last_; }
  bool due() const override;
  void keep(const Vector& state) override;
  void done(const Vector&) override { done_ = true; }

  // Whether there is nothing more to do, so that nobody will go on from what was kept.
  bool is_done() const { return done_; }
  // What went wrong when it was written last; empty: nothing. The work goes on without it.
  const std::string& fault() const { return fault_; }

 private:
  std::string path_, problem_, fault_;
  Vector decided_, last_;
  bool done_ = false;
  double every_ = 0;  // seconds
  Stopwatch since_kept_;
};

// With what a process that was ended at a bad moment may have left beside it.
void remove_checkpoint(const std::string& path);

}  // namespace mercer
