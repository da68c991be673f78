// A function of two parameters: a map with level lines, the course of the optimiser and where it ended.
import { ticks as niceTicks } from "d3-array";
import type { Chart } from "../kit/chart";
import { clear, hover } from "../kit/hover";
import { keyOfRamp } from "../kit/ramp";
import { arrow, cells, contour, dots, shade, write } from "../kit/marks";
import { extent, text, unpack } from "../kit/numbers";
import { plot } from "../kit/plot";
import { sane } from "../kit/scale";
import { fade, readable } from "../kit/theme";
import type { Surface } from "./types";

export const surface: Chart<Surface> = {
  draw(el, data, theme) {
    clear(el);
    const xs = unpack(data.at.x);
    const ys = unpack(data.at.y);
    const z = unpack(data.z);
    // Far from the best a surface falls away steeply; the levels, where given, say which part matters.
    const whole = extent(z);
    const given = data.levels?.length ? extent(data.levels) : whole;
    const room = 0.25 * (given[1] - given[0]);
    const [low, high] = data.levels?.length ? [Math.max(whole[0], given[0] - room), Math.min(whole[1], given[1] + room)] : whole;
    const ramp = theme.ramps.sequential;
    const turned = data.larger_is_better ? z : z.map((value) => -value);
    const [from, to] = data.larger_is_better ? [low, high] : [-high, -low];
    keyOfRamp(el, theme, { name: data.name, low, high, turned: !data.larger_is_better, beyond: whole[0] < low ? "low" : whole[1] > high ? "high" : undefined });
    const p = plot(el, {
      x: data.x,
      y: data.y,
      xs: sane(extent(xs), data.x.log),
      ys: sane(extent(ys), data.y.log),
      theme,
      grid: false,
      height: Math.round(Math.max(260, Math.min(420, el.clientWidth * 0.62))),
      label: `${data.name} over ${data.x.label} and ${data.y.label}`,
    });
    cells(p, { xs, ys }, shade(turned, from, to, ramp), true);
    const levels = data.levels ?? (Number.isFinite(low) && high > low ? niceTicks(low, high, 9) : []);
    for (const level of levels) {
      const under = theme.sequential(((data.larger_is_better ? level : -level) - from) / (to - from || 1));
      contour(p, { xs, ys }, z, level, { colour: fade(readable(under), 0.55), width: 0.9 });
    }
    if (data.path) {
      const colour = theme.groups[1];
      arrow(p, data.path.x, data.path.y, { colour: theme.paper, width: 4 });
      arrow(p, data.path.x, data.path.y, { colour, width: 2 });
      dots(p, data.path.x, data.path.y, { colour, r: 3 });
      if (data.path.x.length) write(p, p.sx(data.path.x[0]) + 7, p.sy(data.path.y[0]) + 4, "start", { room: 60 });
    }
    if (data.best) {
      dots(p, [data.best.x], [data.best.y], { colour: theme.groups[1], shape: "diamond", r: 6 });
      const at = p.sx(data.best.x);
      const leftwards = at > p.left + 0.6 * p.width;
      write(p, at + (leftwards ? -11 : 11), p.sy(data.best.y) + 4, data.best.label, {
        anchor: leftwards ? "end" : "start",
        weight: 600,
        room: (leftwards ? at - p.left : p.left + p.width - at) - 14,
      });
    }
    const gx = Float64Array.from(z, (_, k) => xs[k % xs.length]);
    const gy = Float64Array.from(z, (_, k) => ys[Math.floor(k / xs.length)]);
    hover(p, {
      x: gx,
      y: gy,
      reach: 40,
      text: (k) => [`${data.name}: ${text(z[k])}`, `${data.x.label}: ${text(gx[k])}`, `${data.y.label}: ${text(gy[k])}`],
    });
  },
  table(data) {
    const xs = unpack(data.at.x);
    const ys = unpack(data.at.y);
    const z = unpack(data.z);
    const sign = data.larger_is_better ? -1 : 1;
    const order = Array.from(z, (_, k) => k)
      .filter((k) => Number.isFinite(z[k]))
      .sort((a, b) => sign * (z[a] - z[b]));
    return { columns: [data.x.label, data.y.label, data.name], rows: order.map((k) => [xs[k % xs.length], ys[Math.floor(k / xs.length)], z[k]]) };
  },
};
