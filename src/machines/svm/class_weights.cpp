#include "machines/svm/class_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::detail {

ClassWeights class_weights(std::string_view machine, const std::string& text) {
  if (text.empty()) return {};
  if (text == "balanced") return {.balanced = true};
  ClassWeights out;
  for (const std::string& item : split(text, ',')) {
    const std::size_t equals = item.rfind('=');
    const auto weight = equals == std::string::npos ? std::nullopt : parse_number(trim(item.substr(equals + 1)));
    if (!weight || std::isnan(*weight)) {
      fail(ErrorKind::usage, "{}: class_weight is \"{}\"; write balanced, or NAME=WEIGHT,NAME=WEIGHT", machine, text);
    }
    out.by_name[std::string(trim(std::string_view(item).substr(0, equals)))] = *weight;
  }
  return out;
}

Vector class_factors(std::string_view machine, const ClassWeights& wanted, const Labels& labels, VectorView weights) {
  if (wanted.balanced && !wanted.by_name.empty()) {
    fail(ErrorKind::usage, "{}: class_weight is balanced or a list of classes, not both", machine);
  }
  const std::size_t k = labels.classes.size();
  Vector factors(k, 1.0);
  for (const auto& [name, weight] : wanted.by_name) {
    const auto found = std::find(labels.classes.begin(), labels.classes.end(), name);
    if (found == labels.classes.end()) {
      fail(ErrorKind::usage, "{}: class_weight names {}, which is no class{}", machine, quoted(name),
           did_you_mean(name, labels.classes));
    }
    if (!(weight > 0) || std::isinf(weight)) {
      fail(ErrorKind::usage, "{}: the class weight of {} is {}; give a finite number above 0", machine, quoted(name),
           weight);
    }
    factors[static_cast<std::size_t>(found - labels.classes.begin())] = weight;
  }
  if (wanted.balanced) {
    Vector total(k);
    for (std::size_t i = 0; i < weights.size(); ++i) total[at(labels.of[i])] += weights[i];
    const double all = std::accumulate(total.begin(), total.end(), 0.0);
    const auto present = static_cast<double>(std::count_if(total.begin(), total.end(), [](double t) { return t > 0; }));
    for (std::size_t c = 0; c < k; ++c) factors[c] = total[c] > 0 ? all / (present * total[c]) : 1;
  }
  return factors;
}

}  // namespace mercer::detail
