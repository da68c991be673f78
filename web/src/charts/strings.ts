// Texts, each letter shaded by what it adds to the score; what adds most is listed below.
import { h, readable, text, type Chart, type Theme } from "../kit";
import { largest, rampLegend, signed } from "./ramp";
import type { Strings } from "./types";
import "./words.css";

export const mostLetters = 2000; // of a text that are shown
const strong = 0.3; // of the largest: letters that also get a line

export interface Piece {
  from: number;
  to: number; // one after the last
  value: number;
}

/** Neighbouring letters of one sign, added up; the largest sums first. Letters below a tenth of `scale` end a piece, pieces below a tenth of the largest are left out. */
export function pieces(values: number[], scale: number, most = 6): Piece[] {
  const out: Piece[] = [];
  const side = (value: number) => (Math.abs(value) >= 0.1 * scale ? Math.sign(value) : 0);
  for (let from = 0; from < values.length; ) {
    let to = from + 1;
    const sign = side(values[from]);
    while (to < values.length && side(values[to]) === sign) ++to;
    if (sign) out.push({ from, to, value: values.slice(from, to).reduce((sum, value) => sum + value, 0) });
    from = to;
  }
  out.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return out.filter((piece) => Math.abs(piece.value) >= 0.1 * Math.abs(out[0].value)).slice(0, most);
}

const visible = (letter: string): string => (letter === "\n" ? "↵" : letter === "\t" ? "⇥" : letter === " " ? "\u00a0" : letter);

function letterBox(item: Strings["strings"][number], scale: number, theme: Theme): HTMLElement {
  const shown = item.letters.slice(0, mostLetters);
  const letters = shown.map((letter, i) => {
    const t = Number.isFinite(item.values[i]) ? item.values[i] / scale : 0;
    const colour = theme.diverging(0.5 + 0.5 * Math.max(-1, Math.min(1, t)));
    return h("span", { class: t >= strong ? "for" : t <= -strong ? "against" : null, style: { backgroundColor: colour, color: readable(colour) } }, visible(letter));
  });
  const told = h("p", { class: "told", "aria-live": "polite" });
  let at = -1;
  const tell = (i: number) => {
    letters[at]?.classList.remove("here");
    at = i;
    letters[at]?.classList.add("here");
    told.textContent = at < 0 ? "" : `letter ${at + 1}: ${visible(shown[at])}  ${signed(text(item.values[at]))}`;
  };
  const box = h("div", {
    class: "letters",
    dir: "auto",
    tabindex: 0,
    role: "group",
    "aria-label": `${item.name}, ${shown.length} letters; arrow keys walk`,
    onpointermove: (event: PointerEvent) => event.target !== box && tell(letters.indexOf(event.target as HTMLSpanElement)),
    onpointerleave: () => tell(-1),
    onblur: () => tell(-1),
    onkeydown: (event: KeyboardEvent) => {
      const to: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: letters.length - 1 };
      if (!(event.key in to) || !letters.length) return;
      event.preventDefault();
      tell(Math.max(0, Math.min(letters.length - 1, to[event.key])));
    },
  }, ...letters);
  const hidden = item.letters.length - shown.length;
  return h("div", null, box, hidden > 0 && h("p", { class: "more" }, `${text(hidden)} more letters are not shown.`), told);
}

function one(item: Strings["strings"][number], scale: number, theme: Theme): HTMLElement {
  const top = pieces(item.values, scale);
  const right = item.truth !== undefined && item.predicted !== undefined ? item.truth === item.predicted : undefined;
  return h(
    "section",
    { class: "string" },
    h(
      "header",
      null,
      h("strong", null, item.name),
      h("span", null, `${item.of} ${signed(text(item.score))}`),
      item.predicted !== undefined && h("span", { class: right === false ? "wrong" : null }, right === undefined ? "" : right ? "✓ " : "✗ ", `predicted ${item.predicted}`, right === false ? `, is ${item.truth}` : ""),
    ),
    letterBox(item, scale, theme),
    top.length > 0 &&
      h(
        "ol",
        { class: "pieces", "aria-label": "what adds most" },
        ...top.map((piece) => {
          const letters = item.letters.slice(piece.from, Math.min(piece.to, piece.from + 24)).map(visible).join("");
          return h("li", { title: `letters ${piece.from + 1} to ${piece.to}` }, h("code", null, letters + (piece.to - piece.from > 24 ? "…" : "")), h("span", null, signed(text(piece.value, 3))));
        }),
      ),
  );
}

/** What all scores are of; texts of different classes may have different ones. */
const ofAll = (data: Strings): string => (data.strings.every((item) => item.of === data.strings[0].of) ? data.strings[0].of : "share in the score");

export const strings: Chart<Strings> = {
  draw(el, data, theme) {
    if (!data.strings.length) return el.replaceChildren(h("p", { class: "more" }, "No texts."));
    const scale = largest(data.strings.flatMap((item) => item.values));
    el.replaceChildren(
      rampLegend(theme, "diverging", `${text(-scale, 2)} against`, `for ${signed(text(scale, 2))}`, ofAll(data)),
      ...data.strings.map((item) => one(item, scale, theme)),
    );
  },
  table: (data) => ({
    columns: ["text", "letter", "place", "adds", "score", "of"],
    rows: data.strings.flatMap((item) => item.letters.map((letter, i) => [item.name, letter, i + 1, item.values[i] ?? null, item.score, item.of])),
  }),
};
