// A cut-off moved by hand. Counts at every cut-off come with the data: here they are looked up and added.
import { columns, group, h, legend, line, percent, plot, s, text, unpack, type Chart, type Plot, type Theme } from "../kit";
import type { Cutoff } from "./types";
import "./words.css";

export interface Counts {
  cut: number; // NaN: above all scores
  tp: number;
  fp: number;
  fn: number;
  tn: number;
  precision: number; // NaN where nothing is called positive
  recall: number;
  accuracy: number;
}

export function countsAt(data: Cutoff, cut: number, tp: number, fp: number): Counts {
  const all = data.positives + data.negatives;
  return { cut, tp, fp, fn: data.positives - tp, tn: data.negatives - fp, precision: tp / (tp + fp), recall: tp / data.positives, accuracy: (tp + data.negatives - fp) / all };
}

export function allCounts(data: Cutoff): Counts[] {
  const [cut, tp, fp] = [unpack(data.cut), unpack(data.tp), unpack(data.fp)];
  return Array.from({ length: Math.min(cut.length, tp.length, fp.length) }, (_, i) => countsAt(data, cut[i], tp[i], fp[i]));
}

export interface Prices {
  alarm: number; // of a false alarm
  miss: number; // of a positive missed
}
export const cost = (at: Counts, prices: Prices): number => at.fp * prices.alarm + at.fn * prices.miss;

/** The first of the cheapest: the highest cut-off. */
export function cheapest(all: Counts[], prices: Prices): number {
  let best = 0;
  for (let i = 1; i < all.length; ++i) if (cost(all[i], prices) < cost(all[best], prices)) best = i;
  return best;
}

/** Where a picture begins: at 1/2 for probabilities, at 0 for scores. */
function beginning(all: Counts[], data: Cutoff): number {
  const middle = data.score === "probability" ? 0.5 : 0;
  let at = 0;
  for (let i = 0; i < all.length; ++i) if (!(all[i].cut < middle)) at = i;
  return at;
}

// Where the person left the slider: kept when the picture is drawn again.
interface State {
  data: Cutoff;
  at: number;
  prices: Prices;
}
const states = new WeakMap<HTMLElement, State>();

const lines: { name: string; of: (at: Counts) => number }[] = [
  { name: "precision", of: (at) => at.precision },
  { name: "recall", of: (at) => at.recall },
  { name: "accuracy", of: (at) => at.accuracy },
];

function picture(el: HTMLElement, data: Cutoff, all: Counts[], theme: Theme): Plot {
  const known = all.filter((at) => Number.isFinite(at.cut));
  const cuts = known.map((at) => at.cut);
  const xs: [number, number] = data.score === "probability" ? [0, 1] : [Math.min(...cuts.slice(-1), Infinity), Math.max(...cuts.slice(0, 1), -Infinity)];
  legend(el, lines.map(({ name }, i) => ({ name, kind: "line", ...group(theme, i) })));
  const p = plot(el, { x: { label: `cut-off of the ${data.score}` }, y: { label: "share" }, xs, ys: [0, 1], theme, height: 230, label: "precision, recall and accuracy over the cut-off" });
  lines.forEach(({ of }, i) => line(p, cuts, known.map(of), { colour: group(theme, i).colour, dash: group(theme, i).dash, step: cuts.length < 60 }));
  return p;
}

export const cutoff: Chart<Cutoff> = {
  draw(el, data, theme) {
    el.replaceChildren();
    const all = allCounts(data);
    if (!all.length) return el.replaceChildren(h("p", { class: "more" }, "No cut-offs."));
    const kept = states.get(el);
    const state: State = kept?.data === data ? kept : { data, at: beginning(all, data), prices: { alarm: 1, miss: 1 } };
    states.set(el, state);

    const last = all.length - 1;
    const p = picture(el, data, all, theme);
    const rule = s("line", { y1: p.top, y2: p.top + p.height, class: "rule-now" });
    p.svg.append(rule);

    const slider = h("input", { type: "range", min: 0, max: last, step: 1, "aria-label": `cut-off of the ${data.score}` });
    const said = h("output", { class: "cut-said" });
    const numbers = { tp: h("b"), fp: h("b"), fn: h("b"), tn: h("b") };
    const figures = lines.map(() => h("b"));
    const price = h("b");
    const least = h("button", { type: "button", class: "quiet" });

    const show = () => {
      const now = all[state.at];
      slider.value = String(last - state.at); // cut-offs decrease, the slider grows to the right
      const words = Number.isFinite(now.cut) ? `${data.score} ≥ ${text(now.cut)}` : "above every score";
      slider.setAttribute("aria-valuetext", words);
      said.textContent = words;
      for (const [name, place] of Object.entries(numbers)) place.textContent = text(now[name as keyof typeof numbers]);
      lines.forEach(({ of }, i) => (figures[i].textContent = Number.isFinite(of(now)) ? percent(of(now)) : "–"));
      price.textContent = text(cost(now, state.prices));
      const best = cheapest(all, state.prices);
      least.textContent = best === state.at ? "This is the least" : `Go to the least: ${text(cost(all[best], state.prices))}`;
      least.disabled = best === state.at;
      const x = p.sx(Number.isFinite(now.cut) ? now.cut : p.sx.domain()[1]);
      const inside = Math.max(p.left, Math.min(p.left + p.width, x));
      rule.setAttribute("x1", String(inside));
      rule.setAttribute("x2", String(inside));
    };
    slider.addEventListener("input", () => {
      state.at = last - Number(slider.value);
      show();
    });
    least.addEventListener("click", () => {
      state.at = cheapest(all, state.prices);
      show();
    });
    const money = (key: keyof Prices, label: string) => {
      const input = h("input", { type: "number", min: 0, step: "any", value: state.prices[key] });
      input.addEventListener("input", () => {
        const value = Number(input.value);
        if (input.value === "" || !(value >= 0) || !Number.isFinite(value)) return; // not yet a price
        state.prices = { ...state.prices, [key]: value };
        show();
      });
      return h("label", null, label, input);
    };
    const count = (place: HTMLElement, name: string, right: boolean) => h("div", { class: right ? "count-right" : "count-wrong" }, place, h("span", null, name));
    el.append(
      h("div", { class: "cut-slider" }, slider, said),
      h(
        "div",
        { class: "cut-panel" },
        h(
          "div",
          { class: "cut-counts" },
          count(numbers.tp, `✓ ${data.positive} found`, true),
          count(numbers.fp, "✗ false alarms", false),
          count(numbers.fn, `✗ ${data.positive} missed`, false),
          count(numbers.tn, "✓ rightly left", true),
        ),
        h("dl", { class: "cut-figures" }, ...lines.flatMap(({ name }, i) => [h("dt", null, name), h("dd", null, figures[i])])),
        h("div", { class: "cut-cost" }, money("alarm", "price of a false alarm"), money("miss", "price of a miss"), h("p", null, "cost ", price), least),
      ),
    );
    show();
  },
  table(data) {
    const all = allCounts(data);
    const of = (name: keyof Counts) => all.map((at) => at[name]);
    const shown: [string, keyof Counts][] = [["cut-off", "cut"], ["true positives", "tp"], ["false positives", "fp"], ["missed", "fn"], ["true negatives", "tn"], ["precision", "precision"], ["recall", "recall"], ["accuracy", "accuracy"]];
    return columns(...shown.map(([title, name]): [string, number[]] => [title, of(name)]));
  },
};
