// Graphs as drawings at positions that are given; nodes shaded by what they add.
import { extent, h, panels, readable, s, text, type Chart, type Theme } from "../kit";
import { largest, rampLegend, signed } from "./ramp";
import type { Graphs } from "./types";
import "./words.css";

type Graph = Graphs["graphs"][number];

/** Pixels of the nodes: as large as fits, one unit as long on both axes, in the middle. */
export function layout(x: number[], y: number[], width: number, height: number, rim: number): { x: number[]; y: number[] } {
  const [[x0, x1], [y0, y1]] = [extent(x), extent(y)];
  const unit = Math.min((width - 2 * rim) / (x1 - x0 || 1e-9), (height - 2 * rim) / (y1 - y0 || 1e-9), 64);
  const place = (value: number, low: number, high: number, room: number, up: number) => (Number.isFinite(value) ? room / 2 + up * unit * (value - (low + high) / 2) : NaN);
  return { x: x.map((value) => place(value, x0, x1, width, 1)), y: y.map((value) => place(value, y0, y1, height, -1)) };
}

function one(el: HTMLElement, width: number, graph: Graph, data: Graphs, scale: number, theme: Theme): void {
  const n = Math.min(graph.x.length, graph.y.length);
  const r = n > 400 ? 2 : n > 60 ? 5 : n > 25 ? 8 : 12;
  const height = Math.round(Math.min(280, Math.max(150, 0.75 * width)));
  const at = layout(graph.x, graph.y, width, height, r + 6);
  const there = (i: number) => Number.isFinite(at.x[i]) && Number.isFinite(at.y[i]);
  const told = h("p", { class: "told", "aria-live": "polite" });
  const shade = (i: number) => {
    const value = graph.values?.[i];
    if (value === undefined || !Number.isFinite(value)) return theme.paper;
    return data.diverging ? theme.diverging(0.5 + (0.5 * value) / scale) : theme.sequential(value / scale);
  };
  const nodes = Array.from({ length: n }, (_, i) => {
    if (!there(i)) return null;
    const colour = shade(i);
    const label = r >= 8 ? (graph.labels?.[i] ?? "") : "";
    const value = graph.values?.[i];
    const short = [...label].length > 3 ? `${[...label].slice(0, 2).join("")}…` : label;
    // The sign is told by the rim too: dashed is against.
    const against = data.diverging && value !== undefined && value < 0;
    return s(
      "g",
      { "data-node": i },
      s("circle", { cx: at.x[i], cy: at.y[i], r, fill: colour, stroke: theme.muted, "stroke-width": 1.25, "stroke-dasharray": against ? "3 2" : null }),
      short ? s("text", { x: at.x[i], y: at.y[i] + 4, "text-anchor": "middle", fill: readable(colour), "font-size": 11, "font-weight": 600 }, short) : null,
    );
  });
  const svg = s(
    "svg",
    { width, height, class: "graph", role: "img", tabindex: 0, "aria-label": `${graph.name}: ${n} nodes, ${graph.edges.length} edges; arrow keys walk` },
    ...graph.edges.filter(([a, b]) => there(a) && there(b)).map(([a, b]) => s("line", { x1: at.x[a], y1: at.y[a], x2: at.x[b], y2: at.y[b], stroke: theme.muted, "stroke-width": r < 5 ? 0.75 : 1.5 })),
    ...nodes,
  );
  let now = -1;
  const tell = (i: number) => {
    nodes[now]?.classList.remove("here");
    now = i;
    nodes[i]?.classList.add("here");
    const value = graph.values?.[i];
    told.textContent = i < 0 ? "" : `node ${i + 1}${graph.labels?.[i] ? ` (${graph.labels[i]})` : ""}${value === undefined ? "" : `: ${data.diverging ? signed(text(value, 3)) : text(value, 3)}`}`;
  };
  svg.addEventListener("pointermove", (event) => tell(Number((event.target as Element).closest("[data-node]")?.getAttribute("data-node") ?? -1)));
  svg.addEventListener("pointerleave", () => tell(-1));
  svg.addEventListener("blur", () => tell(-1));
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by || !n) return;
    event.preventDefault();
    tell(Math.max(0, Math.min(n - 1, now + by)));
  });
  const right = graph.truth !== undefined && graph.predicted !== undefined ? graph.truth === graph.predicted : undefined;
  el.append(
    h(
      "div",
      { class: "string" },
      h(
        "header",
        null,
        h("strong", null, graph.name),
        graph.score !== undefined && h("span", null, `${graph.of ?? "score"} ${signed(text(graph.score))}`),
        graph.predicted !== undefined && h("span", { class: right === false ? "wrong" : null }, right === undefined ? "" : right ? "✓ " : "✗ ", `predicted ${graph.predicted}`, right === false ? `, is ${graph.truth}` : ""),
      ),
    ),
    svg,
    told,
    graph.like?.length ? h("p", { class: "like" }, "most like ", ...graph.like.flatMap((other, i) => [i ? ", " : "", h("span", null, other.name), ` (${text(other.k, 3)})`])) : "",
  );
}

export const graphs: Chart<Graphs> = {
  draw(el, data, theme) {
    el.replaceChildren();
    if (!data.graphs.length) return el.replaceChildren(h("p", { class: "more" }, "No graphs."));
    const scale = largest(data.graphs.flatMap((graph) => graph.values ?? []));
    if (data.graphs.some((graph) => graph.values))
      el.append(data.diverging ? rampLegend(theme, "diverging", text(-scale, 2), signed(text(scale, 2)), data.value) : rampLegend(theme, "sequential", "0", text(scale, 2), data.value));
    panels(el, data.graphs.length, 220, 4).forEach((cell, i) => one(cell.el, cell.width, data.graphs[i], data, scale, theme));
  },
  table: (data) => ({
    columns: ["graph", "node", "label", data.value, "neighbours"],
    rows: data.graphs.flatMap((graph) => {
      const near = graph.x.map(() => [] as number[]);
      for (const [a, b] of graph.edges) {
        near[a]?.push(b + 1);
        if (a !== b) near[b]?.push(a + 1);
      }
      return graph.x.map((_, i) => [graph.name, i + 1, graph.labels?.[i] ?? "", graph.values?.[i] ?? null, near[i].join(" ")]);
    }),
  }),
};
