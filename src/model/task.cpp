#include "mercer/task.hpp"

namespace mercer {

namespace {

using Target = Task::Target;

constexpr Task::Row kClassification{"classification", "classes", Target::classes};
constexpr Task::Row kRegression{"regression", "numbers", Target::numbers};
constexpr Task::Row kNovelty{"novelty", "novelty", Target::none};
constexpr Task::Row kDensity{"density", "density", Target::none};
constexpr Task::Row kEmbedding{"embedding", "coordinates", Target::none};
constexpr Task::Row kClustering{"clustering", "clusters", Target::none};
constexpr Task::Row kMixture{"mixture", "soft clusters", Target::none};
constexpr Task::Row kCorrelation{"correlation", "coordinates", Target::numbers};

}  // namespace

constinit const Task Task::classification{kClassification}, Task::regression{kRegression}, Task::novelty{kNovelty},
    Task::density{kDensity}, Task::embedding{kEmbedding}, Task::clustering{kClustering}, Task::mixture{kMixture},
    Task::correlation{kCorrelation};

}  // namespace mercer
