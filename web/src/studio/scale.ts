// Sliders: 1,000 steps between two ends, evenly on the axis or on its logarithm.

export interface Scale {
  low: number;
  high: number;
  log: boolean;
}

export const steps = 1000;

export function position(scale: Scale, value: number): number {
  const at = scale.log
    ? Math.log(value / scale.low) / Math.log(scale.high / scale.low)
    : (value - scale.low) / (scale.high - scale.low);
  return Math.round(steps * Math.min(1, Math.max(0, at)));
}

export function valueAt(scale: Scale, position: number): number {
  const t = position / steps;
  const value = scale.log ? scale.low * (scale.high / scale.low) ** t : scale.low + (scale.high - scale.low) * t;
  return Number(value.toPrecision(3));
}

/** Where a value may be moved to: around it, within its bounds. Positive numbers go by factors, others by steps. */
export function scaleFor(value: number, lower: number | null, upper: number | null): Scale {
  const positive = lower !== null && lower >= 0 && value > 0;
  if (positive && upper !== null && lower > 0 && upper / lower <= 20) return { low: lower, high: upper, log: false };
  if (positive) {
    const power = 10 ** Math.round(Math.log10(value));
    return { low: Math.max(power / 100, lower), high: Math.min(power * 100, upper ?? Infinity), log: true };
  }
  if (lower !== null && upper !== null) return { low: lower, high: upper, log: false };
  const reach = Math.max(1, 4 * Math.abs(value));
  return { low: Math.max(lower ?? -Infinity, value - reach), high: Math.min(upper ?? Infinity, value + reach), log: false };
}

/** Three digits, without a tail of zeros or an exponent where a person would write none. */
export function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(size >= 1000 ? 4 : 3)));
}
