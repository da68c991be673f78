#include "mercer/similarity.hpp"

#include "base/text.hpp"
#include "mercer/formula.hpp"

namespace mercer {

Similarity::Similarity(std::string text, Function f, bool is_formula)
    : text_(std::move(text)), function_(std::move(f)), is_formula_(is_formula) {}

Similarity Similarity::formula(const std::string& text) {
  const Formula parsed = Formula::parse(text);
  return Similarity(
      parsed.str(), [parsed](VectorView x, VectorView y) { return parsed(x, y); }, true);
}

Similarity Similarity::function(const std::string& name, Function f) { return Similarity(name, std::move(f), false); }

}  // namespace mercer
