// Every machine of the catalog with every picture that applies to it: what is made is what the page can draw.
#include <gtest/gtest.h>

#include <map>

#include "mercer/mercer.hpp"
#include "report/catalog.hpp"
#include "report/schema.hpp"
#include "testing/problem.hpp"

namespace mercer::report {
namespace {

using testing::Problem;

// Of so many columns, the model fitted to the points that it is shown with.
Subject subject_of(const Machine& row, Problem problem, Index columns) {
  Matrix x(problem.size(), columns);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < columns; ++j)
      x(i, j) = problem.x(i, j % 2) + (j >= 2 ? 0.1 * static_cast<double>((i * 7 + j) % 5) : 0);
  }
  const Points points = rows(std::move(x));
  const Gram K = lazy(rbf(0.5), points);
  Training training = problem.training(row.task, K);
  if (training.y.cols() > 1) training.y = Matrix(training.y.view().block({0, training.y.rows()}, {0, 1}));
  Subject out{.model = fit(row.name, {}, training), .x = points, .y = training.y, .labels = training.labels};
  out.fitted_to = true;
  out.training = training;
  return out;
}

class PictureLaws : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Machine& row : machines()) out.push_back(row.name);
  return out;
}

TEST_P(PictureLaws, AreWhatThePageDraws) {
  const Machine& row = machine(GetParam());
  for (const Index columns : {1, 2, 3}) {
    for (const Index classes : {2, 3}) {
      if (classes == 3 && (row.task != Task::classification || columns != 2)) continue;
      Subject subject = subject_of(row, Problem::draw(24, classes, 1), columns);
      for (const bool fitted_to : {true, false}) {
        subject.fitted_to = fitted_to;
        subject.answers = std::make_shared<std::shared_ptr<const Answers>>();
        for (const Exhibit& made : exhibits_of(subject)) {
          EXPECT_EQ(test::faults_of(made), std::vector<std::string>{}) << columns << " columns";
          EXPECT_EQ(made.finding.find("could not be made"), std::string::npos) << made.id << ": " << made.finding;
        }
      }
    }
  }
}

// What cannot be shown says so; nothing is thrown.
TEST_P(PictureLaws, StandFewAndStrangePoints) {
  const Machine& row = machine(GetParam());
  const auto show = [&](Problem problem, Index columns) {
    std::optional<Subject> subject;
    try {
      subject = subject_of(row, std::move(problem), columns);
    } catch (const Error&) {
      return;  // refused by the fit
    }
    for (const Exhibit& made : exhibits_of(*subject)) EXPECT_EQ(test::faults_of(made), std::vector<std::string>{});
  };
  for (const Index columns : {1, 2}) {
    for (const Index n : {1, 2, 3, 5}) show(Problem::draw(n, 2, 1), columns);
    Problem constant = Problem::draw(20, 2, 1);
    constant.y = Matrix(20, 2, 3.0);
    show(constant, columns);
    for (const double size : {1e-30, 1e30}) {
      Problem scaled = Problem::draw(20, 2, 1);
      for (Index i = 0; i < 40; ++i) scaled.y.data()[i] *= size;
      show(scaled, columns);
    }
    Problem same = Problem::draw(20, 2, 1);
    same.x = Matrix(20, 2, 1.0);
    show(same, columns);
  }
}

// One class only in the data that a model is shown with, and a class that it has never seen.
TEST_P(PictureLaws, StandOtherClasses) {
  const Machine& row = machine(GetParam());
  if (row.task != Task::classification) return;
  Subject subject = subject_of(row, Problem::draw(24, 3, 1), 2);
  subject.fitted_to = false;
  subject.training.reset();
  for (const Index of : {0, 3}) {
    subject.labels.classes = {"a", "b", "c", "never seen"};
    subject.labels.of.assign(24, of);
    subject.answers = std::make_shared<std::shared_ptr<const Answers>>();
    for (const Exhibit& made : exhibits_of(subject)) EXPECT_EQ(test::faults_of(made), std::vector<std::string>{});
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, PictureLaws, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mercer::report
