// Rows of words and numbers; the name of a column sorts by it.
import { h, tableElement, type Chart } from "../kit";
import type { TableData } from "./types";
import "./words.css";

type Cell = string | number | null;
const missing = (value: Cell | undefined): boolean => value === null || value === undefined || Number.isNaN(value);

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** Equal rows stay in their order; what is missing comes last either way. */
export function sorted(rows: Cell[][], column: number, down: boolean): Cell[][] {
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column], b[column]];
    if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y));
    return down ? compare(y, x) : compare(x, y);
  });
}

function show(el: HTMLElement, data: TableData, by: number | null, down: boolean): void {
  const rows = by === null ? data.rows : sorted(data.rows, by, down);
  const element = tableElement({ ...data, rows });
  element.classList.add("sortable");
  element.querySelectorAll("thead th").forEach((head, j) => {
    const numbers = rows.some((row) => typeof row[j] === "number");
    const arrow = j === by ? (down ? "↓" : "↑") : "";
    const sort = () => {
      show(el, data, j, j === by ? !down : numbers); // of numbers the large ones are looked for first
      el.querySelectorAll<HTMLElement>("thead button")[j]?.focus();
    };
    head.replaceChildren(h("button", { type: "button", class: "sort", onclick: sort }, data.columns[j], h("span", { class: "arrow", "aria-hidden": "true" }, arrow)));
    if (j === by) head.setAttribute("aria-sort", down ? "descending" : "ascending");
  });
  el.replaceChildren(element);
}

export const table: Chart<TableData> = {
  draw: (el, data) => show(el, data, null, false),
  table: (data) => data,
};
