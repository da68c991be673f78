// Why a formula is a kernel: the tree of steps down to axioms. Or why it is not: points and weights that show it.
import { h, text, type Chart } from "../kit";
import "./words.css";
import type { Counterexample, ProofData, ProofTree } from "./types";

const openTo = 3; // deeper steps are opened by hand, and made when they are

function step(tree: ProofTree, depth: number): HTMLElement {
  const inside = () => [
    h(
      "div",
      { class: "reason" },
      tree.because ? h("p", null, tree.because) : null,
      tree.conditions ? h("p", { class: "condition" }, h("span", { "aria-hidden": "true" }, "✓ "), "holds: ", h("code", null, tree.conditions)) : null,
      tree.citation ? h("p", { class: "citation" }, tree.citation) : null,
    ),
    tree.premises.length ? h("ul", null, ...tree.premises.map((premise) => step(premise, depth + 1))) : null,
  ];
  const details = h("details", null, h("summary", null, h("code", null, tree.statement), h("span", { class: "rule" }, tree.premises.length ? tree.rule : `axiom: ${tree.rule}`)));
  const fill = () => details.childElementCount === 1 && details.append(...inside().filter((part) => part !== null));
  if (depth < openTo) {
    fill();
    details.open = true;
  } else details.addEventListener("toggle", fill);
  return h("li", null, details);
}

/** All steps with their numbers: 1, 1.1, 1.1.1, 1.2 ... */
export function steps(tree: ProofTree): (ProofTree & { number: string })[] {
  const out: (ProofTree & { number: string })[] = [];
  const rest = [{ tree, number: "1" }];
  while (rest.length) {
    const next = rest.pop()!;
    out.push({ ...next.tree, number: next.number });
    for (let i = next.tree.premises.length; i > 0; --i) rest.push({ tree: next.tree.premises[i - 1], number: `${next.number}.${i}` });
  }
  return out;
}

function refutation(found: Counterexample, words: string): HTMLElement {
  const n = found.points.length;
  const matrix = found.matrix;
  const head = h("tr", null, h("th", { scope: "col" }, "point"), h("th", { scope: "col", class: "number" }, "c"), ...(matrix ? found.points.map((_, j) => h("th", { scope: "col", class: "number" }, `k(·, ${j + 1})`)) : []));
  const row = (i: number) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, h("span", { class: "index" }, String(i + 1)), h("code", null, found.points[i])),
      h("td", { class: "number weight" }, text(found.c[i])),
      ...(matrix?.[i] ?? []).map((value) => h("td", { class: "number" }, text(value))),
    );
  return h(
    "div",
    { class: "refutation" },
    h("p", null, words),
    h("div", { class: "table", tabindex: 0, role: "region", "aria-label": "points, weights and their matrix" }, h("table", null, h("thead", null, head), h("tbody", null, ...Array.from({ length: n }, (_, i) => row(i))))),
    h("p", { class: "result" }, h("i", null, "c"), "ᵀ", h("i", null, "K"), h("i", null, "c"), ` = ${text(found.value)} `, h("strong", null, "< 0")),
  );
}

export const proof: Chart<ProofData> = {
  draw: (el, data) => el.replaceChildren("proof" in data ? h("ul", { class: "proof" }, step(data.proof, 0)) : refutation(data.counterexample, data.words)),
  table(data) {
    if ("proof" in data)
      return {
        columns: ["step", "statement", "rule", "because", "conditions", "citation"],
        rows: steps(data.proof).map((at) => [at.number, at.statement, at.rule, at.because, at.conditions, at.citation]),
      };
    const { points, c, matrix, value } = data.counterexample;
    return {
      columns: ["point", "c", ...(matrix ? points.map((_, j) => `k(·, ${j + 1})`) : [])],
      rows: [...points.map((point, i) => [point, c[i] ?? null, ...(matrix?.[i] ?? [])]), ["cᵀKc", value, ...(matrix ? points.map(() => null) : [])]],
    };
  },
};
