#include "mercer/model_file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>

#include "base/json.hpp"
#include "io/files.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::model_file_test {
namespace {

using io_test::content_of;
using io_test::TemporaryFolder;
using test::error_of;
using test::expect_error;
using test::random_matrix;
using test::random_vector;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kLarge = std::numeric_limits<Index>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string bytes_of(const Model& m) {
  std::ostringstream out;
  save(out, m);
  return out.str();
}

Model loaded(const std::string& bytes) { return load_bytes(bytes, "m.mercer"); }

Model regression(const Kernel& k, const Points& x, Index outputs = 2) {
  Expansion::Parts f;
  f.kernel = k.resolve(x);
  f.centres = x;
  f.alpha = random_matrix(x.size(), outputs, 7);
  f.bias = random_vector(outputs, 8);
  for (Index i = 0; i < x.size(); ++i) f.support.push_back(2 * i);
  f.training_size = 2 * x.size();
  Model::Parts p{.machine = "ridge", .settings = {{"ridge", "0.1"}}, .f = Expansion(std::move(f))};
  p.inputs = Schema::of(x);
  return Model(std::move(p));
}

// A file in its three parts, to be changed and sealed again with the right length and checksum.
struct Opened {
  Json header;
  std::string blocks;

  explicit Opened(const std::string& bytes) {
    const std::size_t first = bytes.find('\n'), second = bytes.find('\n', first + 1);
    header = Json::parse(bytes.substr(first + 1, second - first - 1));
    blocks = bytes.substr(second + 1, bytes.size() - second - 1 - 4);
  }
  // Where the block starts.
  char* block(const std::string& name) {
    for (const auto& entry : header["blocks"]) {
      if (entry["name"] == name) return blocks.data() + entry["offset"].get<std::size_t>();
    }
    throw std::runtime_error("no block " + name);
  }
  Json& entry(const std::string& name) {
    for (auto& entry : header["blocks"]) {
      if (entry["name"] == name) return entry;
    }
    throw std::runtime_error("no block " + name);
  }
  static std::string seal(const std::string& header_line, const std::string& blocks, int format = 2) {
    const std::string rest = header_line + '\n' + blocks;
    std::string out;
    for (std::size_t total = 0; out.size() + rest.size() + 4 != total;) {
      total = out.size() + rest.size() + 4;
      out = "mercer-model " + std::to_string(format) + " " + std::to_string(total) + "\n";
    }
    out += rest;
    const auto sum =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())));
    for (int byte = 0; byte < 4; ++byte) out += static_cast<char>(sum >> (8 * byte) & 0xFF);
    return out;
  }
  std::string sealed() const { return seal(header.dump(), blocks); }
};

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * sizeof(double)), 0);
}

// Saved and loaded: the same predictions to the last bit, and the same file when saved again.
void expect_round_trip(const Model& m, const Points& x) {
  const std::string bytes = bytes_of(m);
  const Model again = loaded(bytes);
  expect_same_bits(again.scores(x), m.scores(x));
  EXPECT_EQ(bytes_of(again), bytes);
  if (m.expansion().parts().kernel) {
    EXPECT_EQ(*again.expansion().parts().kernel, *m.expansion().parts().kernel);
  }
}

// What was max-iterations is max_iterations; the values of options are not names.
TEST(ModelFile, OptionsOfFilesOfBeforeAreCalledAsToday) {
  const Points x = rows(random_matrix(3, 2, 3));
  Opened old(bytes_of(regression(rbf(1), x)));
  old.header["settings"] = {{"path-size", "7"}, {"max-iterations", "5"}, {"target-kernel", "on(a-b, rbf(ell=1))"}};
  const Settings today = {{"path_size", "7"}, {"max_iterations", "5"}, {"target_kernel", "on(a-b, rbf(ell=1))"}};
  EXPECT_EQ(loaded(old.sealed()).parts().settings, today);
}

TEST(ModelFile, KeepsDenseSparseAndFloatPoints) {
  Matrix values = random_matrix(9, 3, 1, 0, 3);
  values(2, 1) = 0;
  values(4, 0) = 0;
  const std::vector<float> floats = test::to_float(values);
  for (const char* text : {"rbf(ell=0.1)", "2*rbf(ell=[0.1, 0.7, 1.3]) + 0.3*matern(nu=2.5, ell=fixed(0.2))*linear()",
                           "normalize(poly(degree=3, c=0.1 in [0.01, 1])) + exp(0.1*linear())", "on(2:3, laplace())",
                           "quadratic(A=[[2, 1, 0], [1, 2, 0], [0, 0, 0.1]]) + 1", "rbf(ell=auto)",
                           "assume_psd(tanh(dot(x, y)), \"a \\\"quoted\\\" reason\")", "warp(sqrt, ntk(depth=2))"}) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    for (const Points& x : {rows(values), rows(FloatMatrixView(floats.data(), 9, 3)), rows(test::to_sparse(values))}) {
      expect_round_trip(regression(k, x), x);
    }
  }
}

TEST(ModelFile, KeepsWhatTheModelWasFittedTo) {
  const Points x = rows(random_matrix(3, 2, 3));
  const Provenance from{
      "train \xff.csv", std::string(64, 'a'), {{"weights", "w"}}, {1, -2, 3, 4, 5, 6}, {1, 2, 0.5, 1, 1, 0}};
  const Model model = regression(rbf(1), x).with([&](Model::Parts& parts) { parts.provenance = from; });
  EXPECT_EQ(loaded(bytes_of(model)).parts().provenance, from);
  expect_round_trip(model, x);
  // Of files of before nothing is known.
  Opened old(bytes_of(model));
  ASSERT_TRUE(old.header.erase("provenance"));
  EXPECT_EQ(loaded(old.sealed()).parts().provenance, Provenance());
  EXPECT_FALSE(Opened(bytes_of(regression(rbf(1), x))).header.contains("provenance"));
  // As many rows and weights as training points, or none.
  for (const auto& change : std::vector<std::function<void(Provenance&)>>{[](Provenance& p) { p.rows.pop_back(); },
                                                                          [](Provenance& p) { p.weights.push_back(1); },
                                                                          [](Provenance& p) { p.weights[0] = kNaN; }}) {
    expect_error([&] { bytes_of(model.with([&](Model::Parts& parts) { change(parts.provenance); })); }, "UsageError",
                 {"save: the model is not usable"});
  }
}

TEST(ModelFile, KeepsTheStorageOfPoints) {
  const Matrix values = random_matrix(4, 2, 3);
  const std::vector<float> floats = test::to_float(values);
  const auto centres = [](const Points& x) {
    return *loaded(bytes_of(regression(rbf(1), x))).expansion().parts().centres;
  };
  const Points narrow = centres(rows(FloatMatrixView(floats.data(), 4, 2)));
  EXPECT_NE(dynamic_cast<const DenseReals<float>*>(&narrow.rep()), nullptr);
  const Points sparse = centres(rows(test::to_sparse(values)));
  EXPECT_NE(dynamic_cast<const SparseReals*>(&sparse.rep()), nullptr);
  const Points names = centres(named(rows(values), {"a", "b \"c\"\n\xff"}));
  EXPECT_EQ(names.column_names(), (std::vector<std::string>{"a", "b \"c\"\n\xff"}));
  // A view of some columns of a wider matrix is stored without the others.
  const Matrix wide = random_matrix(4, 50, 3);
  EXPECT_LT(bytes_of(regression(rbf(1), rows(wide).columns("3:4"))).size(), 2000u);
}

TEST(ModelFile, KeepsTextsAndTables) {
  const std::vector<std::string> docs = {"abcabc", "", std::string("a\0b\nc", 5), "\xff\xfe bytes"};
  expect_round_trip(regression(normalize(spectrum(2)), strings(docs)), strings(docs));
  const Points mixed =
      table({{"x", rows(random_matrix(4, 2, 1))}, {"doc", strings(docs)}, {"y", rows(random_matrix(4, 1, 2))}});
  expect_round_trip(regression(parse("on(x, rbf(ell=0.3))*on(doc, spectrum(k=1)) + on(y, linear())"), mixed), mixed);
  const Points grouped = table({{"pos", rows(random_matrix(4, 2, 1))}, {"z", rows(random_matrix(4, 1, 2))}});
  expect_round_trip(regression(parse("on(pos, rbf()) + on(z, linear())"), grouped), grouped);
  const Points one = table({{"doc", strings(docs)}});
  expect_round_trip(regression(parse("on(doc, spectrum(k=1))"), one), one);
}

TEST(ModelFile, KeepsEveryPart) {
  const Points x = named(rows(random_matrix(6, 2, 1)), {"dose", "age"});
  const std::vector<std::string> classes = {"yes \xe9", "no\n\"really\"", ""};
  const Model m = regression(rbf(0.5), x, 3).with([&](Model::Parts& p) {
    p.machine = "svc";
    p.settings = {{"C", "10"}, {"note", "caf\xc3\xa9 \xe9"}};
    p.reading = Reading::largest;
    p.classes = classes;
    p.calibration = {Calibration::Kind::sigmoids, {{-1.1, 0.1}, {-1.0 / 3, 0}, {-3e-300, -0.0}}};
    p.scaling = Scaling::of(Scaling::Kind::standard, x);
    p.inputs.counted = true;
    p.targets = {"outcome"};
    p.left_out = {"weight", "id \xe9"};
    p.readout = Matrix{{1.0 / 3, -0.0}};
    p.fitted = Matrix(12, 1, 1.0 / 3);
    p.report.chosen = "C = 10, by five folds";
    p.report.stages = {{"read", 0.25}, {"solve", 1.0 / 3}};
    p.report.converged = false;
    p.report.stopped = "interrupted";
    p.report.iterations = 12345678901;
    p.report.seconds = 0.1;
    p.report.add("objective", 1.0 / 3);
    p.report.add("gap", kInfinity);
    p.report.add("least", -kInfinity);
    p.report.add("tiny", 5e-324);
    p.report.add("large", 1.7976931348623157e308);
    p.report.add("minus zero", -0.0);
    p.report.notes = {"a note", "another\nwith two lines"};
    p.report.tables = {{"path", {"ridge", "loo"}, Matrix{{0.1, kInfinity}, {0.2, -0.0}}}};
  });
  const Model again = loaded(bytes_of(m));
  const Model::Parts &a = again.parts(), &b = m.parts();
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.reading, b.reading);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.calibration, b.calibration);
  EXPECT_EQ(a.scaling, b.scaling);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_TRUE(a.inputs.counted);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.left_out, b.left_out);
  EXPECT_EQ(a.readout, b.readout);
  EXPECT_EQ(a.fitted, b.fitted);
  EXPECT_EQ(a.report, b.report);
  EXPECT_EQ(a.report.chosen, b.report.chosen);
  ASSERT_EQ(a.report.stages.size(), 2u);
  EXPECT_EQ(a.report.stages[1].name, "solve");
  EXPECT_EQ(a.report.stages[1].value, 1.0 / 3);
  EXPECT_TRUE(std::signbit(*a.report.figure("minus zero")));
  EXPECT_EQ(again.support(), m.support());
  EXPECT_EQ(again.expansion().parts().training_size, 12);
  expect_same_bits(again.probabilities(x), m.probabilities(x));
  EXPECT_EQ(bytes_of(again), bytes_of(m));
  expect_error([&] { again.scores(rows(random_matrix(3, 3, 1))); }, "DomainError", {"columns"});
}

TEST(ModelFile, KeepsReportsThatAreNotANumber) {
  const Model m = regression(linear(), rows(random_matrix(3, 1, 1))).with([](Model::Parts& p) {
    p.report.add("gap", kNaN);
    p.report.seconds = kNaN;
    p.report.tables = {{"path", {"a"}, Matrix{{kNaN}}}};
  });
  const Model again = loaded(bytes_of(m));
  EXPECT_TRUE(std::isnan(*again.report().figure("gap")));
  EXPECT_TRUE(std::isnan(again.report().seconds));
  EXPECT_TRUE(std::isnan(again.report().table("path")->rows(0, 0)));
}

TEST(ModelFile, KeepsModelsWithoutAKernelAndWithoutCentres) {
  const Matrix a = random_matrix(5, 8, 1);
  Matrix K(5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      for (Index k = 0; k < 8; ++k) K(i, j) += a(i, k) * a(j, k);
    }
  }
  Matrix alpha = random_matrix(5, 1, 2);
  alpha(1, 0) = 0;
  const Expansion f = precomputed(K).expansion(alpha, {0.25});
  const Model m(Model::Parts{.machine = "svr", .settings = {}, .f = f});
  const Model again = loaded(bytes_of(m));
  EXPECT_EQ(again.support(), (std::vector<Index>{0, 2, 3, 4}));
  expect_same_bits(again.expansion().from_rows(K), m.expansion().from_rows(K));
  EXPECT_EQ(again.rkhs_norm(), m.rkhs_norm());
  EXPECT_EQ(bytes_of(again), bytes_of(m));

  const Points x = rows(random_matrix(3, 2, 1));
  const Expansion constant = lazy(rbf(1), x).expansion(Matrix(3, 1), {0.5});
  expect_round_trip(Model(Model::Parts{.machine = "svr", .settings = {}, .f = constant}), x);
}

TEST(ModelFile, WritesOnlyWholeFiles) {
  const TemporaryFolder folder;
  const Points x = rows(random_matrix(4, 2, 1));
  const Model m = regression(rbf(1), x);
  const std::string path = folder.path("m.mercer");
  save(path, m);
  expect_same_bits(load(path).scores(x), m.scores(x));
  expect_same_bits(load(folder.file("m.mercer.gz", io_test::gzip(content_of(path)))).scores(x), m.scores(x));

  const std::string before = content_of(path);
  const Kernel custom = features({"phi", [](VectorView v) { return Vector(v.begin(), v.end()); }});
  expect_error([&] { save(path, regression(2.0 * custom + rbf(1), x)); }, "UsageError", {"\"phi\"", "code"});
  expect_error(
      [&] {
        save(path, regression(scaled(WeightFunction{"tanh", [](VectorView) { return 1.0; }}, rbf(1)), x));
      },
      "UsageError", {"\"tanh\"", "code"});
  const Similarity similarity = Similarity::function("mine", [](VectorView, VectorView) { return 1.0; });
  expect_error([&] { save(path, regression(assume_psd(similarity, "it is"), x)); }, "UsageError", {"\"mine\"", "code"});
  const auto with_alpha = [&](double value) {
    Expansion::Parts f = m.expansion().parts();
    f.alpha(1, 0) = value;
    return m.with([&](Model::Parts& p) { p.f = Expansion(f); });
  };
  expect_error([&] { save(path, with_alpha(kNaN)); }, "UsageError", {"alpha", "nan"});
  expect_error([&] { save(path, with_alpha(kInfinity)); }, "UsageError", {"alpha", "inf"});
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(folder.list().size(), 2u);
}

// From docs/formats.md, without the code that writes.
TEST(ModelFile, ReadsAFileMadeByHand) {
  std::string header = R"~({"format":2,"machine":"svc","settings":{"C":"10"},"kernel":"linear()","reading":"binary",)~"
                       R"("classes":["ham","spam"],"calibration":{"kind":"none","sigmoids":[]},)"
                       R"("scaling":"none","inputs":{"kind":"reals","dimension":2,"columns":[],"counted":false},)"
                       R"("targets":[],"left_out":[],)"
                       R"("training_size":5,"centres":{"kind":"dense","type":"f64","names":[],"groups":[]},)"
                       R"("report":{"converged":true,"stopped":"","iterations":3,"seconds":0.5,)"
                       R"("figures":[["gap",0.25]],"notes":[],"tables":[]},"posterior":null,"blocks":[)"
                       R"({"name":"alpha","type":"f64","shape":[2,1],"offset":0},)"
                       R"({"name":"bias","type":"f64","shape":[1],"offset":16},)"
                       R"({"name":"support","type":"i64","shape":[2],"offset":24},)"
                       R"({"name":"squared_norms","type":"f64","shape":[0],"offset":40},)"
                       R"({"name":"scaling.shift","type":"f64","shape":[0],"offset":40},)"
                       R"({"name":"scaling.factor","type":"f64","shape":[0],"offset":40},)"
                       R"({"name":"centres","type":"f64","shape":[2,2],"offset":40}]})";
  const std::string blocks =
      raw<double>({2, -1}) + raw<double>({0.5}) + raw<std::int64_t>({1, 4}) + raw<double>({1, 2, 3, 4});
  const Model m = loaded(Opened::seal(header, blocks));
  const Matrix f = m.scores(rows(Matrix{{1, 0}, {0, 10}}));
  EXPECT_EQ(f(0, 0), 2 * 1 - 1 * 3 + 0.5);
  EXPECT_EQ(f(1, 0), 2 * 20 - 1 * 40 + 0.5);
  EXPECT_EQ(m.predict_labels(rows(Matrix{{1, 0}, {0, 10}})), (std::vector<std::string>{"ham", "spam"}));
  EXPECT_EQ(bytes_of(m), Opened::seal(header, blocks));
  // The first format had no posterior.
  header.replace(header.find("\"format\":2"), 10, "\"format\":1");
  header.erase(header.find("\"posterior\":null,"), 17);
  expect_same_bits(loaded(Opened::seal(header, blocks, 1)).scores(rows(Matrix{{1, 0}})),
                   m.scores(rows(Matrix{{1, 0}})));
  expect_error([&] { loaded(Opened::seal(header, blocks)); }, "FileError", {"format 1", "says 2"});
}

TEST(ModelFile, RefusesEveryPrefixAndEveryFlippedBit) {
  const std::string bytes = bytes_of(regression(rbf(1), rows(random_matrix(3, 2, 1)), 1));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(error_of([&] { loaded(bytes.substr(0, size)); }).starts_with("FileError: m.mercer: ")) << size;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    ASSERT_TRUE(error_of([&] { loaded(changed); }).starts_with("FileError: m.mercer: ")) << i;
  }
  expect_error([&] { loaded(bytes.substr(0, bytes.size() - 9)); }, "FileError",
               {"cut short", std::to_string(bytes.size()), std::to_string(bytes.size() - 9)});
  expect_error([&] { loaded(bytes + "x"); }, "FileError", {"damaged", "checksum"});
}

TEST(ModelFile, SaysWhatAFileIsInstead) {
  const TemporaryFolder folder;
  expect_error([&] { load(folder.path("none.mercer")); }, "FileError", {"no such file"});
  expect_error([&] { load(folder.path("")); }, "FileError", {"folder"});
  expect_error([&] { load(folder.file("empty", "")); }, "FileError", {"no Mercer model"});
  expect_error([&] { load(folder.file("a.csv", "a,b\n1,2\n")); }, "FileError", {"a.csv", "no Mercer model"});
  expect_error([&] { load(folder.file("a.model", "svm_type c_svc\n")); }, "FileError", {"LIBSVM", "convert"});
  expect_error([&] { loaded("mercer-model 5 9\nanything"); }, "FileError",
               {"was written by a newer Mercer (format 5); this one reads up to format 4"});
  expect_error([&] { loaded("mercer-model 0 9\nanything"); }, "FileError", {"no model format 0"});
  expect_error([&] { loaded("mercer-model 1 x\nanything"); }, "FileError", {"first line"});
  expect_error([&] { loaded("mercer-model 1 99999999999999999999\n"); }, "FileError", {"first line"});
}

TEST(ModelFile, RefusesHostileHeaders) {
  const std::string bytes = bytes_of(regression(rbf(1), rows(random_matrix(3, 2, 1)), 1));
  ASSERT_EQ(Opened(bytes).sealed(), bytes);
  const auto refused = [&](const std::function<void(Opened&)>& change, const std::string& piece) {
    Opened file(bytes);
    change(file);
    expect_error([&] { loaded(file.sealed()); }, "FileError", {"m.mercer: damaged: ", piece});
  };
  const Opened original(bytes);
  for (const auto& [key, value] : original.header.items()) {
    SCOPED_TRACE(key);
    // Files of before had no such key.
    if (key != "left_out") refused([&, k = key](Opened& f) { f.header.erase(k); }, "no \"" + key + "\"");
    refused([&, k = key](Opened& f) { f.header[k] = 1.5; }, "");
    if (key != "settings") refused([&, k = key](Opened& f) { f.header[k] = Json::object(); }, "");
    refused([&, k = key](Opened& f) { f.header[k] = {nullptr, -1}; }, "");
  }
  refused([](Opened& f) { f.header["kernel"] = "rbf(ell=-1)"; }, "ell must be");
  refused([](Opened& f) { f.header["kernel"] = "tanh(x*y)\n"; }, "");
  refused([](Opened& f) { f.header["kernel"] = {{"hex", "6g"}}; }, "hexadecimal");
  refused([](Opened& f) { f.header["kernel"] = nullptr; }, "");
  refused([](Opened& f) { f.header["format"] = 3; }, "format 3");
  refused([](Opened& f) { f.header["reading"] = "binary"; }, "classes");
  refused([](Opened& f) { f.header["scaling"] = "log"; }, "log");
  refused([](Opened& f) { f.header["training_size"] = 4; }, "support");
  refused([](Opened& f) { f.header["training_size"] = -1; }, "-1");
  refused([](Opened& f) { f.header["training_size"] = 1e300; }, "1e+300");
  refused([](Opened& f) { f.header["training_size"] = std::numeric_limits<std::uint64_t>::max(); }, "whole number");
  refused([](Opened& f) { f.header["centres"]["kind"] = "clouds"; }, "clouds");
  refused([](Opened& f) { f.header["centres"]["names"] = {"a"}; }, "1 names for 2 columns");
  refused([](Opened& f) { f.header["centres"]["groups"] = {{"a", 1, 3}}; }, "group");
  refused([](Opened& f) { f.header["calibration"]["kind"] = "sigmoids"; }, "calibration");
  refused([](Opened& f) { f.header["report"]["tables"] = {{{"name", "t"}, {"columns", {"a"}}}}; }, "report.1");

  const std::string deep(100000, '[');
  expect_error([&] { loaded(Opened::seal(deep, "")); }, "FileError", {"levels deep"});
  expect_error([&] { loaded(Opened::seal("{\"machine\":", "")); }, "FileError", {"no JSON"});
  expect_error([&] { loaded(Opened::seal("{\"machine\":1e999}", "")); }, "FileError", {"damaged"});
  expect_error([&] { loaded(Opened::seal("\"\xff\"", "")); }, "FileError", {"no JSON"});
}

TEST(ModelFile, RefusesTwoOfOneName) {
  const Points x = named(rows(random_matrix(3, 2, 1)), {"a", "b"});
  const Model m = regression(rbf(1), x);
  const auto refused = [](const Model& model, const std::function<void(Json&)>& change, const char* why) {
    Opened file(bytes_of(model));
    change(file.header);
    expect_error([&] { loaded(file.sealed()); }, "FileError", {"damaged", why});
  };
  refused(
      m,
      [](Json& h) {
        h["inputs"]["columns"] = {"a", "a"};
      },
      "two columns are called \"a\"");
  refused(
      m,
      [](Json& h) {
        h["centres"]["names"] = {"a", "a"};
      },
      "two columns are called \"a\"");
  refused(
      m,
      [](Json& h) {
        h["inputs"]["columns"] = {"a", "a"};
        h["centres"]["names"] = {"a", "a"};
      },
      "two columns are called \"a\"");
  const Model classes = m.with([](Model::Parts& p) {
    p.f = Expansion({.alpha = Matrix(0, 1), .training_size = 3});
    p.inputs = {};
    p.reading = Reading::binary;
    p.classes = {"ham", "spam"};
  });
  refused(
      classes,
      [](Json& h) {
        h["classes"] = {"ham", "ham"};
      },
      "two classes are called \"ham\"");
  const Points mixed = table({{"n", rows(Matrix{{1}, {2}})}, {"doc", strings({"p", "q"})}});
  refused(
      regression(parse("on(doc, spectrum(k=1))"), mixed), [](Json& h) { h["centres"]["parts"][0]["name"] = "doc"; },
      "two columns are called \"doc\"");
  // A part of several columns gives its name to each.
  const Points part = table({{"x", rows(random_matrix(3, 2, 2))}});
  expect_round_trip(regression(parse("on(x, rbf(ell=1))"), part), part);
}

// Files of before did not say whether names were counted, nor which columns were left out.
TEST(ModelFile, ReadsFilesThatDoNotSayWhatWasCounted) {
  const auto counted = [](const std::vector<std::string>& names) {
    Opened file(bytes_of(regression(rbf(1), named(rows(random_matrix(3, 2, 1)), names))));
    file.header["inputs"].erase("counted");
    file.header.erase("left_out");
    return loaded(file.sealed()).parts().inputs.counted;
  };
  EXPECT_TRUE(counted({"x1", "x3"}));
  EXPECT_FALSE(counted({"x1", "dose"}));
}

TEST(ModelFile, RefusesHostileBlocks) {
  const std::string bytes = bytes_of(regression(rbf(1), rows(test::to_sparse(random_matrix(3, 2, 1))), 1));
  const auto refused = [&](const std::function<void(Opened&)>& change, const std::string& piece) {
    Opened file(bytes);
    change(file);
    expect_error([&] { loaded(file.sealed()); }, "FileError", {"m.mercer: damaged: ", piece});
  };
  const auto set = [](char* at, auto value) { std::memcpy(at, &value, sizeof(value)); };
  refused([](Opened& f) { f.entry("alpha")["shape"] = {kLarge, 1}; }, "larger than the file");
  refused([](Opened& f) { f.entry("alpha")["shape"] = {Index{1} << 32, Index{1} << 32}; }, "larger than the file");
  refused([](Opened& f) { f.entry("alpha")["shape"] = {0, kLarge}; }, "larger than the file");
  refused([](Opened& f) { f.entry("alpha")["shape"] = {-3, -1}; }, "-3");
  refused([](Opened& f) { f.entry("alpha")["shape"] = {1, 3}; }, "");
  refused([](Opened& f) { f.entry("alpha")["shape"] = {3}; }, "alpha");
  refused([](Opened& f) { f.entry("alpha")["type"] = "i64"; }, "alpha");
  refused([](Opened& f) { f.entry("alpha")["type"] = "f16"; }, "f16");
  refused([](Opened& f) { f.entry("bias")["offset"] = 0; }, "does not follow");
  refused([](Opened& f) { f.entry("bias")["name"] = "alpha"; }, "two blocks");
  refused([](Opened& f) { f.header["blocks"].erase(1); }, "does not follow");
  refused([](Opened& f) { f.blocks += "abc"; }, "3 bytes belong to no block");
  refused([](Opened& f) { f.blocks.pop_back(); }, "larger than the file");
  refused([&](Opened& f) { set(f.block("alpha"), kNaN); }, "alpha is nan");
  refused([&](Opened& f) { set(f.block("bias"), kInfinity); }, "bias is inf");
  refused([&](Opened& f) { set(f.block("support"), std::int64_t{-1}); }, "support");
  refused([&](Opened& f) { set(f.block("support"), std::int64_t{2}); }, "support");
  refused([&](Opened& f) { set(f.block("support") + 16, std::int64_t{6}); }, "support");
  refused([&](Opened& f) { set(f.block("centres.values"), kNaN); }, "nan");
  refused([&](Opened& f) { set(f.block("centres.columns"), std::int32_t{2}); }, "column 2");
  refused([&](Opened& f) { set(f.block("centres.columns"), std::int32_t{-1}); }, "column -1");
  refused([&](Opened& f) { set(f.block("centres.columns"), std::int32_t{1}); }, "increase");
  refused([&](Opened& f) { set(f.block("centres.offsets") + 8, std::int64_t{7}); }, "sparse rows");
  refused([&](Opened& f) { set(f.block("centres.offsets") + 8, std::int64_t{-1}); }, "sparse rows");
  refused([](Opened& f) { f.header["centres"]["rows"] = kLarge; }, "sparse rows");
  refused([](Opened& f) { f.header["centres"]["columns"] = kLarge; }, "too many");
}

TEST(ModelFile, RefusesHostilePosteriors) {
  const Points x = rows(random_matrix(4, 2, 1));
  const Model m =
      GaussianProcess{
          .noise = Learnable::fixed_at(0.1), .mean = Trend::linear, .objective = GaussianProcess::Objective::none}
          .fit(lazy(rbf(1), x), Vector{1, 2, 0, 1});
  expect_round_trip(m, x);
  const std::string bytes = bytes_of(m);
  const auto refused = [&](const std::function<void(Opened&)>& change, const std::string& piece) {
    Opened file(bytes);
    change(file);
    expect_error([&] { loaded(file.sealed()); }, "FileError", {"m.mercer: damaged: ", piece});
  };
  const auto set = [](char* at, double value) { std::memcpy(at, &value, sizeof(value)); };
  refused([](Opened& f) { f.header["posterior"]["kind"] = "guess"; }, "no posterior is called");
  refused([](Opened& f) { f.header["posterior"]["kind"] = "softmax"; }, "mean function");
  refused([](Opened& f) { f.header["posterior"]["kind"] = "weights"; }, "mean function");
  refused([](Opened& f) { f.header["posterior"]["link"] = "softmax"; }, "link");
  refused([](Opened& f) { f.header["posterior"]["mean"] = "cubic"; }, "cubic");
  refused([](Opened& f) { f.header["posterior"].erase("mean"); }, "mean");
  refused([&](Opened& f) { set(f.block("posterior.shift"), kNaN); }, "shift is nan");
  refused([&](Opened& f) { set(f.block("posterior.shift"), -1); }, "shift");
  refused([&](Opened& f) { set(f.block("posterior.signal"), -1); }, "signal");
  refused([&](Opened& f) { set(f.block("posterior.noise"), kInfinity); }, "noise is inf");
  refused([](Opened& f) { f.entry("posterior.shift")["shape"] = {3}; }, "");
  refused([](Opened& f) { f.entry("slope")["shape"] = {1, 2}; }, "slope");
}

TEST(ModelFile, RefusesHostileTexts) {
  const std::string bytes = bytes_of(regression(spectrum(1), strings({"abc", "de"})));
  const auto refused = [&](std::int64_t first, std::int64_t second) {
    Opened file(bytes);
    std::memcpy(file.block("centres.ends"), &first, 8);
    std::memcpy(file.block("centres.ends") + 8, &second, 8);
    expect_error([&] { loaded(file.sealed()); }, "FileError", {"m.mercer: damaged: ", "text"});
  };
  refused(4, 3);
  refused(-1, 5);
  refused(3, 6);
  refused(3, 4);
  refused(std::numeric_limits<std::int64_t>::max(), 5);
}

}  // namespace
}  // namespace mercer::model_file_test
