// Bars with a sign, lying, so that names can be read; an interval is a whisker.
import { domain, dots, fade, group, groupItems, h, hover, legend, plot, rect, rule, text, type Chart } from "../kit";
import type { Bars } from "./types";

export const mostBars = 60;

export const bars: Chart<Bars> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const shown = data.bars.slice(0, mostBars);
    if (!shown.length) return el.replaceChildren(h("p", { class: "more" }, "No bars."));
    const n = shown.length;
    const axis = { ...data.x, log: data.log || data.x.log };
    const ends = shown.flatMap((bar) => [bar.value, bar.low ?? NaN, bar.high ?? NaN]);
    const xs = domain(axis, [axis.log ? ends : [...ends, 0]]);
    const zero = axis.log ? xs[0] : 0;
    if (data.classes) legend(el, groupItems(theme, data.classes));
    const at = (i: number) => n - i;
    const p = plot(el, { x: axis, y: { label: "" }, xs, ys: [0.4, n + 0.6], theme, height: 26 * n + 60, yTicks: shown.map((bar, i) => ({ at: at(i), text: bar.name })), label: `${data.x.label}: ${n} bars` });
    shown.forEach((bar, i) => {
      if (!Number.isFinite(bar.value)) return;
      const colour = bar.group === undefined ? (bar.value < 0 && !axis.log ? theme.groups[1] : theme.groups[0]) : group(theme, bar.group).colour;
      rect(p, Math.min(zero, bar.value), Math.max(zero, bar.value), at(i) - 0.32, at(i) + 0.32, fade(colour, 0.75));
      if (bar.group !== undefined) dots(p, [bar.value], [at(i)], { colour, shape: group(theme, bar.group).shape, r: 4 });
      if (bar.low === undefined || bar.high === undefined) return;
      const [a, b, y] = [p.sx(bar.low), p.sx(bar.high), p.sy(at(i))];
      if (![a, b].every(Number.isFinite)) return;
      const { ctx } = p;
      ctx.save();
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1.25;
      ctx.beginPath();
      for (const [x0, y0, x1, y1] of [[a, y, b, y], [a, y - 4, a, y + 4], [b, y - 4, b, y + 4]]) {
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
      }
      ctx.stroke();
      ctx.restore();
    });
    if (!axis.log) rule(p, { x: 0 }, { colour: theme.muted, dash: [] });
    hover(p, {
      x: shown.map((bar) => bar.value),
      y: shown.map((_, i) => at(i)),
      reach: 60,
      text(i) {
        const bar = shown[i];
        const spread = bar.low !== undefined && bar.high !== undefined ? [`${text(bar.low)} to ${text(bar.high)}`] : [];
        return [bar.name, text(bar.value), ...spread, ...(bar.group !== undefined && data.classes ? [data.classes[bar.group]] : []), ...(bar.note ? [bar.note] : [])];
      },
    });
    if (data.bars.length > n) el.append(h("p", { class: "more" }, `${text(data.bars.length - n)} more are in the table.`));
  },
  table: (data) => ({
    columns: ["name", data.x.label, "low", "high", ...(data.classes ? ["group"] : []), "note"],
    rows: data.bars.map((bar) => [bar.name, bar.value, bar.low ?? null, bar.high ?? null, ...(data.classes ? [data.classes[bar.group ?? -1] ?? ""] : []), bar.note ?? ""]),
  }),
};
