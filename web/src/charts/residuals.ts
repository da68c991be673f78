// What the predictions leave over, and how it is spread.
import type { Chart } from "../kit/chart";
import { clear, hover } from "../kit/hover";
import { dots, rect, rule } from "../kit/marks";
import { text, unpack } from "../kit/numbers";
import { plot, roomIn } from "../kit/plot";
import { h } from "../kit/dom";
import { domain } from "../kit/scale";
import { columns } from "../kit/table";
import { fade } from "../kit/theme";
import type { Residuals } from "./types";

export const residuals: Chart<Residuals> = {
  draw(el, data, theme) {
    clear(el);
    const x = unpack(data.at);
    const y = unpack(data.residual);
    const { edges, counts } = data.histogram;
    const room = roomIn(el);
    const wide = room >= 560 && counts.length > 0;
    const aside = wide ? Math.round(Math.min(190, room * 0.24)) : 0;
    const box = h("div", { class: "panels", style: { gridTemplateColumns: wide ? `${room - aside}px ${aside}px` : "1fr" } });
    el.append(box);
    const spread = data.spread ?? NaN;
    const ys = domain(data.y, [y, edges, [0], Number.isFinite(spread) ? [-spread, spread] : []], 0.05);
    const height = Math.round(Math.max(240, Math.min(340, room * 0.5)));
    const left = h("div", { class: "panel" });
    box.append(left);
    const p = plot(left, { x: data.x, y: data.y, xs: domain(data.x, [x]), ys, theme, width: room - aside, height });
    if (Number.isFinite(spread)) rect(p, p.sx.domain()[0], p.sx.domain()[1], -spread, spread, fade(theme.groups[0], 0.08));
    rule(p, { y: 0 }, { dash: [] });
    if (Number.isFinite(spread)) for (const edge of [-spread, spread]) rule(p, { y: edge }, edge > 0 ? { label: "two deviations" } : {});
    dots(p, x, y, { colour: theme.groups[0], opacity: x.length > 600 ? 0.5 : 0.8 });
    hover(p, { x, y, text: (i) => [data.rows[i] === undefined ? `point ${i + 1}` : `row ${data.rows[i]}`, `${data.y.label}: ${text(y[i])}`, `${data.x.label}: ${text(x[i])}`] });
    if (!counts.length) return;
    const cell = h("div", { class: "panel" });
    box.append(cell);
    const most = 1.08 * Math.max(1, ...counts);
    const middle = counts.map((_, i) => (edges[i] + edges[i + 1]) / 2);
    const points = (i: number) => [`${text(counts[i])} points`, `${text(edges[i])} to ${text(edges[i + 1])}`];
    if (wide) {
      // Beside the dots, on their axis.
      const q = plot(cell, { x: { label: "points" }, y: { label: " " }, xs: [0, most], ys, theme, width: aside, height, hideY: true, label: "histogram of the residuals" });
      counts.forEach((count, i) => rect(q, 0, count, edges[i], edges[i + 1], theme.groups[0]));
      rule(q, { y: 0 }, { dash: [] });
      hover(q, { x: counts, y: middle, reach: 200, text: points });
    } else {
      const q = plot(cell, { x: data.y, y: { label: "points" }, xs: domain(data.y, [edges], 0.02), ys: [0, most], theme, width: room, height: 180, label: "histogram of the residuals" });
      counts.forEach((count, i) => rect(q, edges[i], edges[i + 1], 0, count, theme.groups[0], 0.5));
      hover(q, { x: middle, y: counts, alongX: true, text: points });
    }
  },
  table(data) {
    return columns(["row", data.rows], [data.x.label, unpack(data.at)], [data.y.label, unpack(data.residual)]);
  },
};
