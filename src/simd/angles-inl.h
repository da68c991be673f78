// Kernels of the angle between two vectors: arc-cosine and neural tangent.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_ANGLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_ANGLES_INL_H
#undef MERCER_SIMD_ANGLES_INL_H
#else
#define MERCER_SIMD_ANGLES_INL_H
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

constexpr double kPi = 3.14159265358979323846;

// Two unit vectors by delta = 1 - cos(theta). Near parallel and near opposite vectors the angle comes
// from an arc sine of a small number: acos(1 - delta) would lose half of the digits there.
struct Angle {
  V theta, sine, cosine;

  HWY_INLINE explicit Angle(V delta) {
    delta = hn::Min(hn::Max(delta, Set(0.0)), Set(2.0));
    const V rest = hn::Sub(Set(2.0), delta);
    const V half = hn::Sqrt(hn::Mul(Set(0.5), hn::Min(delta, rest)));  // sin of the smaller half angle
    const V twice = hn::Add(hn::Asin(D(), half), hn::Asin(D(), half));
    theta = hn::IfThenElse(hn::Le(delta, Set(1.0)), twice, hn::Sub(Set(kPi), twice));
    sine = hn::Sqrt(hn::Mul(delta, rest));
    cosine = hn::Sub(Set(1.0), delta);
  }
  HWY_INLINE V kappa0() const { return hn::Mul(hn::Sub(Set(kPi), theta), Set(1 / kPi)); }
  // sin(theta) - theta cos(theta), by its series where the difference would cancel
  HWY_INLINE V lag() const {
    const V t2 = hn::Mul(theta, theta);
    V series = Set(-12.0 / 6227020800.0);
    series = hn::MulAdd(series, t2, Set(1.0 / 3991680.0));
    series = hn::MulAdd(series, t2, Set(-1.0 / 45360.0));
    series = hn::MulAdd(series, t2, Set(1.0 / 840.0));
    series = hn::MulAdd(series, t2, Set(-1.0 / 30.0));
    series = hn::MulAdd(series, t2, Set(1.0 / 3.0));
    const V small = hn::Mul(hn::Mul(series, t2), theta);
    return hn::IfThenElse(hn::Lt(theta, Set(0.5)), small, hn::NegMulAdd(theta, cosine, sine));
  }
  // d theta / d delta; 0 stands for the infinite slope at parallel vectors
  HWY_INLINE V slope() const { return hn::IfThenElseZero(hn::Gt(sine, Set(0.0)), hn::Div(Set(1.0), sine)); }
};

// 1 - kappa1, kappa1 = (sin + (pi - theta) cos)/pi, without cancellation near theta = 0
HWY_INLINE V NextDelta(V delta, const Angle& angle) { return hn::NegMulAdd(angle.lag(), Set(1 / kPi), delta); }

void ArcCos(int order, const double* r2, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V delta = hn::Mul(Set(0.5), access.load(r2 + j));
    const Angle angle(delta);
    access.store(order == 0 ? angle.kappa0() : hn::Sub(Set(1.0), NextDelta(delta, angle)), out + j);
  });
}

void ArcCosBackward(int order, const double* r2, const double* w, Size n, double* wr2) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const Angle angle(hn::Mul(Set(0.5), access.load(r2 + j)));
    const V slope = order == 0 ? hn::Mul(Set(-0.5 / kPi), angle.slope()) : hn::Mul(Set(-0.5), angle.kappa0());
    access.add(hn::Mul(access.load(w + j), slope), wr2 + j);
  });
}

// Jacot, Gabriel & Hongler 2018, with weights scaled so that norms are kept from layer to layer:
// T <- T kappa0(theta) + kappa1(theta), cos(theta) <- kappa1(theta).
void Ntk(int depth, const double* r2, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    V delta = hn::Mul(Set(0.5), access.load(r2 + j));
    V tangent = hn::Sub(Set(1.0), delta);
    for (int layer = 0; layer < depth; ++layer) {
      const Angle angle(delta);
      delta = NextDelta(delta, angle);
      tangent = hn::MulAdd(tangent, angle.kappa0(), hn::Sub(Set(1.0), delta));
    }
    access.store(tangent, out + j);
  });
}

// One input, so the derivative is carried forward beside the value.
void NtkBackward(int depth, const double* r2, const double* w, Size n, double* wr2) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    V delta = hn::Mul(Set(0.5), access.load(r2 + j));
    V tangent = hn::Sub(Set(1.0), delta);
    V delta_slope = Set(0.5), tangent_slope = Set(-0.5);
    for (int layer = 0; layer < depth; ++layer) {
      const Angle angle(delta);
      const V kappa0 = angle.kappa0();
      const V kappa0_slope = hn::Mul(Set(-1 / kPi), hn::Mul(angle.slope(), delta_slope));
      delta = NextDelta(delta, angle);
      delta_slope = hn::Mul(kappa0, delta_slope);
      tangent_slope = hn::MulAdd(tangent_slope, kappa0, hn::MulSub(tangent, kappa0_slope, delta_slope));
      tangent = hn::MulAdd(tangent, kappa0, hn::Sub(Set(1.0), delta));
    }
    access.add(hn::Mul(access.load(w + j), tangent_slope), wr2 + j);
  });
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
