// Are the stated uncertainties right? Left-out errors against the normal distribution, their probability integral
// transform, and how many points the intervals of each level hold.
import type { Chart } from "../kit/chart";
import { h } from "../kit/dom";
import { clear, hover } from "../kit/hover";
import { band, dots, dotSize, line, rect, rule, write } from "../kit/marks";
import { extent, percent, text, unpack } from "../kit/numbers";
import { panels, plot, type Plot } from "../kit/plot";
import { domain } from "../kit/scale";
import { fade, type Theme } from "../kit/theme";
import type { Calibration } from "./types";

/** The line of what ought to be: y = x. */
export function diagonal(p: Plot, from: number, to: number, words?: string): void {
  line(p, [from, to], [from, to], { colour: p.theme.muted, width: 1, dash: [4, 3] });
  if (words) write(p, p.sx(from + 0.28 * (to - from)) - 6, p.sy(from + 0.28 * (to - from)) - 4, words, { anchor: "end", colour: p.theme.muted });
}

function quantiles(el: HTMLElement, width: number, data: Calibration["z"], theme: Theme): void {
  const x = unpack(data.theoretical);
  const y = unpack(data.observed);
  const both = domain({ label: "" }, [x, y]);
  el.append(h("h4", null, "Standardised errors"));
  const p = plot(el, {
    x: { label: "normal quantile" },
    y: { label: "error / stated deviation" },
    xs: domain({ label: "" }, [x]),
    ys: both,
    theme,
    width,
    height: 250,
    label: "standardised errors of left-out points against the normal distribution",
  });
  const ends = extent(both);
  diagonal(p, ends[0], ends[1], "calibrated");
  dots(p, x, y, { colour: theme.groups[0], r: Math.min(2.5, dotSize(x.length)), opacity: 0.7, rim: false });
  hover(p, { x, y, text: (i) => [data.rows ? `row ${data.rows[i]}` : `point ${i + 1}`, `error: ${text(y[i])} deviations`, `expected: ${text(x[i])}`] });
}

function transform(el: HTMLElement, width: number, data: Calibration["pit"], theme: Theme): void {
  const { edges, counts } = data;
  el.append(h("h4", null, "Place in the prediction"));
  const p = plot(el, {
    x: { label: "share of the prediction below the point" },
    y: { label: "points" },
    xs: [edges[0] ?? 0, edges[edges.length - 1] ?? 1],
    ys: [0, 1.12 * Math.max(1, data.band[1], ...counts)],
    theme,
    width,
    height: 250,
    grid: false,
    label: "histogram of the probability integral transform of left-out points",
  });
  rect(p, edges[0], edges[edges.length - 1], data.band[0], data.band[1], fade(theme.ink, 0.07));
  counts.forEach((count, i) => rect(p, edges[i], edges[i + 1], 0, count, fade(theme.groups[0], 0.72), 0.75));
  for (const y of data.band) rule(p, { y }, { dash: [3, 3], colour: theme.ink });
  write(p, p.left + p.width - 4, p.sy(data.band[1]) - 5, "95 % of bins when calibrated", { anchor: "end", room: p.width - 8 });
  const middle = counts.map((_, i) => (edges[i] + edges[i + 1]) / 2);
  hover(p, { x: middle, y: counts, alongX: true, text: (i) => [`${text(counts[i])} points`, `between ${text(edges[i])} and ${text(edges[i + 1])}`] });
}

function coverage(el: HTMLElement, width: number, data: Calibration["coverage"], theme: Theme): void {
  const x = unpack(data.nominal);
  const y = unpack(data.observed);
  const share = { label: "", domain: [0, 1] as [number, number] };
  el.append(h("h4", null, "Coverage of intervals"));
  const p = plot(el, {
    x: { ...share, label: "stated" },
    y: { ...share, label: "points inside" },
    xs: [0, 1],
    ys: [0, 1],
    theme,
    width,
    height: 250,
    label: "share of left-out points inside the intervals over the stated level",
  });
  if (data.low && data.high) band(p, x, unpack(data.low), unpack(data.high), { colour: theme.groups[0], opacity: 0.18 });
  diagonal(p, 0, 1, "calibrated");
  line(p, x, y, { colour: theme.groups[0], width: 2 });
  hover(p, { x, y, alongX: true, text: (i) => [`${percent(y[i])} inside`, `stated: ${percent(x[i])}`] });
}

export const calibration: Chart<Calibration> = {
  draw(el, data, theme) {
    clear(el);
    const [first, second, third] = panels(el, 3, 250);
    quantiles(first.el, first.width, data.z, theme);
    transform(second.el, second.width, data.pit, theme);
    coverage(third.el, third.width, data.coverage, theme);
  },
  table(data) {
    const nominal = unpack(data.coverage.nominal);
    const observed = unpack(data.coverage.observed);
    return { columns: ["stated level", "points inside"], rows: Array.from(nominal, (level, i) => [level, observed[i] ?? null]) };
  },
};
