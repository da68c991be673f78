// How often values fall into bins; groups stand on each other's shoulders, or one line each where they overlap.
import { domain, fade, group, groupItems, hover, legend, plot, rect, rule, text, type Chart } from "../kit";
import type { Histogram } from "./types";

/** Bottom and top of each group's piece of each bin. */
export function stacked(counts: number[][]): [number, number][][] {
  const floor: number[] = [];
  return counts.map((of) => of.map((count, i) => {
    const low = floor[i] ?? 0;
    floor[i] = low + (Number.isFinite(count) ? count : 0);
    return [low, floor[i]];
  }));
}

export const histogram: Chart<Histogram> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const { edges, counts, groups } = data;
    if (groups) legend(el, groupItems(theme, groups.map(({ name }) => name)).map((item) => ({ ...item, kind: "cell", opacity: 0.75 })));
    const xs = domain(data.x, [edges], 0);
    const p = plot(el, { x: data.x, y: { label: "count" }, xs, ys: [0, 1.06 * Math.max(1, ...counts.filter(Number.isFinite))], theme });
    const inset = (p.width / Math.max(1, counts.length)) > 6 ? 0.75 : 0;
    const piles = groups ? stacked(groups.map((of) => of.counts)) : stacked([counts]);
    piles.forEach((pile, g) =>
      pile.forEach(([low, high], i) => {
        if (high <= low) return;
        rect(p, edges[i], edges[i + 1], low, high, fade(groups ? group(theme, g).colour : theme.groups[0], 0.75), inset);
        if (g > 0) rect(p, edges[i], edges[i + 1], low, low + (p.sy.invert(0) - p.sy.invert(1)), theme.paper, inset);
      }),
    );
    for (const mark of data.marks ?? []) rule(p, { x: mark.x }, { label: mark.label, colour: theme.ink });
    hover(p, {
      x: counts.map((_, i) => (edges[i] + edges[i + 1]) / 2),
      y: counts,
      alongX: true,
      text: (i) => [`${text(edges[i])} to ${text(edges[i + 1])}`, `${text(counts[i])} in all`, ...(groups ?? []).filter((of) => of.counts[i] > 0).map((of) => `${of.name}: ${text(of.counts[i])}`)],
    });
  },
  table: (data) => ({
    columns: ["from", "to", "count", ...(data.groups ?? []).map(({ name }) => name)],
    rows: data.counts.map((count, i) => [data.edges[i] ?? null, data.edges[i + 1] ?? null, count, ...(data.groups ?? []).map((of) => of.counts[i] ?? null)]),
  }),
};
