#include "selection/grid.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "model/settings.hpp"

namespace mercer {

namespace {

// Twelve digits: 10 is 10 and not 9.999999999999998.
std::string short_number(double value) { return fmt::format("{:.12g}", value); }

double between(const Axis& axis, double share) {
  if (axis.low > 0) return axis.low * std::pow(axis.high / axis.low, share);
  return axis.low + share * (axis.high - axis.low);
}

[[noreturn]] void fail_axis(const std::string& name, const std::string& text, const std::string& why) {
  fail(ErrorKind::usage, "grid: {}={}: {}", name, text, why);
}

Axis read_range(const std::string& name, const std::string& text, Index points) {
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() > 3) fail_axis(name, text, "a range is low:high or low:high:points");
  const auto low = parse_number(ends[0]), high = parse_number(ends[1]);
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high) {
    fail_axis(name, text, "a range goes from a number to a larger one");
  }
  if (ends.size() == 3) {
    const auto given = parse_number(ends[2]);
    if (!given || *given < 2 || *given > 1e6 || *given != std::floor(*given)) {
      fail_axis(name, text, "the number of points is a whole number from 2");
    }
    points = static_cast<Index>(*given);
  }
  Axis axis{.name = name, .values = {}, .range = true, .low = *low, .high = *high};
  // As many points as there are whole numbers are these: of clusters=2:10:9 no other can be meant.
  const auto whole = [](double value) { return value == std::floor(value); };
  if (ends.size() == 3 && whole(*low) && whole(*high) && *high - *low == static_cast<double>(points - 1)) {
    axis.range = false;
    for (double value = *low; value <= *high; ++value) axis.values.push_back(short_number(value));
    return axis;
  }
  for (Index i = 0; i < points; ++i) {
    axis.values.push_back(short_number(between(axis, static_cast<double>(i) / static_cast<double>(points - 1))));
  }
  return axis;
}

}  // namespace

std::vector<Axis> parse_grid(std::string_view text, Index points) {
  if (points < 2) fail(ErrorKind::usage, "grid: {} points per axis; take 2 or more", points);
  // A comma goes on with a list unless a name and "=" follow.
  std::vector<std::pair<std::string, std::vector<std::string>>> entries;
  for (const std::string& piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals != piece.npos) {
      entries.push_back({detail::with_underscores(trim(std::string_view(piece).substr(0, equals))),
                         {std::string(trim(piece.substr(equals + 1)))}});
    } else if (!entries.empty()) {
      entries.back().second.push_back(piece);
    } else if (!piece.empty()) {
      fail(ErrorKind::usage, "grid: {} names nothing to vary; write C=1:1000 or C=1,10,100", quoted(piece));
    }
  }
  std::vector<Axis> axes;
  for (const auto& [name, values] : entries) {
    if (name.empty()) fail(ErrorKind::usage, "grid: a name is missing before =; write C=1:1000 or C=1,10,100");
    for (const Axis& other : axes) {
      if (other.name == name) fail(ErrorKind::usage, "grid: {} occurs twice; write one list", name);
    }
    if (values.size() == 1 && values[0].find(':') != std::string::npos) {
      axes.push_back(read_range(name, values[0], points));
      continue;
    }
    for (const std::string& value : values) {
      if (value.empty()) fail_axis(name, fmt::format("{}", fmt::join(values, ",")), "a value is missing");
      if (value.find(':') != std::string::npos) fail_axis(name, value, "a range stands alone, not in a list");
    }
    axes.push_back({.name = name, .values = values});
  }
  return axes;
}

namespace detail {

namespace {

// Where a value of an axis goes: an option of the machine, or a parameter or an option of the kernel.
class Place {
 public:
  Place(const std::string& name, const Machine& machine, const std::optional<Kernel>& kernel) : name_(name) {
    std::vector<std::string> known;
    for (const MachineOption& option : machine.options) known.push_back(option.name);
    is_option_ = std::find(known.begin(), known.end(), name) != known.end();
    if (is_option_) return;
    path_ = name;
    if (kernel) {
      const Params params = kernel->params();
      for (const Parameter& p : params) {
        known.push_back(p.path);
        known.push_back(p.path.substr(p.path.rfind('.') + 1));
      }
      if (name == "gamma") {
        is_gamma_ = true;
        path_ = "ell";
      }
      if (std::find(known.begin(), known.end(), path_) != known.end()) {
        path_ = params[params.find(path_)].path;
        if (!is_gamma_ || path_.starts_with("rbf")) return;
        fail(ErrorKind::usage, "grid: gamma is 1/(2 ell^2) of an rbf; {} is not: vary {} instead", kernel->str(),
             path_);
      }
      for (const KernelOption& choice : kernel->options()) {
        const std::string last = choice.path.substr(choice.path.rfind('.') + 1);
        is_choice_ = is_choice_ || choice.path == name || last == name;
        known.push_back(choice.path);
        known.push_back(last);
      }
      if (is_choice_) return;
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    fail(ErrorKind::usage, "grid: {} is neither an option of {} nor a parameter of {}{}; there are {}", quoted(name),
         machine.name, kernel ? kernel->str() : "a kernel (the Gram was given as numbers)", did_you_mean(name, known),
         fmt::join(known, ", "));
  }

  void set(Candidate& candidate, const std::string& text) const {
    candidate.values.push_back(text);
    if (is_option_) {
      candidate.settings[name_] = text;
      return;
    }
    if (is_choice_) {
      candidate.kernel = candidate.kernel->with_option(name_, text);
      return;
    }
    const auto value = parse_number(text);
    if (!value) fail(ErrorKind::usage, "grid: {}={}: a parameter of a kernel is a number", name_, text);
    if (is_gamma_ && !(*value > 0)) fail(ErrorKind::usage, "grid: {}={}: gamma must be > 0", name_, text);
    candidate.kernel = candidate.kernel->with(path_, is_gamma_ ? std::sqrt(0.5 / *value) : *value);
  }

 private:
  std::string name_, path_;
  bool is_option_ = false, is_choice_ = false, is_gamma_ = false;
};

std::string drawn(const Axis& axis, std::mt19937_64& engine) {
  if (!axis.range) return axis.values[engine() % axis.values.size()];
  const double share = static_cast<double>(engine() >> 11) * 0x1p-53;
  return fmt::format("{:.6g}", between(axis, share));
}

}  // namespace

std::vector<Candidate> candidates(const Tuning& tuning, const Machine& machine, const std::optional<Kernel>& kernel) {
  constexpr double kMost = 1e6;
  std::vector<Place> places;
  double count = 1;
  for (const Axis& axis : tuning.axes) {
    if (axis.values.empty()) fail(ErrorKind::usage, "grid: {} has no values", axis.name);
    places.emplace_back(axis.name, machine, kernel);
    count *= static_cast<double>(axis.values.size());
  }
  if (tuning.random < 0) fail(ErrorKind::usage, "tune: {} random candidates; take 1 or more", tuning.random);
  if (tuning.random > 0) count = static_cast<double>(tuning.random);
  if (count > kMost) fail(ErrorKind::usage, "grid: {} candidates; take fewer values, or draw some at random", count);

  std::mt19937_64 engine(tuning.seed);
  std::vector<Candidate> out;
  for (std::size_t number = 0; number < static_cast<std::size_t>(count); ++number) {
    std::size_t rest = number;
    std::vector<std::string> values(places.size());
    for (std::size_t a = places.size(); a-- > 0;) {
      const Axis& axis = tuning.axes[a];
      values[a] = tuning.random > 0 ? drawn(axis, engine) : axis.values[rest % axis.values.size()];
      rest /= axis.values.size();
    }
    Candidate candidate{.values = {}, .settings = tuning.settings, .kernel = kernel};
    for (std::size_t a = 0; a < places.size(); ++a) places[a].set(candidate, values[a]);
    out.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace detail

}  // namespace mercer
