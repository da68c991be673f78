// Numbers as the charts get them, and as people read them.
import type { Numbers } from "../charts/types";

function bytes(base64: string): Uint8Array {
  const binary = atob(base64);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; ++i) out[i] = binary.charCodeAt(i);
  return out;
}

/** What is undefined (null) is NaN. */
export function unpack(numbers: Numbers): Float64Array {
  if (Array.isArray(numbers)) {
    const out = new Float64Array(numbers.length);
    for (let i = 0; i < out.length; ++i) out[i] = numbers[i] ?? NaN;
    return out;
  }
  if ("f32" in numbers) {
    const raw = bytes(numbers.f32);
    const view = new DataView(raw.buffer);
    const offset = numbers.offset ?? 0;
    const out = new Float64Array(Math.floor(raw.length / 4));
    for (let i = 0; i < out.length; ++i) out[i] = view.getFloat32(4 * i, true) + offset;
    return out;
  }
  const raw = bytes(numbers.u8);
  const step = (numbers.max - numbers.min) / 255;
  return Float64Array.from(raw, (byte) => numbers.min + byte * step);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const power = (exponent: number): string =>
  `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => superscripts[+digit]).join("")}`;

/** "12345.5" with a proper minus, and narrow spaces between thousands from 10,000 on. */
export function pretty(plain: string): string {
  const [whole, fraction] = plain.replace("-", "").split(".");
  const spaced = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return (plain.startsWith("-") ? "−" : "") + spaced + (fraction === undefined ? "" : `.${fraction}`);
}

/** A number for people: four significant digits (whole numbers whole), 1.2×10⁻⁷ where it is very small or large. */
export function text(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return pretty(String(value));
  if (size < 1e-4 || size >= 1e7) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${pretty(String(Number(mantissa)))}×${power(Number(exponent))}`;
  }
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return pretty(String(Number(value.toFixed(decimals))));
}

export const percent = (share: number, digits = 3): string => `${text(100 * share, digits)}\u202f%`;

/** Least and largest of what is finite; [Infinity, -Infinity] where nothing is. */
export function extent(...arrays: ArrayLike<number>[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const array of arrays)
    for (let i = 0; i < array.length; ++i) {
      const value = array[i];
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}
