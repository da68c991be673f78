// How scores of each class are spread, and where the cut-off lies.
import { band, columns, domain, group, groupItems, hover, legend, line, plot, rule, text, unpack, type Chart } from "../kit";
import type { Densities } from "./types";

export const densities: Chart<Densities> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const at = unpack(data.at);
    const lines = data.lines.map((of, i) => ({ ...of, look: group(theme, of.group ?? i), values: unpack(of.y) }));
    legend(el, groupItems(theme, []).concat(lines.map(({ name, look }) => ({ name, kind: "line", ...look }))));
    const ys = domain({ label: "" }, [[0], ...lines.map(({ values }) => values)], 0.06);
    const p = plot(el, { x: data.x, y: { label: "density" }, xs: domain(data.x, [at], 0), ys: [0, ys[1]], theme });
    for (const { values, look } of lines) band(p, at, new Float64Array(at.length), values, { colour: look.colour, opacity: 0.16 });
    for (const { values, look } of lines) line(p, at, values, { colour: look.colour, dash: look.dash, width: 2 });
    if (data.cut !== undefined) rule(p, { x: data.cut }, { label: `cut-off ${text(data.cut)}`, colour: theme.ink });
    const of = lines.flatMap((each) => Array.from(at, (_, i) => ({ each, i })));
    hover(p, { x: of.map(({ i }) => at[i]), y: of.map(({ each, i }) => each.values[i]), text: (k) => [of[k].each.name, `${data.x.label} ${text(at[of[k].i])}`, `density ${text(of[k].each.values[of[k].i], 3)}`] });
  },
  table: (data) => columns([data.x.label, unpack(data.at)], ...data.lines.map((of): [string, Float64Array] => [of.name, unpack(of.y)])),
};
