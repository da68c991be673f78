// mercer explain: why an expression is a kernel.
#include "arguments.hpp"
#include "mercer/kernel.hpp"
#include "output.hpp"

namespace mercer::cli {

int run_explain(const Words& words) {
  std::string text;
  bool as_json = false;
  Arguments arguments("explain", "Why an expression is a kernel: its proof, its inputs and its parameters.",
                      "  mercer explain '2*rbf(ell=0.5) + matern(nu=1.5, ell=1)*linear()'\n"
                      "  mercer explain 'on(text, normalize(spectrum(k=3))) * on(age, rbf(ell=10))'\n");
  arguments.required("EXPR", text, "A kernel, such as 'rbf(ell=1) + linear()'");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;

  const Kernel k = parse(text);
  const Proof proof = k.proof();
  const Params params = k.params();
  const std::vector<std::string> assumed = assumptions(proof);
  if (as_json) {
    put_json(Json{{"kernel", k.str()},
                  {"domain", k.domain().str()},
                  {"assumes", assumed},
                  {"proof", to_json(proof)},
                  {"parameters", to_json(params)}});
    return 0;
  }
  put(fmt::format("kernel  {}\ninputs  {}\n\nproof\n{}", k.str(), k.domain().str(), indented(proof.str(), 2)));
  if (params.size() > 0) put("\nparameters\n" + params_table(params, 2));
  if (!assumed.empty()) {
    put(fmt::format("\nThis is proved only if what it assumes is true: {}\n", fmt::join(assumed, " and ")));
  }
  return 0;
}

}  // namespace mercer::cli
