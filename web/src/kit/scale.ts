// Domains, scales and ticks of axes.
import { scaleLinear, scaleLog } from "d3-scale";
import type { Axis } from "../charts/types";
import { extent, power, pretty } from "./numbers";

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  domain(): number[];
  range(): number[];
}

/** A domain that can be drawn: finite, of some width, positive for a logarithmic axis. */
export function sane([low, high]: [number, number], log = false): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return log ? [0.1, 10] : [0, 1];
  if (low > high) [low, high] = [high, low];
  if (log) {
    if (high <= 0) return [0.1, 10];
    if (low <= 0) low = high / 1e6;
    return high / low < 1 + 1e-9 ? [low / 2, high * 2] : [low, high];
  }
  const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (high - low > least) return [low, high];
  const half = low === 0 ? 1 : Math.abs(low) / 10;
  return [low - half, high + half];
}

/** The axis' own domain, or that of the values with some room on both sides. */
export function domain(axis: Axis, values: ArrayLike<number>[], room = 0.04): [number, number] {
  if (axis.domain) return sane(axis.domain, axis.log);
  let found = extent(...values);
  if (axis.log) {
    if (found[0] <= 0) found = extent(...values.map((array) => Array.from(array).filter((value) => value > 0)));
    const [low, high] = sane(found, true);
    const factor = (high / low) ** room;
    return [low / factor, high * factor];
  }
  const [low, high] = sane(found);
  return [low - room * (high - low), high + room * (high - low)];
}

export function scale(axis: Axis, limits: [number, number], range: [number, number]): Scale {
  return (axis.log ? scaleLog() : scaleLinear()).domain(sane(limits, axis.log)).range(range) as Scale;
}

export interface Tick {
  at: number;
  text: string;
}

function plain(value: number, step: number): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return pretty(value.toFixed(Math.min(decimals, 12)).replace(/^-(0(\.0*)?)$/, "$1"));
}

function linearTicks(low: number, high: number, count: number): Tick[] {
  const at = scaleLinear().domain([low, high]).ticks(count);
  const step = at.length > 1 ? Math.abs(at[1] - at[0]) : high - low;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const exponent = Math.floor(Math.log10(largest));
  if (exponent < 6 && (step >= 1e-4 || exponent >= -3)) return at.map((value) => ({ at: value, text: plain(value, step) }));
  const unit = 10 ** exponent;
  return at.map((value) => ({ at: value, text: value === 0 ? "0" : `${plain(value / unit, step / unit)}×${power(exponent)}` }));
}

function logTicks(low: number, high: number, count: number): Tick[] {
  const from = Math.ceil(Math.log10(low) - 1e-9);
  const to = Math.floor(Math.log10(high) + 1e-9);
  const short = (value: number) =>
    value >= 0.0009999 && value < 1e5 ? plain(value, Math.min(1, value)) : power(Math.round(Math.log10(value)));
  if (to - from + 1 >= 2 && count < 3 * Math.log10(high / low)) {
    const every = Math.max(1, Math.ceil((to - from + 1) / Math.max(2, count)));
    const out: Tick[] = [];
    for (let e = from; e <= to; ++e) if ((e - from) % every === 0) out.push({ at: 10 ** e, text: short(10 ** e) });
    return out;
  }
  const out: Tick[] = [];
  for (let e = from - 1; e <= to; ++e)
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** e;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        out.push({ at: value, text: value >= 1e-4 && value < 1e5 ? plain(value, 10 ** e) : `${digit}×${power(e)}` });
    }
  return out.length >= 2 ? out : linearTicks(low, high, count);
}

export function ticks(axis: Axis, limits: [number, number], count: number): Tick[] {
  const [low, high] = sane(limits, axis.log);
  return axis.log ? logTicks(low, high, count) : linearTicks(low, high, count);
}

export const axisTitle = (axis: Axis): string => (axis.unit ? `${axis.label} (${axis.unit})` : axis.label);
