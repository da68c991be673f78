// All specimens as one document: `npm run specimens` writes test-results/specimens/mercer.html, to be looked at; the
// screenshot tests take it, too.
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";
import type { Document, Exhibit } from "../src/charts/types";

const folder = `${import.meta.dirname}/specimens/`;

/** Of each kind what KIND*.json holds: an exhibit, or several. */
export function specimens(): Exhibit[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(folder + name, "utf8")) as Exhibit | Exhibit[]);
}

export function specimenDocument(): Document {
  const exhibits = specimens();
  const kinds = [...new Set(exhibits.map((exhibit) => exhibit.kind))].sort();
  return {
    kind: "report",
    title: "House prices near Boston",
    subtitle: "A Gaussian process with the kernel 1.6·rbf(ell=0.95) + linear, fitted to 506 rows and 13 columns.",
    evidence: "leave-one-out",
    made: "Mercer 0.1.0",
    metrics: [
      { name: "R²", value: 0.8912, low: 0.861, high: 0.914, words: "share of the variance that is explained" },
      { name: "root mean squared error", value: 3.0321, low: 2.71, high: 3.38, words: "a typical error, in k$" },
      { name: "log score", value: -2.41, low: -2.52, high: -2.31, words: "mean log density of what was observed" },
      { name: "coverage", value: 0.938, words: "share of points inside their 95 % intervals" },
    ],
    worries: [
      {
        level: "warning",
        what: "The length scale of the column tax is at its upper bound.",
        why: "The model has found that the column says nothing, or that it is nearly linear in it.",
        advice: "Leave the column out, or raise the bound with --bounds.",
      },
      {
        level: "note",
        what: "11 rows lie far from the others.",
        why: "Their nearest neighbours have a kernel value below 0.05, so predictions there are those of the prior.",
        advice: "Look at rows 366, 369 and 411 first.",
      },
    ],
    sections: kinds.map((kind) => ({
      id: kind,
      title: kind.replace(/_/g, " "),
      words: [],
      exhibits: exhibits.filter((exhibit) => exhibit.kind === kind),
    })),
    code: {
      command: "mercer fit gp housing.csv --target price --kernel 'rbf(ell=0.95)' -o model.mercer\nmercer report model.mercer housing.csv -o report.html",
      cpp: '#include <mercer/mercer.hpp>\n\nint main() {\n  const auto data = mercer::read_csv("housing.csv");\n}',
      python: "import mercer\n\nmodel = mercer.GaussianProcess(kernel=\"rbf(ell=0.95)\").fit(X, y)\nmercer.report(model, X, y).save(\"report.html\")",
    },
  };
}

/** A page with a document in it; no text of it ends the script that holds it. */
export function withDocument(html: string, held: Document): string {
  const json = JSON.stringify(held).replace(/[<\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return html.replace(/(<script type="application\/json" id="document">)[^<]*/, (_, opening: string) => opening + json);
}

export function specimenPage(): Plugin {
  return { name: "specimens", transformIndexHtml: (html) => withDocument(html, specimenDocument()) };
}
