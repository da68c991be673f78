// Answers that are no targets: coordinates, clusters, and distances with their k(x, x).
#include <sstream>

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::readings_test {
namespace {

using test::expect_error;
using test::expect_near;

// Squared distances to the means of two groups of points, by their definition as expansions.
struct Groups {
  Matrix x = test::random_matrix(9, 2, 5);
  Kernel k = 2 * rbf(0.8) + linear();
  Matrix alpha = Matrix(9, 2);
  Vector bias = {0, 0};

  Groups() {
    const Matrix K = gram(k, points());
    for (Index i = 0; i < 9; ++i) alpha(i, i < 4 ? 0 : 1) = -2.0 / (i < 4 ? 4 : 5);
    for (Index i = 0; i < 9; ++i) {
      for (Index j = 0; j < 9; ++j) {
        for (Index c = 0; c < 2; ++c) bias[static_cast<std::size_t>(c)] += alpha(i, c) * K(i, j) * alpha(j, c) / 4;
      }
    }
  }
  Points points() const { return rows(x.view()); }
  Model model(const Gram& K) const {
    Expansion::Parts f = K.expansion(alpha, bias).parts();
    f.self = {1, 1};
    Matrix fitted(9, 1);
    for (Index i = 4; i < 9; ++i) fitted(i, 0) = 1;
    return Model({.machine = "made",
                  .f = Expansion(std::move(f)),
                  .reading = Reading::clusters,
                  .classes = {"1", "2"},
                  .readout = Matrix{{0.5, -3}},
                  .fitted = fitted});
  }
};

// |phi(x) - mean|^2 for a linear kernel and an rbf, by coordinates and by hand.
TEST(Readings, DistancesHaveTheirOwnTerm) {
  const Groups g;
  const Model m = g.model(lazy(g.k, g.points()));
  const Matrix others = test::random_matrix(6, 2, 6);
  const Matrix k = cross(g.k, rows(others.view()), g.points());
  const Vector self = diagonal(g.k, rows(others.view()));
  Matrix wanted(6, 2);
  for (Index i = 0; i < 6; ++i) {
    for (Index c = 0; c < 2; ++c) {
      wanted(i, c) = self[static_cast<std::size_t>(i)] + g.bias[static_cast<std::size_t>(c)];
      for (Index j = 0; j < 9; ++j) wanted(i, c) += k(i, j) * g.alpha(j, c);
      EXPECT_GE(wanted(i, c), 0);
    }
  }
  expect_near(m.scores(rows(others.view())), wanted, 1e-12);
  EXPECT_FALSE(m.is_classifier());
  EXPECT_TRUE(m.finds_clusters());
  EXPECT_FALSE(m.has_probabilities());
  EXPECT_EQ(m.score_names(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(m.answer_names(), (std::vector<std::string>{"cluster"}));
  const std::vector<Index> nearest = m.predict_classes(rows(others.view()));
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(nearest[static_cast<std::size_t>(i)], wanted(i, 0) <= wanted(i, 1) ? 0 : 1) << i;
  }
  expect_error([&] { m.probabilities(rows(others.view())); }, "UsageError", {"no probabilities"});
}

TEST(Readings, OfNumbersTakeTheOwnTermAsOneMoreColumn) {
  const Groups g;
  const Model kernel = g.model(lazy(g.k, g.points())), numbers = g.model(precomputed(gram(g.k, g.points())));
  const Matrix others = test::random_matrix(6, 2, 6);
  const Matrix k = cross(g.k, rows(others.view()), g.points());
  const Vector self = diagonal(g.k, rows(others.view()));
  Matrix given(6, 10);
  for (Index i = 0; i < 6; ++i) {
    std::copy_n(k.row(i), 9, given.row(i));
    given(i, 9) = self[static_cast<std::size_t>(i)];
  }
  expect_near(numbers.scores_from_rows(given), kernel.scores(rows(others.view())), 1e-12);
  expect_error([&] { numbers.scores_from_rows(k); }, "ShapeError", {"k(x, x) too"});
  expect_error([&] { numbers.scores_from_rows(Matrix(2, 11)); }, "ShapeError", {"11", "9", "k(x, x) behind"});
}

TEST(Readings, AreInTheFileWithWhatTheyNeed) {
  const Groups g;
  const Model m = g.model(lazy(g.k, g.points()));
  std::ostringstream file;
  save(file, m);
  const Model again = load_bytes(file.str(), "memory");
  EXPECT_EQ(again.parts().reading, Reading::clusters);
  EXPECT_EQ(again.parts().readout, m.parts().readout);
  EXPECT_EQ(again.parts().fitted, m.parts().fitted);
  EXPECT_EQ(again.expansion().parts().self, m.expansion().parts().self);
  EXPECT_EQ(again.scores(g.points()), m.scores(g.points()));
}

TEST(Readings, CoordinatesLeaveOutTheDistance) {
  const Model m({.machine = "made",
                 .f = Expansion({.alpha = Matrix{{1, 2, 3}}, .self = {0, 0, 1}, .support = {0}, .training_size = 1}),
                 .reading = Reading::projection});
  EXPECT_EQ(m.targets_of(Matrix{{1, 2, 9}}), (Matrix{{1, 2}}));
  EXPECT_EQ(m.score_names(), (std::vector<std::string>{"component1", "component2", "squared_distance"}));
  EXPECT_EQ(m.answer_names(), (std::vector<std::string>{"component1", "component2"}));
}

TEST(Readings, RefuseWhatDoesNotFit) {
  const Groups g;
  const Model m = g.model(lazy(g.k, g.points()));
  expect_error([&] { m.with([](ModelParts& p) { p.classes = {"1"}; }); }, "ShapeError", {"2 outputs", "clusters"});
  expect_error([&] { m.with([](ModelParts& p) { p.fitted = Matrix(8, 1); }); }, "ShapeError", {"8 rows", "9"});
  expect_error([&] { m.with([](ModelParts& p) { p.calibration.kind = Calibration::Kind::softmax; }); }, "ShapeError",
               {"calibration"});
  expect_error([] { Expansion({.alpha = Matrix(1, 2), .self = {1}}); }, "ShapeError", {"k(x, x)"});
}

// What a centred Gram fitted is what its expansion says, at the points and from rows of the plain K.
TEST(Readings, CentredNumbersPredictWhatTheyFitted) {
  const Groups g;
  const Matrix K = gram(g.k, g.points());
  const Matrix alpha = test::random_matrix(9, 2, 8);
  const Gram by_kernel = centred(lazy(g.k, g.points())), by_numbers = centred(precomputed(K));
  expect_near(by_numbers.expansion(alpha).from_rows(K), by_kernel.multiply(alpha), 1e-12);
  const Points others = rows(test::random_matrix(4, 2, 9));
  expect_near(by_numbers.expansion(alpha).from_rows(cross(g.k, others, g.points())), by_kernel.expansion(alpha)(others),
              1e-12);
}

}  // namespace
}  // namespace mercer::readings_test
