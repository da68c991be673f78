// What the marks of a picture mean, each with a sample of it.
import { h, s } from "./dom";
import { isOpen } from "./marks";
import { fade, group, type Shape, type Theme } from "./theme";

export interface LegendItem {
  name: string;
  kind: "dot" | "line" | "band" | "ring" | "cross" | "cell";
  colour: string;
  shape?: Shape;
  dash?: number[];
  opacity?: number;
  width?: number;
}

const paths: Record<Shape, string> = {
  circle: "M4,0A4,4,0,1,1,-4,0A4,4,0,1,1,4,0Z",
  triangle: "M0,-5L4.4,3L-4.4,3Z",
  down: "M0,5L4.4,-3L-4.4,-3Z",
  square: "M-3.6,-3.6H3.6V3.6H-3.6Z",
  diamond: "M0,-5.2L4.4,0L0,5.2L-4.4,0Z",
  plus: "M-4.8,0H4.8M0,-4.8V4.8",
  cross: "M-3.6,-3.6L3.6,3.6M-3.6,3.6L3.6,-3.6",
  star: "M-4.8,0H4.8M-2.4,-4.2L2.4,4.2M-2.4,4.2L2.4,-4.2",
};

function sample(item: LegendItem): SVGElement {
  const middle = { transform: "translate(11,7)" };
  if (item.kind === "line")
    return s("line", {
      x1: 1,
      x2: 21,
      y1: 7,
      y2: 7,
      stroke: item.colour,
      "stroke-width": item.width ?? 2,
      "stroke-dasharray": item.dash?.join(" "),
      "stroke-opacity": item.opacity,
    });
  if (item.kind === "band" || item.kind === "cell")
    return s("rect", { x: 3, y: 1, width: 16, height: 12, rx: 2, fill: fade(item.colour, item.opacity ?? (item.kind === "band" ? 0.3 : 1)) });
  if (item.kind === "ring") return s("circle", { ...middle, r: 5.5, fill: "none", stroke: item.colour, "stroke-width": 1.2 });
  const shape = item.kind === "cross" ? "cross" : (item.shape ?? "circle");
  return s("path", {
    ...middle,
    d: paths[shape],
    fill: isOpen(shape) ? "none" : item.colour,
    stroke: isOpen(shape) ? item.colour : "none",
    "stroke-width": 1.6,
  });
}

/** Appends a line of samples with names; nothing for nothing. */
export function legend(el: HTMLElement, items: LegendItem[]): void {
  if (!items.length) return;
  el.append(
    h(
      "ul",
      { class: "legend" },
      ...items.map((item) => h("li", null, s("svg", { width: 22, height: 14, "aria-hidden": "true" }, sample(item)), h("span", null, item.name))),
    ),
  );
}

/** Items of groups, as dots or lines. */
export function groupItems(theme: Theme, names: string[], kind: "dot" | "line" = "dot"): LegendItem[] {
  return names.map((name, i) => ({ name, kind, ...group(theme, i) }));
}
