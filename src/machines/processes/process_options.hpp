// The options that Gaussian processes share, from texts.
#pragma once

#include "machines/processes/learn.hpp"
#include "model/settings.hpp"

namespace mercer::detail {

// prior, starts, max_iterations, max_seconds, tolerance, seed, and screen, which is no part of LearnOptions.
std::vector<MachineOption> learn_options();
// "rbf.ell=lognormal(0, 1); noise=gamma(2, 0.1)"
std::map<std::string, Prior> priors_from(std::string_view machine, std::string_view text);

// Sets the fields of those names in a machine's struct.
template <class Config>
void read_learn_options(const SettingsReader& read, std::string_view machine, Config& config) {
  config.priors = priors_from(machine, read.text("prior"));
  config.starts = read.whole("starts", 1);
  config.screen = read.whole("screen", 2);
  config.max_iterations = read.whole("max_iterations", 1);
  config.max_seconds = read.number("max_seconds");
  config.tolerance = read.positive("tolerance");
  config.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
}

template <class Config>
LearnOptions learn_options_of(const Config& config) {
  return {.priors = config.priors,
          .starts = config.starts,
          .max_iterations = config.max_iterations,
          .max_seconds = config.max_seconds,
          .tolerance = config.tolerance,
          .seed = config.seed};
}

// Some of n points, spread at random: at most `count` of them, in order.
std::vector<Index> some_points(Index n, Index count, std::uint64_t seed);

}  // namespace mercer::detail
