// mercer/metrics.hpp: how good predictions are.
//
//     const std::vector<Index> predicted = model.classes_of(scores);
//     accuracy(truth, predicted);    auc(truth, model.probabilities(x));
//     auc(truth, class_scores(model.parts().reading, scores, 3));    // of a model that has no probabilities
//
// Classes are numbers from 0, as in Labels::of and Model::classes_of. A class of the truth that the model does not
// know has a number past the model's last: it counts as missed. Weights are multiplicities: a point of weight 2 counts
// as two, one of weight 0 not at all; none given: all are 1. Every call throws ShapeError when the sizes do not
// fit, and DataError when there is nothing to compare or a number is not finite.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/gram.hpp"
#include "mercer/matrix.hpp"
#include "mercer/model.hpp"

namespace mercer {

using ClassNumbers = std::span<const Index>;

// How many of class i (row) were predicted as class j (column). `classes`: at least this many rows and columns.
Matrix confusion(ClassNumbers truth, ClassNumbers predicted, Index classes = 0, VectorView weights = {});
// The fraction predicted right.
double accuracy(ClassNumbers truth, ClassNumbers predicted, VectorView weights = {});
// The mean, over the classes of the truth, of the fraction of the class that was predicted right.
double balanced_accuracy(ClassNumbers truth, ClassNumbers predicted, VectorView weights = {});
// 2 hits / (2 hits + false alarms + misses). With two classes that of class 1; with more (`classes`, or as many as
// occur) the mean over those that occur in the truth or in the prediction. 0 where nothing was there to find.
double f1(ClassNumbers truth, ClassNumbers predicted, Index classes = 0, VectorView weights = {});

// The probability that a point of the class scores higher than one of another class, equal scores counting half: the
// area under the ROC curve, from ranks, n log n. Scores have one column, which speaks for class 1 of two, or one per
// class: then it is the plain mean over the classes that occur, each against the rest (with two columns both sides
// agree when the columns mirror each other). DataError when the truth is of one class.
double auc(ClassNumbers truth, MatrixView scores, VectorView weights = {});
// The mean of -log p(true class); one column per class. Probabilities below 2.2e-16 count as that.
double log_loss(ClassNumbers truth, MatrixView probabilities, VectorView weights = {});
// The mean squared error of probabilities. Two classes: that of class 1, between 0 and 1. More: summed over the
// classes, between 0 and 2, as Brier (1950) has it.
double brier(ClassNumbers truth, MatrixView probabilities, VectorView weights = {});

// Scores of a classifier without probabilities as auc() wants them: binary and `largest` as they are; `votes` as the
// votes of each class plus less than half a vote for how clear they were, so that the largest is a class with the most
// votes.
Matrix class_scores(Reading reading, MatrixView scores, Index classes);

double rmse(VectorView truth, VectorView predicted, VectorView weights = {});  // sqrt(mean (y - f)^2)
double mae(VectorView truth, VectorView predicted, VectorView weights = {});   // mean |y - f|
// 1 - sum (y - f)^2 / sum (y - mean y)^2. When y is constant: 1 if f meets it exactly, else 0.
double r2(VectorView truth, VectorView predicted, VectorView weights = {});

// How alike two ways of dividing points are; what the parts are called does not matter. n log n.
//
// The mutual information over the mean of both entropies: 1 where they are the same, 0 where one says nothing of the
// other.
double nmi(ClassNumbers truth, ClassNumbers clusters, VectorView weights = {});
// The adjusted Rand index (Hubert & Arabie 1985): pairs that both keep together, so that 1 is agreement and 0 what
// chance gives. Below 0 for less than that.
double ari(ClassNumbers truth, ClassNumbers clusters, VectorView weights = {});
// The fraction of points whose class is the most frequent one of their cluster. Grows with the number of clusters.
double purity(ClassNumbers truth, ClassNumbers clusters, VectorView weights = {});

// How well clusters are apart (Rousseeuw 1987), in feature space: the mean over the points of (b - a) / max(a, b), a
// the mean distance to the others of the point's own cluster, b to those of the next nearest cluster; 0 for a point
// alone in its cluster. The distance is |phi(x) - phi(y)| = sqrt(k(x,x) + k(y,y) - 2 k(x,y)). A point of weight 2 has a
// twin; of one that weighs less than 1 there are no others.
struct Silhouette {
  double mean = 0;
  Vector of;                  // of each point looked at
  std::vector<Index> points;  // which these are, increasing
};
// At least two clusters, and fewer than points: UsageError. Where there are more than `most` points, the mean is over a
// sample of so many, drawn by `seed`; the distances are still those to all points. Some rows of K at a time.
Silhouette silhouette(const Gram& K, ClassNumbers clusters, Index most = 2000, std::uint64_t seed = 1,
                      const Execution& how = {}, VectorView weights = {});

}  // namespace mercer
