#include "machines/risk/losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr std::array<std::string_view, 7> kNames = {"squared", "huber",         "quantile", "epsilon",
                                                    "hinge",   "squared_hinge", "logistic"};

// 0 at 0, where the logarithm is not defined.
double times_log(double p) { return p > 0 ? p * std::log(p) : 0; }

}  // namespace

std::span<const std::string_view> loss_names() { return kNames; }
std::string_view name_of(Loss loss) { return kNames[static_cast<std::size_t>(loss)]; }
bool is_for_classes(Loss loss) { return loss == Loss::hinge || loss == Loss::squared_hinge || loss == Loss::logistic; }

namespace detail {

bool LossFunction::smooth() const {
  return config_.loss != Loss::hinge && config_.loss != Loss::quantile && config_.loss != Loss::epsilon;
}

double LossFunction::value(double y, double f) const {
  const double r = y - f, margin = y * f;
  switch (config_.loss) {
    case Loss::squared: return r * r;
    case Loss::huber: return std::abs(r) <= config_.delta ? r * r : config_.delta * (2 * std::abs(r) - config_.delta);
    case Loss::quantile: return r >= 0 ? config_.tau * r : (config_.tau - 1) * r;
    case Loss::epsilon: return std::max(0.0, std::abs(r) - config_.epsilon);
    case Loss::hinge: return std::max(0.0, 1 - margin);
    case Loss::squared_hinge: return margin < 1 ? (1 - margin) * (1 - margin) : 0;
    case Loss::logistic: return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double LossFunction::conjugate(double y, double s) const {
  switch (config_.loss) {
    case Loss::squared:
    case Loss::huber: return s * y + s * s / 4;
    case Loss::quantile: return s * y;
    case Loss::epsilon: return s * y + config_.epsilon * std::abs(s);
    // y = +-1: s y is the derivative by the margin.
    case Loss::hinge: return s * y;
    case Loss::squared_hinge: return s * y + s * s / 4;
    case Loss::logistic: return times_log(-s * y) + times_log(1 + s * y);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double LossFunction::admissible(double y, double s) const {
  switch (config_.loss) {
    case Loss::squared: return s;
    case Loss::huber: return std::clamp(s, -2 * config_.delta, 2 * config_.delta);
    case Loss::quantile: return std::clamp(s, -config_.tau, 1 - config_.tau);
    case Loss::epsilon: return std::clamp(s, -1.0, 1.0);
    case Loss::squared_hinge: return y > 0 ? std::min(s, 0.0) : std::max(s, 0.0);
    case Loss::hinge:
    case Loss::logistic: return y > 0 ? std::clamp(s, -1.0, 0.0) : std::clamp(s, 0.0, 1.0);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

LossFunction::Bend LossFunction::envelope(double y, double v, double mu) const {
  // Kinked losses: the slope is (v - kink) / mu between the slopes on either side of the kink.
  const auto at_kink = [&](double kink, double low, double high) -> Bend {
    const double slope = std::clamp((v - kink) / mu, low, high);
    const bool inside = slope > low && slope < high;
    return {value(y, inside ? kink : v - mu * slope) + mu * slope * slope / 2, slope, inside ? 1 / mu : 0};
  };
  const double r = y - v, margin = y * v;
  switch (config_.loss) {
    case Loss::squared: return {r * r, -2 * r, 2};
    case Loss::huber:
      return std::abs(r) <= config_.delta ? Bend{r * r, -2 * r, 2}
                                          : Bend{value(y, v), std::copysign(2 * config_.delta, -r), 0};
    case Loss::squared_hinge:
      return margin < 1 ? Bend{(1 - margin) * (1 - margin), -2 * y * (1 - margin), 2} : Bend{0, 0, 0};
    case Loss::logistic: {
      const double e = std::exp(-std::abs(margin)), p = margin >= 0 ? e / (1 + e) : 1 / (1 + e);
      return {value(y, v), -y * p, e / ((1 + e) * (1 + e))};
    }
    case Loss::quantile: return at_kink(y, -config_.tau, 1 - config_.tau);
    case Loss::epsilon: return r < 0 ? at_kink(y + config_.epsilon, 0, 1) : at_kink(y - config_.epsilon, -1, 0);
    case Loss::hinge: return at_kink(y, y > 0 ? -1 : 0, y > 0 ? 0 : 1);
  }
  return {};
}

}  // namespace detail

}  // namespace mercer
