// Numbers to drag. Each is an <input type=range>: arrow keys move it, and its value is said in words.
import { h } from "../kit/dom";
import { position, scaleFor, short, steps, valueAt, type Scale } from "./scale";
import type { Param } from "./api";

export interface Knob {
  id: string;
  label: string;
  /** What it does, in a few words. */
  words: string;
  /** Null: chosen from the data, not known yet. */
  value: number | null;
  scale: Scale;
}

interface Row {
  el: HTMLElement;
  input: HTMLInputElement;
  output: HTMLOutputElement;
  label: HTMLElement;
  words: HTMLElement;
  knob: Knob;
}

const meanings: Record<string, string> = {
  ell: "how far similarity reaches",
  period: "after how much it repeats",
  alpha: "how much long reaches count",
  c: "the constant part",
  scale: "how much this part counts",
  nu: "smoothness",
  sigma: "width",
  C: "the price of an error",
  ridge: "the price of wiggling",
  lambda: "the price of wiggling",
  signal: "how large the function is",
  noise: "how much single points may be off",
  epsilon: "half the width of the tube",
};
export const meaning = (name: string): string => meanings[name.replace(/^.*\./, "").replace(/\[.*$/, "")] ?? "";

export const knobOf = (param: Param): Knob => ({
  id: param.path,
  label: param.path,
  words: param.words ?? meaning(param.path),
  value: Number.isFinite(param.value) ? param.value : null,
  scale: scaleFor(Number.isFinite(param.value) ? param.value : 1, param.lower, param.upper),
});

export class Sliders {
  readonly el = h("div", { class: "sliders" });
  private readonly rows = new Map<string, Row>();
  private held: string | null = null;
  private release: ReturnType<typeof setTimeout> | undefined;

  /** `done` when it is let go. */
  constructor(private readonly moved: (id: string, value: number, done: boolean) => void) {}

  show(knobs: Knob[]): void {
    for (const [id, row] of this.rows)
      if (!knobs.some((knob) => knob.id === id)) {
        row.el.remove();
        this.rows.delete(id);
      }
    knobs.forEach((knob, i) => {
      const row = this.rows.get(knob.id) ?? this.make(knob);
      if (this.el.children[i] !== row.el) this.el.insertBefore(row.el, this.el.children[i] ?? null);
      // What a person holds stays under the hand.
      if (this.held === knob.id) return;
      const { scale } = row.knob;
      const fits = knob.value === null || (knob.value >= scale.low && knob.value <= scale.high && scale.log === knob.scale.log);
      row.knob = { ...knob, scale: fits ? scale : knob.scale };
      row.label.textContent = knob.label;
      row.words.textContent = knob.words;
      this.fill(row);
    });
    this.el.hidden = knobs.length === 0;
  }

  /** What comes next is shown, whatever was dragged before. */
  let(): void {
    clearTimeout(this.release);
    this.held = null;
  }

  private make(knob: Knob): Row {
    const input = h("input", { type: "range", min: 0, max: steps, step: 1, id: `knob-${++made}` });
    const output = h("output", { for: input.id });
    const label = h("span", { class: "name" });
    const words = h("span", { class: "hint" });
    const el = h("div", { class: "knob" }, h("label", { for: input.id }, label, " ", words), output, input);
    const row: Row = { el, input, output, label, words, knob };
    const tell = (done: boolean) => {
      row.knob = { ...row.knob, value: valueAt(row.knob.scale, Number(input.value)) };
      this.say(row);
      this.moved(row.knob.id, row.knob.value!, done);
    };
    input.addEventListener("input", () => {
      clearTimeout(this.release);
      this.held = row.knob.id;
      tell(false);
    });
    input.addEventListener("change", () => {
      // Arrow keys let go after each step: answers to an earlier one must not take the later ones back.
      clearTimeout(this.release);
      this.release = setTimeout(() => (this.held = null), 500);
      tell(true);
    });
    this.rows.set(knob.id, row);
    return row;
  }

  private fill(row: Row): void {
    row.input.value = String(row.knob.value === null ? steps / 2 : position(row.knob.scale, row.knob.value));
    this.say(row);
  }

  private say(row: Row): void {
    const value = row.knob.value === null ? "auto" : short(row.knob.value);
    row.output.textContent = value;
    row.input.setAttribute("aria-valuetext", row.knob.words ? `${value}, ${row.knob.words}` : value);
  }
}
let made = 0;
