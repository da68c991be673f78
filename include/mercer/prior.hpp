// mercer/prior.hpp: beliefs about hyper-parameters, for machines that learn them.
//
//     GaussianProcess gp{.priors = {{"rbf.ell", Prior::log_normal(0, 1)}, {"noise", Prior::gamma(2, 0.15)}}};
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/matrix.hpp"

namespace mercer {

// The density of a positive number, or of any.
class Prior {
 public:
  static Prior log_normal(double mu, double sigma);  // log v ~ N(mu, sigma^2)
  static Prior gamma(double shape, double rate);     // v^(shape-1) exp(-rate v)
  static Prior half_normal(double sigma);            // exp(-v^2 / (2 sigma^2))
  static Prior normal(double mean, double sigma);    // v ~ N(mean, sigma^2), of any sign
  static Prior parse(std::string_view text);         // "lognormal(0, 1)"; throws UsageError

  bool of_any_sign() const { return kind_ == Kind::normal; }
  double log_density(double v) const;  // with its constant
  double slope(double v) const;        // d log_density / d v
  std::string str() const;             // parse(p.str()) == p
  friend bool operator==(const Prior&, const Prior&) = default;

 private:
  enum class Kind { log_normal, gamma, half_normal, normal };
  Prior(Kind kind, double a, double b) : kind_(kind), a_(a), b_(b) {}
  Kind kind_;
  double a_, b_;
};

// A number that a machine may learn, as the kernel language writes one: 0.1, fixed(0.1), 0.3 in [0.01, 10], auto.
struct Learnable {
  std::optional<double> value = {};  // where learning starts; none: the machine finds a start itself
  bool fixed = false;
  double lower = 0;
  double upper = std::numeric_limits<double>::infinity();

  static Learnable fixed_at(double value) { return {.value = value, .fixed = true}; }
  static Learnable parse(std::string_view name, std::string_view text);  // throws UsageError that begins with the name
};

}  // namespace mercer
