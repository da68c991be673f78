// Figures over a number that is chosen: panels under each other share its axis.
import type { Chart } from "../kit/chart";
import { clear, hover } from "../kit/hover";
import { legend } from "../kit/legend";
import { band, endLabels, labelRoom, line, rule } from "../kit/marks";
import { text, unpack } from "../kit/numbers";
import { plot, roomIn } from "../kit/plot";
import { domain } from "../kit/scale";
import { columns } from "../kit/table";
import { group } from "../kit/theme";
import type { Path } from "./types";

export const path: Chart<Path> = {
  draw(el, data, theme) {
    clear(el);
    const at = unpack(data.at);
    const room = roomIn(el);
    // Lines are named at their ends where there is room; else in a legend.
    const direct = room >= 480;
    const right = direct ? labelRoom(theme, data.panels.flatMap((panel) => (panel.lines.length > 1 ? panel.lines.map((one) => one.name) : [])), 0.3 * room) : 14;
    data.panels.forEach((panel, number) => {
      const last = number === data.panels.length - 1;
      const lines = panel.lines.map((one, i) => ({ ...one, values: unpack(one.y), look: group(theme, i), low: one.low && unpack(one.low), high: one.high && unpack(one.high) }));
      const named = lines.length > 1;
      if (named && !direct) legend(el, lines.map((one) => ({ name: one.name, kind: "line", colour: one.look.colour, dash: one.dash ? [5, 3] : one.look.dash })));
      const values = lines.flatMap((one) => [one.values, one.low ?? [], one.high ?? []]);
      const p = plot(el, {
        x: last ? data.x : { ...data.x, label: "" },
        y: panel.y,
        xs: domain(data.x, [at], 0.01),
        ys: domain(panel.y, values, 0.06),
        theme,
        left: 44,
        right,
        height: data.panels.length === 1 ? undefined : last ? 220 : 190,
      });
      for (const one of lines) if (one.low && one.high) band(p, at, one.low, one.high, { colour: one.look.colour, opacity: 0.15 });
      if (data.chosen) rule(p, { x: data.chosen.x }, { label: number === 0 ? data.chosen.label : undefined, colour: theme.ink });
      for (const one of [...lines].reverse()) line(p, at, one.values, { colour: one.look.colour, width: 2, dash: one.dash ? [5, 3] : one.look.dash });
      if (named && direct)
        endLabels(
          p,
          lines.map((one) => {
            const known = one.values.filter(Number.isFinite);
            return { y: known[known.length - 1] ?? NaN, text: one.name, colour: one.look.text };
          }),
        );
      if (lines.length)
        hover(p, {
          x: at,
          y: lines[0].values,
          alongX: true,
          text: (i) => [
            `${data.x.label}: ${text(at[i])}`,
            ...lines.map((one) => `${one.name || panel.y.label}: ${text(one.values[i])}${one.low && one.high ? ` (${text(one.low[i])} to ${text(one.high[i])})` : ""}`),
          ],
        });
    });
  },
  table(data) {
    return columns(
      [data.x.label, unpack(data.at)],
      ...data.panels.flatMap((panel) =>
        panel.lines.flatMap((one): [string, Float64Array][] => {
          const name = one.name && one.name !== panel.y.label ? `${panel.y.label}, ${one.name}` : panel.y.label;
          return [[name, unpack(one.y)], ...(one.low && one.high ? ([[`${name}, low`, unpack(one.low)], [`${name}, high`, unpack(one.high)]] as [string, Float64Array][]) : [])];
        }),
      ),
    );
  },
};
