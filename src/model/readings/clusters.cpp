// One output per cluster: the squared distance from its centre. The nearest is the answer.
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string clusters_fault(const ModelParts& parts) {
  return detail::wrong_classes(parts, 1, static_cast<Index>(parts.classes.size()));
}

constexpr Reading::Row kClusters{.name = "clusters",
                                 .gives = Reading::Gives::clusters,
                                 .fault = clusters_fault,
                                 .answers = detail::smallest,
                                 .score_names = detail::class_names,
                                 .answer_names = detail::cluster_name};

}  // namespace

constinit const Reading Reading::clusters{kClusters};

}  // namespace mercer
