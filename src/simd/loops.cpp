#include "simd/loops.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/loops.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/angles-inl.h"
#include "simd/elementwise-inl.h"
#include "simd/pairs-inl.h"
#include "simd/products-inl.h"
#include "simd/store-inl.h"
#include "simd/target.hpp"

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(AddScaled);
HWY_EXPORT(Pack);
HWY_EXPORT(PairTile);
HWY_EXPORT(DistancesFromDots);
HWY_EXPORT(Fill);
HWY_EXPORT(Sum);
HWY_EXPORT(Dot);
HWY_EXPORT(AllFinite);
HWY_EXPORT(SquareRoot);
HWY_EXPORT(SquareRootBackward);
HWY_EXPORT(MonomialForward);
HWY_EXPORT(MonomialBackward);
HWY_EXPORT(Polynomial);
HWY_EXPORT(PolynomialBackward);
HWY_EXPORT(ScaledPolynomial);
HWY_EXPORT(ScaledPolynomialBackward);
HWY_EXPORT(Power);
HWY_EXPORT(PowerBackward);
HWY_EXPORT(Log1pScaled);
HWY_EXPORT(Log1pScaledBackward);
HWY_EXPORT(Fall);
HWY_EXPORT(FindBelow);
HWY_EXPORT(ArcCos);
HWY_EXPORT(ArcCosBackward);
HWY_EXPORT(Ntk);
HWY_EXPORT(NtkBackward);
HWY_EXPORT(TileProducts);
HWY_EXPORT(FloatTileProducts);
HWY_EXPORT(RoundToFloats);
HWY_EXPORT(StoreRows);
HWY_EXPORT(StoreTransposed);

void add_scaled(double a, const double* x, Size n, double* out) { MERCER_DISPATCH(AddScaled)(a, x, n, out); }
void pack(const double* rows, Size stride, const double* shift, Size n, Size d, double* packed, double* squared_norms) {
  MERCER_DISPATCH(Pack)(rows, stride, shift, n, d, packed, squared_norms);
}
void pair_tile(Pairing pairing, const Packed& x, const Packed& y, Size d, double* out, Size stride) {
  MERCER_DISPATCH(PairTile)(pairing, x, y, d, out, stride);
}
bool distances_from_dots(double x2, const double* y2, double guard, Size n, const double* dots, double* out) {
  return MERCER_DISPATCH(DistancesFromDots)(x2, y2, guard, n, dots, out);
}
void fill(double value, Size n, double* out) { MERCER_DISPATCH(Fill)(value, n, out); }
double sum(const double* a, Size n) { return MERCER_DISPATCH(Sum)(a, n); }
double dot(const double* a, const double* b, Size n) { return MERCER_DISPATCH(Dot)(a, b, n); }
bool all_finite(const double* a, Size n) { return MERCER_DISPATCH(AllFinite)(a, n); }
void square_root(const double* a, Size n, double* out) { MERCER_DISPATCH(SquareRoot)(a, n, out); }
void square_root_backward(const double* out, const double* w, Size n, double* wa) {
  MERCER_DISPATCH(SquareRootBackward)(out, w, n, wa);
}
void monomial(const Monomial& term, bool accumulate, Size n, double* out, double* tape) {
  MERCER_DISPATCH(MonomialForward)(term, accumulate, n, out, tape);
}
double monomial_backward(const Monomial& term, const double* tape, const double* w, Size n,
                         double* const* factor_adjoints, double* const* exponent_adjoints, double* exponent_sums) {
  return MERCER_DISPATCH(MonomialBackward)(term, tape, w, n, factor_adjoints, exponent_adjoints, exponent_sums);
}
void polynomial(const double* c, Size degree, const double* a, Size n, double* out) {
  MERCER_DISPATCH(Polynomial)(c, degree, a, n, out);
}
void polynomial_backward(const double* c, Size degree, const double* a, const double* w, Size n, double* wa,
                         double* sums) {
  MERCER_DISPATCH(PolynomialBackward)(c, degree, a, w, n, wa, sums);
}
void scaled_polynomial(const double* c, Size degree, double factor, const double* a, Size n, double* out) {
  MERCER_DISPATCH(ScaledPolynomial)(c, degree, factor, a, n, out);
}
double scaled_polynomial_backward(const double* c, Size degree, double factor, const double* a, const double* w, Size n,
                                  double* wa) {
  return MERCER_DISPATCH(ScaledPolynomialBackward)(c, degree, factor, a, w, n, wa);
}
void power(double c, Size degree, const double* a, Size n, double* out) {
  MERCER_DISPATCH(Power)(c, degree, a, n, out);
}
double power_backward(double c, Size degree, const double* a, const double* w, Size n, double* wa) {
  return MERCER_DISPATCH(PowerBackward)(c, degree, a, w, n, wa);
}
void log1p_scaled(double b, const double* a, Size n, double* out) { MERCER_DISPATCH(Log1pScaled)(b, a, n, out); }
double log1p_scaled_backward(double b, const double* a, const double* w, Size n, double* wa) {
  return MERCER_DISPATCH(Log1pScaledBackward)(b, a, w, n, wa);
}
void fall(double scale, double rate, Size n, double* a) { MERCER_DISPATCH(Fall)(scale, rate, n, a); }
Size find_below(double limit, const double* a, Size n, std::uint32_t* out) {
  return MERCER_DISPATCH(FindBelow)(limit, a, n, out);
}
void arccos(int order, const double* chord, Size n, double* out) { MERCER_DISPATCH(ArcCos)(order, chord, n, out); }
void arccos_backward(int order, const double* chord, const double* w, Size n, double* wchord) {
  MERCER_DISPATCH(ArcCosBackward)(order, chord, w, n, wchord);
}
void ntk(int depth, const double* chord, Size n, double* out) { MERCER_DISPATCH(Ntk)(depth, chord, n, out); }
void ntk_backward(int depth, const double* chord, const double* w, Size n, double* wchord) {
  MERCER_DISPATCH(NtkBackward)(depth, chord, w, n, wchord);
}
void tile_products(const double* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                   double* back) {
  MERCER_DISPATCH(TileProducts)(tile, stride, rows, cols, v, out, w, back);
}
void tile_products(const float* tile, Size stride, Size rows, Size cols, const double* v, double* out, const double* w,
                   double* back) {
  MERCER_DISPATCH(FloatTileProducts)(tile, stride, rows, cols, v, out, w, back);
}
void round_to_floats(const double* a, Size n, float* out) { MERCER_DISPATCH(RoundToFloats)(a, n, out); }
void store(const double* tile, Size rows, Size cols, Size from, double* out, Size to) {
  MERCER_DISPATCH(StoreRows)(tile, rows, cols, from, out, to);
}
void store_transposed(const double* tile, Size rows, Size cols, Size from, double* out, Size to) {
  MERCER_DISPATCH(StoreTransposed)(tile, rows, cols, from, out, to);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
