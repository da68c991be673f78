#include "workflow/uncertainty.hpp"

#include <cctype>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/posterior/posterior.hpp"

namespace mercer::workflow {

namespace {

// The end of the arguments that begin at `open`, if one of them is written name=value, or there are none; else 0.
std::size_t end_of_numbers(const std::string& text, std::size_t open) {
  int depth = 0;
  bool named = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    named = named || (depth == 1 && text[i] == '=');
    if (depth == 0) return named || i == open + 1 ? i : 0;
  }
  return 0;
}

// A kernel's text without its numbers: "2*rbf(ell=0.5)*on(age, linear())" is "rbf*on(age, linear)".
std::string short_name(const Kernel& k) {
  std::string text = k.str(), out;
  // A number in front, which may be written fixed(2).
  const std::size_t star = text.find('*');
  if (star != std::string::npos && (std::isdigit(static_cast<unsigned char>(text[0])) || text.starts_with("fixed("))) {
    text.erase(0, star + 1);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '(' ? end_of_numbers(text, i) : 0;
    if (end > 0) {
      i = end;
    } else {
      out += text[i];
    }
  }
  return std::isdigit(static_cast<unsigned char>(out[0])) ? "const" : out;
}

}  // namespace

void require_posterior(const Model& model, const std::string& what) {
  if (model.has_posterior()) return;
  const Machine& own = machine(model.parts().machine);
  if (own.posterior) {
    fail(ErrorKind::usage, "{}: a {} on kernel values alone does not know k(x, x); fit it with a kernel expression",
         what, own.name);
  }
  std::vector<std::string> others;
  for (const Machine& other : machines()) {
    if (other.posterior && other.task == own.task_for(model.parts().settings)) others.push_back(other.name);
  }
  fail(ErrorKind::usage, "{}: a model of {} does not know how sure it is{}", what, own.name,
       others.empty() ? "" : fmt::format("; fit {} for that", fmt::join(others, " or ")));
}

Beliefs beliefs(const Model& model, const Points& x, bool with_noise, const Execution& how) {
  auto [mean, out] = detail::moments(model, x, how);
  const Vector& noise = model.posterior().noise;
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) = std::sqrt(out(i, j) + (with_noise && !noise.empty() ? noise[at(j)] : 0));
    }
  }
  return {std::move(mean), std::move(out)};
}

std::vector<std::string> names_of(const std::vector<Component>& components) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const Component& component : components) {
    const std::string name = component.kernel ? short_name(*component.kernel) : "mean";
    const int count = ++seen[name];
    out.push_back(count == 1 ? name : fmt::format("{}{}", name, count));
  }
  return out;
}

}  // namespace mercer::workflow
