// Candidates of a search: a grid of cells, or a line with error bars where there is one parameter.
import type { Chart } from "../kit/chart";
import { s } from "../kit/dom";
import { clear, hover } from "../kit/hover";
import { legend } from "../kit/legend";
import { dots, line, rule, sticks } from "../kit/marks";
import { extent, pretty, text } from "../kit/numbers";
import { plot, type Plot } from "../kit/plot";
import { keyOfRamp } from "../kit/ramp";
import { domain, type Tick } from "../kit/scale";
import { readable, type Theme } from "../kit/theme";
import type { Axis, TuningGrid } from "./types";

const tip = (data: TuningGrid, i: number): string[] => {
  const cell = data.cells[i];
  const figure = `${data.name}: ${text(cell.value)}${cell.se === undefined ? "" : ` ± ${text(cell.se, 2)}`}`;
  const standing = i === data.best ? (data.chosen ? "chosen" : "the best") : cell.within ? "within one standard error of the best" : "";
  return [figure, cell.label, standing].filter(Boolean);
};

function overOne(el: HTMLElement, data: TuningGrid, theme: Theme): void {
  const order = data.cells.map((_, i) => i).sort((a, b) => data.cells[a].x - data.cells[b].x);
  const cells = order.map((i) => data.cells[i]);
  const x = cells.map((cell) => cell.x);
  const value = cells.map((cell) => cell.value ?? NaN);
  const low = cells.map((cell) => (cell.value ?? NaN) - (cell.se ?? 0));
  const high = cells.map((cell) => (cell.value ?? NaN) + (cell.se ?? 0));
  const y: Axis = { label: data.name };
  const p = plot(el, { x: data.x, y, xs: domain(data.x, [x]), ys: domain(y, [low, high], 0.08), theme });
  const best = data.cells[data.best];
  if (best?.se !== undefined && best.value !== null)
    rule(p, { y: best.value + (data.larger_is_better ? -1 : 1) * best.se }, { label: "one standard error from the best" });
  line(p, x, value, { colour: theme.groups[0], width: 1.5, opacity: 0.6 });
  sticks(p, x, low, high, { colour: theme.groups[0], width: 1.5 });
  const indices = cells.map((_, i) => i);
  dots(p, x, value, { colour: theme.groups[0], r: 4 }, indices.filter((i) => cells[i].within));
  dots(p, x, value, { colour: theme.groups[0], r: 4, hollow: true }, indices.filter((i) => !cells[i].within));
  if (best) dots(p, [best.x], [best.value ?? NaN], { colour: theme.groups[1], shape: "diamond", r: 6 });
  hover(p, { x, y: value, text: (i) => tip(data, order[i]) });
}

/** Places of distinct values, evenly spaced, with names that fit. */
function slots(axis: Axis, values: number[]): { at: Map<number, number>; ticks: Tick[]; axis: Axis } {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return {
    at: new Map(distinct.map((value, i) => [value, i])),
    ticks: distinct.map((value, i) => ({ at: i, text: text(value, 3) })),
    axis: { ...axis, log: false },
  };
}

function outlineCell(p: Plot, i: number, j: number, attributes: Record<string, string | number>): void {
  const [x0, x1, y0, y1] = [p.sx(i - 0.5), p.sx(i + 0.5), p.sy(j + 0.5), p.sy(j - 0.5)];
  p.svg.append(s("rect", { x: x0 + 2, y: y0 + 2, width: Math.max(1, x1 - x0 - 4), height: Math.max(1, y1 - y0 - 4), rx: 2, fill: "none", ...attributes }));
}

function overTwo(el: HTMLElement, data: TuningGrid, theme: Theme): void {
  const xs = slots(data.x, data.cells.map((cell) => cell.x));
  const ys = slots(data.y!, data.cells.map((cell) => cell.y ?? NaN));
  const values = data.cells.map((cell) => cell.value ?? NaN);
  const [low, high] = extent(values);
  keyOfRamp(el, theme, { name: data.name, low, high, turned: !data.larger_is_better });
  const somewhere = data.cells.some((cell, i) => cell.within && i !== data.best);
  legend(el, [
    { name: data.chosen ? "chosen" : "best", kind: "dot", shape: "diamond", colour: theme.groups[1] },
    ...(somewhere ? [{ name: "within one standard error of it", kind: "ring" as const, colour: theme.ink }] : []),
  ]);
  const rows = ys.ticks.length;
  const p = plot(el, {
    x: xs.axis,
    y: ys.axis,
    xs: [-0.5, xs.ticks.length - 0.5],
    ys: [-0.5, rows - 0.5],
    xTicks: xs.ticks,
    yTicks: ys.ticks,
    theme,
    grid: false,
    height: Math.max(180, Math.min(480, 70 + rows * 38)),
    label: `${data.name} over ${data.x.label} and ${data.y!.label}`,
  });
  const { ctx } = p;
  // All with as many decimals, so that they compare at a glance.
  const decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)) || 1))));
  const wide = p.width / xs.ticks.length;
  const tall = p.height / rows;
  const px: number[] = [];
  const py: number[] = [];
  data.cells.forEach((cell, k) => {
    const i = xs.at.get(cell.x) ?? 0;
    const j = ys.at.get(cell.y ?? NaN) ?? 0;
    px.push(i);
    py.push(j);
    if (cell.value === null || !Number.isFinite(cell.value)) return;
    const t = high > low ? (cell.value - low) / (high - low) : 1;
    const colour = theme.sequential(data.larger_is_better ? t : 1 - t);
    ctx.fillStyle = colour;
    ctx.fillRect(p.sx(i - 0.5) + 0.75, p.sy(j + 0.5) + 0.75, wide - 1.5, tall - 1.5);
    const roomy = wide > 46 && tall > 20;
    if (roomy) {
      ctx.fillStyle = readable(colour);
      ctx.font = `${k === data.best ? 600 : 400} 12px ${theme.font}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(pretty(cell.value.toFixed(decimals)), p.sx(i), p.sy(j) + 0.5);
    }
    if (k === data.best) {
      outlineCell(p, i, j, { stroke: theme.groups[1], "stroke-width": 3 });
      if (!roomy) dots(p, [i], [j], { colour: theme.groups[1], shape: "diamond", r: Math.max(3, Math.min(5, tall / 4)) });
    } else if (cell.within) {
      if (roomy) outlineCell(p, i, j, { stroke: readable(colour), "stroke-width": 1.2, "stroke-dasharray": "3 2" });
      else dots(p, [i], [j], { colour: readable(colour), hollow: true, r: Math.max(2, Math.min(4, tall / 5)) });
    }
  });
  hover(p, { x: px, y: py, reach: Math.max(22, Math.hypot(wide, tall) / 2), text: (i) => tip(data, i) });
}

export const tuning: Chart<TuningGrid> = {
  draw(el, data, theme) {
    clear(el);
    if (data.y && data.cells.some((cell) => cell.y !== undefined)) overTwo(el, data, theme);
    else overOne(el, data, theme);
  },
  table(data) {
    const sign = data.larger_is_better ? -1 : 1;
    const last = (value: number | null) => (value === null || Number.isNaN(value) ? Infinity : sign * value);
    const order = data.cells.map((_, i) => i).sort((a, b) => last(data.cells[a].value) - last(data.cells[b].value) || a - b);
    return {
      columns: ["candidate", data.name, "standard error", "standing"],
      rows: order.map((i) => {
        const { label, value, se, within } = data.cells[i];
        return [label, value, se ?? null, i === data.best ? (data.chosen ? "chosen" : "best") : within ? "within one standard error" : ""];
      }),
    };
  },
};
