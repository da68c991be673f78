// Compare: up to four fits of the same data side by side, on the same axes.
import type { Axis, Curve, Exhibit, PredictedActual, Regions } from "../../charts/types";
import { h } from "../../kit/dom";
import { extent, text, unpack } from "../../kit/numbers";
import type { Fitted } from "../api";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { interval } from "../metrics";
import { Picture } from "../picture";
import { toHash, type State, type Trial } from "../state";

const kinds = ["curve", "regions", "predicted_actual", "roc"];

export class CompareScreen implements Screen {
  readonly el: HTMLElement;
  private readonly none: HTMLElement;
  private readonly table = h("div", { class: "table" });
  private readonly grid = h("div", { class: "compared" });
  private readonly code = new CodeTabs();
  private shown: State["work"] | null = null;

  constructor(private readonly my: Context) {
    this.none = h("p", { class: "empty" });
    this.el = h("section", { class: "screen compare", "aria-label": "Compare" }, this.none, this.table, this.grid, this.code.el);
  }

  show(state: State, again = false): void {
    const { work } = state;
    this.none.hidden = work.compared.length > 1;
    this.none.replaceChildren(
      work.compared.length === 0 ? "Nothing is kept for comparison yet. " : "One fit is kept. To compare it, keep another one. ",
      h("a", { href: toHash({ ...state, screen: work.data ? "fit" : "data" }) }, work.data ? "Fit something" : "Choose data"),
      " and press “Keep for comparison”; up to four stand side by side.",
    );
    this.table.hidden = this.grid.hidden = work.compared.length === 0;
    if (work === this.shown && !again) return;
    this.shown = work;
    void this.draw(work);
  }

  private async draw(work: State["work"]): Promise<void> {
    const results: (Fitted | null)[] = work.compared.map(() => null);
    const pictures = work.compared.map((trial) => new Picture(undefined, trial.machine));
    this.grid.replaceChildren(...work.compared.map((trial, i) => this.column(trial, i, pictures[i])));
    this.tabulate(work.compared, results);
    await Promise.all(
      work.compared.map(async (trial, i) => {
        try {
          results[i] = await this.my.bench.fit(`compare/${i}`, work, trial);
        } catch (problem) {
          this.my.say(problem);
        }
      }),
    );
    if (work !== this.shown) return;
    this.tabulate(work.compared, results);
    const chosen = results.map((fitted) => fitted?.exhibits.find((e) => kinds.includes(e.kind)) ?? null);
    sameAxes(chosen.filter((e) => e !== null)).forEach((exhibit, k) => {
      const places = chosen.flatMap((e, i) => (e ? [i] : []));
      pictures[places[k]].show(exhibit);
    });
    this.code.show(results.find((fitted) => fitted)?.code);
  }

  private column(trial: Trial, i: number, picture: Picture): HTMLElement {
    const remove = h("button", { type: "button", class: "quiet", "aria-label": `Remove fit ${i + 1}` }, "Remove");
    remove.addEventListener("click", () =>
      this.my.store.change((s) => ({ work: { ...s.work, compared: s.work.compared.filter((_, k) => k !== i) } })),
    );
    return h(
      "article",
      { class: "compared-fit" },
      h("header", null, h("strong", null, `${i + 1}. ${trial.machine}`), h("code", null, trial.kernel), remove),
      picture.el,
    );
  }

  private tabulate(trials: Trial[], results: (Fitted | null)[]): void {
    const names = [...new Set(results.flatMap((fitted) => fitted?.metrics.map((m) => m.name) ?? []))];
    this.table.replaceChildren(
      h(
        "table",
        null,
        h("caption", { class: "sr" }, "Scores with their intervals"),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Fit"), ...names.map((name) => h("th", { scope: "col", class: "number" }, name.replaceAll("_", " "))))),
        h(
          "tbody",
          null,
          ...trials.map((trial, i) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, `${i + 1}. ${trial.machine} `, h("code", null, trial.kernel)),
              ...names.map((name) => {
                const metric = results[i]?.metrics.find((m) => m.name === name);
                return h("td", { class: "number" }, metric ? text(metric.value, 4) : "", metric?.low === undefined ? null : h("small", { class: "hint" }, ` ${interval(metric)}`));
              }),
            ),
          ),
        ),
      ),
      h("p", { class: "more" }, results.find((fitted) => fitted?.how)?.how ?? ""),
    );
  }
}

/** The same axes for all: the widest of each, where the pictures are of one kind. */
export function sameAxes(exhibits: Exhibit[]): Exhibit[] {
  if (exhibits.length < 2 || exhibits.some((e) => e.kind !== exhibits[0].kind)) return exhibits;
  const spans = exhibits.map((e): { x: Float64Array[]; y: Float64Array[] } => {
    if (e.kind === "curve") {
      const data = e.data as Curve;
      const lines = data.lines.filter((line) => !line.faint).map((line) => unpack(line.y));
      const bands = (data.bands ?? []).flatMap((band) => [unpack(band.low), unpack(band.high)]);
      return { x: [unpack(data.at)], y: [...lines, ...bands, ...(data.points ? [unpack(data.points.y)] : [])] };
    }
    if (e.kind === "predicted_actual") {
      const data = e.data as PredictedActual;
      return { x: [unpack(data.predicted)], y: [unpack(data.actual)] };
    }
    return { x: [], y: [] };
  });
  const x = extent(...spans.flatMap((span) => span.x));
  const y = extent(...spans.flatMap((span) => span.y));
  const wide = (axis: Axis, [low, high]: [number, number]): Axis => (low < high ? { ...axis, domain: axis.domain ?? [low - 0.04 * (high - low), high + 0.04 * (high - low)] } : axis);
  return exhibits.map((e) => {
    const data = e.data as Curve | PredictedActual | Regions;
    return e.kind === "curve" || e.kind === "predicted_actual" ? ({ ...e, data: { ...data, x: wide(data.x, x), y: wide(data.y, y) } } as Exhibit) : e;
  });
}
