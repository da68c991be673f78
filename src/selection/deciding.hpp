// Which points decide what is chosen, and how they are divided.
#pragma once

#include "mercer/tune.hpp"
#include "selection/equal_points.hpp"

namespace mercer::detail {

// The points that count, each once and with the weight of all that are equal to it; samples of them have their share of
// every class.
class Deciding {
 public:
  explicit Deciding(const Training& training);

  const Counted& all() const { return all_; }
  // At most so many different ones. Along lines: runs of neighbours, since of points that are drawn one by one no two
  // are so near that they tell how rough f is.
  struct Sample {
    Training training;
    Index different = 0;
  };
  enum class Drawn { one_by_one, along_lines };
  Sample sample(Index most, Drawn drawn = Drawn::one_by_one) const;

 private:
  Deciding(const Training& training, const std::vector<Index>& equal_to);
  Sample picked(const std::vector<Index>& some) const;

  Counted all_;
  Training merged_;
};

// `folds` of them, few points several times: one division alone says little. One: a third is held out. Classification:
// only folds without which there are still two classes.
std::vector<Fold> folds_of(const Deciding::Sample& sample, Index folds, Task task);

}  // namespace mercer::detail
