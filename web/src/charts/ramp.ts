// What a shade means: the colours from one value to another.
import { h, s, type Theme } from "../kit";

export function rampLegend(theme: Theme, kind: "sequential" | "diverging", low: string, high: string, name = ""): HTMLElement {
  const steps = 32;
  const width = 128;
  const cell = width / steps;
  const rects = Array.from({ length: steps }, (_, i) => s("rect", { x: i * cell, width: cell + 0.3, height: 10, fill: theme[kind](i / (steps - 1)) }));
  return h("div", { class: "ramp" }, name ? h("span", { class: "ramp-name" }, name) : null, h("span", null, low), s("svg", { width, height: 10, "aria-hidden": "true" }, ...rects), h("span", null, high));
}

/** The largest size of what is finite; 1 where there is nothing, so that it can be divided by. */
export function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; ++i) if (Number.isFinite(values[i])) most = Math.max(most, Math.abs(values[i]));
  return most || 1;
}

/** With its sign, also where it is positive. */
export const signed = (words: string): string => (/^[−–0]/.test(words) && !/^0\.\d*[1-9]/.test(words) ? words : `+${words}`);
