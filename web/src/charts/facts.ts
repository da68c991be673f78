// Names, what they are, and what that means. Good and bad are told by a mark and a word, not by colour alone.
import { h, type Chart } from "../kit";
import "./words.css";
import type { Facts } from "./types";

const verdict = (good?: boolean): string => (good === undefined ? "" : good ? "good" : "look at this");

function mark(good?: boolean): HTMLElement | null {
  if (good === undefined) return null;
  return h("span", { class: good ? "mark good" : "mark bad" }, h("span", { "aria-hidden": "true" }, good ? "✓" : "!"), h("span", { class: "sr" }, ` ${verdict(good)}: `));
}

export const facts: Chart<Facts> = {
  draw(el, data) {
    const rows = data.rows.map((row) =>
      h("div", { class: "fact" }, h("dt", null, row.name), h("dd", null, mark(row.good), h("span", { class: "value" }, row.value), row.words ? h("span", { class: "words" }, row.words) : null)),
    );
    el.replaceChildren(rows.length ? h("dl", { class: "facts" }, ...rows) : h("p", { class: "more" }, "Nothing to tell."));
  },
  table: (data) => ({
    columns: ["name", "value", "meaning", "verdict"],
    rows: data.rows.map((row) => [row.name, row.value, row.words ?? "", verdict(row.good)]),
  }),
};
