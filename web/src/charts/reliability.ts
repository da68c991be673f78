// What was predicted and what came: on the diagonal probabilities mean what they say. Below: how often each was said.
import { dots, fade, group, groupItems, hover, legend, line, percent, plot, rect, sticks, text, unpack, type Chart } from "../kit";
import type { Reliability } from "./types";

export const reliability: Chart<Reliability> = {
  draw(el, data, theme) {
    el.replaceChildren();
    if (data.curves.length > 1) legend(el, groupItems(theme, data.curves.map((curve) => curve.name)));
    const width = Math.min(460, el.clientWidth || 460);
    const { edges, counts } = data.histogram;
    const most = Math.max(1, ...counts);
    const left = 20 + 7 * text(most).length; // one left edge for both pictures
    const p = plot(el, { x: { label: "" }, y: { label: "share observed" }, xs: [0, 1], ys: [0, 1], theme, width, left, height: width, equal: true, label: "share observed over predicted probability" });
    line(p, [0, 1], [0, 1], { colour: theme.muted, width: 1, dash: [3, 4] });
    const all = data.curves.map((curve) => ({ ...curve, x: unpack(curve.predicted), y: unpack(curve.observed), l: unpack(curve.low), u: unpack(curve.high) }));
    all.forEach((curve, i) => {
      const look = group(theme, i);
      sticks(p, curve.x, curve.l, curve.u, { colour: look.colour, width: 1.5, opacity: 0.6 });
      line(p, curve.x, curve.y, { colour: look.colour, dash: look.dash, width: 1.5 });
      dots(p, curve.x, curve.y, { colour: look.colour, shape: look.shape, r: 4 });
    });
    const of = all.flatMap((curve, c) => Array.from(curve.x, (_, i) => ({ curve, c, i })));
    hover(p, {
      x: of.map(({ curve, i }) => curve.x[i]),
      y: of.map(({ curve, i }) => curve.y[i]),
      text: (k) => {
        const { curve, i } = of[k];
        return [curve.name || "predictions", `said ${percent(curve.x[i])}, came ${percent(curve.y[i])}`, `${percent(curve.l[i])} to ${percent(curve.u[i])}`, `${text(curve.count[i])} points`];
      },
    });
    const below = plot(el, { x: { label: "predicted probability" }, y: { label: "points" }, xs: [0, 1], ys: [0, most], theme, width, left, height: 120, label: "how often each probability was predicted" });
    counts.forEach((count, i) => rect(below, edges[i], edges[i + 1], 0, count, fade(theme.muted, 0.55), 0.75));
    hover(below, { x: counts.map((_, i) => (edges[i] + edges[i + 1]) / 2), y: counts, alongX: true, text: (i) => [`${text(edges[i])} to ${text(edges[i + 1])}`, `${text(counts[i])} points`] });
  },
  table: (data) => ({
    columns: ["curve", "predicted", "observed", "low", "high", "points"],
    rows: data.curves.flatMap((curve) => {
      const [x, y, low, high] = [curve.predicted, curve.observed, curve.low, curve.high].map(unpack);
      return Array.from(x, (value, i) => [curve.name, value, y[i], low[i], high[i], curve.count[i]]);
    }),
  }),
};
