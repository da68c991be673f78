// A kernel matrix as a picture: the row under the pointer stands out, and i, j and k are told.
import { cells, extent, h, plot, s, shade, steps, text, tooltip, unpack, type Chart } from "../kit";
import { rampLegend } from "./ramp";
import type { GramPicture } from "./types";
import "./words.css";

/** What a row of the picture stands for: a row of the data, or the block of rows whose mean it is. */
export function rowName(data: GramPicture, i: number): string {
  if (data.n <= data.size) return `row ${data.rows?.[i] ?? i + 1}`;
  const from = Math.floor((i * data.n) / data.size);
  const to = Math.max(from + 1, Math.floor(((i + 1) * data.n) / data.size));
  return `places ${from + 1} to ${to}`;
}

export const gram: Chart<GramPicture> = {
  draw(el, data, theme, handlers) {
    el.replaceChildren();
    const values = unpack(data.values);
    const n = data.size;
    if (!n || !values.length) return el.replaceChildren(h("p", { class: "more" }, "An empty matrix."));
    const [low, high] = extent(values);
    const signs = low < 0 && high > 0;
    const most = Math.max(Math.abs(low), Math.abs(high));
    const [from, to] = signs ? [-most, most] : [low, high];
    const ramp = signs ? "diverging" : "sequential";
    const width = Math.min(480, el.clientWidth || 480);
    const ticks = (data.blocks ?? []).map((block) => ({ at: (block.from + block.to) / 2, text: block.name }));
    const down = (place: number) => n - place; // the first row on top
    const p = plot(el, {
      x: { label: `columns ${data.order}` },
      y: { label: "" },
      xs: [0, n],
      ys: [0, n],
      theme,
      grid: false,
      equal: true,
      width,
      height: width,
      xTicks: ticks,
      yTicks: ticks.map((tick) => ({ ...tick, at: down(tick.at) })),
      label: `kernel matrix of ${data.n} points, ${data.order}`,
    });
    const centres = steps(0.5, n - 0.5, n);
    cells(p, { xs: centres, ys: centres.map(down) }, shade(values, from, to, theme.ramps[ramp]));
    const lines = s("g", { stroke: theme.paper, "stroke-width": 1.5, opacity: 0.9 });
    for (const block of (data.blocks ?? []).slice(1)) {
      const [x, y] = [p.sx(block.from), p.sy(down(block.from))];
      lines.append(s("line", { x1: x, x2: x, y1: p.top, y2: p.top + p.height }), s("line", { x1: p.left, x2: p.left + p.width, y1: y, y2: y }));
    }
    // The row and the column of the pointer stand out: the rest steps back.
    const shades = [0, 1, 2, 3].map(() => s("rect", { fill: theme.paper, opacity: 0.55, visibility: "hidden" }));
    p.svg.append(lines, ...shades);
    const tip = tooltip(p);
    const live = h("div", { class: "sr", "aria-live": "polite" });
    p.root.after(live);
    let now: [number, number] | null = null;
    const hide = () => {
      if (now) handlers?.hover?.(null);
      now = null;
      tip.hide();
      for (const each of shades) each.setAttribute("visibility", "hidden");
    };
    const show = (i: number, j: number, aloud = false) => {
      if (!(i >= 0 && j >= 0 && i < n && j < n)) return hide();
      if (now?.[0] !== i) handlers?.hover?.(i);
      now = [i, j];
      const [x0, x1, y0, y1] = [p.sx(j), p.sx(j + 1), p.sy(down(i)), p.sy(down(i + 1))];
      const [left, right, top, bottom] = [p.left, p.left + p.width, p.top, p.top + p.height];
      [[left, top, x0, y0], [x1, top, right, y0], [left, y1, x0, bottom], [x1, y1, right, bottom]].forEach(([a, b, c, d], k) => {
        for (const [name, value] of Object.entries({ x: a, y: b, width: Math.max(0, c - a), height: Math.max(0, d - b), visibility: "visible" })) shades[k].setAttribute(name, String(value));
      });
      const block = (place: number) => data.blocks?.find((each) => place >= each.from && place < each.to)?.name;
      const said = (place: number) => rowName(data, place) + (block(place) ? `, ${block(place)}` : "");
      const words = [`k = ${text(values[i * n + j])}`, `i: ${said(i)}`, `j: ${said(j)}`];
      tip.show((x0 + x1) / 2, (y0 + y1) / 2, words);
      if (aloud) live.textContent = words.join(", ");
    };
    p.root.tabIndex = 0;
    p.root.addEventListener("pointermove", (event) => {
      const box = p.root.getBoundingClientRect();
      show(Math.floor(n - p.sy.invert(event.clientY - box.top)), Math.floor(p.sx.invert(event.clientX - box.left)));
    });
    p.root.addEventListener("pointerleave", hide);
    p.root.addEventListener("blur", hide);
    p.root.addEventListener("click", () => now && handlers?.pick?.(now[0]));
    p.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      if (event.key === "Enter" && now) return handlers?.pick?.(now[0]);
      const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!by) return;
      event.preventDefault();
      const bound = (value: number) => Math.max(0, Math.min(n - 1, value));
      show(bound(now ? now[0] + by[0] : 0), bound(now ? now[1] + by[1] : 0), true);
    });
    el.append(rampLegend(theme, ramp, text(from, 3), text(to, 3), "k"));
  },
  table(data) {
    const values = unpack(data.values);
    const n = data.size;
    const shown = Math.min(n, 20);
    return {
      columns: ["", ...Array.from({ length: shown }, (_, j) => rowName(data, j))],
      rows: Array.from({ length: shown }, (_, i) => [rowName(data, i), ...values.slice(i * n, i * n + shown)]),
      ...(n > shown ? { more: n - shown } : {}),
    };
  },
};
