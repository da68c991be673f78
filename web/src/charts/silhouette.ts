// How well each point sits in its cluster: one thin bar a point, clusters below each other.
import { fade, group, hover, plot, rule, text, unpack, type Chart, clipped, columns } from "../kit";
import type { Silhouette } from "./types";

export const silhouette: Chart<Silhouette> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const clusters = data.clusters.map((of) => ({ ...of, s: unpack(of.values) }));
    const n = clusters.reduce((sum, of) => sum + of.s.length, 0);
    const gap = Math.max(1, 0.04 * n);
    let low = 0;
    for (const { s } of clusters) for (const value of s) if (value < low) low = value;
    const starts: number[] = [];
    let at = 0;
    for (const { s } of clusters) {
      starts.push(at);
      at += s.length + gap;
    }
    const total = Math.max(1, at - gap);
    const p = plot(el, {
      x: { label: "silhouette" },
      y: { label: "" },
      xs: [Math.max(-1, 1.1 * low), 1],
      ys: [0, total],
      theme,
      height: Math.min(640, Math.max(220, 80 + 70 * clusters.length)),
      yTicks: clusters.map((of, c) => ({ at: total - starts[c] - of.s.length / 2, text: `${of.name} (${text(of.s.length)})` })),
      label: `silhouettes of ${n} points in ${clusters.length} clusters`,
    });
    const x: number[] = [];
    const y: number[] = [];
    const of: { cluster: number; i: number }[] = [];
    clipped(p, () => {
      clusters.forEach(({ s }, c) => {
        p.ctx.fillStyle = fade(group(theme, c).colour, 0.8);
        const thick = Math.max(0.6, p.height / total);
        for (let i = 0; i < s.length; ++i) {
          const place = total - starts[c] - i - 0.5;
          x.push(s[i]);
          y.push(place);
          of.push({ cluster: c, i });
          if (!Number.isFinite(s[i])) continue;
          const [a, b] = [p.sx(0), p.sx(s[i])];
          p.ctx.fillRect(Math.min(a, b), p.sy(place) - thick / 2, Math.abs(b - a), thick);
        }
      });
    });
    rule(p, { x: 0 }, { colour: theme.muted, dash: [] });
    rule(p, { x: data.mean }, { label: `mean ${text(data.mean, 3)}`, colour: theme.ink });
    hover(p, { x, y, reach: 40, text: (k) => [clusters[of[k].cluster].name, `row ${clusters[of[k].cluster].rows[of[k].i] ?? "?"}`, `silhouette ${text(x[k], 3)}`] });
  },
  table: (data) =>
    columns(
      ["cluster", data.clusters.flatMap((of) => Array<string>(unpack(of.values).length).fill(of.name))],
      ["row", data.clusters.flatMap((of) => of.rows)],
      ["silhouette", data.clusters.flatMap((of) => Array.from(unpack(of.values)))],
    ),
};
