// mercer demo kernel: the kernel of the CO2 record, its proof and what it believes, and a formula that is none.
#include <array>
#include <cmath>

#include "base/fail.hpp"
#include "chart.hpp"
#include "demo.hpp"
#include "mauna_loa.hpp"
#include "mercer/check.hpp"
#include "mercer/evaluate.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

// The components of Rasmussen & Williams, section 5.4.3, at their fitted values: amplitudes in ppm, squared, times
// shapes over years.
struct Addend {
  const char* meaning;
  const char* text;
};
constexpr Addend kAddends[] = {
    {"long-term rise", "4356*rbf(ell=67)"},
    {"seasonal cycle", "5.76*rbf(ell=90)*periodic(period=1, ell=1.3)"},
    {"medium term", "0.4356*rq(ell=1.2, alpha=0.78)"},
    {"weather", "0.0324*rbf(ell=0.134)"},
};
// scikit-learn's ExpSineSquared, at its default length scale and period, on points of any dimension.
constexpr const char* kFamousNonKernel = "exp(-2*sin(pi*norm(x-y))^2)";

constexpr std::array kLags = {1, 6, 12, 60, 120};  // months

struct Belief {
  std::string meaning, kernel;
  double deviation;     // sqrt k(0, 0)
  Vector correlations;  // k(0, lag) / k(0, 0)
};

Belief belief(const std::string& meaning, const Kernel& k) {
  Vector times = {0.0};
  for (const int lag : kLags) times.push_back(lag / 12.0);
  const Matrix values = cross(k, years({0.0}), years(times));
  Belief out{meaning, k.str(), std::sqrt(values(0, 0)), {}};
  for (Index j = 1; j < values.cols(); ++j) out.correlations.push_back(values(0, j) / values(0, 0));
  return out;
}

// The tree of a proof: its leaves, rules or their conditions, and sources.
void list_steps(const Proof& proof, const std::string& first, const std::string& rest,
                std::vector<std::vector<std::string>>& out) {
  const bool leaf = proof.premises.empty();
  out.push_back({first + (leaf                       ? proof.statement
                          : proof.conditions.empty() ? proof.rule
                                                     : proof.conditions),
                 proof.citation});
  for (std::size_t p = 0; p < proof.premises.size(); ++p) {
    const bool last = p + 1 == proof.premises.size();
    list_steps(proof.premises[p], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "), out);
  }
}

std::string beliefs_text(const std::vector<Belief>& beliefs) {
  std::vector<std::vector<std::string>> lines = {{"component", "ppm"}};
  for (const int lag : kLags) {
    lines[0].push_back(lag < 12 ? fmt::format("{} month{}", lag, lag > 1 ? "s" : "")
                                : fmt::format("{} year{}", lag / 12, lag > 12 ? "s" : ""));
  }
  for (const Belief& b : beliefs) {
    lines.push_back({b.meaning, fmt::format("{:.3g}", b.deviation)});
    for (const double c : b.correlations) lines.back().push_back(fmt::format("{:.3f} {}", c, bar(c, 6)));
  }
  return table(lines, 2);
}

}  // namespace

void demo_kernel(const DemoWords& words) {
  std::string expression;
  std::vector<Belief> beliefs;
  for (const Addend& addend : kAddends) {
    expression += (expression.empty() ? "" : " + ") + std::string(addend.text);
    beliefs.push_back(belief(addend.meaning, parse(addend.text)));
  }
  const Kernel kernel = parse(expression);
  beliefs.push_back(belief("all together", kernel));
  const CheckResult counterexample = check(Formula::parse(kFamousNonKernel));

  if (words.as_json) {
    Json out{{"demo", "kernel"}, {"kernel", kernel.str()}, {"proof", to_json(kernel.proof())}};
    for (const Belief& b : beliefs) {
      out["components"].push_back(
          {{"meaning", b.meaning}, {"kernel", b.kernel}, {"deviation", b.deviation}, {"correlations", b.correlations}});
    }
    out["lags_in_months"] = kLags;
    out["non_kernel"] = Json::parse(counterexample.json());
    return put_json(out);
  }
  std::string out =
      "1. A kernel says how alike two moments are. This one, of CO2 in the air, adds four components\n"
      "   (Rasmussen & Williams 2006, section 5.4.3):\n";
  for (const Addend& addend : kAddends) out += fmt::format("  {:<16}{}\n", addend.meaning, addend.text);
  out += "It comes with its proof, every step a theorem (mercer explain prints what each one says):\n";
  std::vector<std::vector<std::string>> steps;
  list_steps(kernel.proof(), "", "", steps);
  out += table(steps, 2);
  out += "\n2. What it believes: the spread of each component, and its correlation with itself some time later.\n";
  out += beliefs_text(beliefs);
  out += fmt::format(
      "\n3. Not everything sold as a kernel is one. {}, which scikit-learn\n"
      "   calls ExpSineSquared, is in the plane\n",
      kFamousNonKernel);
  out += indented(counterexample.str(), 2);
  out +=
      "Mercer's periodic() is built column by column, so that its proof holds in every dimension.\n"
      "\nTry next:\n"
      "  mercer explain 'rbf(ell=90)*periodic(period=1, ell=1.3) + 0.1*matern(nu=1.5)'\n"
      "  mercer check 'tanh(dot(x,y) - 1)'\n"
      "  mercer gram 'rbf(ell=auto)' data/toys/two_moons.csv --target label -o K.npy -v\n";
  put(out);
}

}  // namespace mercer::cli
