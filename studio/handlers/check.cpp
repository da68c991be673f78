// Is this a kernel? Answered while it is typed: the proof, a counterexample, or where the text goes wrong. The search
// for counterexamples is a short one unless "thorough" asks for that of the command.
#include "mercer/check.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

// While somebody types: points of as few components as there may be. Fixed numbers, so that the answer does not depend
// on how busy the machine is.
CheckOptions briefly(const Formula& formula) { return {.tries = 40, .dimension = formula.min_dimension()}; }

// A place in bytes as a browser counts: units of UTF-16.
std::size_t place_in_browser(std::string_view text, std::size_t bytes) {
  std::size_t units = 0;
  for (std::size_t i = 0; i < std::min(bytes, text.size()); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) units += c >= 0xF0 ? 2 : 1;
  }
  return units;
}

// From "column 5: expected ) or , after an argument of rbf(), found the end".
Json error_json(const Error& error, const std::string& text) {
  Json out = workflow::to_json(error);
  const std::string words = error.what();
  const std::size_t column = words.find("column ");
  if (column != words.npos) {
    const std::size_t at = std::strtoul(words.c_str() + column + 7, nullptr, 10);
    out["position"] = place_in_browser(text, at > 0 ? at - 1 : 0);
  }
  const std::size_t from = words.find("expected "), to = words.rfind(", found ");
  out["expected"] = Json::array();
  if (from != words.npos && to != words.npos && from < to)
    out["expected"].push_back(words.substr(from + 9, to - from - 9));
  return out;
}

std::string point_text(const Matrix& points, Index i) {
  if (points.cols() == 1) return number(points(i, 0));
  std::string out;
  for (Index j = 0; j < points.cols(); ++j) out += (j == 0 ? "(" : ", ") + number(points(i, j));
  return out + ")";
}

Json counterexample_json(const Counterexample& found) {
  Json points = Json::array(), matrix = Json::array();
  for (Index i = 0; i < found.points.rows(); ++i) points.push_back(point_text(found.points, i));
  for (Index i = 0; i < found.gram.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < found.gram.cols(); ++j) row.push_back(workflow::json_number(found.gram(i, j)));
    matrix.push_back(std::move(row));
  }
  return {{"points", std::move(points)},
          {"c", found.weights},
          {"value", workflow::json_number(found.value)},
          {"matrix", std::move(matrix)}};
}

Json check_formula(const Formula& formula, bool thorough) {
  const CheckResult result = check(formula, thorough ? CheckOptions{} : briefly(formula));
  Json out = {{"str", formula.str()}, {"words", result.str()}};
  if (result.counterexample) {
    out["counterexample"] = counterexample_json(*result.counterexample);
  } else {
    out["tried"] = result.tries;
  }
  if (result.match) out["match"] = result.match->kernel;
  return out;
}

Json check_kernel(const Kernel& k) {
  const Proof proof = k.proof();
  Json out = {{"str", k.str()},
              {"proof", workflow::to_json(proof)},
              {"proved", !proof.assumes()},
              {"domain", k.domain().str()},
              {"params", params_json(k.params())}};
  out["code"] = {{"command", fmt::format("mercer explain '{}'", k.str())},
                 {"cpp", fmt::format("mercer::Kernel k = mercer::parse({});\nstd::puts(k.proof().str().c_str());",
                                     mercer::quoted(k.str()))},
                 {"python", fmt::format("k = mercer.kernels.parse({})\nprint(k.proof())", mercer::quoted(k.str()))}};
  return out;
}

// Whether the text means a formula in x and y rather than a kernel.
bool speaks_of_points(const std::string& text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 'x' && text[i] != 'y') continue;
    if ((i == 0 || !in_word(text[i - 1])) && (i + 1 == text.size() || !in_word(text[i + 1]))) return true;
  }
  return false;
}

}  // namespace

Answer post_check(Studio&, const Request& request) {
  const Body body(request.body);
  const std::string text = body.expression("expr");
  std::optional<Kernel> kernel;
  std::optional<Error> kernel_error;
  try {
    kernel = required_kernel(body);
  } catch (const Error& error) {
    kernel_error = error;
  }
  if (kernel) return json_answer(check_kernel(*kernel));
  std::optional<Formula> formula;
  try {
    formula = Formula::parse(text);
  } catch (const Error& error) {
    return json_answer(error_json(speaks_of_points(text) ? error : *kernel_error, text));
  }
  try {
    return json_answer(check_formula(*formula, body.flag("thorough", false)));
  } catch (const Error& error) {
    return json_answer(error_json(error, text));
  }
}

}  // namespace mercer::studio
