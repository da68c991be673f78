#include "training_words.hpp"

#include "output.hpp"

namespace mercer::cli {

void TrainingWords::declare(Arguments& arguments) {
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--kernel", kernel, "EXPR",
                   "Such as 'rbf(ell=1) + linear()'; `precomputed`: DATA is K itself [rbf(ell=auto) for most machines; "
                   "fit prints the one it takes]");
  arguments.option("--target", target, "COL",
                   "What to predict: a column's name or number from 1, several for regression (a,b), or a file "
                   "[the last column]");
  arguments.option("--weights", weights, "COL", "How much each point counts: a column, or a file");
  file.declare_graph(arguments);
  arguments.option(
      "--scale", scale, "WORD",
      "Of the inputs: none, centred, standard, minmax [standard for CSV and TSV files of numbers; none where 8 or more "
      "columns hold whole numbers between the same bounds, as pixels do, and for other files]");
  arguments.option("--memory", memory, "SIZE", "Use at most this much, such as 4GB [planned from what is free]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
}

std::vector<std::string> TrainingWords::taken(std::vector<std::string> own) {
  for (const char* const word :
       {"--kernel", "--target", "--weights", "--graph", "--node", "--scale", "--memory", "--threads", "--format",
        "--header", "--text", "--graphs", "--bag", "--series", "--output", "--json", "--help"}) {
    own.push_back(word);
  }
  return own;
}

void put_plan(const Plan& plan, bool as_json) { as_json ? put_json(to_json(plan)) : put(plan.str()); }

workflow::FitRequest TrainingWords::request(const Machine& machine, const Settings& settings) const {
  return {.machine = machine.name,
          .settings = settings,
          .kernel = kernel,
          .source = file.source(data),
          .target = target,
          .weights = weights,
          .scale = scale_word(scale),
          .memory = memory_size("--memory", memory)};
}

}  // namespace mercer::cli
