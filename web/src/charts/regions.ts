// The plane: which class wins where and how surely, level lines, points with rings of support, mistakes crossed.
import type { Chart } from "../kit/chart";
import { h } from "../kit/dom";
import { clear, hover } from "../kit/hover";
import { groupItems, legend, type LegendItem } from "../kit/legend";
import { cells, contour, dots, dotSize, rings, shade, steps, write } from "../kit/marks";
import { extent, text, unpack } from "../kit/numbers";
import { plot } from "../kit/plot";
import { columns } from "../kit/table";
import { byte, group, rgb, type Theme } from "../kit/theme";
import { byGroup, describe } from "./points";
import type { Regions } from "./types";

/** The colour of each cell: of its class, stronger where it is surer. */
function winners(theme: Theme, winner: Float64Array, sure: Float64Array | null): Uint8ClampedArray {
  const out = new Uint8ClampedArray(4 * winner.length);
  const colours = new Map<number, number[]>();
  for (let k = 0; k < winner.length; ++k) {
    if (!Number.isFinite(winner[k])) continue;
    const g = Math.round(winner[k]);
    let colour = colours.get(g);
    if (!colour) colours.set(g, (colour = rgb(group(theme, g).colour)));
    const strength = sure ? Math.max(0, Math.min(1, Number.isFinite(sure[k]) ? sure[k] : 0)) : 0.6;
    for (let c = 0; c < 3; ++c) out[4 * k + c] = colour[c];
    out[4 * k + 3] = byte(0.05 + 0.33 * strength);
  }
  return out;
}

export const regions: Chart<Regions> = {
  draw(el, data, theme, handlers) {
    clear(el);
    const [x0, x1, y0, y1] = data.box;
    const field = { xs: steps(x0, x1, data.nx), ys: steps(y0, y1, data.ny) };
    const values = data.field ? unpack(data.field) : null;
    const marks = data.points;
    const px = unpack(marks.x);
    const py = unpack(marks.y);
    const classes = marks.classes ?? data.classes ?? [];
    const alpha = marks.alpha && unpack(marks.alpha);

    const items: LegendItem[] = groupItems(theme, classes);
    if (alpha && extent(alpha)[1] > 0) items.push({ name: "support vector, its weight", kind: "ring", colour: theme.ink });
    if (marks.wrong?.length) items.push({ name: "on the wrong side", kind: "cross", colour: theme.ink });
    const levels = data.levels ?? [];
    const plain = levels.filter((level) => !level.dash && level.name);
    if (levels.length > 1 && plain.length <= 2)
      for (const name of new Set(levels.map((level) => level.name).filter(Boolean))) {
        const level = levels.find((each) => each.name === name)!;
        items.push({ name, kind: "line", colour: theme.ink, dash: level.dash ? [5, 4] : [], width: level.dash ? 1.25 : 2 });
      }
    legend(el, items);
    if (data.plane) el.append(h("p", { class: "note" }, data.plane));

    const p = plot(el, {
      x: data.x,
      y: data.y,
      xs: [x0, x1],
      ys: [y0, y1],
      theme,
      grid: false,
      height: Math.round(Math.max(280, Math.min(460, el.clientWidth * 0.72))),
      label: `regions over ${data.x.label} and ${data.y.label}`,
    });
    if (data.winner) cells(p, field, winners(theme, unpack(data.winner), data.sure ? unpack(data.sure) : null), true);
    else if (values) {
      const [low, high] = extent(values);
      const both = low < 0 && high > 0;
      const reach = Math.max(-low, high);
      cells(p, field, both ? shade(values, -reach, reach, theme.ramps.diverging, 0.85) : shade(values, low, high, theme.ramps.sequential, 0.85), true);
    }
    if (values)
      levels.forEach((level, i) => {
        const pen = { colour: theme.ink, width: level.dash ? 1.25 : 2, dash: level.dash ? [5, 4] : [], opacity: level.dash ? 0.75 : 0.9 };
        const middle = contour(p, field, values, level.value, pen, i % 2 ? "bottom" : "top");
        if (middle && level.name && plain.length > 2) write(p, middle.x, middle.y + 4, level.name, { anchor: "middle", size: 11 });
      });

    const small = p.width < 420;
    const r = marks.draggable ? 5 : dotSize(px.length) * (small ? 0.8 : 1);
    byGroup(px.length, marks.group).forEach((which, g) => {
      const look = marks.group ? group(theme, g) : { colour: theme.ink };
      dots(p, px, py, { ...look, r, opacity: px.length > 3000 ? 0.6 : 0.95 }, which);
    });
    if (alpha) rings(p, px, py, alpha, { colour: theme.ink, least: r + (small ? 1.5 : 2), r: r + (small ? 4 : 6) });
    if (marks.wrong?.length) dots(p, px, py, { colour: theme.ink, shape: "cross", r: r + 2.5, stroke: 1.2 }, marks.wrong);

    const wrong = new Set(marks.wrong);
    hover(p, {
      x: px,
      y: py,
      handlers,
      draggable: marks.draggable,
      text: (i) =>
        [
          describe({ ...marks, classes }, i),
          `${data.x.label}: ${text(px[i])}`,
          `${data.y.label}: ${text(py[i])}`,
          alpha && alpha[i] > 0 ? `weight: ${text(alpha[i])}` : "",
          wrong.has(i) ? "on the wrong side" : "",
        ].filter(Boolean),
    });
  },
  table(data) {
    const marks = data.points;
    const classes = marks.classes ?? data.classes;
    const x = unpack(marks.x);
    const wrong = new Set(marks.wrong);
    return columns(
      ["row", marks.rows ?? Array.from(x, (_, i) => i + 1)],
      ...(marks.names ? ([["name", marks.names]] as [string, string[]][]) : []),
      [data.x.label, x],
      [data.y.label, unpack(marks.y)],
      ...(marks.group && classes ? ([["class", marks.group.map((g) => classes[g] ?? String(g))]] as [string, string[]][]) : []),
      ...(marks.alpha ? ([["weight", unpack(marks.alpha)]] as [string, Float64Array][]) : []),
      ...(marks.wrong ? ([["wrong", Array.from(x, (_, i) => (wrong.has(i) ? "wrong" : ""))]] as [string, string[]][]) : []),
    );
  },
};
