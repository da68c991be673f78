// Any text is either refused with an Error or evaluates and survives the round trip through its canonical text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/error.hpp"
#include "mercer/formula.hpp"

extern const std::vector<std::string> fuzz_seeds;
const std::vector<std::string> fuzz_seeds = {
    "sin(x)*cos(y)",    "-dot(x,y)/(norm(x)*norm(y))",       "tanh(dot(x,y)-1)",
    "exp(-abs(x-y)^3)", "min(x,y) + max(x) - pow(2, -1e-3)", "(1+dot(x,y))^0.5",
    "x[1]*y[2] < 0.05", "step(log1p(x)) >= floor(pi*e)",     "((((x))))^-2^y",
};

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const mercer::Formula formula = mercer::Formula::parse(text);
    if (!(mercer::Formula::parse(formula.str()) == formula)) std::abort();
    const auto d = static_cast<std::size_t>(formula.min_dimension());
    const mercer::Vector x(d, 0.5), y(d, -2.0);
    (void)formula(x, y);
    (void)formula.precise(x, y);
    (void)formula(mercer::Vector(d + 1, 1.0), mercer::Vector(d + 1, 2.0));
  } catch (const mercer::Error&) {
  }
  return 0;
}
