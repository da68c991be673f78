// The innermost loops of the tile engine: plain functions on arrays, compiled once per instruction
// set and chosen for the CPU at run time. Nothing outside src/simd sees Highway.
//
// Forward loops write out[0..n). Backward loops take w = dL/dout and add to the adjoints of their
// inputs; a null adjoint is not wanted. Reductions return their sum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer::simd {

using Size = std::size_t;

// ---- pairs of points ----

// Points packed by panels of kPanel: column k of point i is at (i / kPanel) * kPanel * d + k * kPanel + i % kPanel.
// Missing points of the last panel are zeros. Packing happens once per point set, so a tile costs its
// arithmetic and no more.
constexpr Size kPanel = 24;
inline Size packed_size(Size n, Size d) { return (n + kPanel - 1) / kPanel * kPanel * d; }
// Packs rows [0, n) less `shift`, and their squared norms.
void pack(const double* rows, Size stride, const double* shift, Size n, Size d, double* packed, double* squared_norms);

// Points [begin, end) of a packed set that starts at `data`.
struct Packed {
  const double* data;
  Size begin, end;
};
// What is computed of a pair: sum x_k y_k, sum (x_k - y_k)^2, sum |x_k - y_k|, prod min(x_k, y_k), prod (1 + x_k y_k),
// how many x_k = y_k, sum (x_k - y_k)^2 / (x_k + y_k) over those that are not both 0, of numbers >= 0.
enum class Pairing {
  dot,
  squared_distance,
  absolute_distance,
  min_product,
  multilinear_product,
  equal_columns,
  chi2_distance
};
// out(i, j) for all pairs of the two ranges; any ranges, whole panels fastest.
void pair_tile(Pairing pairing, const Packed& x, const Packed& y, Size d, double* out, Size stride);

void add_scaled(double a, const double* x, Size n, double* out);  // out += a x

// out = max(0, x2 + y2 - 2 dot); out may be dots itself. Returns whether some entry lost digits to
// cancellation, that is, came out below `guard` times x2 + y2.
bool distances_from_dots(double x2, const double* y2, double guard, Size n, const double* dots, double* out);

// ---- element-wise steps ----

void fill(double value, Size n, double* out);
double sum(const double* a, Size n);
double dot(const double* a, const double* b, Size n);
bool all_finite(const double* a, Size n);  // neither infinity nor NaN

void square_root(const double* a, Size n, double* out);
void square_root_backward(const double* out, const double* w, Size n, double* wa);

// One term of a sum: scale * prod(factors) * exp(sum_t coefficients[t] * exponents[t]).
struct Monomial {
  double scale;
  Size n_factors;
  const double* const* factors;
  Size n_exponents;
  const double* const* exponents;
  const double* coefficients;
};
// out = term, or out += term when `accumulate`. With `tape`, keeps exp(...) there for the way back.
void monomial(const Monomial& term, bool accumulate, Size n, double* out, double* tape);
// Adds to factor_adjoints[f] and exponent_adjoints[t] where they are not null; returns
// sum w * term / scale, and in exponent_sums[t] the sum of w * term * exponents[t].
double monomial_backward(const Monomial& term, const double* tape, const double* w, Size n,
                         double* const* factor_adjoints, double* const* exponent_adjoints, double* exponent_sums);

// out = sum_k c[k] a^k, k = 0..degree
void polynomial(const double* c, Size degree, const double* a, Size n, double* out);
// Adds to sums[k] the sum of w a^k.
void polynomial_backward(const double* c, Size degree, const double* a, const double* w, Size n, double* wa,
                         double* sums);

// out = p(s), s = min(factor * a, kFar), with p(s) = sum_k c[k] s^k: what stands beside exp(-s), which is 0 from kFar
// on.
constexpr double kFar = 1000;
void scaled_polynomial(const double* c, Size degree, double factor, const double* a, Size n, double* out);
// Returns sum w d out/d factor.
double scaled_polynomial_backward(const double* c, Size degree, double factor, const double* a, const double* w, Size n,
                                  double* wa);

// out = (a + c)^degree, degree >= 1; backward returns sum w d out/dc.
void power(double c, Size degree, const double* a, Size n, double* out);
double power_backward(double c, Size degree, const double* a, const double* w, Size n, double* wa);

// out = log(1 + b a), where b a does not overflow; backward returns b sum w d out/db.
void log1p_scaled(double b, const double* a, Size n, double* out);
double log1p_scaled_backward(double b, const double* a, const double* w, Size n, double* wa);

// a = scale (1 - exp(rate a)), to all digits also where the exponential is close to 1; rate a is at most 0.
void fall(double scale, double rate, Size n, double* a);

// Numbers below `limit`: their places to `out`, which has room for n, in order. Returns how many there are.
Size find_below(double limit, const double* a, Size n, std::uint32_t* out);

// Arc-cosine kernels (Cho & Saul 2009) of unit vectors u, v with the angle theta, given their chord:
// |u-v|^2 up to 2, beyond that -|u+v|^2. Order 0: 1 - theta/pi; order 1: (sin theta + (pi - theta) cos theta)/pi.
// Backward loops take the derivative with respect to |u-v|^2 on both branches.
void arccos(int order, const double* chord, Size n, double* out);
void arccos_backward(int order, const double* chord, const double* w, Size n, double* wchord);

// Neural tangent kernel of a ReLU network with `depth` hidden layers, for unit vectors given by their chord.
void ntk(int depth, const double* chord, Size n, double* out);
void ntk_backward(int depth, const double* chord, const double* w, Size n, double* wchord);

// ---- products with tiles ----

// out += T v and back += T' w, each where it is not null, for a tile T of `rows` x `cols` numbers, read once. A row
// begins `stride` numbers after the one before. Sums are double.
void tile_products(const double* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                   double* back);
void tile_products(const float* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                   double* back);
void round_to_floats(const double* a, Size n, float* out);

// ---- moving tiles to memory ----

// Rows of `tile` (rows x cols, row stride `from`) to `out` (row stride `to`); the transposed one
// writes out(j, i) = tile(i, j).
void store(const double* tile, Size rows, Size cols, Size from, double* out, Size to);
void store_transposed(const double* tile, Size rows, Size cols, Size from, double* out, Size to);

}  // namespace mercer::simd
