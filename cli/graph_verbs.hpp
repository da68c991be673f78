// The verbs below `mercer graph`, one file each.
#pragma once

#include "verbs.hpp"

namespace mercer::cli {

int run_graph_eigenvectors(const Words& words);
int run_graph_knn(const Words& words);
int run_graph_info(const Words& words);

}  // namespace mercer::cli
