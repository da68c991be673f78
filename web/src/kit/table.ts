// The same data in rows.
import type { TableData } from "../charts/types";
import { h } from "./dom";
import { text } from "./numbers";

export const mostRows = 200;

export function tableElement(data: TableData, caption?: string): HTMLElement {
  const shown = data.rows.slice(0, mostRows);
  const more = data.rows.length - shown.length + (data.more ?? 0);
  const numeric = data.columns.map((_, j) => shown.every((row) => typeof row[j] !== "string"));
  const cell = (value: string | number | null) => (typeof value === "string" ? value : text(value, 5));
  const table = h(
    "table",
    null,
    caption ? h("caption", { class: "sr" }, caption) : null,
    h("thead", null, h("tr", null, ...data.columns.map((name, j) => h("th", { scope: "col", class: numeric[j] && "number" }, name)))),
    h("tbody", null, ...shown.map((row) => h("tr", null, ...row.map((value, j) => h("td", { class: numeric[j] && "number" }, cell(value)))))),
  );
  return h(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": caption ?? "table" },
    table,
    !data.rows.length && h("p", { class: "more" }, "No rows."),
    more > 0 && h("p", { class: "more" }, `${text(shown.length)} rows are shown; there are ${text(more)} more.`),
  );
}

/** Rows of columns of numbers side by side. */
export function columns(...of: [string, ArrayLike<number> | ArrayLike<string | number | null>][]): TableData {
  const count = Math.max(0, ...of.map(([, values]) => values.length));
  const shown = Math.min(count, mostRows);
  return {
    columns: of.map(([name]) => name),
    rows: Array.from({ length: shown }, (_, i) => of.map(([, values]) => values[i] ?? null)),
    ...(count > shown ? { more: count - shown } : {}),
  };
}
