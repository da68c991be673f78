// The key of a ramp of colours: from the least to the largest.
import { h } from "./dom";
import { text } from "./numbers";
import type { Theme } from "./theme";

export interface RampKey {
  name: string;
  low: number;
  high: number;
  diverging?: boolean;
  /** The large end of the ramp stands for the least value. */
  turned?: boolean;
  /** There are values beyond this end. */
  beyond?: "low" | "high";
}

export function keyOfRamp(el: HTMLElement, theme: Theme, key: RampKey): void {
  if (!Number.isFinite(key.low) || !Number.isFinite(key.high)) return;
  const ramp = theme.ramps[key.diverging ? "diverging" : "sequential"];
  const bar = h("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const ctx = bar.getContext("2d")!;
  for (let i = 0; i < 256; ++i) {
    const k = 4 * (key.turned ? 255 - i : i);
    ctx.fillStyle = `rgb(${ramp[k]},${ramp[k + 1]},${ramp[k + 2]})`;
    ctx.fillRect(i, 0, 1, 1);
  }
  el.append(
    h("div", { class: "ramp" }, h("span", { class: "ramp-name" }, key.name), h("span", null, `${key.beyond === "low" ? "≤ " : ""}${text(key.low)}`), bar, h("span", null, `${key.beyond === "high" ? "≥ " : ""}${text(key.high)}`)),
  );
}
