// Eigenvalues of a kernel matrix, logarithmic: how fast they fall, how many count, and where noise begins.
import { columns, dots, extent, hover, line, percent, plot, rule, text, unpack, type Chart } from "../kit";
import type { Spectrum } from "./types";

export const spectrum: Chart<Spectrum> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const values = unpack(data.eigenvalues);
    const cumulative = data.cumulative ? unpack(data.cumulative) : null;
    const ranks = Float64Array.from(values, (_, i) => i + 1);
    const positive = values.filter((value) => value > 0);
    const [low, high] = extent(positive);
    const floor = Math.max(low, high * 1e-16);
    const p = plot(el, { x: { label: "rank" }, y: { label: "eigenvalue", log: true }, xs: [0.5, Math.max(2, values.length + 0.5)], ys: [Math.min(floor, data.noise && data.noise > 0 ? data.noise : floor) / 1.5, high * 1.6], theme });
    const shown = values.map((value) => (value >= floor ? value : NaN));
    line(p, ranks, shown, { colour: theme.groups[0], width: 1.25, opacity: 0.6 });
    dots(p, ranks, shown, { colour: theme.groups[0] });
    if (data.noise && data.noise > 0) rule(p, { y: data.noise }, { label: `noise ${text(data.noise)}`, colour: theme.warning });
    if (Number.isFinite(data.effective)) rule(p, { x: data.effective }, { label: `effective dimension ${text(data.effective, 3)} of ${text(data.n)}`, colour: theme.ink });
    hover(p, { x: ranks, y: shown, alongX: true, text: (i) => [`rank ${i + 1}`, `eigenvalue ${text(values[i])}`, ...(cumulative ? [`up to it ${percent(cumulative[i])}`] : [])] });
  },
  table(data) {
    const values = unpack(data.eigenvalues);
    return columns(["rank", Float64Array.from(values, (_, i) => i + 1)], ["eigenvalue", values], ...(data.cumulative ? [["cumulative", unpack(data.cumulative)] as [string, Float64Array]] : []));
  },
};
