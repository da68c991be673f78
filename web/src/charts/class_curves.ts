// What ROC and precision-recall curves share: one curve a class with its band, its area said in the legend.
import { band, columns, group, hover, legend, line, plot, text, unpack, type Plot, type Theme } from "../kit";
import type { ClassCurve, TableData } from "./types";

const bands = 3; // of more classes the bands would hide each other

export function areaWords(curve: ClassCurve, what: string): string {
  const name = curve.name ? `${curve.name}: ` : "";
  const spread = curve.area_low !== undefined && curve.area_high !== undefined ? ` (${text(curve.area_low, 3)} to ${text(curve.area_high, 3)})` : "";
  return `${name}${what} ${text(curve.area, 3)}${spread}`;
}

export interface Words {
  x: string;
  y: string;
  area: string;
}

export function drawCurves(el: HTMLElement, curves: ClassCurve[], words: Words, theme: Theme, under: (p: Plot) => void): void {
  el.replaceChildren();
  legend(el, curves.map((curve, i) => ({ name: areaWords(curve, words.area), kind: "line", ...group(theme, i) })));
  const side = Math.min(440, Math.max(280, el.clientWidth || 440));
  const p = plot(el, { x: { label: words.x }, y: { label: words.y }, xs: [0, 1], ys: [0, 1], theme, width: Math.min(side, el.clientWidth || side), height: side, equal: true });
  under(p);
  const all = curves.map((curve) => ({ curve, x: unpack(curve.x), y: unpack(curve.y), cut: curve.cut ? unpack(curve.cut) : null }));
  all.forEach(({ curve, x }, i) => {
    if (curve.low && curve.high && curves.length <= bands + 1) band(p, x, unpack(curve.low), unpack(curve.high), { colour: group(theme, i).colour, opacity: 0.15 });
  });
  all.forEach(({ x, y }, i) => line(p, x, y, { colour: group(theme, i).colour, dash: group(theme, i).dash, width: 2 }));
  const of = all.flatMap(({ x }, c) => Array.from(x, (_, i) => [c, i]));
  hover(p, {
    x: of.map(([c, i]) => all[c].x[i]),
    y: of.map(([c, i]) => all[c].y[i]),
    text(k) {
      const [c, i] = of[k];
      const { curve, x, y, cut } = all[c];
      return [curve.name || "at this cut-off", `${words.x} ${text(x[i], 3)}`, `${words.y} ${text(y[i], 3)}`, ...(cut && Number.isFinite(cut[i]) ? [`cut-off ${text(cut[i], 3)}`] : [])];
    },
  });
}

export function tableOf(curves: ClassCurve[], words: Words): TableData {
  const flat = (of: (curve: ClassCurve, n: number) => ArrayLike<number | string>) => curves.flatMap((curve) => Array.from(of(curve, unpack(curve.x).length)));
  const empty = (n: number) => new Float64Array(n).fill(NaN);
  return columns(
    ["class", flat((curve, n) => Array<string>(n).fill(curve.name))],
    [words.x, flat((curve) => unpack(curve.x))],
    [words.y, flat((curve) => unpack(curve.y))],
    ["low", flat((curve, n) => (curve.low ? unpack(curve.low) : empty(n)))],
    ["high", flat((curve, n) => (curve.high ? unpack(curve.high) : empty(n)))],
    ["cut-off", flat((curve, n) => (curve.cut ? unpack(curve.cut) : empty(n)))],
    [words.area, flat((curve, n) => Array<number>(n).fill(curve.area))],
  );
}
