// Refusing inputs that are not like those a model was fitted to.
#include <string_view>
#include <unordered_set>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "mercer/model.hpp"

namespace mercer {

namespace {

using Names = std::unordered_set<std::string_view>;

// Of many names only the ends.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {}, ..., {} ({} columns)", names[0], names[1], names.back(), names.size());
}

void require_names(const std::vector<std::string>& wanted, const std::vector<std::string>& given) {
  if (wanted == given) return;
  const Names known(wanted.begin(), wanted.end()), found(given.begin(), given.end());
  for (const std::string& name : wanted) {
    if (found.count(name) == 0) {
      fail(ErrorKind::domain, "inputs: column {} is missing; the model was fitted to: {}", quoted(name),
           listed(wanted));
    }
  }
  for (const std::string& name : given) {
    if (known.count(name) == 0) {
      fail(ErrorKind::domain, "inputs: the model does not know column {}; it was fitted to: {}", quoted(name),
           listed(wanted));
    }
  }
  if (wanted.size() != given.size()) {
    fail(ErrorKind::domain, "inputs: {} columns, the model was fitted to {}: {}", given.size(), wanted.size(),
         listed(wanted));
  }
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j] != given[j]) {
      fail(ErrorKind::domain, "inputs: column {} is {} where the model expects {}; put them in its order: {}", j + 1,
           quoted(given[j]), quoted(wanted[j]), listed(wanted));
    }
  }
}

}  // namespace

Schema Schema::of(const Points& x) { return {x.domain(), x.column_names()}; }

void Schema::require(const Points& x) const {
  if (domain.kind == "any") return;  // of a precomputed Gram: nothing is known
  const std::vector<std::string> given = x.column_names();
  if (!columns.empty() && !given.empty()) require_names(columns, given);
  const Domain other = x.domain();
  if (other.kind != domain.kind) {
    fail(ErrorKind::domain, "inputs: the model was fitted to {}, these are {}", domain.str(), other.str());
  }
  if (other.dimension != domain.dimension) {
    fail(ErrorKind::domain, "inputs: {} columns, the model was fitted to {}", other.dimension, domain.dimension);
  }
}

}  // namespace mercer
