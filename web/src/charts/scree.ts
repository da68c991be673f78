// How much each component holds, and all up to it. Negative eigenvalues (distances that no space has) stand apart.
import { dots, fade, h, hover, legend, line, percent, plot, rect, rule, text, unpack, write, type Chart } from "../kit";
import type { Scree } from "./types";

const mostShown = 60;

export const scree: Chart<Scree> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const [values, share, cumulative] = [data.eigenvalues, data.share, data.cumulative].map(unpack);
    const negative = data.negative ? unpack(data.negative) : new Float64Array();
    if (!values.length) return el.replaceChildren(h("p", { class: "more" }, "No eigenvalues."));
    const n = Math.min(values.length, mostShown);
    const unit = share[0] / values[0] || 0; // negative ones on the scale of the shares
    const below = Array.from(negative.slice(0, mostShown), (value) => value * unit);
    const gap = below.length ? 1 : 0;
    const total = n + gap + below.length;
    const ys: [number, number] = [Math.min(0, 1.3 * Math.min(0, ...below)), 1.14];
    legend(el, [
      { name: "share of the component", kind: "cell", colour: theme.groups[0], opacity: 0.8 },
      { name: "all up to it", kind: "line", colour: theme.ink, width: 1.5 },
      ...(below.length ? [{ name: "negative: no space has these distances", kind: "cell" as const, colour: theme.groups[1], opacity: 0.8 }] : []),
    ]);
    const every = Math.max(1, Math.ceil(n / 12));
    const xTicks = Array.from({ length: n }, (_, i) => i + 1).filter((i) => (i - 1) % every === 0).map((i) => ({ at: i, text: String(i) }));
    if (below.length) xTicks.push({ at: n + gap + (below.length + 1) / 2, text: "negative" });
    const p = plot(el, { x: { label: "component" }, y: { label: "share of the whole" }, xs: [0.4, total + 0.6], ys, theme, xTicks, label: "eigenvalues and their sum" });
    for (let i = 0; i < n; ++i) rect(p, i + 0.65, i + 1.35, 0, share[i], fade(theme.groups[0], i < data.kept ? 0.9 : 0.45));
    below.forEach((value, i) => rect(p, n + gap + i + 0.65, n + gap + i + 1.35, value, 0, fade(theme.groups[1], 0.8)));
    const places = Array.from({ length: n }, (_, i) => i + 1);
    line(p, places, cumulative, { colour: theme.ink, width: 1.5 });
    dots(p, places, cumulative.slice(0, n), { colour: theme.ink, r: 2.5 });
    if (below.length) {
      rule(p, { y: 0 }, { colour: theme.muted, dash: [] });
      // They may be too small to be seen: said, too.
      write(p, p.sx(n + gap + (below.length + 1) / 2), p.sy(0) - 8, `largest ${percent(Math.min(...below), 2)}`, { anchor: "middle", colour: theme.groupsText[1] });
    }
    if (data.kept > 0 && data.kept < n) rule(p, { x: data.kept + 0.5 }, { label: `${data.kept} kept` });
    hover(p, {
      x: [...places, ...below.map((_, i) => n + gap + i + 1)],
      y: [...share.slice(0, n), ...below],
      alongX: true,
      text: (i) => (i < n ? [`component ${i + 1}`, `eigenvalue ${text(values[i])}`, `share ${percent(share[i])}`, `up to it ${percent(cumulative[i])}`] : ["negative", `eigenvalue ${text(negative[i - n])}`]),
    });
    const more = values.length - n + negative.length - below.length;
    if (more > 0) el.append(h("p", { class: "more" }, `${text(more)} more are in the table.`));
  },
  table(data) {
    const [values, share, cumulative] = [data.eigenvalues, data.share, data.cumulative].map(unpack);
    return {
      columns: ["component", "eigenvalue", "share", "cumulative"],
      rows: [...Array.from(values, (value, i) => [i + 1, value, share[i] ?? null, cumulative[i] ?? null]), ...Array.from(data.negative ? unpack(data.negative) : [], (value) => ["negative", value, null, null])],
    };
  },
};
