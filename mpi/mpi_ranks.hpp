// The processes that mpirun or srun started, as ranks.
#pragma once

#include "distributed/ranks.hpp"

namespace mercer {

// From the beginning of a program to its end, of which there is one. Only the thread that made it may call it. Who
// waits for others sleeps most of the time, so that more ranks than cores are slow and not hopeless.
class MpiRanks final : public distributed::Ranks {
 public:
  MpiRanks();
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> gather(const std::string& own) override;
  std::vector<std::string> exchange(const std::vector<std::string>& to) override;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace mercer
