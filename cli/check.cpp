// mercer check: is this a kernel?
#include "mercer/check.hpp"

#include "arguments.hpp"
#include "colour.hpp"
#include "mercer/kernel.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

constexpr int kIsNone = 1;

// Whether x or y stands in the text as a word of its own.
bool speaks_of_points(std::string_view text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 'x' && text[i] != 'y') continue;
    if ((i == 0 || !in_word(text[i - 1])) && (i + 1 == text.size() || !in_word(text[i + 1]))) return true;
  }
  return false;
}

// The first line up to its colon is the verdict.
std::string with_verdict(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(":\n"), text.size());
  const Ink ink = text.starts_with("not") ? Ink::red : Ink::green;
  return painted(Stream::output, ink, text.substr(0, end)) + text.substr(end);
}

// assume_psd(FORMULA, "reason"): no formula holds a quote.
Formula assumed_formula(const std::string& statement) {
  const std::size_t begin = statement.find('(') + 1;
  return Formula::parse(std::string_view(statement).substr(begin, statement.find(", \"") - begin));
}

int check_kernel(const Kernel& k, const CheckOptions& options, bool as_json) {
  const Proof proof = k.proof();
  const std::vector<std::string> assumed = assumptions(proof);
  Json report{{"text", k.str()}, {"kernel", true}, {"proved", assumed.empty()}, {"proof", to_json(proof)}};
  std::string text = assumed.empty() ? "a kernel: proved\n" : "a kernel only if what it assumes is true\n";
  text += indented(proof.str(), 3);
  int code = 0;
  if (!assumed.empty()) report["kernel"] = nullptr;
  for (const std::string& statement : assumed) {
    const CheckResult result = mercer::check(assumed_formula(statement), options);
    text += fmt::format("of the assumption {}:\n{}", statement, indented(result.str(), 3));
    report["assumptions"].push_back({{"text", statement}, {"check", Json::parse(result.json())}});
    // The whole may be a kernel all the same, but what was to prove it is false.
    if (result.counterexample) code = kIsNone;
  }
  as_json ? put_json(report) : put(with_verdict(text));
  return code;
}

int check_formula(const Formula& formula, const CheckOptions& options, bool as_json) {
  const CheckResult result = mercer::check(formula, options);
  const std::optional<Proof> proof =
      result.derived ? std::optional(parse(result.derived->kernel).proof()) : std::nullopt;
  if (as_json) {
    Json report{{"text", formula.str()}};
    report.update(Json::parse(result.json()));
    if (proof) report["proof"] = to_json(*proof);
    put_json(report);
  } else {
    put(with_verdict(result.str()) + "\n");
    if (proof) return put(indented(proof->str(), 3)), 0;
    if (result.match) put(fmt::format("   its proof: mercer explain '{}'\n", result.match->kernel));
  }
  return result.counterexample ? kIsNone : 0;
}

}  // namespace

int run_check(const Words& words) {
  std::string text, seed, tries, dimension, inputs = "automatic";
  bool as_json = false;
  Arguments arguments(
      "check",
      "Is this a kernel? Prints the proof of an expression built from the catalog, and of a formula in the points x "
      "and y that has the form of one. For any other formula it searches for points and weights that show it is not a "
      "kernel; finding none proves nothing.\n"
      "Exit code: 0 proved, or no counterexample; 1 not a kernel; 2 the text cannot be read.",
      "  mercer check 'rbf(ell=1) + linear()'\n"
      "  mercer check '(1 + x*y)^2'\n"
      "  mercer check 'sin(x)*cos(y)'\n"
      "  mercer check '-dot(x,y)/(norm(x)*norm(y))'\n"
      "  mercer check 'exp(-abs(x-y)^3)' --tries 5000\n"
      "\nFormulas: numbers pi e, points x y, components x[1], operators + - * / ^ < <= > >=,\n"
      "  sin cos tan asin acos atan sinh cosh tanh exp log log1p sqrt abs sign floor step min max pow,\n"
      "  and over components dot(u,v) norm(u) norm1(u) sum(u) prod(u) min(u) max(u).\n");
  arguments.required("EXPR", text, "A kernel, or a formula in x and y");
  arguments.option("--seed", seed, "N", "Of the random points (default 1)");
  arguments.option("--tries", tries, "N", "Random sets of points in each dimension (default 1500)");
  arguments.option("--dimension", dimension, "N", "Of the points (default: several that suit the formula)");
  arguments.option("--inputs", inputs, "KIND", "Where the points lie: automatic, reals, nonnegative, unit_ball");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;

  CheckOptions options;
  options.seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 1, 0));
  options.tries = static_cast<int>(whole_number("--tries", tries, options.tries, 1, 1'000'000));
  options.dimension = static_cast<Index>(whole_number("--dimension", dimension, 0, 1, 256));
  std::vector<std::pair<std::string, Inputs>> kinds;
  for (const Inputs kind : {Inputs::automatic, Inputs::reals, Inputs::nonnegative, Inputs::unit_ball}) {
    kinds.emplace_back(name_of(kind), kind);
  }
  options.inputs = choice<Inputs>("--inputs", inputs, kinds);

  std::optional<Kernel> kernel;
  std::optional<Error> kernel_error;
  try {
    kernel = parse(text);
  } catch (const Error& error) {
    kernel_error = error;
  }
  if (kernel) return check_kernel(*kernel, options, as_json);

  std::optional<Formula> formula;
  try {
    formula = Formula::parse(text);
  } catch (const Error&) {
    // A text that does not speak of x and y was meant to be a kernel.
    if (speaks_of_points(text)) throw;
    throw *kernel_error;
  }
  return check_formula(*formula, options, as_json);
}

}  // namespace mercer::cli
