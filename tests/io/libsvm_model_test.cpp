// LIBSVM models in both directions, held against Debian's svm-train and svm-predict where they are installed.
#include "mercer/libsvm_model.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>

#include "io/files.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::libsvm_model_test {
namespace {

using io_test::content_of;
using io_test::TemporaryFolder;
using test::expect_error;
using test::random_matrix;

std::string text_of(const Model& m) {
  std::ostringstream out;
  write_libsvm_model(out, m);
  return out.str();
}

Model parsed(const std::string& text) { return parse_libsvm_model(text, "a.model"); }

constexpr const char* kThreeClasses =
    "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 4\nrho 0.5 -1 2\nlabel 7 -2 3\n"
    "probA -1 -2 -3\nprobB 0.1 0.2 0.3\nnr_sv 1 2 1\nSV\n"
    "1 0.5 1:1 3:2 \n-1 2 2:1 \n-0.25 0 1:-1 \n-0.5 -2 3:4 \n";

TEST(LibsvmModel, ReadsPairsOfClasses) {
  const Model m = parsed(kThreeClasses);
  EXPECT_EQ(m.parts().machine, "svc");
  EXPECT_EQ(m.parts().reading, Reading::votes);
  EXPECT_EQ(m.classes(), (std::vector<std::string>{"7", "-2", "3"}));
  EXPECT_EQ(m.expansion().parts().alpha, (Matrix{{1, 0.5, 0}, {-1, 0, 2}, {-0.25, 0, 0}, {0, -0.5, -2}}));
  EXPECT_EQ(m.expansion().parts().bias, (Vector{-0.5, 1, -2}));
  EXPECT_EQ(m.parts().calibration.sigmoids, (std::vector<Sigmoid>{{-1, 0.1}, {-2, 0.2}, {-3, 0.3}}));
  EXPECT_EQ(*m.expansion().parts().kernel, linear());
  EXPECT_EQ(text_of(parsed(text_of(m))), text_of(m));
  expect_error([&] { m.scores(rows(Matrix{{1, 2, 3, 4}})); }, "DomainError", {"4 columns"});
  EXPECT_NO_THROW(parse_libsvm_model(kThreeClasses, "a.model", 4).scores(rows(Matrix{{1, 2, 3, 4}})));
}

TEST(LibsvmModel, ReadsTwoClassesWithThePositiveOneFirst) {
  const std::string text =
      "svm_type nu_svc\nkernel_type rbf\ngamma 0.125\nnr_class 2\ntotal_sv 2\nrho 0.0625\nlabel -1 5\nnr_sv 1 1\nSV\n"
      "0.5 1:1 \n-0.5 2:1 \n";
  const Model m = parsed(text);
  EXPECT_EQ(m.parts().machine, "nusvc");
  EXPECT_EQ(m.classes(), (std::vector<std::string>{"5", "-1"}));
  EXPECT_EQ(m.predict_labels(rows(Matrix{{5, -5}, {-5, 5}})), (std::vector<std::string>{"5", "5"}));
  EXPECT_EQ(m.predict_labels(rows(Matrix{{2, -2}})), (std::vector<std::string>{"-1"}));
  EXPECT_EQ(*m.expansion().parts().kernel, rbf(2));
  std::string expected = text;
  for (std::size_t at = 0; (at = expected.find(" \n", at)) != expected.npos;) expected.erase(at, 1);
  EXPECT_EQ(text_of(m), expected);
}

TEST(LibsvmModel, ReadsEveryKernelThatIsOne) {
  const auto kernel = [](const std::string& lines) {
    return *parsed("svm_type epsilon_svr\n" + lines + "nr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n")
                .expansion()
                .parts()
                .kernel;
  };
  EXPECT_EQ(kernel("kernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 1\n").str(), "(0.5*linear() + 1)^3");
  EXPECT_EQ(kernel("kernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 0\n").str(), "(0.5*linear())^2");
  EXPECT_EQ(kernel("kernel_type polynomial\ndegree 2\ngamma 1\ncoef0 3\n"), poly(2, 3));
  expect_error([&] { kernel("kernel_type sigmoid\ngamma 1\ncoef0 0\n"); }, "FileError",
               {"a.model", "sigmoid", "not positive semi-definite"});
  expect_error([&] { kernel("kernel_type polynomial\ndegree 3\ngamma 1\ncoef0 -1\n"); }, "FileError",
               {"coef0", "not positive semi-definite"});
  expect_error([&] { kernel("kernel_type polynomial\ndegree 0\ngamma 1\ncoef0 1\n"); }, "FileError", {"degree"});
  expect_error([&] { kernel("kernel_type rbf\ngamma 0\n"); }, "FileError", {"gamma"});
  expect_error([&] { kernel("kernel_type rbf\ngamma -1\n"); }, "FileError", {"gamma"});
  expect_error([&] { kernel("kernel_type wave\n"); }, "FileError", {"wave"});
}

TEST(LibsvmModel, ReadsPrecomputedKernels) {
  const Model m = parsed(
      "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 3\nrho 1\nlabel 1 -1\nnr_sv 2 1\nSV\n"
      "1 0:4 \n0.5 0:1 \n-1.5 0:2 \n");
  EXPECT_EQ(m.support(), (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(m.expansion().from_rows(Matrix{{1, 10, 100, 1000}})(0, 0), 0.5 - 15 + 1000 - 1);
  EXPECT_NE(text_of(m).find("SV\n0.5 0:1\n1 0:4\n-1.5 0:2\n"), std::string::npos) << text_of(m);
}

TEST(LibsvmModel, KeepsTheScaleOfTheNoise) {
  const std::string text = "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho -1.5\nprobA 0.125\nSV\n";
  const Model m = parsed(text);
  EXPECT_EQ(m.report().figure("laplace_scale"), 0.125);
  EXPECT_EQ(m.predict(rows(Matrix{{3}})), Vector{1.5});
  EXPECT_EQ(text_of(m), text);
}

TEST(LibsvmModel, RefusesWhatIsDamaged) {
  const std::string good = kThreeClasses;
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& piece) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
    expect_error([&] { parsed(text); }, "FileError", {"a.model", piece});
  };
  refused("svm_type", "SVM_TYPE", "svm_type");
  refused("c_svc", "d_svc", "no svm_type is called \"d_svc\"");
  refused("nr_class 3", "nr_class 1", "1 class");
  refused("nr_class 3", "nr_class 2147483647", "3 labels");
  refused("nr_class 3", "nr_class 99999999999", "whole number");
  refused("total_sv 4", "total_sv 5", "nr_sv");
  refused("total_sv 4", "total_sv", "whole number");
  refused("rho 0.5 -1 2", "rho 0.5 -1", "rho");
  refused("rho 0.5 -1 2", "rho 0.5 -1 nan", "nan");
  refused("label 7 -2 3", "label 7 -2", "labels");
  refused("label 7 -2 3", "label 7 -2 x", "\"x\"");
  refused("probB 0.1 0.2 0.3", "probB 0.1 0.2", "probA and probB");
  refused("nr_sv 1 2 1", "nr_sv 1 2 2", "nr_sv");
  refused("SV\n", "", "begins no line");
  refused("SV\n", "SV 1\n", "more than SV");
  refused("1 0.5 1:1", "1 1:1", "line 11");
  refused("1 0.5 1:1", "1 0.5 0:1", "columns count from 1");
  refused("1:1 3:2", "3:1 3:2", "line 11: column 3 after 3");
  refused("1:1 3:2", "1:1 3:inf", "inf");
  refused("1:1 3:2", "1:1 3", "\"3\" is not column:value");
  refused("1:1 3:2", "1:1 4294967296:2", "4294967296");
  refused("-0.5 -2 3:4 \n", "", "cut short");
  refused("-0.5 -2 3:4 \n", "-0.5 -2 3:4 \n1 1 1:1\n", "more than total_sv");
  refused("kernel_type linear\n", "", "kernel_type");
  refused("kernel_type linear\n", "kernel_type linear\nmystery 3\n", "\"mystery\"");
  // Nothing tells a last point that is cut short from one with more zeros.
  for (std::size_t size = 0; size < good.rfind("-2 3:4"); ++size) {
    EXPECT_EQ(test::error_of([&] { parsed(good.substr(0, size)); }).substr(0, 10), "FileError:") << size;
  }
}

// f of two classes on three centres, that LIBSVM can express.
Model classifier(const Kernel& k, const std::vector<std::string>& classes = {"-1", "1"}) {
  Expansion::Parts f;
  f.kernel = k;
  f.centres = rows(Matrix{{1, 0}, {0, 0.1}, {-1, 2}});
  f.alpha = Matrix{{-1}, {0.75}, {0.25}};
  f.bias = {0.125};
  Model::Parts p{.machine = "svc", .settings = {}, .f = Expansion(std::move(f))};
  p.reading = Reading::binary;
  p.classes = classes;
  return Model(std::move(p));
}

TEST(LibsvmModel, WritesKernelsInLibsvmsForm) {
  const Points x = rows(random_matrix(5, 2, 3));
  for (const char* text : {"linear()", "3*linear()", "rbf(ell=0.7)", "2*rbf(ell=[0.7, 0.7])", "poly(degree=3, c=0.5)",
                           "4*(0.5*linear() + 2)^3", "(1 + 2*linear())^2", "(0.3*linear())^2", "linear() + 1",
                           "0.5*(linear() + 3)", "rbf(ell=fixed(2))", "(2*(linear() + 1))^2"}) {
    SCOPED_TRACE(text);
    const Model m = classifier(parse(text));
    test::expect_near(parsed(text_of(m)).scores(x), m.scores(x), 1e-13);
  }
  for (const char* text : {"rbf(ell=[1, 2])", "laplace(ell=1)", "linear()*rbf(ell=1)", "linear() + rbf(ell=1)",
                           "on(1, linear())", "const(c=1)", "(linear() + rbf(ell=1))^2", "linear()*linear()"}) {
    SCOPED_TRACE(text);
    expect_error([&] { text_of(classifier(parse(text))); }, "UsageError", {"LIBSVM has no kernel"});
  }
}

TEST(LibsvmModel, RefusesToWriteWhatLibsvmCannotSay) {
  const Model m = classifier(linear());
  expect_error([&] { text_of(classifier(linear(), {"ham", "spam"})); }, "UsageError", {"whole numbers", "\"ham\""});
  expect_error([&] { text_of(classifier(linear(), {"1", "2.5"})); }, "UsageError", {"whole numbers", "\"2.5\""});
  const auto changed = [&](auto change) { return [&m, change] { text_of(m.with(change)); }; };
  expect_error(changed([](Model::Parts& p) { p.machine = "ridge"; }), "UsageError", {"no machine \"ridge\""});
  expect_error(changed([](Model::Parts& p) {
                 p.scaling = {Scaling::Kind::standard, {0, 0}, {1, 1}};
               }),
               "UsageError", {"`scale=none`"});
  const Model three = parsed(kThreeClasses);
  expect_error([&] { text_of(three.with([](Model::Parts& p) { p.reading = Reading::largest; })); }, "UsageError",
               {"one-vs-one"});
  // The first pair counts it for the first class, the second against it.
  expect_error(
      [&] {
        text_of(three.with([](Model::Parts& p) {
          Expansion::Parts f = p.f.parts();
          f.alpha(0, 0) = 1;
          f.alpha(0, 1) = -1;
          p.f = Expansion(std::move(f));
        }));
      },
      "UsageError", {"counts for two classes"});
  const TemporaryFolder folder;
  expect_error([&] { write_libsvm_model(folder.path("m"), classifier(laplace(1))); }, "UsageError", {});
  EXPECT_TRUE(folder.list().empty());
}

// ---- against svm-train and svm-predict ----

class LibsvmTools : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("svm-train >/dev/null 2>&1; test $? -eq 1 && command -v svm-predict >/dev/null") != 0) {
      GTEST_SKIP() << "svm-train and svm-predict are not installed";
    }
  }

  // Points around one centre for each label, overlapping; for no labels a noisy wave.
  std::string data(const std::string& name, const std::vector<int>& labels, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    std::ostringstream out;
    for (int i = 0; i < 60; ++i) {
      const std::size_t c = static_cast<std::size_t>(i) % std::max<std::size_t>(labels.size(), 1);
      const double angle = 2 * static_cast<double>(c);
      const double x = std::cos(angle) + 0.7 * normal(engine), y = std::sin(angle) + 0.7 * normal(engine);
      labels.empty() ? out << std::sin(3 * x) + y + 0.1 * normal(engine) : out << labels[c];
      out << " 1:" << x << (i % 5 == 0 ? "" : " 2:" + std::to_string(y)) << " 3:" << normal(engine) << '\n';
    }
    return folder_.file(name, out.str());
  }
  void run(const std::string& command) { ASSERT_EQ(std::system((command + " >/dev/null 2>&1").c_str()), 0) << command; }
  std::string train(const std::string& options, const std::string& data) {
    const std::string model = folder_.path("trained.model");
    run("svm-train -q " + options + " '" + data + "' '" + model + "'");
    return model;
  }
  // The lines svm-predict writes.
  std::vector<std::string> predict(const std::string& model, const std::string& data, const std::string& options = "") {
    const std::string out = folder_.path("predicted");
    run("svm-predict " + options + " '" + data + "' '" + model + "' '" + out + "'");
    std::istringstream in(content_of(out));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  static Vector numbers(const std::string& line) {
    std::istringstream in(line);
    Vector out;
    for (double value; in >> value;) out.push_back(value);
    return out;
  }
  static void expect_near(const Vector& ours, const std::vector<std::string>& theirs) {
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], std::stod(theirs[i]), 1e-9 * std::max(1.0, std::abs(ours[i]))) << i;
    }
  }
  // Theirs read, ours written, and both used by both.
  void expect_same_labels(const std::string& options, const std::vector<int>& labels) {
    SCOPED_TRACE(options);
    const std::string training = data("training", labels, 1), test = data("test", labels, 2);
    const std::string theirs = train(options, training), ours = folder_.path("ours.model");
    const Model m = read_libsvm_model(theirs);
    write_libsvm_model(ours, m);
    const Points x = read_data(test, {.format = Format::libsvm}).points;
    const std::vector<std::string> expected = predict(theirs, test);
    EXPECT_EQ(m.predict_labels(x), expected);
    EXPECT_EQ(predict(ours, test), expected);
    // The scores of a binary classifier are what a regression with its coefficients predicts.
    if (labels.size() != 2) return;
    std::string text = content_of(theirs);
    for (const char* key : {"label", "nr_sv"})
      text.erase(text.find(key), text.find('\n', text.find(key)) + 1 - text.find(key));
    text.replace(0, text.find('\n'), "svm_type epsilon_svr");
    const Matrix f = m.scores(x);
    expect_near(Vector(f.data(), f.data() + f.rows()), predict(folder_.file("scores.model", text), test));
  }

  TemporaryFolder folder_;
};

TEST_F(LibsvmTools, SameLabelsForTwoClasses) {
  for (const std::vector<int>& labels : {std::vector{1, -1}, {-1, 1}, {7, 3}}) {
    for (const char* options : {"-s 0 -t 2 -c 5", "-s 0 -t 0", "-s 0 -t 1 -g 0.3 -r 1 -d 3", "-s 1 -n 0.4"}) {
      expect_same_labels(options, labels);
    }
  }
}

TEST_F(LibsvmTools, SameLabelsForManyClassesInAnyOrder) {
  for (const std::vector<int>& labels : {std::vector{1, 2, 3}, {5, -1, 2}, {3, 2, 1}, {4, 0, 9, -7, 1}}) {
    for (const char* options : {"-s 0 -g 2 -c 5", "-s 0 -t 0", "-s 1 -n 0.3"}) expect_same_labels(options, labels);
  }
}

TEST_F(LibsvmTools, SameValuesForRegressionAndOneClass) {
  const std::string training = data("training", {}, 1), test = data("test", {}, 2);
  const Points x = read_data(test, {.format = Format::libsvm}).points;
  for (const char* options : {"-s 3 -g 1 -c 10", "-s 4 -n 0.5", "-s 3 -t 1 -d 2 -g 0.5 -r 0", "-s 3 -p 100", "-s 2"}) {
    SCOPED_TRACE(options);
    const std::string theirs = train(options, training), ours = folder_.path("ours.model");
    const Model m = read_libsvm_model(theirs, 3);
    write_libsvm_model(ours, m);
    const std::vector<std::string> expected = predict(theirs, test);
    expect_near(m.predict(x), expected);
    expect_near(m.predict(x), predict(ours, test));
  }
}

TEST_F(LibsvmTools, SameProbabilities) {
  for (const std::vector<int>& labels : {std::vector{-1, 1}, {2, 9, 4}}) {
    const std::string training = data("training", labels, 1), test = data("test", labels, 2);
    const std::string theirs = train("-b 1 -g 1", training), ours = folder_.path("ours.model");
    const Model m = read_libsvm_model(theirs);
    write_libsvm_model(ours, m);
    const std::vector<std::string> expected = predict(theirs, test, "-b 1");
    const std::vector<std::string> again = predict(ours, test, "-b 1");
    ASSERT_EQ(again.size(), expected.size());
    EXPECT_EQ(again.front(), expected.front());
    // svm-predict prints six digits, and couples pairs of classes until the largest error is 0.005 / k.
    const double tolerance = labels.size() == 2 ? 1e-5 : 5e-3;
    const Points x = read_data(test, {.format = Format::libsvm}).points;
    const Matrix p = m.probabilities(x);
    const std::vector<std::string> predicted = m.predict_labels(x);
    const Vector order = numbers(expected.front().substr(std::string("labels").size()));
    for (Index i = 0; i < p.rows(); ++i) {
      const Vector line = numbers(expected[static_cast<std::size_t>(i) + 1]);
      EXPECT_EQ(std::stod(predicted[static_cast<std::size_t>(i)]), line[0]);
      EXPECT_EQ(numbers(again[static_cast<std::size_t>(i) + 1])[0], line[0]);
      for (std::size_t c = 0; c < order.size(); ++c) {
        const auto own = std::find_if(m.classes().begin(), m.classes().end(),
                                      [&](const std::string& name) { return std::stod(name) == order[c]; });
        EXPECT_NEAR(p(i, own - m.classes().begin()), line[c + 1], tolerance) << i;
      }
    }
  }
}

TEST_F(LibsvmTools, SameLabelsWithAPrecomputedKernel) {
  const Matrix x = random_matrix(40, 2, 1), y = random_matrix(30, 2, 2);
  const auto matrix_file = [&](const std::string& name, const Matrix& points) {
    std::ostringstream out;
    for (Index i = 0; i < points.rows(); ++i) {
      out << (points(i, 0) * points(i, 1) > 0 ? 1 : -1) << " 0:" << i + 1;
      for (Index j = 0; j < x.rows(); ++j) {
        out << ' ' << j + 1 << ':' << std::pow(points(i, 0) * x(j, 0) + points(i, 1) * x(j, 1) + 1, 2);
      }
      out << '\n';
    }
    return folder_.file(name, out.str());
  };
  const std::string theirs = train("-t 4", matrix_file("training", x)), test = matrix_file("test", y);
  const Model m = read_libsvm_model(theirs);
  const Matrix K = cross(poly(2, 1), rows(y), rows(x).select(m.support()));
  std::vector<std::string> labels;
  for (const Index c : m.classes_of(m.expansion().from_rows(K)))
    labels.push_back(m.classes()[static_cast<std::size_t>(c)]);
  const std::vector<std::string> expected = predict(theirs, test);
  EXPECT_EQ(labels, expected);
  write_libsvm_model(folder_.path("ours.model"), m);
  EXPECT_EQ(predict(folder_.path("ours.model"), test), expected);
}

TEST_F(LibsvmTools, UsesModelsFittedHere) {
  const auto fitted = [&](const std::string& machine, const std::vector<int>& labels, const std::string& kernel) {
    SCOPED_TRACE(machine + " " + kernel);
    const Dataset train = read_data(data("training", labels, 1), {.format = Format::libsvm});
    const std::string test = data("test", labels, 2), ours = folder_.path("ours.model");
    Training training{.K = lazy(parse(kernel), train.points)};
    if (labels.empty()) {
      training.y = Matrix(MatrixView(train.target_numbers.data(), train.points.size(), 1));
    } else {
      training.labels = Labels::from(train.target());
    }
    const Model m = fit(machine, {}, training);
    write_libsvm_model(ours, m);
    const Points x = read_data(test, {.format = Format::libsvm}).points;
    if (m.is_classifier()) {
      EXPECT_EQ(predict(ours, test), m.predict_labels(x));
    } else {
      expect_near(m.predict(x), predict(ours, test));
    }
  };
  fitted("svc", {1, -1}, "rbf(ell=1)");
  fitted("svc", {4, 0, 9}, "(0.5*linear() + 1)^2");
  fitted("nusvc", {3, 1, 2}, "2*rbf(ell=0.7)");
  fitted("svr", {}, "rbf(ell=1)");
  fitted("nusvr", {}, "linear()");
  fitted("oneclass", {}, "rbf(ell=1)");
}

}  // namespace
}  // namespace mercer::libsvm_model_test
