// Functions of one number: bands, lines, faint draws, stems, a tube, data points that may be dragged.
import type { Chart, Handlers } from "../kit/chart";
import { clear, hover } from "../kit/hover";
import { legend, type LegendItem } from "../kit/legend";
import { band, dots, dotSize, line, rings, rule, sticks } from "../kit/marks";
import { extent, percent, text, unpack } from "../kit/numbers";
import { plot } from "../kit/plot";
import { domain } from "../kit/scale";
import { columns } from "../kit/table";
import { group, type Theme } from "../kit/theme";
import { byGroup, describe } from "./points";
import type { Curve } from "./types";

export function curveDomains(data: Curve): { xs: [number, number]; ys: [number, number] } {
  const at = unpack(data.at);
  const points = data.points ? [unpack(data.points.x), unpack(data.points.y)] : [[], []];
  const first = data.lines[0] ? unpack(data.lines[0].y) : new Float64Array();
  const tube = data.tube ?? 0;
  const values = [
    ...data.lines.map((one) => unpack(one.y)),
    ...(data.bands ?? []).flatMap((one) => [unpack(one.low), unpack(one.high)]),
    ...(tube ? [first.map((y) => y - tube), first.map((y) => y + tube)] : []),
    ...(data.lines.some((one) => one.stems) ? [[0]] : []),
    points[1],
  ];
  // The grid says how far the picture goes; points at its ends keep half a dot of room.
  const within = extent(at);
  return {
    xs: domain(data.x, [at, points[0]], extent(points[0])[0] < within[0] || data.lines.some((one) => one.stems) ? 0.03 : 0.01),
    ys: domain(data.y, values, 0.06),
  };
}

const bandName = (level: number, of: "f" | "y") => `${percent(level)} of ${of === "f" ? "the function" : "observations"}`;

export function curveLegend(data: Curve, theme: Theme): LegendItem[] {
  const items: LegendItem[] = [];
  let named = 0;
  data.lines.forEach((one) => {
    if (!one.name || items.some((item) => item.name === one.name)) return;
    const look = group(theme, one.group ?? 0);
    const faint = one.faint ? { opacity: 0.5, width: 1 } : {};
    items.push({ name: one.name, kind: one.stems ? "dot" : "line", colour: look.colour, dash: one.faint ? [] : one.dash ? [5, 3] : one.group === undefined ? [] : look.dash, ...faint });
    ++named;
  });
  if (data.tube) items.push({ name: `tube of ± ${text(data.tube)}`, kind: "band", colour: theme.groups[0], opacity: 0.2 });
  const bands = [...(data.bands ?? [])].sort((a, b) => a.level - b.level);
  for (const one of bands) items.push({ name: bandName(one.level, one.of), kind: "band", colour: theme.groups[0], opacity: one.of === "y" ? 0.12 : one.level > 0.6 ? 0.28 : 0.48 });
  if (data.points && unpack(data.points.x).length) {
    if (data.points.classes?.length) data.points.classes.forEach((name, i) => items.push({ name, kind: "dot", ...group(theme, i) }));
    else items.push({ name: "data", kind: "dot", colour: theme.ink });
    if (data.points.alpha) items.push({ name: "support, its weight", kind: "ring", colour: theme.ink });
    if (data.points.wrong?.length) items.push({ name: "wrong", kind: "cross", colour: theme.ink });
  }
  return items.length > 1 || named > 1 ? items : [];
}

/** Bands lie on each other: those of the function, and the narrower ones, are the stronger. */
const bandOpacity = (level: number, of: "f" | "y") => (of === "y" ? 0.1 : level > 0.6 ? 0.15 : 0.22);

export function drawCurve(
  el: HTMLElement,
  data: Curve,
  theme: Theme,
  handlers?: Handlers,
  frame: { xs?: [number, number]; ys?: [number, number]; width?: number; height?: number; legend?: boolean } = {},
): void {
  const at = unpack(data.at);
  const { xs, ys } = curveDomains(data);
  if (frame.legend !== false) legend(el, curveLegend(data, theme));
  const p = plot(el, { x: data.x, y: data.y, xs: frame.xs ?? xs, ys: frame.ys ?? ys, theme, width: frame.width, height: frame.height });
  const lines = data.lines.map((one) => ({ ...one, values: unpack(one.y), look: group(theme, one.group ?? 0) }));

  for (const one of [...(data.bands ?? [])].sort((a, b) => b.level - a.level || (a.of === "y" ? -1 : 1)))
    band(p, at, unpack(one.low), unpack(one.high), { colour: theme.groups[0], opacity: bandOpacity(one.level, one.of) });
  const tube = data.tube ?? 0;
  if (tube && lines[0]) {
    const edges = [-tube, tube].map((shift) => lines[0].values.map((y) => y + shift));
    band(p, at, edges[0], edges[1], { colour: lines[0].look.colour, opacity: 0.13 });
    for (const edge of edges) line(p, at, edge, { colour: lines[0].look.colour, width: 1, dash: [4, 3], opacity: 0.8 });
  }
  if (ys[0] < 0 && ys[1] > 0 && lines.some((one) => one.stems)) rule(p, { y: 0 }, { dash: [] });
  for (const mark of data.marks ?? []) rule(p, { x: mark.x }, { label: mark.label });
  for (const one of lines.filter((each) => each.faint)) line(p, at, one.values, { colour: one.look.colour, width: 1, opacity: lines.length > 12 ? 0.3 : 0.5 });
  for (const one of lines.filter((each) => !each.faint && each.stems)) {
    sticks(p, at, 0, one.values, { colour: one.look.colour, width: 1.5 });
    dots(p, at, one.values, { colour: one.look.colour, shape: one.look.shape });
  }
  for (const one of lines.filter((each) => !each.faint && !each.stems).reverse())
    line(p, at, one.values, { colour: one.look.colour, width: 2, dash: one.dash ? [5, 3] : one.group === undefined ? [] : one.look.dash });

  const marks = data.points;
  const px = marks ? unpack(marks.x) : new Float64Array();
  const py = marks ? unpack(marks.y) : new Float64Array();
  if (marks) {
    const r = marks.draggable ? 5 : dotSize(px.length);
    byGroup(px.length, marks.group).forEach((which, g) => {
      const look = group(theme, g);
      dots(p, px, py, marks.classes ? { ...look, r } : { colour: theme.ink, r, opacity: px.length > 600 ? 0.5 : 0.85 }, which);
    });
    if (marks.alpha) rings(p, px, py, unpack(marks.alpha), { colour: theme.ink, least: r + 2, r: r + 6 });
    if (marks.wrong?.length) dots(p, px, py, { colour: theme.ink, shape: "cross", r: r + 2.5, stroke: 1.2 }, marks.wrong);
  }

  const named = lines.filter((one) => !one.faint);
  if (px.length || handlers?.add)
    hover(p, {
      x: px,
      y: py,
      handlers,
      draggable: marks?.draggable,
      text: (i) => [describe(marks!, i), `${data.x.label || "x"}: ${text(px[i])}`, `${data.y.label || "y"}: ${text(py[i])}`],
    });
  else if (named.length)
    hover(p, {
      x: at,
      y: named[0].values,
      alongX: true,
      handlers,
      text: (i) => [`${data.x.label || "x"}: ${text(at[i])}`, ...named.slice(0, 8).map((one) => `${one.name || data.y.label}: ${text(one.values[i])}`)],
    });
}

export const curve: Chart<Curve> = {
  draw(el, data, theme, handlers) {
    clear(el);
    drawCurve(el, data, theme, handlers);
  },
  table(data) {
    const named = data.lines.filter((one) => !one.faint);
    if (data.points && !named.length) return columns([data.x.label, unpack(data.points.x)], [data.y.label, unpack(data.points.y)]);
    return columns(
      [data.x.label, unpack(data.at)],
      ...named.map((one): [string, Float64Array] => [one.name || data.y.label, unpack(one.y)]),
      ...(data.bands ?? []).flatMap((one): [string, Float64Array][] => [
        [`${bandName(one.level, one.of)}, low`, unpack(one.low)],
        [`${bandName(one.level, one.of)}, high`, unpack(one.high)],
      ]),
    );
  },
};
