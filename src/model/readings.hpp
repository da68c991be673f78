// What several readings share.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

// prediction, or prediction1, prediction2, ...; the names of the targets where they are known.
std::vector<std::string> target_names(const ModelParts& parts, Index count);
std::vector<std::string> target_name(const ModelParts& parts);  // of one
// stem1, stem2, ...
std::vector<std::string> counted_names(std::string_view stem, Index count);

std::vector<std::string> class_names(const ModelParts& parts);
// component1, component2, ...: of readings whose f is coordinates.
std::vector<std::string> coordinate_names(const ModelParts& parts);
// The answers are the scores.
Matrix unchanged(const ModelParts& parts, MatrixView scores);
// The number of the smallest score, the first among equals: the nearest cluster.
Matrix smallest(const ModelParts& parts, MatrixView scores);
std::vector<std::string> cluster_name(const ModelParts& parts);
// The number of the largest score, the first among equals.
Matrix largest(const ModelParts& parts, MatrixView scores);
// Probabilities of scores that are their logarithms, up to a number for each point.
Matrix softmax(const ModelParts& parts, MatrixView scores);
// Numbers of classes as the one column of answers.
Matrix as_column(const std::vector<Index>& numbers);

// "3 outputs of f for the reading votes of 4 classes", where the outputs are not `wanted`; else empty.
std::string wrong_outputs(const ModelParts& parts, Index wanted);
// What is wrong with fewer classes than `least`, or with a number of outputs other than `wanted`.
std::string wrong_classes(const ModelParts& parts, Index least, Index wanted);

}  // namespace mercer::detail
