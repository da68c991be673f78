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

// Two unit vectors u, v by their chord: |u-v|^2 up to 2, beyond that -|u+v|^2. Near parallel and near
// opposite vectors the angle comes from an arc sine of a small number: acos of u.v would lose half of
// the digits there. delta = 1 - cos(theta).
struct Angle {
  V delta, theta, sine, cosine;

  static HWY_INLINE Angle OfChord(V chord) {
    const auto far = hn::Lt(chord, Set(0.0));
    const V small = hn::Min(hn::Mul(Set(0.5), hn::Abs(chord)), Set(2.0));  // delta, or 2 - delta
    return Angle(small, hn::IfThenElse(far, hn::Sub(Set(2.0), small), small), far);
  }
  static HWY_INLINE Angle OfDelta(V delta) {  // for delta <= 1, as all layers but the first have it
    return Angle(delta, delta, hn::Lt(delta, Set(0.0)));
  }

 private:
  HWY_INLINE Angle(V small, V delta_, hn::Mask<D> far) : delta(delta_) {
    const V half = hn::Asin(D(), hn::Sqrt(hn::Mul(Set(0.5), small)));
    const V twice = hn::Add(half, half);
    theta = hn::IfThenElse(far, hn::Sub(Set(kPi), twice), twice);
    sine = hn::Sqrt(hn::Mul(small, hn::Sub(Set(2.0), small)));
    cosine = hn::Sub(Set(1.0), delta);
  }

 public:
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
HWY_INLINE V NextDelta(const Angle& angle) {
  return hn::Max(Set(0.0), hn::NegMulAdd(angle.lag(), Set(1 / kPi), angle.delta));
}

void ArcCos(int order, const double* chord, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const Angle angle = Angle::OfChord(access.load(chord + j));
    access.store(order == 0 ? angle.kappa0() : hn::Sub(Set(1.0), NextDelta(angle)), out + j);
  });
}

void ArcCosBackward(int order, const double* chord, const double* w, Size n, double* wchord) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const Angle angle = Angle::OfChord(access.load(chord + j));
    const V slope = order == 0 ? hn::Mul(Set(-0.5 / kPi), angle.slope()) : hn::Mul(Set(-0.5), angle.kappa0());
    access.add(hn::Mul(access.load(w + j), slope), wchord + j);
  });
}

// Jacot, Gabriel & Hongler 2018, with weights scaled so that norms are kept from layer to layer:
// T <- T kappa0(theta) + kappa1(theta), cos(theta) <- kappa1(theta).
void Ntk(int depth, const double* chord, Size n, double* out) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    Angle angle = Angle::OfChord(access.load(chord + j));
    V tangent = angle.cosine;
    for (int layer = 0; layer < depth; ++layer) {
      const V delta = NextDelta(angle);
      tangent = hn::MulAdd(tangent, angle.kappa0(), hn::Sub(Set(1.0), delta));
      angle = Angle::OfDelta(delta);
    }
    access.store(tangent, out + j);
  });
}

// One input, so the derivative is carried forward beside the value.
void NtkBackward(int depth, const double* chord, const double* w, Size n, double* wchord) {
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    Angle angle = Angle::OfChord(access.load(chord + j));
    V tangent = angle.cosine;
    V delta_slope = Set(0.5), tangent_slope = Set(-0.5);
    for (int layer = 0; layer < depth; ++layer) {
      const V kappa0 = angle.kappa0();
      const V kappa0_slope = hn::Mul(Set(-1 / kPi), hn::Mul(angle.slope(), delta_slope));
      const V delta = NextDelta(angle);
      delta_slope = hn::Mul(kappa0, delta_slope);
      tangent_slope = hn::MulAdd(tangent_slope, kappa0, hn::MulSub(tangent, kappa0_slope, delta_slope));
      tangent = hn::MulAdd(tangent, kappa0, hn::Sub(Set(1.0), delta));
      angle = Angle::OfDelta(delta);
    }
    access.add(hn::Mul(access.load(w + j), tangent_slope), wchord + j);
  });
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
