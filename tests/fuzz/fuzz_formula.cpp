// Any text is either refused with an Error or evaluates and survives the round trip through its canonical text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "mercer/error.hpp"
#include "mercer/formula.hpp"

namespace mercer::fuzz_formula {

namespace {

std::vector<std::string> seeds() {
  return {
      "sin(x)*cos(y)",    "-dot(x,y)/(norm(x)*norm(y))",       "tanh(dot(x,y)-1)",
      "exp(-abs(x-y)^3)", "min(x,y) + max(x) - pow(2, -1e-3)", "(1+dot(x,y))^0.5",
      "x[1]*y[2] < 0.05", "step(log1p(x)) >= floor(pi*e)",     "((((x))))^-2^y",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Formula formula = Formula::parse(text);
    if (!(Formula::parse(formula.str()) == formula)) std::abort();
    const auto d = static_cast<std::size_t>(formula.min_dimension());
    const Vector x(d, 0.5), y(d, -2.0);
    (void)formula(x, y);
    (void)formula.precise(x, y);
    (void)formula(Vector(d + 1, 1.0), Vector(d + 1, 2.0));
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"formula", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_formula
