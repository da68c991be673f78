// The frame of a picture: a canvas for the marks, an SVG above it for axes, handles and focus. Marks are in marks.ts,
// pointing in hover.ts, legends in legend.ts.
import type { Axis } from "../charts/types";
import { h, s } from "./dom";
import { axisTitle, scale, sane, ticks, type Scale, type Tick } from "./scale";
import type { Theme } from "./theme";

export interface PlotOptions {
  x: Axis;
  y: Axis;
  xs: [number, number];
  ys: [number, number];
  theme: Theme;
  /** Said to those who do not see the picture. */
  label?: string;
  /** Of the whole picture in pixels; the width is that of the element unless given. */
  height?: number;
  width?: number;
  /** One unit is as long on both axes. */
  equal?: boolean;
  /** Room for the numbers of the y axis at least: aligns plots under each other. */
  left?: number;
  /** Room at the right end, e.g. for labels of lines. */
  right?: number;
  /** Room above the marks, e.g. for labels of vertical lines. */
  top?: number;
  grid?: boolean;
  /** Axes without numbers: of small pictures whose neighbour has them. */
  hideX?: boolean;
  hideY?: boolean;
  /** Instead of numbers: names at places. */
  xTicks?: Tick[];
  yTicks?: Tick[];
}

/** The marks' area is left..left+width, top..top+height in pixels of root; sx and sy map into it. */
export interface Plot {
  root: HTMLElement; // holds canvas, svg and tooltip; role=img
  el: HTMLElement; // what it was drawn into
  ctx: CanvasRenderingContext2D;
  svg: SVGSVGElement;
  sx: Scale;
  sy: Scale;
  left: number;
  top: number;
  width: number;
  height: number;
  /** The whole picture. */
  outer: { width: number; height: number };
  theme: Theme;
  label: string;
}

export const font = (theme: Theme, size = theme.size, weight = 400): string => `${weight} ${size}px ${theme.font}`;

/** Width of a text in pixels. */
export function measure(ctx: CanvasRenderingContext2D, words: string, of: string): number {
  ctx.font = of;
  return ctx.measureText(words)?.width ?? 7 * words.length;
}

/** The text, or its beginning with an ellipsis where it is too wide. */
export function fit(ctx: CanvasRenderingContext2D, words: string, of: string, width: number): string {
  if (measure(ctx, words, of) <= width) return words;
  const letters = [...words.slice(0, 400)];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(ctx, `${letters.slice(0, middle).join("").trimEnd()}…`, of) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

function surface(width: number, height: number): { canvas: HTMLCanvasElement; ctx: CanvasRenderingContext2D } {
  const ratio = Math.min(3, Math.max(1, globalThis.devicePixelRatio || 1));
  const canvas = h("canvas", {
    width: Math.round(width * ratio),
    height: Math.round(height * ratio),
    "aria-hidden": "true",
    style: { width: `${width}px`, height: `${height}px` },
  });
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("this browser has no canvas");
  ctx.scale(ratio, ratio);
  return { canvas, ctx };
}

/** Width an element gives to a picture. */
export const roomIn = (el: HTMLElement): number => Math.max(160, Math.floor(el.clientWidth || 640));

/** Appends a frame with axes and grid to the element. */
export function plot(el: HTMLElement, options: PlotOptions): Plot {
  const { theme, x, y } = options;
  const outerWidth = options.width ?? roomIn(el);
  let outerHeight = options.height ?? Math.round(Math.min(340, Math.max(220, outerWidth * 0.6)));
  const xs = sane(options.xs, x.log);
  const ys = sane(options.ys, y.log);
  const letters = font(theme);
  const label = options.label ?? `${axisTitle(y)} over ${axisTitle(x)}`;

  const measuring = h("canvas").getContext("2d")!;
  const top = (y.label ? 26 : 10) + (options.top ?? 0);
  const bottom = (options.hideX ? 8 : 22) + (x.label ? 19 : 0);
  const yTicks = options.yTicks ?? ticks(y, ys, Math.max(2, Math.min(6, Math.floor((outerHeight - top - bottom) / 38))));
  const widest = Math.max(0, ...yTicks.map((tick) => measure(measuring, tick.text, letters)));
  const left = options.hideY ? 8 : Math.ceil(Math.min(outerWidth * 0.4, Math.max(options.left ?? 24, widest + 12)));
  const right = options.right ?? 14;
  let width = Math.max(40, outerWidth - left - right);
  let height = Math.max(40, outerHeight - top - bottom);
  if (options.equal) {
    const unit = Math.min(width / (xs[1] - xs[0]), height / (ys[1] - ys[0]));
    width = Math.max(40, unit * (xs[1] - xs[0]));
    height = Math.max(40, unit * (ys[1] - ys[0]));
    outerHeight = height + top + bottom;
  }
  const sx = scale(x, xs, [left, left + width]);
  const sy = scale(y, ys, [top + height, top]);

  const { canvas, ctx } = surface(outerWidth, outerHeight);
  const svg = s("svg", { width: outerWidth, height: outerHeight, "aria-hidden": "true" });
  const root = h(
    "div",
    { class: "plot", role: "img", "aria-label": label, style: { width: `${outerWidth}px`, height: `${outerHeight}px` } },
    canvas,
    svg,
  );
  el.append(root);

  // Ticks whose words would touch are left out.
  const xTicks = options.xTicks ?? ticks(x, xs, Math.max(2, Math.min(8, Math.floor(width / 70))));
  const axes = s("g", { class: "axes" });
  ctx.strokeStyle = theme.grid;
  ctx.lineWidth = 1;
  let end = -Infinity;
  for (const tick of options.hideX ? [] : xTicks) {
    const at = sx(tick.at);
    if (at < left - 0.5 || at > left + width + 0.5) continue;
    if (options.grid !== false) stroke(ctx, [at, top, at, top + height]);
    const half = measure(measuring, tick.text, letters) / 2;
    if (at - half < end + 6) continue;
    end = at + half;
    axes.append(
      s("line", { x1: at, x2: at, y1: top + height, y2: top + height + 4, class: "tick" }),
      s("text", { x: at, y: top + height + 17, "text-anchor": "middle" }, tick.text),
    );
  }
  for (const tick of yTicks) {
    const at = sy(tick.at);
    if (at < top - 0.5 || at > top + height + 0.5) continue;
    if (options.grid !== false) stroke(ctx, [left, at, left + width, at]);
    if (options.hideY) continue;
    const words = fit(measuring, tick.text, letters, left - 10);
    axes.append(s("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, words, words !== tick.text && s("title", null, tick.text)));
  }
  axes.append(s("line", { x1: left, x2: left + width, y1: top + height, y2: top + height, class: "base" }));
  const title = (axis: Axis, place: Record<string, number | string>, room: number) => {
    if (!axis.label) return;
    const words = fit(measuring, axisTitle(axis), font(theme, theme.size, 500), room);
    axes.append(s("text", { ...place, class: "title" }, words, words !== axisTitle(axis) && s("title", null, axisTitle(axis))));
  };
  title(y, { x: options.hideY ? left : Math.max(0, left - Math.min(left, 36)), y: 12 }, outerWidth - 8);
  title(x, { x: left + width, y: outerHeight - 5, "text-anchor": "end" }, left + width);
  svg.append(axes);
  return { root, el, ctx, svg, sx, sy, left, top, width, height, outer: { width: outerWidth, height: outerHeight }, theme, label };
}

function stroke(ctx: CanvasRenderingContext2D, [x1, y1, x2, y2]: number[]): void {
  ctx.beginPath();
  ctx.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  ctx.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  ctx.stroke();
}

/** Draws inside the marks' area only (and `beyond` pixels more, so that dots at the edge are whole). */
export function clipped(p: Plot, draw: () => void, beyond = 0): void {
  p.ctx.save();
  p.ctx.beginPath();
  p.ctx.rect(p.left - beyond, p.top - beyond, p.width + 2 * beyond, p.height + 2 * beyond);
  p.ctx.clip();
  draw();
  p.ctx.restore();
}

/** Cells beside each other for several plots of one chart; as many columns as fit `least` pixels each. */
export function panels(el: HTMLElement, count: number, least = 260, columns = count): { el: HTMLElement; width: number }[] {
  const room = roomIn(el);
  const gap = 24;
  const across = Math.max(1, Math.min(count, columns, Math.floor((room + gap) / (least + gap))));
  const width = Math.floor((room - gap * (across - 1)) / across);
  const box = h("div", { class: "panels", style: { gridTemplateColumns: `repeat(${across}, ${width}px)`, columnGap: `${gap}px` } });
  el.append(box);
  return Array.from({ length: count }, () => {
    const cell = h("div", { class: "panel" });
    box.append(cell);
    return { el: cell, width };
  });
}
