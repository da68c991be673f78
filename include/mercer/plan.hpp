// mercer/plan.hpp: how K is held and how it is solved, decided in one place before anything large is allocated, and
// said: the form of K, the solver, the bytes at the peak, the seconds, what is approximated, and why.
//
//     Plan plan = plan_for(machine("ridge"), {{"ridge", "0.1"}}, k, x);     // UsageError where nothing fits
//     plan.str();      // "K: exact, all 12000 x 12000 numbers ...", a line for each thing that was decided
//     Gram K = gram_for(k, x, plan);
//
// A plan is a value. It costs microseconds, and where seconds are asked for a few milliseconds of real work.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer {

class Gram;
class Kernel;
class Points;
struct Execution;
struct Machine;
struct Training;

using Settings = std::map<std::string, std::string>;  // the options of a machine, as texts

// How K is held while a machine works on it.
enum class Form {
  lazy,     // not at all: its numbers are computed when they are wanted
  cached,   // rows that were computed are kept while there is room
  exact,    // all of its numbers
  factor,   // as features: K = F F', to rounding
  given,    // as the numbers of a matrix that the caller has
  centres,  // not at all: what few centres can say of it stands for it (mercer/centres.hpp)
};
std::string_view name_of(Form form);

// How the systems A = S K S + N of a fit are solved.
enum class Method {
  automatic,  // along a line where it can be, by features where K has few, else by all pairs, beyond 20,000 points step
              // by step
  dense,      // by all pairs
  factored,   // by features
  iterative,  // step by step, from products with K: exact to a tolerance
  state_space,  // from each point to the next, along a line
};
std::string_view name_of(Method method);

// What a machine is fitted to, as far as it decides what that takes.
struct Extent {
  Index points = 0;        // n
  Index weighted = 0;      // those of positive weight
  Index outputs = 1;       // targets, or classes
  Index dimension = 0;     // of inputs that are real vectors; 0 of others
  double stored = 0;       // numbers that are kept of a point: columns, or entries of sparse rows; 0 of others
  Index features = 0;      // columns of F where K = F F' for an F that the kernel names; 0: none
  Index states = 0;        // of the kernel's state space, on one column of numbers; 0: it has none
  double cost = 0;         // multiplications for a value in single precision; 0: the kernel has no such form
  double diagonal = 1;     // the mean of k(x, x), of the first points
  bool linear = false;     // K = X X': the features are the inputs
  bool plain = true;       // K is that of a kernel at points, and not centred or given
  bool numbers = false;    // K was given as numbers, without a kernel
  bool in_memory = false;  // all of K is there already
  bool has_start = false;  // goes on from a model
  std::size_t memory = 0;  // bytes to use at most; 0: planned from what is free
  Index centres = 0;       // that stand for all points; 0: all of them
  Index rows_at_once = 0;  // that a thread has in memory, where they are read in every pass; 0: all are there

  double room() const;   // in bytes: `memory`, or what the system can give now
  double share() const;  // of it, for what can be done without: `memory`, or half of what the system can give
};
Extent extent_of(const Kernel& k, const Points& x);
Extent extent_of(const Training& training);
Extent extent_of(const Training& training, const Kernel& k);  // with another kernel at its points

// Memory, and what it is for.
struct Room {
  std::string what;
  double bytes = 0;
  friend bool operator==(const Room&, const Room&) = default;
};

// What a machine takes to be fitted: said by its row (mercer/machines.hpp), and asked for by the machine itself.
struct Needs {
  Form form = Form::lazy;
  std::string solver = {};  // in words: "Cholesky"
  Index size = 0;           // n of the matrices of n x n numbers
  double matrices = 0;      // so many of them at the peak, K's own included where it is held, and what was given not
  double least = matrices;  // so many that it cannot begin without
  std::vector<Room> beside = {};  // what is held beside them, where it is much
  double copies = 3;              // of the points and their targets: as the loops want them, and in the model
  double least_bytes = 0;         // beside matrices, that it cannot begin without
  double pairs = 0;               // values of the kernel that are computed, about
  bool in_single = false;         // in single precision where the kernel has such a form
  double flops = 0;               // of matrix algebra, about
  std::string why = {};           // K is held so, where the machine has a choice
  bool by_steps = false;          // told to stop, it has something to return, though others of its solvers have not
  std::string approximates = {};  // what the settings have approximated; empty: nothing

  double squares() const {
    return static_cast<double>(sizeof(double)) * static_cast<double>(size) * static_cast<double>(size);
  }
};

// How fast values of a kernel and operations of matrix algebra are computed, a second. By default those of a usual
// computer, so that what is decided by them is the same everywhere.
struct Rates {
  double pairs = 1e9, flops = 1e11;
};

struct Wishes {
  std::size_t memory = 0;  // bytes to use at most; 0: planned from what is free
  Method method = Method::automatic;
  Index centres = 0;         // that stand for all points; 0: all points
  bool approximate = false;  // centres may stand for all points where these do not fit into memory or time
  double seconds = 120;      // that a fit may take before they do
  bool ends = false;         // somebody named them: so few centres that the fit ends in them, also of a machine that
                             // would be left to itself
  Rates rates = {};
};

struct Plan {
  Form form = Form::lazy;
  bool kept = false;  // by the Gram itself, for all who read it; else the machine holds K where it works on it
  Method method = Method::automatic;
  std::string solver = {};
  bool by_steps = false;  // told to stop, the solver returns what it has
  Index points = 0;
  Index centres = 0;              // that stand for them; 0: all
  std::string centres_by = {};    // how these were chosen; empty: as the caller did
  Index rows_at_once = 0;         // read by a thread, again in every pass; 0: all rows are in memory
  double bytes_at_once = 0;       // that they take
  double bytes = 0;               // that the fit takes at the peak; after in_process(), of the whole process
  std::vector<Room> parts = {};   // that they are made of
  double seconds = 0;             // about, by the rates measured in this process; 0: not asked for
  double pairs = 0, flops = 0;    // values of the kernel, and operations of matrix algebra, that they come from
  bool in_single = false;         // these values in single precision where the kernel has such a form
  std::string approximates = {};  // empty: nothing
  std::string why = {};           // one sentence
  std::string open = {};          // what is yet to be chosen, and what was counted for it; empty: nothing

  std::string str() const;  // a line for each, for people
  friend bool operator==(const Plan&, const Plan&) = default;
};

// How many centres stand for so many points, where nobody says it.
Index usual_centres(Index points);

// UsageError where the machine cannot begin in the memory there is; it says how many points would fit, and which other
// machines for the same task. Where the wishes allow it, a machine that takes centres gets some instead, and the plan
// says so.
Plan plan_for(const Machine& machine, const Settings& settings, const Extent& extent, const Wishes& wishes = {});
// With seconds, and of the whole process.
Plan plan_for(const Machine& machine, const Settings& settings, const Kernel& k, const Points& x,
              const Wishes& wishes = {});
// With seconds: the kernel is tried on some of the points, and matrix algebra once in a process.
Plan timed(Plan plan, const Gram& K, const Execution& how);
// Of this computer, for this kernel at these points.
Rates measured_rates(const Gram& K, const Execution& how);
// With the memory that this process has in use now, and that its threads work with.
Plan in_process(Plan plan, const Execution& how);
// For many fits, to all points and to parts of them, that read one K: it is kept where there is room beside a part of
// it.
Plan plan_to_share(const Extent& extent);

// K(x, x) as the plan has it.
Gram gram_for(const Kernel& k, const Points& x, const Plan& plan, const Execution& how);
Gram gram_for(const Kernel& k, const Points& x, const Plan& plan);

}  // namespace mercer
