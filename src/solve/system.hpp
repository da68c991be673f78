// A system that can be solved: A = S K S / unit + N on points of a Gram, S and N diagonal, made ready once and then
// asked. Whoever asks does not know how it is done: by a Cholesky factor, by few features, or in a way that never has A
// in memory. So no verb gives A or a factor of it, and every answer says how exact it is.
//
//     solve::Made made = solve::system_for({.K = K, .scale = root, .shift = {ridge}}, {}, how);
//     if (!made.system) ...                         // not positive definite in floating point, at made.pivot
//     made.system->solve(z);                        // z = A^-1 z
//
// A System does not change and threads may share it; two of its verbs use it up.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/checkpoints.hpp"
#include "mercer/gram.hpp"
#include "mercer/plan.hpp"

namespace mercer::solve {

struct Equations {
  Gram K;
  std::vector<Index> points = {};  // of K; empty: all of them
  Vector scale = {};               // the diagonal of S; empty: 1
  Vector shift = {};               // the diagonal of N, >= 0; a single number stands for all; empty: 0
  double unit = 1;

  Index size() const { return points.empty() ? K.size() : static_cast<Index>(points.size()); }
  Index point_of(Index i) const { return points.empty() ? i : points[static_cast<std::size_t>(i)]; }
  double scale_of(Index i) const { return scale.empty() ? 1 : scale[static_cast<std::size_t>(i)]; }
  double shift_of(Index i) const {
    return shift.empty() ? 0 : shift[shift.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }
};

// S K S / unit, both triangles: for who does more with it than solve.
Matrix assembled(const Equations& equations, const Execution& how);
// A v, from K.multiply(): what a solution is measured with.
Matrix product(const Equations& equations, MatrixView v, const Execution& how);

// Between two numbers; exact, up to rounding, where they are the same.
struct Interval {
  double low = 0, high = 0;
  bool exact() const { return low == high; }
  double middle() const { return exact() ? low : 0.5 * (low + high); }
};

// Of a solution z. Direct methods do not measure it.
struct Accuracy {
  bool direct = true;
  bool reached = true;      // what was asked for
  bool cancelled = false;   // before it was reached
  bool rounding = false;    // not reached although steps were left: these went nowhere
  double residual = 0;      // the largest |b - A z| / |b| of the columns, from K itself and not as steps update it
  double energy_error = 0;  // the largest bound of |z - A^-1 b|_A / |z|_A
  int steps = 0;
};

// Whether A^-1 b as coefficients of an f leaves it half of the digits or fewer: see System::seen_part.
bool loses_digits(double condition_bound);

// Why it ended, for a report.
std::string_view ending(const Accuracy& accuracy);

// Of numbers that may be estimates.
struct Estimates {
  Vector values = {};
  Vector errors = {};  // a standard error for each; empty: they are exact, up to rounding
};

struct Certificate {
  std::string_view method = {};  // "Cholesky", "Woodbury", "conjugate gradients", "state space"
  Index size = 0;
  Index rank = 0;              // of S K S, as far as the method uses it
  Index lines = 1;             // of a state space, that have nothing in common
  bool in_order = true;        // the points of each
  bool cut_short = false;      // a larger rank would have saved time, and found no room
  double rest = 0;             // the share of the trace that this leaves out, where the method goes on from it
  double trace = 0;            // of S K S / unit
  double jitter = 0;           // added to the diagonal, where that was allowed and needed
  double condition_bound = 0;  // (trace + smallest shift) / smallest shift
  std::optional<double> condition = {};  // |A|_1 |A^-1|_1, estimated where Wishes ask for it
  Index probes = 0;                      // that log |A| is estimated from; 0: it is computed, or there are bounds alone
  double bytes = 0;                      // held
};

// A^-1, for who needs its entries.
class Inverse {
 public:
  virtual ~Inverse() = default;
  virtual Vector diagonal() const = 0;
  // Rows i and columns j, contiguous by rows; j is not after i. Above the diagonal of A^-1: anything.
  virtual void tile(Range i, Range j, double* out) const = 0;
  virtual Matrix multiply(const Matrix& v) const = 0;
  virtual Matrix lower() && = 0;  // all of it in memory: the lower triangle; above it: anything
};

class System {
 public:
  virtual ~System() = default;
  virtual Accuracy solve(MatrixRef b) const = 0;  // b = A^-1 b
  // Each row b becomes C b with C'C = A^-1, so that |C b|^2 = b'A^-1 b; C is the same at every call.
  virtual void solve_root(MatrixRef rows, const Monitor& monitor = {}) const = 0;
  // Of probes: three standard errors of them to both sides, within bounds that hold for certain.
  virtual Interval log_determinant() const = 0;
  virtual const Certificate& certificate() const = 0;
  virtual std::unique_ptr<System> clone() const = 0;
  virtual std::unique_ptr<Inverse> inverse(const Monitor& monitor) && = 0;

  Index size() const { return certificate().size; }
  // What follows from these, for systems that have no shorter way.
  virtual Estimates inverse_diagonal(const Monitor& monitor) &&;
  // Calls take(b, block) with the lower triangle of the diagonal block blocks[b] of A^-1, which is then the caller's.
  // Blocks have no point in common; calls may come from several threads.
  using TakeBlock = std::function<void(Index b, MatrixRef block)>;
  virtual void inverse_blocks(std::span<const Range> blocks, const TakeBlock& take, const Monitor& monitor) &&;

  // What a system may have a way of its own to; none: from the verbs above, and tiles of K.
  // k(x, x) - (S k_x)' A^-1 (S k_x) / unit of points x.
  virtual std::optional<Vector> variances(const Points& x) const;
  // The slopes of sum_c -1/2 b_c' A^-1 b_c - columns/2 log |A|, b as it is.
  struct Slopes {
    Vector by_parameter = {};  // of K's kernel
    Vector by_shift = {};      // of each point
  };
  // `solved` is A^-1 b, as solve() gives it.
  virtual std::optional<Slopes> slopes(const Matrix& b, const Matrix& solved) const;
  // b'A^-1 b, `solved` being about A^-1 b: to rounding, or between bounds.
  virtual Interval quadratic(VectorView b, VectorView solved, const Monitor& monitor) const;
  // The part of A^-1 b that S K S sees. It gives the same f, and where loses_digits() is far shorter, with more digits.
  // None where it is of no use, or not known.
  virtual std::optional<Matrix> seen_part(const Matrix& b) const;
  // The block of A^-1 of each group of points, which are equal.
  virtual std::optional<std::vector<Matrix>> blocks_of_equals(std::span<const std::vector<Index>> groups) const;
};

// Room for a square matrix that one system after the other may use: who makes many asks for memory once.
struct Storage {
  Matrix square;
  // Iterative: pivots of the first preconditioner, which those after it take, so that estimates of one system after the
  // other are a smooth function of what these have for parameters.
  std::vector<Index> pivots = {};
};

struct Wishes {
  Method method = Method::automatic;
  bool to_tolerance = false;  // solutions need be no better than `tolerance`, and nothing else is asked of the system
  double tolerance = 1e-6;    // iterative: |b - A z| / |b| of each column
  Index rank = 0;             // iterative: of the preconditioner; 0: as many as save time, at most most_rank()
  double room = 1e9;          // iterative: bytes there are for it
  double kept = 0;            // iterative: bytes for numbers of K in single precision; they change time alone
  int most_steps = 1000;      // iterative
  // Iterative: vectors drawn at random, with a fixed seed, that log |A| and its slopes are estimated from; 0: bounds
  // alone.
  Index probes = 0;
  std::shared_ptr<Checkpoints> checkpoints = {};  // iterative: where it is
  bool jitter = false;  // add to the diagonal the smallest power of ten that makes A positive definite
  // Estimate the condition where its bound is above this; none: never.
  std::optional<double> doubtful = {};
  std::shared_ptr<Storage> storage = {};
  std::function<void(Index n)> require = {};  // asked before n x n numbers are taken; throws where there is no room
};

struct Made {
  std::unique_ptr<System> system = {};  // none: A is not positive definite in floating point
  Index pivot = 0;                      // at which that was seen, from 1
  double trace = 0;                     // of S K S / unit
  double jitter = 0;                    // tried last
};

// `automatic` takes a state space where K is a kernel on one column that has one, of few states beside the points; few
// features where K has them for its points and one shift stands for all; else A is assembled and factored; beyond
// kManyPoints, or where it finds no room, conjugate gradients solve it, if a tolerance is enough and one shift stands
// for all.
// Reports "gram", "precondition" and "solve" to the monitor.
constexpr Index kManyPoints = 20000;
bool by_steps(Index n, double room);  // whether that is so, or n^2 numbers find no room in so many bytes
// About how many steps take a residual to a tolerance, where the preconditioner leaves an eigenvalue of this size.
double steps_for(double largest_left, double shift, double tolerance);
// Whether they may multiply K in single precision.
bool may_be_rounded(double trace, double shift);
Index most_rank(Index n);               // of a preconditioner for n points
Index most_rank(Index n, double room);  // and in so many bytes
Made system_for(const Equations& equations, const Wishes& wishes, const Execution& how);
// Of `state_space` and `dense`, which both give all that a System has, the one that is less work for n points of K.
Method exact_method(const Gram& K, Index n);
void require_state_space(const Gram& K);  // UsageError that says what has one

// The system of more points: the first `old.size()` of the equations are those of `old`. A factor grows by a block,
// n^2 for each new point; a system of another kind is made anew.
Made extended(const System& old, const Equations& equations, const Execution& how);

}  // namespace mercer::solve
