// Support vector classifiers, of Mercer and of LIBSVM: bench/svm.py brings the data, and so both sides have the same.
// Without a target the data are a LIBSVM file of so many columns. Only training and prediction are timed, with all data
// in memory.
#include <map>
#include <optional>
#include <string>

#include "bench.hpp"
#include "libsvm_peer.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/mercer.hpp"
#include "objective.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

// Words of the form name=value.
using Named = std::map<std::string, std::string>;

Named named(const Words& words) {
  Named out;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) out[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return out;
}

// Predicting takes LIBSVM minutes: after so many points it is known whether it will be more than this many seconds.
constexpr Index kTrial = 2000;
constexpr double kPatience = 600;

struct Set {
  Points x;
  Labels labels;
};

Set read_set(const Named& words, const std::string& data, const std::string& target) {
  if (!words.contains(target)) {
    const Index columns = words.contains("columns") ? std::stol(words.at("columns")) : 0;
    Dataset file = read_data(words.at(data), {.format = Format::libsvm, .columns = columns});
    return {file.points, Labels::from(file.target())};
  }
  const Matrix y = numbers(words.at(target));
  return {rows(numbers(words.at(data))), Labels::from(VectorView(y.data(), at(y.rows() * y.cols())))};
}

Kernel kernel_of(const Named& words) { return rbf(std::sqrt(0.5 / std::stod(words.at("gamma")))); }

// Seconds, or those of the processor with clock=processor.
template <class Work>
double timed(const Named& words, const Work& work) {
  return words.contains("clock") && words.at("clock") == "processor" ? cpu_seconds(work) : seconds(work);
}

double C_of(const Named& words) { return std::stod(words.at("C")); }

// The fraction of test points whose class is not the one predicted for them.
double error_rate(const Labels& truth, const std::vector<std::string>& classes, const std::vector<Index>& predicted) {
  double wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    wrong += classes[at(predicted[i])] == truth.classes[at(truth.of[i])] ? 0 : 1;
  }
  return wrong / static_cast<double>(predicted.size());
}

Json train_ours(const Named& words, const Set& train, const std::optional<Set>& test, Matrix& coefficients) {
  std::optional<Model> model;
  const double time =
      timed(words, [&] { model = Svc{.C = C_of(words)}.fit(lazy(kernel_of(words), train.x), train.labels); });
  coefficients = peer::coefficients(*model);
  Json out{{"seconds", time}, {"support_vectors", model->expansion().size()}, {"converged", model->report().converged}};
  if (!test) return out;
  std::vector<Index> predicted;
  out["predict_seconds"] = timed(words, [&] { predicted = model->predict_classes(test->x); });
  out["predicted"] = predicted.size();
  out["error"] = error_rate(test->labels, model->classes(), predicted);
  return out;
}

Json train_libsvm(const Named& words, const Set& train, const std::optional<Set>& test, Matrix& coefficients) {
  peer::LibsvmSvc svc(train.x, train.labels, C_of(words), std::stod(words.at("gamma")));
  const double time = timed(words, [&] { svc.train(); });
  coefficients = svc.coefficients();
  Json out{{"seconds", time}, {"support_vectors", svc.support_vectors()}, {"converged", true}};
  if (!test) return out;
  const peer::Nodes nodes(test->x);
  std::vector<Index> predicted;
  const auto predict_up_to = [&](Index end) {
    while (static_cast<Index>(predicted.size()) < end) {
      predicted.push_back(svc.predict(nodes[static_cast<Index>(predicted.size())]));
    }
  };
  const Index trial = std::min(kTrial, nodes.size());
  double taken = timed(words, [&] { predict_up_to(trial); });
  if (taken * static_cast<double>(nodes.size()) < kPatience * static_cast<double>(trial)) {
    taken += timed(words, [&] { predict_up_to(nodes.size()); });
  }
  out["predict_seconds"] = taken;
  out["predicted"] = predicted.size();
  out["error"] = error_rate(test->labels, train.labels.classes, predicted);
  return out;
}

Json train_case(const Words& given) {
  const Named words = named(given);
  const Set train = read_set(words, "data", "target");
  std::optional<Set> test;
  if (words.contains("test")) test = read_set(words, "test", "test_target");
  Matrix coefficients;
  Json out = words.at("side") == "libsvm" ? train_libsvm(words, train, test, coefficients)
                                          : train_ours(words, train, test, coefficients);
  write_npy(words.at("coefficients"), coefficients);
  return out;
}

Json objective_case(const Words& given) {
  const Named words = named(given);
  const Points x = read_set(words, "data", "target").x;
  return {{"objectives", peer::objectives(kernel_of(words), x, numbers(words.at("coefficients")))}};
}

Json turns_case(const Words& given) {
  const Named words = named(given);
  const Set train = read_set(words, "data", "target");
  const Kernel k = kernel_of(words);
  peer::LibsvmSvc svc(train.x, train.labels, C_of(words), std::stod(words.at("gamma")));
  std::optional<Model> model;
  const auto ours = [&] { model = Svc{.C = C_of(words)}.fit(lazy(k, train.x), train.labels); };
  const auto theirs = [&] { svc.train(); };
  const auto clock = [&](const auto& work) { return timed(words, work); };
  const Pair trial = best(1, ours, theirs, clock);
  const int rounds = static_cast<int>(std::clamp(2 / (trial.ours + trial.peer), 5.0, 200.0));
  const Pair time = best(rounds, ours, theirs, clock);
  return {{"ours", time.ours},
          {"peer", time.peer},
          {"rounds", rounds},
          {"our_objectives", peer::objectives(k, train.x, peer::coefficients(*model))},
          {"peer_objectives", peer::objectives(k, train.x, svc.coefficients())}};
}

}  // namespace

Bench svm_bench() {
  return {
      "svm",
      "support vector classifiers, beside LIBSVM",
      {{"train",
        "side=mercer|libsvm data=FILE [target=FILE] C=1 gamma=0.1 coefficients=OUT.npy [test=FILE test_target=FILE] "
        "[columns=N] [clock=processor]",
        "one of them", train_case},
       {"objective", "data=FILE gamma=0.1 coefficients=IN.npy", "dual objectives of coefficients", objective_case},
       {"turns", "data=FILE target=FILE C=1 gamma=0.1 [clock=processor]", "both sides, many times, the best of each",
        turns_case}}};
}

}  // namespace mercer::bench
