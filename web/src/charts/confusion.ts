// Which classes are taken for which: rows are the truth and are shaded by shares, so that rare classes count too.
import { cells, h, percent, plot, readable, shade, steps, text, tooltip, type Chart, type Theme } from "../kit";
import { rampLegend } from "./ramp";
import type { Confusion } from "./types";
import "./words.css";

const roomy = 12; // classes, up to which cells have share and count
const written = 30; // up to which cells are words at all; beyond, a picture

const names = (data: Confusion): string[] => data.predicted ?? data.classes;
const sum = (row: number[]): number => row.reduce((total, count) => total + count, 0);

/** NaN where a class has no points. */
export const shares = (data: Confusion): number[][] => data.counts.map((row) => row.map((count) => count / sum(row)));

export interface Mistake {
  truth: number;
  predicted: number;
  count: number;
}

/** The most frequent ones first. None where the columns are other names than the rows. */
export function mistakes(data: Confusion, most = 5): Mistake[] {
  if (data.predicted) return [];
  const all = data.counts.flatMap((row, truth) => row.map((count, predicted) => ({ truth, predicted, count })));
  return all.filter((cell) => cell.truth !== cell.predicted && cell.count > 0).sort((a, b) => b.count - a.count).slice(0, most);
}

function asTable(data: Confusion, theme: Theme): HTMLElement {
  const share = shares(data);
  const full = Math.max(data.classes.length, names(data).length) <= roomy;
  const cell = (i: number, j: number) => {
    const part = share[i][j];
    const count = data.counts[i][j];
    const colour = theme.sequential(Number.isFinite(part) ? part : 0);
    const title = `${data.classes[i]} taken for ${names(data)[j]}: ${text(count)} of ${text(sum(data.counts[i]))}`;
    const look = { class: !data.predicted && i === j ? "right" : count === 0 ? "none" : null, title: full ? null : title, style: { backgroundColor: colour, color: readable(colour) } };
    if (!full) return h("td", look, count ? String(Math.round(100 * part)) : "");
    return h("td", look, h("span", { class: "share" }, Number.isFinite(part) ? (count ? percent(part, part < 0.1 ? 2 : 3) : "0") : "–"), count ? h("span", { class: "count" }, text(count)) : null);
  };
  const head = h(
    "thead",
    null,
    h("tr", null, h("td", { rowspan: 2, class: "corner" }, "truth"), h("th", { colspan: names(data).length, scope: "colgroup", class: "over" }, "predicted")),
    h("tr", null, ...names(data).map((name) => h("th", { scope: "col", title: name }, h("span", null, name)))),
  );
  const body = data.classes.map((name, i) =>
    h("tr", null, h("th", { scope: "row", title: name }, h("span", null, name)), ...names(data).map((_, j) => cell(i, j)), full ? h("td", { class: "total" }, text(sum(data.counts[i]))) : null),
  );
  return h("div", { class: `confusion${full ? "" : " dense"}`, tabindex: 0, role: "region", "aria-label": "confusion matrix, rows are the truth" }, h("table", null, head, h("tbody", null, ...body)));
}

function asPicture(el: HTMLElement, data: Confusion, theme: Theme): void {
  const [ny, nx] = [data.classes.length, names(data).length];
  const share = shares(data);
  const p = plot(el, {
    x: { label: "predicted" },
    y: { label: "truth" },
    xs: [0.5, nx + 0.5],
    ys: [ny + 0.5, 0.5].sort((a, b) => a - b) as [number, number],
    theme,
    grid: false,
    height: Math.min(560, Math.max(260, el.clientWidth * 0.8)),
    label: `confusion of ${ny} classes`,
    xTicks: [],
    yTicks: [],
  });
  // The first class on top.
  cells(p, { xs: steps(1, nx, nx), ys: steps(ny, 1, ny) }, shade(share.flat(), 0, 1, theme.ramps.sequential));
  const tip = tooltip(p);
  const live = h("div", { class: "sr", "aria-live": "polite" });
  p.root.after(live);
  let [row, column] = [0, 0];
  const show = (i: number, j: number, aloud = false) => {
    if (i < 0 || j < 0 || i >= ny || j >= nx) return tip.hide();
    [row, column] = [i, j];
    const lines = [`${data.classes[i]} taken for ${names(data)[j]}`, `${text(data.counts[i][j])} of ${text(sum(data.counts[i]))} (${percent(share[i][j])})`];
    tip.show(p.sx(j + 1), p.sy(ny - i), lines);
    if (aloud) live.textContent = lines.join(", ");
  };
  p.root.tabIndex = 0;
  p.root.addEventListener("pointermove", (event) => {
    const box = p.root.getBoundingClientRect();
    show(Math.round(ny - p.sy.invert(event.clientY - box.top)), Math.round(p.sx.invert(event.clientX - box.left)) - 1);
  });
  p.root.addEventListener("pointerleave", () => tip.hide());
  p.root.addEventListener("blur", () => tip.hide());
  p.root.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    show(Math.max(0, Math.min(ny - 1, row + by[0])), Math.max(0, Math.min(nx - 1, column + by[1])), true);
  });
}

export const confusion: Chart<Confusion> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const most = Math.max(data.classes.length, names(data).length);
    if (!data.classes.length) return el.replaceChildren(h("p", { class: "more" }, "No classes."));
    if (most <= written) el.append(asTable(data, theme));
    else asPicture(el, data, theme);
    el.append(rampLegend(theme, "sequential", "0", "100\u202f%", most <= roomy ? "share of the row" : "share of the row, in %"));
    const worst = most > 3 ? mistakes(data) : [];
    if (worst.length)
      el.append(
        h("p", { class: "list-title" }, "Most frequent mistakes"),
        h("ol", { class: "mistakes" }, ...worst.map((cell) => h("li", null, h("b", null, data.classes[cell.truth]), " taken for ", h("b", null, data.classes[cell.predicted]), `: ${text(cell.count)}`))),
      );
  },
  table: (data) => ({ columns: ["truth \\ predicted", ...names(data)], rows: data.classes.map((name, i) => [name, ...data.counts[i]]) }),
};
