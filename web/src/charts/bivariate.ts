// Two numbers under one normal distribution: ellipses, the line where the first is known, and what is then known of the second.
import { domain, extent, fade, h, hover, legend, line, percent, plot, s, text, unpack, type Chart } from "../kit";
import type { Bivariate } from "./types";
import "./words.css";

export const bivariate: Chart<Bivariate> = {
  draw(el, data, theme, handlers) {
    const focused = el.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement;
    el.replaceChildren();
    const { given } = data;
    const at = unpack(data.conditional.at);
    const [density, prior] = [unpack(data.conditional.density), unpack(data.conditional.prior)];
    const ellipses = [...data.ellipses].sort((a, b) => b.level - a.level);
    const xs = domain(data.x, [...ellipses.map((each) => each.x), [given.x]]);
    const ys = domain(data.y, [...ellipses.map((each) => each.y), at], 0.02);
    const [now, before] = [theme.groups[1], theme.groups[0]];
    legend(el, [
      { name: `both: ${[...ellipses].reverse().map((each) => percent(each.level)).join(", ")}`, kind: "band", colour: before },
      { name: `${data.y.label} alone`, kind: "line", colour: before, dash: [5, 4] },
      { name: `${data.y.label} given ${data.x.label} = ${text(given.x, 3)}: ${text(given.mean, 3)} ± ${text(given.sd, 3)}`, kind: "line", colour: now },
    ]);
    const room = el.clientWidth || 640;
    const side = room > 520 ? Math.min(200, 0.28 * room) : 0.34 * room;
    const width = Math.min(460, room - side);
    const box = h("div", { class: "beside" });
    el.append(box);
    const p = plot(box, { x: data.x, y: data.y, xs, ys, theme, width, height: Math.max(260, Math.min(400, width)), label: `${data.y.label} and ${data.x.label} under one normal distribution` });
    for (const each of ellipses) {
      p.ctx.fillStyle = fade(before, 0.13);
      p.ctx.beginPath();
      each.x.forEach((x, i) => p.ctx.lineTo(p.sx(x), p.sy(each.y[i])));
      p.ctx.fill();
      line(p, each.x, each.y, { colour: before, width: 1, opacity: 0.6 });
    }
    line(p, [given.x, given.x], [given.mean - 1.96 * given.sd, given.mean + 1.96 * given.sd], { colour: now, width: 5, opacity: 0.35 });
    const rule = s("line", { class: "rule-now", y1: p.top, y2: p.top + p.height, x1: p.sx(given.x), x2: p.sx(given.x) });
    p.svg.append(rule, s("circle", { cx: p.sx(given.x), cy: p.sy(given.mean), r: 4.5, fill: now, stroke: theme.paper, "stroke-width": 1.5 }));
    hover(p, {
      x: [given.x, data.mean[0]],
      y: [given.mean, data.mean[1]],
      text: (i) => (i ? ["mean of both", `${text(data.mean[0], 3)}, ${text(data.mean[1], 3)}`] : [`given ${text(given.x, 3)}`, `${text(given.mean, 3)} ± ${text(given.sd, 3)}`]),
    });
    const [, most] = extent(density, prior);
    const q = plot(box, { x: { label: "density" }, y: { label: "" }, xs: [0, Number.isFinite(most) ? 1.05 * most : 1], ys, theme, width: side, height: p.outer.height, hideY: true, top: 16, xTicks: [], label: `density of ${data.y.label}` });
    // The same heights as beside it.
    line(q, prior, at, { colour: before, dash: [5, 4], width: 1.5 });
    q.ctx.save();
    q.ctx.fillStyle = fade(now, 0.15);
    q.ctx.beginPath();
    at.forEach((y, i) => q.ctx.lineTo(q.sx(density[i]), q.sy(y)));
    q.ctx.lineTo(q.sx(0), q.sy(at[at.length - 1]));
    q.ctx.lineTo(q.sx(0), q.sy(at[0]));
    q.ctx.fill();
    q.ctx.restore();
    line(q, density, at, { colour: now, width: 2 });
    if (!handlers?.drag) return;

    const tell = (x: number, done: boolean) => handlers.drag!(0, Math.max(xs[0], Math.min(xs[1], x)), given.mean, done);
    const slider = h("input", { type: "range", min: xs[0], max: xs[1], step: (xs[1] - xs[0]) / 200, value: given.x, "aria-label": `${data.x.label} is`, "aria-valuetext": text(given.x, 3) });
    slider.addEventListener("input", () => tell(Number(slider.value), false));
    slider.addEventListener("change", () => tell(Number(slider.value), true));
    el.append(h("div", { class: "cut-slider" }, slider, h("output", { class: "cut-said" }, `${data.x.label} = ${text(given.x, 3)}`)));
    if (focused) slider.focus({ preventScroll: true });
    p.root.classList.add("playable");
    p.root.addEventListener("pointerdown", (event) => {
      const frame = p.root.getBoundingClientRect();
      if (event.button !== 0 || Math.abs(event.clientX - frame.left - p.sx(given.x)) > 24) return;
      event.preventDefault();
      // A new picture may replace this one meanwhile: what follows is heard at the window.
      let x = given.x;
      const move = (next: PointerEvent) => tell((x = p.sx.invert(next.clientX - frame.left)), false);
      const end = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
        tell(x, true);
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
  },
  table(data) {
    const [at, density, prior] = [data.conditional.at, data.conditional.density, data.conditional.prior].map(unpack);
    return { columns: [data.y.label, `density given ${data.x.label} = ${text(data.given.x, 3)}`, "density alone"], rows: Array.from(at, (value, i) => [value, density[i], prior[i]]) };
  },
};
