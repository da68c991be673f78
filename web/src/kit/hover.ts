// Pointing at the points of a plot: the nearest one by a uniform grid, one tooltip, arrow keys for those who do not
// point, and dragging where there is somebody to answer.
import type { Handlers } from "./chart";
import { h, s } from "./dom";
import type { Plot } from "./plot";

export interface Points {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** Lines of the tooltip; the first is bold. */
  text(index: number): string[];
  /** How near the pointer must come, in pixels. */
  reach?: number;
  /** Only the distance along x counts: for curves. */
  alongX?: boolean;
  /** The answers to dragging (`draggable`), adding and removing; hover is told of any point. */
  handlers?: Handlers;
  draggable?: boolean;
}

/** The nearest of many points within a reach, without looking at all of them. */
export class GridIndex {
  private readonly size: number;
  private readonly columns: number;
  private readonly rows: number;
  private readonly start: Int32Array;
  private readonly order: Int32Array;

  constructor(
    private readonly x: ArrayLike<number>,
    private readonly y: ArrayLike<number>,
    width: number,
    height: number,
    size = 24,
  ) {
    this.size = size;
    this.columns = Math.max(1, Math.ceil(width / size));
    this.rows = Math.max(1, Math.ceil(height / size));
    const n = Math.min(x.length, y.length);
    const place = new Int32Array(n);
    this.start = new Int32Array(this.columns * this.rows + 1);
    for (let i = 0; i < n; ++i) {
      place[i] = Number.isFinite(x[i]) && Number.isFinite(y[i]) ? this.cell(x[i], y[i]) : -1;
      if (place[i] >= 0) this.start[place[i] + 1]++;
    }
    for (let c = 0; c < this.columns * this.rows; ++c) this.start[c + 1] += this.start[c];
    this.order = new Int32Array(this.start[this.columns * this.rows]);
    const next = this.start.slice();
    for (let i = 0; i < n; ++i) if (place[i] >= 0) this.order[next[place[i]]++] = i;
  }

  private column = (x: number): number => Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.size)));
  private row = (y: number): number => Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.size)));
  private cell = (x: number, y: number): number => this.row(y) * this.columns + this.column(x);

  /** Of points equally near the last one: it is drawn on top. */
  nearest(x: number, y: number, reach: number): number | null {
    let best: number | null = null;
    let least = reach * reach;
    for (let r = this.row(y - reach); r <= this.row(y + reach); ++r)
      for (let c = this.column(x - reach); c <= this.column(x + reach); ++c)
        for (let k = this.start[r * this.columns + c]; k < this.start[r * this.columns + c + 1]; ++k) {
          const i = this.order[k];
          const distance = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
          if (distance <= least) {
            least = distance;
            best = i;
          }
        }
    return best;
  }
}

interface Memory {
  plot: number; // which plot of the chart had the focus
  index: number | null;
  held: boolean;
}
const memories = new WeakMap<HTMLElement, Memory>();
const walked = new WeakMap<HTMLElement, { index: number | null; held: boolean }>();

/** Empties an element for a new picture; a plot in it that has the focus gives it to its successor. */
export function clear(el: HTMLElement): void {
  if (!el.firstChild) return; // cleared before: what is remembered of it stays
  const plots = [...el.querySelectorAll<HTMLElement>(".plot")];
  const plot = plots.findIndex((root) => root === document.activeElement);
  if (plot >= 0) memories.set(el, { plot, ...(walked.get(plots[plot]) ?? { index: null, held: false }) });
  else memories.delete(el);
  el.replaceChildren();
}

function inherited(p: Plot): Memory | null {
  for (let el: HTMLElement | null = p.el; el; el = el.parentElement) {
    const memory = memories.get(el);
    if (!memory) continue;
    if ([...el.querySelectorAll(".plot")].indexOf(p.root) !== memory.plot) return null;
    memories.delete(el);
    return memory;
  }
  return null;
}

/** One tooltip for a plot; `show` places it beside a pixel of the plot. */
export function tooltip(p: Plot): { show(x: number, y: number, lines: string[]): void; hide(): void } {
  const box = h("div", { class: "tooltip", hidden: true, "aria-hidden": "true" });
  p.root.append(box);
  return {
    show(x, y, lines) {
      box.replaceChildren(...lines.map((words, i) => h(i ? "div" : "strong", null, words.length > 300 ? `${words.slice(0, 300)}…` : words)));
      box.hidden = false;
      const { offsetWidth: width, offsetHeight: height } = box;
      const left = x + 12 + width > p.outer.width ? Math.max(0, x - 12 - width) : x + 12;
      box.style.left = `${left}px`;
      box.style.top = `${Math.max(0, Math.min(y - height / 2, p.outer.height - height))}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}

export function hover(p: Plot, points: Points): void {
  const n = Math.min(points.x.length, points.y.length);
  const handlers = points.handlers;
  if (!n && !handlers?.add) return;
  const px = new Float64Array(n);
  const py = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    px[i] = p.sx(points.x[i]);
    py[i] = p.sy(points.y[i]);
  }
  const visible = (i: number) =>
    px[i] >= p.left - 1 && px[i] <= p.left + p.width + 1 && py[i] >= p.top - 1 && py[i] <= p.top + p.height + 1;
  let built: GridIndex | null = null;
  const index = () => (built ??= new GridIndex(px, points.alongX ? new Float64Array(n) : py, p.outer.width, points.alongX ? 1 : p.outer.height));
  const reach = points.reach ?? (points.alongX ? 40 : 22);
  // Arrow keys go from left to right.
  let sorted: number[] | null = null;
  const walk = () => (sorted ??= Array.from({ length: n }, (_, i) => i).filter(visible).sort((a, b) => px[a] - px[b] || py[a] - py[b]));

  const ring = s("circle", { r: 7, class: "focus-ring", visibility: "hidden" });
  p.svg.append(ring);
  const tip = tooltip(p);
  const live = h("div", { class: "sr", "aria-live": "polite" });
  p.root.after(live);
  const state = { index: null as number | null, held: false };
  walked.set(p.root, state);

  const show = (i: number | null, aloud = false) => {
    if (i !== state.index) handlers?.hover?.(i);
    state.index = i;
    ring.setAttribute("visibility", i === null ? "hidden" : "visible");
    if (i === null) return tip.hide();
    ring.setAttribute("cx", String(px[i]));
    ring.setAttribute("cy", String(py[i]));
    const lines = points.text(i);
    tip.show(px[i], py[i], lines);
    if (aloud) live.textContent = lines.join(", ");
  };
  const place = (event: PointerEvent | MouseEvent): [number, number] => {
    const box = p.root.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const nearest = (event: PointerEvent | MouseEvent) => {
    const [x, y] = place(event);
    return index().nearest(x, points.alongX ? 0 : y, reach);
  };
  const inside = (x: number, y: number) => x >= p.left && x <= p.left + p.width && y >= p.top && y <= p.top + p.height;

  p.root.addEventListener("pointermove", (event) => show(nearest(event)));
  p.root.addEventListener("pointerleave", () => show(null));
  p.root.tabIndex = 0;
  p.root.addEventListener("blur", () => show(null));

  const drag = points.draggable ? handlers?.drag : undefined;
  const step = (dx: number, dy: number) => {
    const i = state.index!;
    handlers?.drag?.(i, p.sx.invert(px[i] + dx), p.sy.invert(py[i] + dy), true);
  };
  p.root.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    const i = state.index;
    if (arrow && state.held && i !== null) step(arrow[0] * (event.shiftKey ? 20 : 4), arrow[1] * (event.shiftKey ? 20 : 4));
    else if (arrow || event.key === "Home" || event.key === "End") {
      const order = walk();
      if (!order.length) return;
      const at = i === null ? -1 : order.indexOf(i);
      const forward = arrow && (arrow[0] > 0 || arrow[1] < 0);
      const to = event.key === "Home" ? 0 : event.key === "End" ? order.length - 1 : forward ? at + 1 : at < 0 ? 0 : at - 1;
      show(order[Math.max(0, Math.min(order.length - 1, to))], true);
    } else if (event.key === "Escape") {
      state.held = false;
      show(null);
    } else if (event.key === "Enter" && i !== null && drag) {
      state.held = !state.held;
      live.textContent = state.held ? "held: arrow keys move it, Enter lets it go" : "let go";
    } else if ((event.key === "Enter" || event.key === " ") && i !== null && handlers?.pick) handlers.pick(i);
    else if ((event.key === "Delete" || event.key === "Backspace") && i !== null && handlers?.remove) handlers.remove(i);
    else if (event.key === "+" && handlers?.add) handlers.add(p.sx.invert(p.left + p.width / 2), p.sy.invert(p.top + p.height / 2));
    else return;
    event.preventDefault();
  });

  if (handlers?.drag || handlers?.add || handlers?.remove || handlers?.pick) {
    if (drag || handlers.add) p.root.classList.add("playable");
    let dragged = false; // the click that ends a drag is no click
    p.root.addEventListener("pointerdown", (event) => {
      dragged = false;
      if (event.button !== 0) return;
      const i = nearest(event);
      if (i === null || !drag) return;
      event.preventDefault();
      p.root.focus({ preventScroll: true });
      // A new picture may replace this one meanwhile: what follows is heard at the window, in the scales of the start,
      // relative to where the picture stands now.
      const frame = p.root.getBoundingClientRect();
      const [gripX, gripY] = [event.clientX - frame.left - px[i], event.clientY - frame.top - py[i]];
      let latest: [number, number] = [px[i], py[i]];
      let moved = false;
      const tell = (done: boolean) => drag(i, p.sx.invert(latest[0]), p.sy.invert(latest[1]), done);
      const move = (now: PointerEvent) => {
        const x = Math.max(p.left, Math.min(p.left + p.width, now.clientX - frame.left - gripX));
        const y = Math.max(p.top, Math.min(p.top + p.height, now.clientY - frame.top - gripY));
        if (x === latest[0] && y === latest[1]) return;
        latest = [x, y];
        moved = dragged = true;
        tell(false);
      };
      const end = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
        if (moved) tell(true);
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
    p.root.addEventListener("click", (event) => {
      if (dragged) return;
      const [x, y] = place(event);
      const i = nearest(event);
      if (i !== null) handlers.pick?.(i);
      else if (inside(x, y)) handlers.add?.(p.sx.invert(x), p.sy.invert(y));
    });
    if (handlers.remove)
      p.root.addEventListener("dblclick", (event) => {
        const i = nearest(event);
        if (i !== null) handlers.remove!(i);
      });
  }

  const before = inherited(p);
  if (!before) return;
  p.root.focus({ preventScroll: true });
  state.held = before.held;
  if (before.index !== null && before.index < n && visible(before.index)) show(before.index);
}
