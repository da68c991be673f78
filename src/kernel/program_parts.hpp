// The parts a tile program is put together from; see emitter.hpp for how they meet.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/emitter.hpp"
#include "kernel/side.hpp"
#include "kernel/sparse_dots.hpp"

namespace mercer::detail {

// A map between point sets, applied to both sides of a pair alike.
class Step {
 public:
  virtual ~Step() = default;
  virtual PointsPair apply(const PointsPair& in) const = 0;
  virtual bool has_parameters() const { return false; }
  virtual bool chooses_columns() const { return false; }  // by name, so that their order may differ
  // Reverse mode on the points of `rows`: from g = dL/d(mapped) to dL/d(unmapped), added to `g_in`
  // unless that is empty, and to the gradient of the parameters.
  virtual void pullback(const Points& in, const Points& out, Range rows, MatrixView g, MatrixRef g_in,
                        double* parameters) const = 0;
  // The same to the parameters alone, of points stored as sparse rows: `g` has a number for each entry of the rows.
  // False for a step that needs derivatives with respect to numbers that are 0, too.
  virtual bool pull_entries(const Points&, Range, VectorView, double*) const { return false; }
};

// A step from objects to explicit features: sparse rows, whose columns the first point set numbers.
class FeatureStep : public Step {
 public:
  virtual SparseMatrix features(const Points& x) const = 0;
  // Those of y in the columns of x; what only y has stands behind them.
  virtual SparseMatrix features_as(const Points& x, const Points& y) const = 0;

  // Where the features of one object come from, in the columns of x: `visit` is called each time one occurs, with the
  // places (letters, nodes) that it covers.
  struct Occurrence {
    std::int32_t column;
    double value;
    std::vector<Index> places;
  };
  using Visit = std::function<void(const Occurrence&)>;
  virtual void occurrences(const Points& x, const Points& one, const Visit& visit) const = 0;
  virtual std::vector<std::string> places(const Points& one) const = 0;  // what they are called
};

// Buffers of one thread, reused from tile to tile.
struct Scratch {
  std::vector<std::vector<double>> edges, edge_adjoints;    // whole tiles
  std::vector<std::vector<double>> slots, adjoints, tapes;  // chunks
  std::vector<std::vector<double>> vertex_x, vertex_y;      // dL/d(vertex) of the tile's rows, columns
  std::vector<double> panel, rows_x, rows_y, gx, gy, weights, tile;
  SparseRoom sparse;
};

// Where a reverse sweep leaves the derivatives of an edge: with respect to the rows of numbers that its points are
// (those of the first side, and of the second), which are written, and to the parameters of the kernel, added to.
struct EdgeGradient {
  MatrixRef gx, gy;
  double* parameters;
};

// A number of each pair of points. Write it as an EdgeOn.
class Edge {
 public:
  virtual ~Edge() = default;
  virtual Sides prepare(const PointsPair& points) const = 0;
  virtual bool has_parameters() const { return false; }
  virtual void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) const = 0;
  // The same from the inner products of the tile, for edges that can; false when this one cannot.
  virtual bool tile_from_dots(const Side&, const Side&, Range, Range, MatrixView, MatrixRef) const = 0;
  virtual void diagonal(const Side& side, Range i, double* out) const = 0;  // of pairs (x_i, x_i)
  // Reverse mode: from v = dL/d(edge).
  virtual void pullback(const Side& x, const Side& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                        Scratch& scratch) const = 0;
  virtual void diagonal_pullback(const Side& side, Range i, const double* v, const EdgeGradient& to) const = 0;
  // dL/d(entry) of sparse rows i of x and j of y, one after the other: in memory that follows the entries and not the
  // columns. False for other sides and other edges.
  virtual bool pull_entries(const Side&, const Side&, Range, Range, MatrixView, Vector&, Vector&) const {
    return false;
  }
};

// An edge whose prepare() makes sides of the type S, which it gets back as such. What a kernel of pairs has to say:
// its numbers for a tile, and for points with themselves, to the same bits; and the way back. Thread-safe.
template <class S>
class EdgeOn : public Edge {
 public:
  void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) const final {
    pairs(as(x), as(y), i, j, out, scratch);
  }
  bool tile_from_dots(const Side& x, const Side& y, Range i, Range j, MatrixView dots, MatrixRef out) const final {
    return pairs_from_dots(as(x), as(y), i, j, dots, out);
  }
  void diagonal(const Side& side, Range i, double* out) const final { selves(as(side), i, out); }
  void pullback(const Side& x, const Side& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                Scratch& scratch) const final {
    pull_pairs(as(x), as(y), i, j, v, to, scratch);
  }
  void diagonal_pullback(const Side& side, Range i, const double* v, const EdgeGradient& to) const final {
    pull_selves(as(side), i, v, to);
  }

 private:
  virtual void pairs(const S& x, const S& y, Range i, Range j, MatrixRef out, Scratch& scratch) const = 0;
  virtual bool pairs_from_dots(const S&, const S&, Range, Range, MatrixView, MatrixRef) const { return false; }
  virtual void selves(const S& side, Range i, double* out) const = 0;
  virtual void pull_pairs(const S& x, const S& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                          Scratch& scratch) const = 0;
  virtual void pull_selves(const S& side, Range i, const double* v, const EdgeGradient& to) const = 0;

  static const S& as(const Side& side) { return static_cast<const S&>(side); }
};

// A number of each point.
class Vertex {
 public:
  virtual ~Vertex() = default;
  virtual Vector values(const Points& x) const = 0;
  virtual void pullback(const Points& x, const Vector& values, Range rows, const double* v, MatrixRef g) const = 0;
};

// An element-wise step out = f(in...).
class Op {
 public:
  explicit Op(std::vector<Slot> inputs) : inputs_(std::move(inputs)) {}
  virtual ~Op() = default;
  const std::vector<Slot>& inputs() const { return inputs_; }
  void renumber(const std::vector<Slot>& now) {
    for (Slot& slot : inputs_) slot = now[static_cast<std::size_t>(slot)];
  }
  virtual const std::vector<Value>* terms() const { return nullptr; }  // of a sum
  // Number of chunk-sized buffers that forward() fills for backward().
  virtual std::size_t tapes() const { return 0; }
  virtual void forward(std::size_t n, const double* const* in, double* out, double* const* tape) const = 0;
  // Adds to adjoints[k] unless null, and to the gradient of the parameters.
  virtual void backward(std::size_t n, const double* const* in, const double* out, double* const* tape, const double* w,
                        double* const* adjoints, double* parameters) const = 0;

 private:
  std::vector<Slot> inputs_;
};

// ---- steps (steps.cpp) ----
std::shared_ptr<const Step> columns_step(const Columns& columns);
std::shared_ptr<const Step> map_step(const NamedMap& map);
std::shared_ptr<const Step> scale_step(const std::string& who, Index param, Vector ell, Tail tail);
std::shared_ptr<const Step> power_of_two_step(int exponent);  // x 2^exponent
std::shared_ptr<const Step> circle_step(Index param, double period);
std::shared_ptr<const Step> factor_step(Matrix factor);
std::shared_ptr<const Step> unit_step(const std::string& who);
std::shared_ptr<const Step> nonnegative_step(const std::string& who);

// ---- edges (edge/) ----
std::shared_ptr<const Edge> squared_distance_edge(const std::string& who);
// |x-y|^2 of points of any finite size, from differences; beyond 1e300 it is 1e300 or, with a heavy tail, what it is.
std::shared_ptr<const Edge> wide_distance_edge(const std::string& who, Tail tail);
// Of unit vectors: |x-y|^2 up to 2, beyond that minus |x+y|^2, so that neither end of the angle loses digits.
std::shared_ptr<const Edge> chord_edge(const std::string& who);
std::shared_ptr<const Edge> dot_edge(const std::string& who);
std::shared_ptr<const Edge> absolute_distance_edge(const std::string& who);
std::shared_ptr<const Edge> min_edge(const std::string& who);
std::shared_ptr<const Edge> multilinear_edge(const std::string& who);
std::shared_ptr<const Edge> equal_columns_edge(const std::string& who);  // the share of them
std::shared_ptr<const Edge> chi2_edge(const std::string& who);           // of numbers >= 0
std::shared_ptr<const Edge> function_edge(const std::string& who, const Similarity& s);

// ---- vertices (vertices.cpp) ----
std::shared_ptr<const Vertex> norm_vertex(const std::string& who);
std::shared_ptr<const Vertex> squared_norm_vertex(const std::string& who);
std::shared_ptr<const Vertex> weight_vertex(const NamedWeight& weight);

// ---- ops (ops.cpp) ----
std::unique_ptr<Op> square_root_op(Slot in);
std::unique_ptr<Op> sum_op(std::vector<Value> terms);
std::unique_ptr<Op> polynomial_op(Slot in, std::vector<Coefficient> coefficients);
// sum_k a_k s^k with s = factor * in, where it stands beside exp(-s)
std::unique_ptr<Op> scaled_polynomial_op(Slot in, Coefficient factor, Vector a);
std::unique_ptr<Op> power_op(Slot in, Coefficient shift, int degree);
// log(1 + inverse_ell^2 in / (2 alpha)), of any size
std::unique_ptr<Op> rq_logarithm_op(Slot in, Coefficient inverse_ell, ParamRef alpha);
// log(M_nu(s)) + s with s = factor * in, for the Matern function M_nu (kernel/matern_table.hpp)
std::unique_ptr<Op> matern_op(Slot in, Coefficient factor, double nu);
// max(0, -2 (k + halves)), a squared distance where halves is minus half of k(x,x) + k(y,y)
std::unique_ptr<Op> feature_distance_op(Slot k, Slot halves);
// 2 (1 - exp(sum_t coefficient_t * slot_t))
std::unique_ptr<Op> fall_op(std::vector<Value::Exponent> exponents);
std::unique_ptr<Op> arccos_op(int order, Slot r2, Slot norm_x, Slot norm_y);
std::unique_ptr<Op> ntk_op(int depth, Slot r2);
// x.y / (|x|^2 + |y|^2 - x.y), 0 where all are 0
std::unique_ptr<Op> tanimoto_op(Slot dot, Slot x2, Slot y2);

}  // namespace mercer::detail
