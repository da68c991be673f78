// Observed over predicted: on the line where the prediction is right.
import type { Chart } from "../kit/chart";
import { clear, hover } from "../kit/hover";
import { legend } from "../kit/legend";
import { dots, sticks } from "../kit/marks";
import { extent, percent, text, unpack } from "../kit/numbers";
import { plot } from "../kit/plot";
import { domain } from "../kit/scale";
import { columns } from "../kit/table";
import { diagonal } from "./calibration";
import type { PredictedActual } from "./types";

export const predictedActual: Chart<PredictedActual> = {
  draw(el, data, theme) {
    clear(el);
    const x = unpack(data.predicted);
    const y = unpack(data.actual);
    const low = data.low && unpack(data.low);
    const high = data.high && unpack(data.high);
    const n = x.length;
    // Intervals are of the prediction, so they lie along its axis: drawn upright around the line, an observation is
    // inside where its dot touches its stick. Too many sticks hide the dots.
    const drawn = low && high && n <= 1500;
    const size = Math.round(Math.max(280, Math.min(480, el.clientWidth * 0.9)));
    const outside = low && high ? Array.from(y, (_, i) => i).filter((i) => y[i] < low[i] || y[i] > high[i]) : [];
    legend(el, [
      ...(drawn ? [{ name: data.level ? `${percent(data.level)} interval of the prediction` : "interval of the prediction", kind: "line" as const, colour: theme.muted, width: 1 }] : []),
      ...(outside.length ? [{ name: "inside its interval", kind: "dot" as const, colour: theme.groups[0] }, { name: "outside", kind: "dot" as const, colour: theme.groups[1], shape: "triangle" as const }] : []),
    ]);
    const xs = domain(data.x, [x, y]);
    const same = data.x.log === data.y.log;
    const p = plot(el, { x: data.x, y: data.y, xs, ys: same ? xs : domain(data.y, [x, y]), equal: same && !data.x.log, theme, height: size, label: `${data.y.label} over ${data.x.label}` });
    if (drawn) sticks(p, x, low, high, { colour: theme.muted, width: 1, opacity: n > 300 ? 0.2 : 0.4 });
    const ends = extent(xs);
    diagonal(p, ends[0], ends[1]);
    const missed = new Set(outside);
    const opacity = n > 600 ? 0.55 : 0.85;
    dots(p, x, y, { colour: theme.groups[0], opacity }, missed.size ? Array.from(x, (_, i) => i).filter((i) => !missed.has(i)) : undefined);
    dots(p, x, y, { colour: theme.groups[1], shape: "triangle", opacity: 0.95 }, outside);
    hover(p, {
      x,
      y,
      text: (i) => [
        [data.names?.[i], data.rows[i] === undefined ? undefined : `row ${data.rows[i]}`].filter(Boolean).join(" · ") || `point ${i + 1}`,
        `${data.x.label}: ${text(x[i])}${low && high ? ` (${text(low[i])} to ${text(high[i])})` : ""}`,
        `${data.y.label}: ${text(y[i])}`,
      ],
    });
  },
  table(data) {
    return columns(
      ["row", data.rows],
      ...(data.names ? ([["name", data.names]] as [string, string[]][]) : []),
      [data.x.label, unpack(data.predicted)],
      ...(data.low && data.high ? ([["low", unpack(data.low)], ["high", unpack(data.high)]] as [string, Float64Array][]) : []),
      [data.y.label, unpack(data.actual)],
    );
  },
};
