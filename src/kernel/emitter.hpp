// From an expression to a tile program.
//
// A program computes, for a tile of pairs (x_i, y_j), in this order:
//   views     point sets seen through columns, maps and scalings        prepared once per point set
//   edges     numbers of a pair: |x-y|^2, x.y, |x-y|_1, ...              whole tiles, by GEMM where it pays
//   vertices  numbers of one point: |x|, 1/sqrt(k(x,x)), f(x)            prepared once per point set
//   ops       element-wise steps on rows of the tile while it is in cache
// Equal views and edges are shared by all leaves that ask for them. Products of exponentials are kept
// as one exponential of a sum (see Value), so `periodic*rbf` costs one exp per pair.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/node.hpp"

namespace mercer::detail {

class Step;
class FeatureStep;
class Edge;
class Vertex;
class Op;

using View = int;  // position in Program::views; 0 is the inputs themselves
using Slot = int;  // position in Program::slots: one number per pair of the tile

// A number that depends on parameters: value, and d value / d parameter.
struct Coefficient {
  struct Slope {
    Index param;
    double value;
  };
  double value = 1;
  std::vector<Slope> slopes = {};
};

// A parameter's place in the flat vector, and its value.
struct ParamRef {
  Index at;
  double value;
};

// prod(scales) * prod(factors) * exp(sum_t coefficient_t * slot_t)
struct Value {
  struct Exponent {
    Slot slot;
    Coefficient coefficient;
  };
  std::vector<ParamRef> scales = {};
  std::vector<Slot> factors = {};
  std::vector<Exponent> exponents = {};
  // No value is larger in size: 1 of an rbf, 3 of 2*rbf + cosine. What stays below kCertainlyFinite needs no look.
  double bound = std::numeric_limits<double>::infinity();
  bool one_for_equals = false;  // the exponential is 1 wherever x = y, as those of distances are
};
constexpr double kCertainlyFinite = 1e290;

// A number of a point made of its d = slot(x, x): 1/sqrt(d), or -d/2 (of the logarithm of 0, that itself).
enum class OfDiagonal { inverse_root, minus_half };

// What a program computes of a pair.
enum class Of {
  kernel,    // k(x, y)
  distance,  // a number that grows with |phi(x) - phi(y)|^2, and Program::fall to make it that
};

// d^2 = scale (1 - exp(rate r)) of the result r, rate <= 0: the distances of a kernel that falls from its value at
// x = y. Who looks for the nearest needs no exponential, and r tells points apart that are too close or too far for
// d^2.
struct Fall {
  double scale, rate;
};

struct Program {
  struct ViewSpec {
    View source;
    std::shared_ptr<const Step> step;  // null for the inputs
  };
  struct EdgeSpec {
    View view;
    std::shared_ptr<const Edge> edge;
    int dots = -1;  // for a squared distance: the edge, if there is one, with the inner products of the same points
  };
  struct VertexSpec {
    View view;
    std::shared_ptr<const Vertex> vertex;  // null: made of the diagonal of `slot`, see OfDiagonal
    Slot slot;
    OfDiagonal of_diagonal = OfDiagonal::inverse_root;
  };
  struct SlotSpec {
    enum class Source { edge, vertex_x, vertex_y, op } source;
    int index;  // of the edge, vertex or op
  };
  std::vector<ViewSpec> views;
  std::vector<EdgeSpec> edges;
  std::vector<VertexSpec> vertices;
  std::vector<SlotSpec> slots;
  std::vector<std::unique_ptr<Op>> ops;
  Slot result = 0;
  std::optional<Fall> fall = {};  // else the result is what was asked for
  bool may_overflow = true;       // see Value::bound
  Index parameters = 0;
};

// Where a node stands in its tree: the place of its first parameter, and what its inputs are.
struct Site {
  const Node& node;
  Index offset;
  View view;

  ParamRef param(std::string_view name) const;  // of one number
  Index param_at(std::string_view name) const;
};

// Whether a kernel of the distance is 0 at distances whose square is infinite, as all are but rq.
enum class Tail { light, heavy };

class Emitter {
 public:
  // ---- for leaves and rules ----
  Value premise(const Site& site, std::size_t child, View view);  // the child's value on that view
  View through(View source, std::shared_ptr<const Step> step, const std::string& key);
  Slot edge(View view, std::shared_ptr<const Edge> edge, const std::string& key);
  struct Ends {
    Slot x, y;
  };
  Ends vertex(View view, std::shared_ptr<const Vertex> vertex, const std::string& key);
  Ends of_diagonal(Slot slot, OfDiagonal what);
  Slot op(std::unique_ptr<Op> op);
  Slot square_root(Slot slot);
  Slot slot_of(const Value& value);  // as one slot
  Slot sum_of(std::vector<Value> values);
  // f(x) f(y) as one number: multiplied into others one after the other, k(x, y) and k(y, x) could differ in a bit.
  Slot product_of(Ends ends) { return sum_of({{.factors = {ends.x, ends.y}}}); }
  Slot sum_of(Ends ends) { return sum_of({{.factors = {ends.x}}, {.factors = {ends.y}}}); }  // likewise
  // k(x,x) + k(y,y) - 2 k(x,y) of the values k of a kernel: at least 0, and 0 where x = y to the last bit. Part by
  // part, where k is a sum: of inner products |x - y|^2, of exponentials that are 1 for equal points 2 (1 - exp(...))
  // without cancellation, and of the rest as it stands, with an absolute error of some 1e-16 (k(x,x) + k(y,y)).
  Slot feature_distance(const Value& k);

  // The distances and products that most leaves are made of; `who` names the leaf in errors.
  Slot squared_distance(View view, const std::string& who);
  Slot dot(View view, const std::string& who);
  // Columns divided by a list of ell; with a heavy tail, a column that cannot be is refused.
  View scaled_by(const Site& site, std::string_view param, View view, Tail tail = Tail::light);
  View unit(View view, const std::string& who);  // x / |x|
  Ends norm(View view, const std::string& who);

  static Program compile(const Node& root, Of of = Of::kernel);

 private:
  Value emit(const Site& site);
  Slot add_slot(Program::SlotSpec::Source source, int index);
  void share_dots();
  void drop_unused();
  void emit_distance(const Value& k);
  void add_distances(const Value& k, std::vector<ParamRef> scales, std::vector<Value>& terms);
  struct Dot {
    View view;
    std::string who;
  };
  Program program_;
  std::map<std::string, int> views_, edges_, vertices_;
  std::map<Slot, Dot> dots_;
  std::map<Slot, Slot> roots_;
};

// A view and the 1/ell that distances of its points must still be multiplied with. Where ell is so far from 1 that its
// powers, or squared distances of its size, leave the range of doubles, the view is the points times a power of two,
// which changes no digit: their distances are then in units of about ell.
struct InUnits {
  View view;
  Coefficient inverse_ell;
  bool moved;
};
InUnits in_units_of_ell(const Site& site, View view, Emitter& emitter, Tail tail = Tail::light);

// The value of a radial leaf's ell: r2 and the 1/ell it must still be multiplied with. A list of ell
// is a scaled view, and the coefficient is then 1.
struct Radial {
  Slot r2;
  Coefficient inverse_ell;
  double bound = 1;  // of a kernel that falls with the distance from 1; infinity where a distance may be infinite
};
Radial radial(const Site& site, View view, Emitter& emitter, Tail tail = Tail::light);

// Coefficients are finite: beyond 1e300 they stand for infinity, and 0 times them is still 0.
constexpr double kLargestCoefficient = 1e300;
double limited(double value);

Value product(Value a, const Value& b);

}  // namespace mercer::detail
