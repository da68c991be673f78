#include "verbs.hpp"

namespace mercer::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"kernels", "[NAME]", "the kernels and the rules that combine them; or all about one", run_kernels},
      {"explain", "'EXPR'", "why an expression is a kernel: the proof, and its parameters", run_explain},
      {"check", "'EXPR'",
       "is this a kernel? a proof, or points and weights that refute it;\ntakes any formula in x and y as well",
       run_check},
      {"gram", "'EXPR' DATA", "the matrix of a kernel on a file of CSV, TSV, LIBSVM, NPY or IDX", run_gram},
      {"distances", "'EXPR' DATA", "distances in the feature space of a kernel", run_distances},
      {"machines", "[NAME]", "the kernel machines, the problems they solve and their options", run_machines},
      {"auto", "DATA", "a table and no opinion: machines race, and the best is the model", run_auto},
      {"fit", "MACHINE DATA", "a machine fitted to a data file: a model", run_fit, true, true},
      {"predict", "MODEL DATA", "what a model says of new points: classes, numbers, probabilities", run_predict, false,
       true},
      {"explain-prediction", "MODEL DATA", "what each letter or node contributes to a score", run_explain_prediction},
      {"score", "MODEL DATA", "how well it predicts, where the truth is known", run_score},
      {"report", "MODEL DATA", "a page about it, to send: figures, pictures, warnings", run_report},
      {"tune", "MACHINE DATA", "options and kernel parameters chosen by cross-validation", run_tune, true},
      {"show", "MODEL", "what a model is: kernel and proof, inputs, classes, how the fit went", run_show},
      {"sample", "FROM DATA", "functions drawn from a kernel, or from what a model has learnt", run_sample},
      {"test", "WHAT DATA", "statistical tests: two samples, independence, a density", run_test},
      {"align", "'EXPR' DATA", "how well kernels go with the target and with each other", run_align},
      {"represent", "DATA", "a few rows that stand for all", run_represent},
      {"graph", "WHAT FILE", "graphs: eigenvectors, nearest neighbours, what there is in one", run_graph},
      {"convert", "IN OUT", "models from and to LIBSVM", run_convert},
      {"studio", "[FOLDER]", "a page in your browser: kernels, data and models to play with", run_studio},
      {"demo", "[NAME]", "tours on built-in data, first of all the CO2 record of Mauna Loa", run_demo},
      {"completion", "SHELL", "what bash, zsh or fish needs to complete these words", run_completion},
      {"manual", "[VERB]", "a page for man", run_manual}};
  return all;
}

const Verb* verb_named(std::string_view name) {
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

}  // namespace mercer::cli
