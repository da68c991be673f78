#include "machines/processes/process_options.hpp"

#include <algorithm>

#include "base/drawn.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::detail {

std::vector<MachineOption> learn_options() {
  return {
      {"prior", "",
       "Beliefs about what is learnt: 'rbf.ell=lognormal(0, 1); noise=gamma(2, 0.1)'; also halfnormal(s), normal(m, "
       "s)"},
      {"starts", "8",
       "Where learning begins: at the values given, at 0.03 to 30 times their ell, and at random around"},
      {"screen", "400",
       "Points on which the starts are compared, when there are more; the best goes on to all of them step by step"},
      {"max_iterations", "200", "Of the search for the best hyper-parameters"},
      {"max_seconds", "0", "Of the same; 0: no limit"},
      {"tolerance", "1e-07",
       "The search ends when the log evidence grows by less than this for each point; of more points than screen, 100 "
       "times this"},
      {"seed", "1", "Of the random starts"},
  };
}

std::map<std::string, Prior> priors_from(std::string_view machine, std::string_view text) {
  std::map<std::string, Prior> out;
  for (const std::string& piece : split(text, ';')) {
    const std::string_view one = trim(piece);
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    if (equals == one.npos) {
      fail(ErrorKind::usage, "{}: the prior {} names no parameter; write rbf.ell=lognormal(0, 1)", machine,
           quoted(one));
    }
    out.insert_or_assign(std::string(trim(one.substr(0, equals))), Prior::parse(trim(one.substr(equals + 1))));
  }
  return out;
}

std::vector<Index> some_points(Index n, Index count, std::uint64_t seed) {
  Random random(seed);
  return drawn(n, std::min(n, count), random);
}

}  // namespace mercer::detail
