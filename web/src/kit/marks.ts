// Marks on the canvas of a plot. None makes an object per mark; what is not a number is left out.
import { contours } from "d3-contour";
import { h, s } from "./dom";
import { clipped, fit, font, measure, type Plot } from "./plot";
import { byte, rgb, type Shape } from "./theme";

type Values = ArrayLike<number>;

export interface Pen {
  colour: string;
  width?: number;
  dash?: number[];
  opacity?: number;
}

function take(p: Plot, pen: Pen): CanvasRenderingContext2D {
  const { ctx } = p;
  ctx.strokeStyle = pen.colour;
  ctx.lineWidth = pen.width ?? 1.75;
  ctx.setLineDash(pen.dash ?? []);
  ctx.globalAlpha = pen.opacity ?? 1;
  ctx.lineJoin = "round";
  ctx.lineCap = pen.dash?.length ? "butt" : "round";
  return ctx;
}

/** A line through the points, with gaps where one is not a number. `step`: as a staircase. */
export function line(p: Plot, xs: Values, ys: Values, pen: Pen & { step?: boolean }): void {
  clipped(p, () => {
    const ctx = take(p, pen);
    ctx.beginPath();
    let drawing = false;
    let [lastX, lastY] = [0, 0];
    for (let i = 0; i < Math.min(xs.length, ys.length); ++i) {
      const x = p.sx(xs[i]);
      const y = p.sy(ys[i]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        drawing = false;
        continue;
      }
      if (drawing && Math.abs(x - lastX) < 0.2 && Math.abs(y - lastY) < 0.2) continue;
      if (drawing && pen.step) ctx.lineTo(x, lastY);
      if (drawing) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
      drawing = true;
      [lastX, lastY] = [x, y];
    }
    ctx.stroke();
  }, 1);
}

/** The area between two lines. */
export function band(p: Plot, xs: Values, low: Values, high: Values, look: { colour: string; opacity?: number }): void {
  clipped(p, () => {
    const { ctx } = p;
    ctx.fillStyle = look.colour;
    ctx.globalAlpha = look.opacity ?? 0.18;
    const n = Math.min(xs.length, low.length, high.length);
    const there = (i: number) =>
      Number.isFinite(p.sx(xs[i])) && Number.isFinite(p.sy(low[i])) && Number.isFinite(p.sy(high[i]));
    for (let from = 0; from < n; ++from) {
      if (!there(from)) continue;
      let to = from;
      while (to + 1 < n && there(to + 1)) ++to;
      ctx.beginPath();
      for (let i = from; i <= to; ++i) ctx.lineTo(p.sx(xs[i]), p.sy(high[i]));
      for (let i = to; i >= from; --i) ctx.lineTo(p.sx(xs[i]), p.sy(low[i]));
      ctx.closePath();
      ctx.fill();
      from = to;
    }
  });
}

/** Adds the outline of a shape to the path. `r`: half its size; areas are alike. */
export function outline(ctx: CanvasRenderingContext2D | Path2D, shape: Shape, x: number, y: number, r: number): void {
  const ring = (...points: [number, number][]) => {
    points.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + r * dx, y + r * dy) : ctx.moveTo(x + r * dx, y + r * dy)));
    ctx.closePath();
  };
  const rays: Record<string, [number, number][]> = {
    plus: [[-1.2, 0], [1.2, 0], [0, -1.2], [0, 1.2]],
    cross: [[-0.9, -0.9], [0.9, 0.9], [-0.9, 0.9], [0.9, -0.9]],
    star: [[-1.2, 0], [1.2, 0], [-0.6, -1.04], [0.6, 1.04], [-0.6, 1.04], [0.6, -1.04]],
  };
  if (shape === "circle") {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === "triangle") ring([0, -1.25], [1.1, 0.75], [-1.1, 0.75]);
  else if (shape === "down") ring([0, 1.25], [1.1, -0.75], [-1.1, -0.75]);
  else if (shape === "square") ring([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
  else if (shape === "diamond") ring([0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]);
  else
    for (let i = 0; i < rays[shape].length; i += 2) {
      ctx.moveTo(x + r * rays[shape][i][0], y + r * rays[shape][i][1]);
      ctx.lineTo(x + r * rays[shape][i + 1][0], y + r * rays[shape][i + 1][1]);
    }
}
/** Made of strokes, has no inside. */
export const isOpen = (shape: Shape): boolean => shape === "plus" || shape === "cross" || shape === "star";

export interface DotLook {
  colour: string;
  shape?: Shape;
  /** Half the size in pixels. */
  r?: number;
  opacity?: number;
  hollow?: boolean;
  /** A rim of paper tells dots that overlap apart; where very many do, it hides them. */
  rim?: boolean;
  /** Of the strokes of hollow and open shapes. */
  stroke?: number;
}

/** Half size of a dot that suits so many. */
export const dotSize = (count: number): number => (count > 20000 ? 1 : count > 3000 ? 1.6 : count > 600 ? 2.3 : count > 120 ? 3 : 3.8);

/** The shape as shares of covered pixels, `side` x `side`. */
function mask(paint: (to: CanvasRenderingContext2D, x: number, y: number) => void, half: number, ratio: number): { cover: Float32Array; side: number } {
  const side = Math.ceil(2 * half * ratio);
  const to = h("canvas", { width: side, height: side }).getContext("2d", { willReadFrequently: true })!;
  to.scale(ratio, ratio);
  paint(to, half, half);
  const { data } = to.getImageData(0, 0, side, side);
  return { cover: Float32Array.from({ length: side * side }, (_, k) => data[4 * k + 3] / 255), side };
}

/** Dots that look alike; `which` picks some. */
export function dots(p: Plot, xs: Values, ys: Values, look: DotLook, which?: ArrayLike<number>): void {
  const count = which ? which.length : Math.min(xs.length, ys.length);
  if (!count) return;
  const { ctx, theme } = p;
  const shape = look.shape ?? "circle";
  const r = look.r ?? dotSize(count);
  const many = count > 1500;
  const opacity = look.opacity ?? 1;
  const paint = (to: CanvasRenderingContext2D, x: number, y: number) => {
    to.beginPath();
    outline(to, shape, x, y, r);
    if (isOpen(shape) || look.hollow) {
      to.strokeStyle = look.colour;
      to.lineWidth = look.stroke ?? Math.max(1, Math.min(1.8, r * 0.55));
      to.stroke();
      return;
    }
    to.fillStyle = look.colour;
    to.fill();
    if (many || look.rim === false || r < 2) return;
    to.strokeStyle = theme.paper;
    to.lineWidth = 0.75;
    to.stroke();
  };
  const beyond = 6;
  const [x0, x1, y0, y1] = [p.left - beyond, p.left + p.width + beyond, p.top - beyond, p.top + p.height + beyond];
  if (!many) {
    ctx.save();
    ctx.setLineDash([]);
    ctx.globalAlpha = opacity;
    for (let k = 0; k < count; ++k) {
      const i = which ? which[k] : k;
      const x = p.sx(xs[i]);
      const y = p.sy(ys[i]);
      if (x >= x0 && x <= x1 && y >= y0 && y <= y1) paint(ctx, x, y);
    }
    ctx.restore();
    return;
  }
  // A call of the canvas for each of 1e5 dots takes seconds. They have one colour: what shines through is enough to know.
  const ratio = (ctx.canvas?.width ?? p.outer.width) / p.outer.width || 1;
  const half = Math.ceil(1.3 * r + 0.5);
  const { cover, side } = mask(paint, half, ratio);
  for (let k = 0; k < cover.length; ++k) cover[k] = 1 - opacity * cover[k];
  const [left, top] = [Math.floor((x0 - half) * ratio), Math.floor((y0 - half) * ratio)];
  const [wide, tall] = [Math.ceil((x1 + half) * ratio) - left + 2, Math.ceil((y1 + half) * ratio) - top + 2];
  const clear = new Float32Array(wide * tall).fill(1);
  for (let k = 0; k < count; ++k) {
    const i = which ? which[k] : k;
    const x = p.sx(xs[i]);
    const y = p.sy(ys[i]);
    if (!(x >= x0 && x <= x1 && y >= y0 && y <= y1)) continue;
    const corner = (Math.round((y - half) * ratio) - top) * wide + Math.round((x - half) * ratio) - left;
    for (let row = 0; row < side; ++row)
      for (let column = 0, at = corner + row * wide, from = row * side; column < side; ++column) clear[at + column] *= cover[from + column];
  }
  const image = new ImageData(wide, tall);
  const colour = rgb(look.colour);
  for (let k = 0; k < clear.length; ++k) {
    if (clear[k] === 1) continue;
    image.data[4 * k] = colour[0];
    image.data[4 * k + 1] = colour[1];
    image.data[4 * k + 2] = colour[2];
    image.data[4 * k + 3] = 255 * (1 - clear[k]);
  }
  const layer = h("canvas", { width: wide, height: tall });
  layer.getContext("2d")!.putImageData(image, 0, 0);
  ctx.drawImage(layer, left / ratio, top / ratio, wide / ratio, tall / ratio);
}

/** Circles whose area grows with the weight: 0 none, `largest` of radius `r`. */
export function rings(p: Plot, xs: Values, ys: Values, weights: Values, look: { colour: string; least?: number; r?: number }): void {
  let largest = 0;
  for (let i = 0; i < weights.length; ++i) if (weights[i] > largest && Number.isFinite(weights[i])) largest = weights[i];
  if (largest === 0) return;
  const least = look.least ?? 5;
  const most = look.r ?? 9;
  clipped(p, () => {
    const ctx = take(p, { colour: look.colour, width: 1.1, opacity: 0.85 });
    for (let i = 0; i < xs.length; ++i) {
      if (!(weights[i] > 0)) continue;
      const x = p.sx(xs[i]);
      const y = p.sy(ys[i]);
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const r = Math.sqrt(least * least + (weights[i] / largest) * (most * most - least * least));
      ctx.beginPath();
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      ctx.stroke();
    }
  }, 10);
}

/** Sticks from `from` to y (or between low and high). */
export function sticks(p: Plot, xs: Values, low: Values | number, high: Values, pen: Pen): void {
  clipped(p, () => {
    const ctx = take(p, { width: 1, ...pen });
    ctx.lineCap = "butt";
    for (let begin = 0; begin < xs.length; begin += 1000) {
      ctx.beginPath(); // a path of very many pieces is slow
      for (let i = begin; i < Math.min(xs.length, begin + 1000); ++i) {
        const x = p.sx(xs[i]);
        const y0 = p.sy(typeof low === "number" ? low : low[i]);
        const y1 = p.sy(high[i]);
        if (!Number.isFinite(x) || !Number.isFinite(y0) || !Number.isFinite(y1)) continue;
        ctx.moveTo(x, y0);
        ctx.lineTo(x, y1);
      }
      ctx.stroke();
    }
  }, 2);
}

/** A rectangle in the numbers of the axes; `inset` pixels narrower on both sides. */
export function rect(p: Plot, x0: number, x1: number, y0: number, y1: number, fill: string, inset = 0): void {
  const [a, b] = [p.sx(x0), p.sx(x1)].sort((i, j) => i - j);
  const [c, d] = [p.sy(y0), p.sy(y1)].sort((i, j) => i - j);
  if (![a, b, c, d].every(Number.isFinite)) return;
  clipped(p, () => {
    p.ctx.fillStyle = fill;
    p.ctx.fillRect(a + inset, c, Math.max(0.5, b - a - 2 * inset), d - c);
  });
}

/** A line across the plot at x or y, named at its end. */
export function rule(p: Plot, at: { x: number } | { y: number }, look: Partial<Pen> & { label?: string } = {}): void {
  const vertical = "x" in at;
  const place = vertical ? p.sx(at.x) : p.sy(at.y);
  const [low, high] = vertical ? [p.left, p.left + p.width] : [p.top, p.top + p.height];
  if (!(place >= low - 0.5 && place <= high + 0.5)) return;
  const colour = look.colour ?? p.theme.muted;
  const ctx = take(p, { width: 1, dash: [4, 3], ...look, colour });
  ctx.beginPath();
  if (vertical) {
    ctx.moveTo(place, p.top);
    ctx.lineTo(place, p.top + p.height);
  } else {
    ctx.moveTo(p.left, place);
    ctx.lineTo(p.left + p.width, place);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  if (!look.label) return;
  if (vertical) {
    const leftwards = place > p.left + 0.6 * p.width;
    const room = leftwards ? place - p.left - 6 : p.left + p.width - place - 6;
    write(p, place + (leftwards ? -5 : 5), p.top + 11, look.label, { anchor: leftwards ? "end" : "start", room });
  } else write(p, p.left + p.width - 4, place - 5, look.label, { anchor: "end", room: p.width - 8 });
}

/** Words on the picture, with a rim of paper so that they can be read over marks. */
export function write(
  p: Plot,
  x: number,
  y: number,
  words: string,
  look: { anchor?: "start" | "middle" | "end"; colour?: string; weight?: number; size?: number; room?: number } = {},
): void {
  const shown = look.room === undefined ? words : fit(p.ctx, words, font(p.theme, look.size, look.weight), Math.max(10, look.room));
  p.svg.append(
    s(
      "text",
      {
        x,
        y,
        "text-anchor": look.anchor ?? "start",
        class: "label",
        style: {
          fill: look.colour ?? p.theme.ink,
          ...(look.weight ? { fontWeight: String(look.weight) } : {}),
          ...(look.size ? { fontSize: `${look.size}px` } : {}),
        },
      },
      shown,
      shown !== words && s("title", null, words),
    ),
  );
}

/** Names at the right ends of lines, moved apart where they would touch. Leave room by PlotOptions.right = labelRoom(...). */
export function endLabels(p: Plot, ends: { y: number; text: string; colour: string }[]): void {
  const step = 14;
  const placed = ends
    .map((end) => ({ ...end, at: p.sy(end.y) }))
    .filter((end) => Number.isFinite(end.at))
    .sort((a, b) => a.at - b.at);
  for (const end of placed) end.at = Math.min(p.top + p.height, Math.max(p.top + 4, end.at));
  for (let i = 1; i < placed.length; ++i) placed[i].at = Math.max(placed[i].at, placed[i - 1].at + step);
  for (let i = placed.length - 1, limit = p.top + p.height + 4; i >= 0; --i, limit -= step)
    placed[i].at = Math.min(placed[i].at, limit);
  for (const end of placed)
    write(p, p.left + p.width + 6, end.at + 4, end.text, { colour: end.colour, room: p.outer.width - p.left - p.width - 8 });
}

export function labelRoom(theme: Plot["theme"], names: string[], most: number): number {
  const ctx = h("canvas").getContext("2d")!;
  return Math.min(most, Math.ceil(Math.max(0, ...names.map((name) => measure(ctx, name.slice(0, 60), font(theme))))) + 14);
}

// ---- The plane ----

/** Values on a grid: value [j * xs.length + i] at (xs[i], ys[j]), both increasing or both as given. */
export interface Field {
  xs: Values;
  ys: Values;
}

/** n equal steps from low to high. */
export const steps = (low: number, high: number, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => (n > 1 ? low + ((high - low) * i) / (n - 1) : (low + high) / 2));

/** RGBA of values by a ramp of 256 colours; clear where a value is not a number. */
export function shade(values: Values, low: number, high: number, ramp: Uint8ClampedArray, opacity = 1): Uint8ClampedArray {
  const out = new Uint8ClampedArray(4 * values.length);
  const width = high - low || 1;
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i])) continue;
    const k = 4 * byte((values[i] - low) / width);
    out[4 * i] = ramp[k];
    out[4 * i + 1] = ramp[k + 1];
    out[4 * i + 2] = ramp[k + 2];
    out[4 * i + 3] = 255 * opacity;
  }
  return out;
}

/** Pixel edges of the cells around places: half way between neighbours. */
function edges(places: Float64Array): Float64Array {
  const n = places.length;
  const out = new Float64Array(n + 1);
  for (let i = 1; i < n; ++i) out[i] = (places[i - 1] + places[i]) / 2;
  out[0] = n > 1 ? 2 * places[0] - out[1] : places[0] - 8;
  out[n] = n > 1 ? 2 * places[n - 1] - out[n - 1] : places[0] + 8;
  return out;
}

/** Filled cells, one RGBA each, row by row from ys[0]. `smooth`: colours flow into each other. */
export function cells(p: Plot, field: Field, rgba: Uint8ClampedArray, smooth = false): void {
  const nx = field.xs.length;
  const ny = field.ys.length;
  if (!nx || !ny) return;
  const ex = edges(Float64Array.from({ length: nx }, (_, i) => p.sx(field.xs[i])));
  const ey = edges(Float64Array.from({ length: ny }, (_, j) => p.sy(field.ys[j])));
  const even = (e: Float64Array) => {
    const step = (e[e.length - 1] - e[0]) / (e.length - 1);
    return e.every((value, i) => Math.abs(value - e[0] - i * step) < 0.5);
  };
  clipped(p, () => {
    const { ctx } = p;
    ctx.globalAlpha = 1;
    if (!even(ex) || !even(ey)) {
      for (let j = 0; j < ny; ++j)
        for (let i = 0; i < nx; ++i) {
          const k = 4 * (j * nx + i);
          if (!rgba[k + 3]) continue;
          ctx.fillStyle = `rgba(${rgba[k]},${rgba[k + 1]},${rgba[k + 2]},${rgba[k + 3] / 255})`;
          ctx.fillRect(Math.min(ex[i], ex[i + 1]), Math.min(ey[j], ey[j + 1]), Math.abs(ex[i + 1] - ex[i]) + 0.4, Math.abs(ey[j + 1] - ey[j]) + 0.4);
        }
      return;
    }
    const [flipX, flipY] = [ex[nx] < ex[0], ey[ny] < ey[0]];
    const image = new ImageData(nx, ny);
    for (let j = 0; j < ny; ++j)
      for (let i = 0; i < nx; ++i) {
        const to = 4 * ((flipY ? ny - 1 - j : j) * nx + (flipX ? nx - 1 - i : i));
        const from = 4 * (j * nx + i);
        for (let c = 0; c < 4; ++c) image.data[to + c] = rgba[from + c];
      }
    const small = h("canvas", { width: nx, height: ny });
    small.getContext("2d")!.putImageData(image, 0, 0);
    ctx.imageSmoothingEnabled = smooth;
    ctx.imageSmoothingQuality = "high";
    ctx.drawImage(small, Math.min(ex[0], ex[nx]), Math.min(ey[0], ey[ny]), Math.abs(ex[nx] - ex[0]), Math.abs(ey[ny] - ey[0]));
  });
}

/** A place between grid points, given by d3-contour's coordinates (point i at i + 1/2), in pixels. */
function between(places: Values, at: number, map: (value: number) => number): number {
  const n = places.length;
  const i = Math.max(0, Math.min(n - 2, Math.floor(at - 0.5)));
  if (n < 2) return map(places[0]);
  const t = at - 0.5 - i;
  return map(places[i]) + t * (map(places[i + 1]) - map(places[i]));
}

/** The line on which a function of the plane has one value. Returns the top (or bottom) of its longest piece, for a label. */
export function contour(p: Plot, field: Field, values: Values, level: number, pen: Pen, end: "top" | "bottom" = "top"): { x: number; y: number } | null {
  const nx = field.xs.length;
  const ny = field.ys.length;
  if (nx < 2 || ny < 2 || values.length < nx * ny || !Number.isFinite(level)) return null;
  // Unknown is below every level; the border of what is known is no part of the line.
  const known = Array.from(values, (value) => (Number.isFinite(value) ? value : -Infinity));
  const shape = contours().size([nx, ny]).contour(known, level);
  const border = (x: number, y: number) => {
    if (x <= 0 || y <= 0 || x >= nx || y >= ny) return true;
    // The point beside an unknown one is where the line around the hole goes.
    for (const i of [Math.floor(x - 0.501), Math.ceil(x - 0.499)])
      for (const j of [Math.floor(y - 0.501), Math.ceil(y - 0.499)])
        if (i >= 0 && j >= 0 && i < nx && j < ny && known[j * nx + i] === -Infinity) return true;
    return false;
  };
  let longest: [number, number][] = [];
  clipped(p, () => {
    const ctx = take(p, { width: 1.25, ...pen });
    for (const polygon of shape.coordinates)
      for (const ring of polygon) {
        // Begin a closed ring at the border where it touches it, so that dashes run through.
        const start = Math.max(0, ring.findIndex(([x, y]) => border(x, y)));
        let piece: [number, number][] = [];
        const finish = () => {
          if (piece.length > 1) {
            ctx.beginPath();
            piece.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
            ctx.stroke();
            if (piece.length > longest.length) longest = piece;
          }
          piece = [];
        };
        for (let k = 0; k < ring.length; ++k) {
          const at = (start + k) % (ring.length - 1 || 1);
          const [x, y] = ring[at];
          if (border(x, y)) {
            if (piece.length) piece.push([between(field.xs, x, p.sx), between(field.ys, y, p.sy)]);
            finish();
            const [nextX, nextY] = ring[(at + 1) % (ring.length - 1 || 1)];
            if (!border(nextX, nextY)) piece.push([between(field.xs, x, p.sx), between(field.ys, y, p.sy)]);
          } else piece.push([between(field.xs, x, p.sx), between(field.ys, y, p.sy)]);
        }
        finish();
      }
  });
  if (!longest.length) return null;
  const sign = end === "top" ? 1 : -1;
  const [x, y] = longest.reduce((best, place) => (sign * place[1] < sign * best[1] ? place : best));
  return { x, y: Math.min(p.top + p.height - 8, Math.max(p.top + 8, y)) };
}

/** An arrow of small heads along a path, from its first point to its last. */
export function arrow(p: Plot, xs: Values, ys: Values, pen: Pen): void {
  line(p, xs, ys, pen);
  const n = Math.min(xs.length, ys.length);
  if (n < 2) return;
  const [x0, y0, x1, y1] = [p.sx(xs[n - 2]), p.sy(ys[n - 2]), p.sx(xs[n - 1]), p.sy(ys[n - 1])];
  const angle = Math.atan2(y1 - y0, x1 - x0);
  if (![x1, y1, angle].every(Number.isFinite) || Math.hypot(x1 - x0, y1 - y0) < 4) return;
  clipped(p, () => {
    p.ctx.fillStyle = pen.colour;
    p.ctx.beginPath();
    p.ctx.moveTo(x1, y1);
    for (const turn of [2.7, -2.7]) p.ctx.lineTo(x1 + 8 * Math.cos(angle + turn), y1 + 8 * Math.sin(angle + turn));
    p.ctx.fill();
  }, 8);
}

