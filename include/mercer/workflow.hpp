// mercer/workflow.hpp: from data to a model and from a model to answers, as the command does it: which column is the
// target, how inputs are scaled, which kernel is taken where none is given, what is chosen by a held-out criterion.
// One request in, one result out. The command, reports (from Python too) and the studio all come here. Python's
// estimators do not: they get arrays, whose columns somebody has chosen, and do with them what their arguments say, as
// scikit-learn's do; they call fit of mercer/machines.hpp.
//
//     using namespace mercer;
//     workflow::FitResult fitted = workflow::fit({.machine = "svc", .source = {.path = "iris.csv"}});
//     fitted.remarks;                        // what was decided for you, one line each
//     save("iris.mercer", fitted.model);
//     workflow::Marks marks = workflow::score({.model = fitted.model, .source = {.path = "test.csv"}});
//     marks.figures;                         // {"accuracy", 0.97}, ...
//
// Data are a file, or a Dataset at hand: both go the same way and give the same bits.
//     workflow::Source moons{.path = "moons", .data = Dataset{.points = rows(x), .target_texts = names,
//                                                             .target_name = "class"}};
//
// To fit the same data again and again, prepare them once; other kernels and options then cost their fit alone:
//     workflow::Prepared data = workflow::prepare({.machine = "svc", .source = moons, .plain = true});
//     for (const double ell : {0.1, 1.0}) {
//       Model m = workflow::fit(workflow::changed(data, {{"C", "10"}}, rbf(ell))).model;
//     }
//
// Errors and remarks name what a request holds in back quotes, `target`, and mercer/wording.hpp spells it as users
// write it. Nothing prints. Execution::monitor hears {"read", 1} when the data are there, then of the work; saying stop
// ends it as mercer/machines.hpp tells. Requests and results are values; calls from several threads do not disturb each
// other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/choose.hpp"
#include "mercer/intervals.hpp"
#include "mercer/machines.hpp"
#include "mercer/source.hpp"
#include "mercer/tables.hpp"
#include "mercer/tune.hpp"

namespace mercer::workflow {

using data::Column;
using data::Source;

// ---- fitting ----

// Which kernel a fit takes: one that is given, or
struct Usual {};        // that of FitRequest::start, else the machine's own
struct Precomputed {};  // none: the source holds K itself
using KernelChoice = std::variant<Usual, Kernel, Precomputed>;

struct FitRequest {
  std::string machine = {};  // "svc": a name of machines()
  Settings settings = {};    // its options as texts: {{"C", "10"}}
  KernelChoice kernel = {};
  Source source = {};
  // What to predict: a column's name or number from 1, several for regression ("a,b"), or a file. Empty: the target of
  // a Dataset that has one, else the last column.
  std::string target = {};
  std::string weights = {};  // how much each point counts: a column, or a file
  // The column that tells several series apart, by name or number: the kernel is k of the other inputs within a series
  // and 0 between two, on(others, k) * on(column, equal()). Empty: there is one series.
  std::string series_by = {};
  // What the columns of a table are, where it is not to be found out.
  data::TableWishes table = {};
  // What is done to rows of numbers first, in this order; the model keeps it, and takes inputs as they came. Empty: as
  // `start` has it, else nothing.
  std::vector<RowMap> prepare = {};
  // Of the inputs. Unset: that of `start`, else none for inputs that are prepared, standard for tables of numbers with
  // names that are not on one scale (pixels) already, and none for others.
  std::optional<Scaling::Kind> scale = {};
  std::size_t memory = 0;  // bytes to use at most; 0: planned from what is free
  // Whether rows are read from their files in every pass over them, instead of into memory once: for machines that go
  // through rows by passes, from files of csv, tsv, libsvm or npy whose inputs are numbers. Unset: where they and their
  // copies would take more than half of the memory allowed, or a quarter of what is free. The model is the same.
  std::optional<bool> stream = {};
  // Few points that stand for all: how many (0: as many as help, found by points held out), and how they are chosen.
  // Unset: all points, unless these do not fit into memory or time.
  std::optional<CentreWishes> centres = {};
  // Seconds that choosing and fitting may take, of which choosing has half at most. A longer fit gets centres that
  // stand for all points, where the machine takes them; one that goes by steps ends when they are over, with what it
  // has; one that nothing ends is refused where it would take far longer, and a remark says so where it took longer.
  // Unset: centres from 120 on, of machines that stream, counted for a usual computer, and no end.
  std::optional<double> time = {};
  // A file in which a fit that goes by steps keeps where it is, every minute; empty: none. It is of these data, this
  // kernel and these options, and a fit of others refuses to go on from it.
  std::string checkpoint = {};
  bool resume = false;  // go on from what that file holds, if it is there
  bool plain = false;   // choose nothing: what is not given is as the machine's row says
  // Keep what intervals and sets of classes need (mercer/intervals.hpp): errors of points held out in folds, where the
  // model cannot leave its points out in closed form.
  bool intervals = false;
  std::optional<Model> start = {};  // go on from this model: its options, kernel and scale; for machines that can
};

// Data read, scaled and with a kernel, and what a model will have to remember of them.
struct Prepared {
  std::string machine, source;  // names
  Settings settings = {};
  Training training;                    // without how
  std::optional<Points> x = {};         // scaled; none where K is given as numbers
  std::optional<Points> weighted = {};  // those of them whose weight is not 0: what `auto` is read off
  Scaling scaling = {};
  Schema inputs = {};                            // before scaling
  std::shared_ptr<const Recipe> recipe = {};     // that made them of a raw table
  std::vector<std::string> targets = {};         // names
  std::vector<std::string> left_out = {};        // columns that are neither inputs nor predicted
  std::vector<std::string> remarks = {};         // what was decided for the user
  std::vector<std::string> kernel_remarks = {};  // the same of the kernel
  Provenance provenance = {};
  bool kernel_given = true;  // by the user, and not the machine's own
  bool plain = false;
  std::optional<CentreWishes> centres = {};  // as in the request
  std::optional<double> time = {};
  std::string checkpoint = {};
  bool resume = false;
  bool intervals = false;
};
Prepared prepare(const FitRequest& request, const Execution& how = {});
// The same data with other options and another kernel. UsageError where the options make
// another task of the machine, or K is given as numbers and a kernel is named.
Prepared changed(const Prepared& data, const Settings& settings, const KernelChoice& kernel = {});

// What time and free memory had to say of centres. A fit that goes on from a checkpoint takes it over from there: asked
// again, they might say otherwise.
struct CentresAllowed {
  Index planned = 0;  // 0: all points
  Index most = 0;     // that trials may come to
  friend bool operator==(const CentresAllowed&, const CentresAllowed&) = default;
};

// What is not given, chosen by the machine's held-out criterion, unless the request was plain or had a start.
struct Chosen {
  Choice choice;
  std::optional<CentreWishes> wishes = {};  // for centres that stand for all points
  std::optional<Centres> centres = {};      // where trials have chosen these already
  std::vector<std::string> remarks = {};    // all there are by now: of the data, the kernel and the choice
  CentresAllowed allowed = {};
  double seconds = 0;  // that choosing took of those that are given
};
Chosen choose(const Prepared& data, const Execution& how = {});

struct FitResult {
  Model model;  // complete: with scaling, names of inputs and targets
  Choice choice;
  std::vector<std::string> remarks = {};
  bool is_done = false;  // converged or not, nothing is left to go on with from a checkpoint
};
// How K would be held and solved by a fit of these data with these options, with seconds. What is chosen before comes
// on top. UsageError where it does not fit, as from choose() and fit().
Plan plan(const Prepared& data, const Execution& how = {});
FitResult fit(const Prepared& data, const Chosen& chosen, const Execution& how = {});
FitResult fit(const Prepared& data, const Execution& how = {});
FitResult fit(const FitRequest& request, const Execution& how = {});

// ---- tuning ----

struct Search {
  std::vector<Axis> axes = {};  // parse_grid("C=1:1000, ell=0.1,1,10")
  Index random = 0;             // > 0: so many draws from the axes instead of all combinations
  std::uint64_t seed = 1;       // of folds and draws
  std::string metric = {};      // empty: the usual one of the task
  // Folds [5] and divisions into folds [1]; or a file that names the fold of each point.
  std::optional<Index> folds = {}, repeats = {};
  std::string folds_file = {};
};
struct TuneResult {
  Tuned tuned;      // the model is complete, and log densities are those of the inputs before scaling
  Index folds = 0;  // 0: each candidate was fitted to all points
  std::vector<std::string> remarks = {};
};
// Of all its fits.
Plan plan(const Prepared& data, const Search& search, const Execution& how = {});
// Throws SearchStopped when the monitor says stop.
TuneResult tune(const Prepared& data, const Search& search, const Execution& how = {});

// ---- what a model says of data ----

// Points as a fitted model wants them.
struct Inputs {
  Points points;                            // before the model's scaling; for a precomputed Gram, rows of k(x, X)
  std::vector<Column> targets = {};         // the columns that were no inputs: the truth
  Vector weights = {};                      // how much each point counts; empty: all alike
  std::optional<data::Cooked> cooked = {};  // where a recipe made the points: what was filled, and what was new
  std::vector<std::string> remarks = {};    // the same in words; columns that were passed over
  // f at the points.
  Matrix scores(const Model& model, const Execution& how) const;
};
// Takes out the target: the columns named ("a,b", or a file), else those that have the name of what the model predicts,
// else the last one where nothing has a name and there is one too many. Columns that the model does not know, that are
// missing are errors; those that it knows may be in any order where they have names. Without data or path the points
// are all nodes of the model's graph. `weights` names a column or a file, as in FitRequest.
Inputs inputs_for(const Model& model, const Source& source, const std::string& target = {},
                  const std::string& weights = {});

enum class Answers {
  predictions,    // classes, numbers, clusters, coordinates: what the model is for
  scores,         // f: of each class or pair of classes
  probabilities,  // of each class
  deviations,     // mean and standard deviation of f
  intervals,      // the prediction and, of numbers, the ends of an interval about it; of classes, a set of them
  components,     // the same of f and of each term of the kernel
  pre_images,     // of a pca: the inputs that its coordinates stand for
  coordinates,    // where kfda separates classes, or gmm fits Gaussians
};

struct PredictRequest {
  Model model;
  // Without path and data: all nodes of the model's graph; of clusters and coordinates the training points.
  Source source = {};
  std::string target = {};  // columns to leave out, if not those the model was fitted to predict
  Answers answers = Answers::predictions;
  bool noise = false;             // deviations of an observation instead of f
  IntervalOptions interval = {};  // of intervals
};
// Columns of numbers, or one of names of classes.
struct PredictResult {
  std::vector<std::string> header = {};
  Matrix numbers = {};
  std::vector<std::string> labels = {};
  std::vector<std::vector<std::string>> sets = {};  // beside the labels, the predicted class first
  std::vector<std::string> kernels = {};            // of the components
  std::vector<std::string> nodes = {};              // what the points are called, where no source says it
  std::vector<std::string> remarks = {};
  std::string machine = {};  // the model's
  Answers answers = Answers::predictions;
};
PredictResult predict(const PredictRequest& request, const Execution& how = {});

// The same some rows at a time, one after the other, so that memory does not grow with their number; `take` gets the
// answers, and returns false to hear no more; at the end it may get remarks on all rows, without any. All at once where
// the source has to be read as a whole (standard input, packed arrays, rows that are one point together, formats other
// than csv, tsv, libsvm and npy) and of pre-images. What is text and what numbers is decided by the rows the file
// begins with. Predictions are the same bits, unless the kernel computes distances in more than 16 columns far from the
// origin, about the middle of the points it sees at a time.
constexpr Index kRowsAtOnce = Index{1} << 17;
void predict(const PredictRequest& request, const std::function<bool(const PredictResult&)>& take,
             const Execution& how = {}, Index rows_at_once = kRowsAtOnce);

struct ScoreRequest {
  Model model;
  Source source = {};
  std::string target = {};   // the truth; empty: as in the training data
  std::string weights = {};  // how much each point counts: a column, or a file
  // Also how many of the truths lie in such intervals, and how wide these are; or in such sets, and how many classes
  // these hold.
  std::optional<IntervalOptions> interval = {};
};
// How well a model says what it says: figures by its reading. Weights are multiplicities.
struct Marks {
  std::vector<std::pair<std::string, double>> figures;  // "accuracy", "rmse", "coverage_95", ...
  std::vector<std::string> classes = {};                // of the confusion
  Matrix confusion = {};                                // rows: truth, columns: prediction
  std::vector<std::string> remarks = {};                // of rows left out, gaps filled and columns passed over
};
Marks score(const ScoreRequest& request, const Execution& how = {});
// The same from inputs at hand. `source` is their name, for messages.
Marks score(const Model& model, const Inputs& inputs, const std::string& source, const Execution& how = {},
            const std::optional<IntervalOptions>& interval = {});

// ---- words ----

// "svc of 3 classes (a, b, c)", "ridge of 2 targets (y, z)"
std::string describe(const Model& model);
// "optimal to the tolerance after 311 iterations in 12 ms; predicts from 57 of 200 points"
std::string outcome(const Model& model);
// "rbf(ell=0.4712), signal 0.2694, noise 0.008003" where the kernel is not the one given any more; else nothing.
std::string learnt(const Model& model, const std::optional<Kernel>& given);

}  // namespace mercer::workflow
