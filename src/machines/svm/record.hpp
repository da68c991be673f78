// What the problems of a fit keep of themselves, so that another process can go on with them (mercer/checkpoints.hpp):
// of each the solutions that it has come to, in order, and the loop that it is in. A call of solve() that had ended is
// not made again, and one that had begun goes on where its loop was; so all that stands around these calls may be as
// it is, as long as it calls in the same order.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "machines/svm/dual.hpp"
#include "mercer/checkpoints.hpp"

namespace mercer::detail {

// Thread-safe, but for each problem used by one thread at a time.
class Record {
 public:
  // Null checkpoints: nothing is kept.
  Record(std::shared_ptr<Checkpoints> checkpoints, Index problems);
  ~Record();

  RecordOfProblem* of(Index problem);  // null where nothing is kept
  bool has_unfinished() const;
  // All problems have ended, or were told to.
  void end();

 private:
  friend class RecordOfProblem;
  Vector numbers() const;
  void write();

  std::shared_ptr<Checkpoints> checkpoints_;
  std::vector<std::unique_ptr<RecordOfProblem>> problems_;
  mutable std::mutex mutex_;
};

class RecordOfProblem {
 public:
  explicit RecordOfProblem(Record& all) : all_(all) {}

  // The solution of the call of solve() that comes next, if it is known.
  std::optional<DualSolution> next();
  // Where its loop was; empty: it had not begun.
  const Vector& loop() const { return loop_; }
  bool knows_next() const { return next_ < solutions_.size() || !loop_.empty(); }

  bool is_due() const;  // whether somebody wants to know where the loop is
  void keep(Vector loop);
  void add(const DualSolution& solution);  // the loop has ended with
  void give_up();                          // it ends before there is a loop to go on with

 private:
  friend class Record;

  Record& all_;
  std::vector<Vector> solutions_;  // in numbers
  std::size_t next_ = 0;
  Vector loop_;
  bool wanted_ = false, given_up_ = false;
};

}  // namespace mercer::detail
