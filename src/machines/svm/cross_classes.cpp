// Classifiers: what differs from fold to fold, and f at the points held out.
#include "base/at.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/classify.hpp"
#include "machines/svm/cross.hpp"
#include "model/training.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

namespace {

// One fold: its training set, in which a class that is nowhere else does not exist.
class FoldOfClasses {
 public:
  FoldOfClasses(const Training& all, const Fold& fold, std::shared_ptr<RowStore> store)
      : all_(all), fold_(fold), rest_(weighing_nothing(all, fold)), rows_{std::move(store), {}} {
    std::vector<Index> number(all.labels.classes.size(), -1);
    for (const Index i : outside(fold, all.K.size())) number[at(all.labels.of[at(i)])] = 0;
    rest_.labels.classes.clear();
    for (std::size_t c = 0; c < number.size(); ++c) {
      if (number[c] < 0) continue;
      number[c] = static_cast<Index>(rest_.labels.classes.size());
      rest_.labels.classes.push_back(all.labels.classes[c]);
      rows_.segment.push_back(static_cast<Index>(c));
    }
    // Which class a point of weight 0 is given is no matter.
    for (Index& c : rest_.labels.of) c = std::max<Index>(0, number[at(c)]);
  }

  template <class Config>
  mercer::HeldOut fit(const Config& config, const Execution& how) {
    rest_.how = how;
    std::vector<BinaryOutcome> last = std::move(last_);
    last_.clear();
    ClassFit fitted = fit_classes(classifier_of(config, rest_), rest_, rows_, std::move(last));
    const Matrix f = fitted.model.parts().reading == Reading::votes
                         ? scores_at(fold_, all_, fitted.model, fitted.model.support(), how)
                         : known_scores(fitted);
    last_ = std::move(fitted.outputs);
    return read_scores(all_.labels, fitted.model, f);
  }

 private:
  // Where every output has all points in its Rows.
  Matrix known_scores(const ClassFit& fitted) const {
    Matrix out(static_cast<Index>(fold_.size()), static_cast<Index>(fitted.outputs.size()));
    Vector by_point(at(all_.K.size()));
    for (Index o = 0; o < out.cols(); ++o) {
      const auto& [outcome, scores, separable] = fitted.outputs[at(o)];
      by_point.assign(by_point.size(), -outcome.rho);  // of an output with one side
      for (std::size_t i = 0; i < scores.size(); ++i) by_point[at(outcome.points[i])] = scores[i];
      for (Index r = 0; r < out.rows(); ++r) out(r, o) = by_point[at(fold_[at(r)])];
    }
    return out;
  }

  const Training& all_;
  const Fold& fold_;
  Training rest_;
  ClassRows rows_;
  std::vector<BinaryOutcome> last_;
};

template <class Config>
std::vector<mercer::HeldOut> cross_classes(const Crossing& crossing, const std::string& machine,
                                           const std::function<Config(const Settings&)>& read) {
  const Training& all = crossing.training;
  const Threads threads = check_training(machine, Task::classification, all);
  require_plain(all.K);
  const auto store = store_for(all, all.labels.of);
  return walk_all(crossing, machine, [&](const Fold& fold) -> Walk {
    return [&read, part = std::make_shared<FoldOfClasses>(all, fold, store)](
               const Settings& settings, const Execution& how) { return part->fit(read(settings), how); };
  });
}

}  // namespace

std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<Svc(const Settings&)>& read) {
  return cross_classes(crossing, "svc", read);
}

std::vector<mercer::HeldOut> cross(const Crossing& crossing, const std::function<NuSvc(const Settings&)>& read) {
  return cross_classes(crossing, "nusvc", read);
}

}  // namespace mercer::detail
