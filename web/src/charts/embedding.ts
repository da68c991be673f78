// Points in a plane of coordinates found for them; with more than two, the axes are chosen. Maps have names and one unit.
import { columns, domain, dots, dotSize, font, group, groupItems, h, hover, legend, measure, outline, plot, text, unpack, write, type Chart, type Plot, type Theme } from "../kit";
import { labelPlaces } from "./label_places";
import type { Embedding } from "./types";
import "./words.css";

const mostLabels = 300;

interface State {
  data: Embedding;
  axes: [number, number];
}
const states = new WeakMap<HTMLElement, State>(); // the axes a person chose: kept when the picture is drawn again

function chooser(data: Embedding, state: State, again: () => void): HTMLElement {
  const select = (which: 0 | 1, name: string) => {
    const box = h("select", null, ...data.axes.map((axis, i) => h("option", { value: i, selected: i === state.axes[which] }, axis.label)));
    box.addEventListener("change", () => {
      state.axes[which] = Number(box.value);
      again();
    });
    return h("label", null, `${name} `, box);
  };
  return h("div", { class: "axes-choice" }, select(0, "across"), select(1, "up"));
}

/** Grey values of a small picture as an image that can be shown. */
function thumbnail(pictures: NonNullable<Embedding["pictures"]>, i: number): HTMLCanvasElement | null {
  const raw = pictures.u8[i];
  if (!raw) return null;
  const { width, height } = pictures;
  const canvas = h("canvas", { width, height, class: "thumbnail", "aria-hidden": "true" });
  const image = new ImageData(width, height);
  const bytes = atob(raw);
  for (let k = 0; k < width * height; ++k) image.data.set([bytes.charCodeAt(k), bytes.charCodeAt(k), bytes.charCodeAt(k), 255], 4 * k);
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

/** Row numbers of each group; one group where there are none. */
export function byGroup(group: number[] | undefined, n: number): Map<number, number[]> {
  const out = new Map<number, number[]>();
  for (let i = 0; i < n; ++i) {
    const g = group?.[i] ?? 0;
    const list = out.get(g);
    if (list) list.push(i);
    else out.set(g, [i]);
  }
  return out;
}

function labels(p: Plot, x: Float64Array, y: Float64Array, names: string[], theme: Theme): void {
  const shown = names.slice(0, mostLabels).map((name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name));
  const sizes = shown.map((name) => ({ width: measure(p.ctx, name, font(theme)), height: 13 }));
  const frame = { x: 0, y: p.top - 8, width: p.outer.width, height: p.height + 16 };
  labelPlaces(Float64Array.from(x, (value) => p.sx(value)), Float64Array.from(y, (value) => p.sy(value)), sizes, frame).forEach((box, i) => {
    if (box) write(p, box.x, box.y + 10.5, shown[i]);
  });
}

function centres(p: Plot, of: NonNullable<Embedding["centres"]>, theme: Theme): void {
  of.x.forEach((x, c) => {
    const [px, py] = [p.sx(x), p.sy(of.y[c])];
    if (!Number.isFinite(px) || !Number.isFinite(py)) return;
    const { ctx } = p;
    ctx.save();
    ctx.beginPath();
    outline(ctx, group(theme, c).shape, px, py, 6);
    ctx.fillStyle = theme.paper;
    ctx.fill();
    ctx.strokeStyle = group(theme, c).text;
    ctx.lineWidth = 2.25;
    ctx.stroke();
    ctx.restore();
    write(p, px + 10, py + 4, of.names[c] ?? "", { weight: 650, colour: group(theme, c).text });
  });
}

export const embedding: Chart<Embedding> = {
  draw(el, data, theme, handlers) {
    el.replaceChildren();
    const kept = states.get(el);
    const state: State = kept?.data === data ? kept : { data, axes: [0, data.axes.length > 1 ? 1 : 0] };
    states.set(el, state);
    if (data.axes.length > 2) el.append(chooser(data, state, () => {
      this.draw(el, data, theme, handlers);
    }));
    if (data.classes && data.classes.length > 1) legend(el, groupItems(theme, data.classes));
    const [a, b] = state.axes;
    const x = unpack(data.coordinates[a] ?? []);
    const y = a === b && data.axes.length === 1 ? new Float64Array(x.length) : unpack(data.coordinates[b] ?? []);
    const room = data.label_points ? 0.1 : 0.04;
    const p = plot(el, { x: data.axes[a] ?? { label: "" }, y: data.axes[b] ?? { label: "" }, xs: domain(data.axes[a] ?? { label: "" }, [x], room), ys: domain(data.axes[b] ?? { label: "" }, [y], room), theme, equal: data.equal, height: Math.min(520, Math.max(280, 0.75 * (el.clientWidth || 640))) });
    for (const [g, which] of byGroup(data.group, x.length)) {
      const look = group(theme, g);
      dots(p, x, y, { colour: look.colour, shape: data.group ? look.shape : "circle", opacity: x.length > 300 ? 0.75 : 0.9, r: dotSize(x.length) }, which);
    }
    if (data.centres && a === 0 && b === 1) centres(p, data.centres, theme);
    if (data.label_points && data.names) labels(p, x, y, data.names, theme);
    hover(p, {
      x,
      y,
      handlers: {
        ...handlers,
        hover(i) {
          handlers?.hover?.(i);
          if (i === null || !data.pictures) return;
          // After the words of the tooltip, which come right behind this call.
          queueMicrotask(() => p.root.querySelector(".tooltip")?.append(thumbnail(data.pictures!, i) ?? ""));
        },
      },
      text: (i) => [data.names?.[i] ?? `row ${data.rows?.[i] ?? i + 1}`, ...(data.names ? [`row ${data.rows?.[i] ?? i + 1}`] : []), ...(data.classes && data.group ? [data.classes[data.group[i]] ?? ""] : []), `${text(x[i], 3)}, ${text(y[i], 3)}`],
    });
  },
  table(data) {
    const n = data.coordinates[0] ? unpack(data.coordinates[0]).length : 0;
    return columns(
      ["row", data.rows ?? Array.from({ length: n }, (_, i) => i + 1)],
      ...(data.names ? [["name", data.names] as [string, string[]]] : []),
      ...(data.group && data.classes ? [["group", data.group.map((g) => data.classes![g] ?? "")] as [string, string[]]] : []),
      ...data.axes.map((axis, i): [string, Float64Array] => [axis.label, unpack(data.coordinates[i] ?? [])]),
    );
  },
};
