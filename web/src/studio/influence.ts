// One row of a kernel matrix on the points themselves: how much each counts for one of them.
import type { GramPicture } from "../charts/types";
import { h, s } from "../kit/dom";
import { text, unpack } from "../kit/numbers";
import type { Points } from "./api";

export class Influence {
  readonly el: HTMLElement;
  private readonly svg = s("svg", { viewBox: "0 0 300 220", role: "img", "aria-label": "Points" });
  private readonly words = h("p", { class: "hint", "aria-live": "polite" });
  private readonly input = h("input", { type: "range", min: 1, value: 1, step: 1, id: "influence-row" });
  private gram: GramPicture | null = null;
  private values: Float64Array | null = null;
  private points: Points | null = null;

  constructor() {
    this.input.addEventListener("input", () => this.row(Number(this.input.value) - 1));
    this.el = h(
      "figure",
      { class: "exhibit live influence" },
      h("h2", null, "Which points count for one of them"),
      h("figcaption", null, "Point at a row of the matrix, or move the slider: the larger a dot, the more similar it is to the one with the ring."),
      this.svg,
      h("label", { class: "row-choice", for: "influence-row" }, "Row of the matrix ", this.input),
      this.words,
    );
    this.el.hidden = true;
  }

  show(gram: GramPicture, points: Points | undefined): void {
    this.gram = gram;
    this.values = unpack(gram.values);
    this.points = points ?? null;
    this.el.hidden = !points || gram.size !== gram.n;
    this.input.max = String(gram.size);
    this.row(Math.min(Number(this.input.value), gram.size) - 1);
  }

  row(i: number): void {
    const { gram, values, points } = this;
    if (!gram || !values || !points || this.el.hidden || i < 0 || i >= gram.size) return;
    this.input.value = String(i + 1);
    const row = values.subarray(i * gram.size, (i + 1) * gram.size);
    const most = Math.max(1e-12, ...row.map(Math.abs));
    const dataRow = (k: number) => (gram.rows?.[k] ?? k + 1) - 1;
    const [x0, x1, y0, y1] = [Math.min(...points.x), Math.max(...points.x), Math.min(...points.y), Math.max(...points.y)];
    const at = (k: number) => [
      12 + (276 * (points.x[dataRow(k)] - x0)) / (x1 - x0 || 1),
      208 - (196 * (points.y[dataRow(k)] - y0)) / (y1 - y0 || 1),
    ];
    const dots = Array.from(row, (value, k) => {
      const [cx, cy] = at(k);
      return s("circle", { cx, cy, r: 1.5 + (6 * Math.abs(value)) / most, class: value < 0 ? "minus" : "plus" });
    });
    const [cx, cy] = at(i);
    this.svg.replaceChildren(...dots, s("circle", { cx, cy, r: 10, class: "ring" }));
    const near = Array.from(row).filter((value) => value > most / 2).length;
    this.words.textContent =
      `Row ${dataRow(i) + 1} of the data: k is ${text(row[i], 3)} with itself; ${near} of ${gram.size} points are more than half as similar as the most similar one.`;
    this.svg.setAttribute("aria-label", this.words.textContent);
    this.input.setAttribute("aria-valuetext", `row ${dataRow(i) + 1}`);
  }
}
