// mercer/testing.hpp: the laws every kernel, every Gram and every machine obeys, as functions.
//
// They return the laws that are broken, in words; a sound object gives an empty list. For a kernel, a Gram or a machine
// of your own:
//     EXPECT_EQ(mercer::testing::broken_laws(k, sample), std::vector<std::string>{});
//     EXPECT_EQ(mercer::testing::broken_machine_laws(row), std::vector<std::string>{});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/gram.hpp"
#include "mercer/kernel.hpp"
#include "mercer/machines.hpp"

namespace mercer::testing {

struct LawOptions {
  double tolerance = 1e-9;           // relative to the largest entry of K
  double gradient_tolerance = 2e-5;  // relative, against central differences
  // Also d/dx, for real inputs. Leave it out where the kernel has a kink at one of the points.
  bool input_gradient = true;
  std::uint64_t seed = 1;
};

// On the points x: K is symmetric to the last bit; no eigenvalue is below -tolerance; diagonal() is the
// diagonal of K; K(X) = K(X, X'), X' a copy of X; tile size, order of the points and storage (dense,
// float-free copies, sparse) do not matter; the number of threads changes no bit; text and parameters
// round-trip; gradients for every parameter, and for the inputs, agree with central differences.
std::vector<std::string> broken_laws(const Kernel& k, const Points& x, const LawOptions& options = {});

// a+b = b+a, (a+b)c = ac + bc, 2a = a+a, a^2 = aa, exp(a+b) = exp(a) exp(b), normalize has a unit
// diagonal, a proof mentions its premises.
std::vector<std::string> broken_algebra_laws(const Kernel& a, const Kernel& b, const Kernel& c, const Points& x,
                                             const LawOptions& options = {});

// size, diagonal, rows, multiply and, where offered, dense and cross tell of one and the same matrix.
std::vector<std::string> broken_gram_laws(const Gram& k, const LawOptions& options = {});

struct MachineLawOptions {
  Settings settings = {};               // of the machine
  Index points = 36;                    // to fit to; in two dimensions
  std::uint64_t seed = 1;               // draws them
  std::vector<Index> classes = {2, 3};  // how many classes to try, for machines that tell classes apart
  bool bags = false;                    // points that are objects, bags of one vector each, and not vectors
};

// A machine is a row as those of machines(): fit, task, options, and the exceptions that its nature asks for. It is
// fitted to problems of its task that the kit draws (two targets; some classes), under a kernel with
// parameters to learn. What is compared is f at other points, and its variance where the model has one.
//
// To the tolerance given below:
//     a point of weight 2 counts as two points (unless Law::weights is excepted)
//     a point of weight 0 is absent, and no support point; what leaving points out gave is as without it
//     the order of the points does not matter (unless Law::order is)
//     directions have their signs from the data: also of points that are their own mirror image
//     inputs moved by 100, 1e4 and 1e6 give the same, with a kernel of differences; and with linear() where a machine
//     takes the mean of the features out (coordinates, mixtures, clusters)
//     K in memory, computed when asked for, kept row by row, of dense or of sparse rows: all the same; and so is a
//     matrix of numbers (unless Law::numbers is), or it is refused where settings ask for the points themselves
//     a fit that starts from its own result stays there (warm_start); machines that take no start refuse one
// To the last bit:
//     the number of threads and a monitor that listens change nothing
//     a model that was saved and loaded predicts the same
// And:
//     it reports to the monitor; told to stop, it throws Error(cancelled) or, where it is iterative and there is
//     something to return, returns a sound model marked as not converged. A model that claims to have converged is that
//     of a whole fit
//     probabilities add to 1, and the largest is that of the class predicted
//     of a thousand points each is answered as if it were alone
//
// The tolerance is what a machine promises. One with an option called `tolerance` promises its objective to that: it is
// fitted at 1e-10, and as f is within the root of what the objective is, two fits agree to 1e-5 of the largest |f|. One
// without solves its equations: these are well-conditioned here, and fits agree to 1e-8.
std::vector<std::string> broken_machine_laws(const Machine& machine, const MachineLawOptions& options = {});

// What a machine does with bad input. Refused with one line of the right kind: no points, no targets or labels, sizes
// that do not fit, targets, inputs and weights that are not finite, negative weights, all weights 0, labels of no
// class, one class only (also by weights), options that are unknown or no number. Either refused, or fitted to a model
// that is finite everywhere and can be saved: extreme options; targets, inputs, weights and kernels of huge and tiny
// size; one point; all points in one place. Fitted, and finite: a constant target, a constant column.
std::vector<std::string> broken_input_laws(const Machine& machine, const MachineLawOptions& options = {});

}  // namespace mercer::testing
