// A box for kernels: completes the grammar, and says while one types whether this is a kernel, and why.
import { charts } from "../charts";
import { h } from "../kit/dom";
import { drawInto, type Charts } from "../kit/figure";
import { onTheme, theme } from "../kit/theme";
import type { Api, Candidate, Check } from "./api";
import { Latest } from "./latest";

let count = 0;

export class KernelBox {
  readonly el: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly list: HTMLUListElement;
  private readonly verdict = h("p", { class: "verdict", role: "status" });
  private readonly error = h("pre", { class: "caret", hidden: true });
  private readonly proof = h("div", { class: "proof" });
  private readonly id = `kernel-box-${++count}`;
  private candidates: Candidate[] = [];
  private from = 0;
  private chosen = -1;
  private checked: Check | null = null;
  private told: string | null = null; // the expression that it is the check of
  private readonly checks: Latest<string>;
  private readonly completions: Latest<{ expr: string; cursor: number }>;

  /** `proved` hears of every expression that is a kernel, as soon as it is typed, and of an empty one;
   * `refused` that there is something that is none. */
  constructor(
    api: Pick<Api, "check" | "complete">,
    private readonly heard: { proved(expr: string, check: Check): void; refused?(): void; failed(problem: unknown): void },
    private readonly options: { proof?: boolean; empty?: string } = {},
  ) {
    this.input = h("input", {
      id: this.id,
      class: "expression",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      maxlength: 10000,
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": `${this.id}-list`,
      "aria-describedby": `${this.id}-help`,
    });
    this.list = h("ul", { id: `${this.id}-list`, class: "candidates", role: "listbox", "aria-label": "Ways to go on", hidden: true });
    this.el = h(
      "div",
      { class: "kernel-box" },
      h("label", { for: this.id }, "Kernel"),
      h("div", { class: "combo" }, this.input, this.list),
      h("p", { id: `${this.id}-help`, class: "hint" }, "Type a name; arrow keys and Enter or Tab take a suggestion; Ctrl+Space asks for them."),
      this.verdict,
      this.error,
      options.proof === false ? null : this.proof,
    );
    this.checks = new Latest(async (expr) => {
      if (expr.trim() === "") return this.tell(expr, { words: this.options.empty ?? "Type a kernel, or take one of the examples." });
      try {
        const check = await api.check(expr);
        if (expr === this.input.value) this.tell(expr, check);
      } catch (problem) {
        this.heard.failed(problem);
      }
    });
    this.completions = new Latest(async ({ expr, cursor }) => {
      try {
        const { from, candidates } = await api.complete(expr, cursor);
        if (expr === this.input.value && document.activeElement === this.input) this.offer(from, candidates);
      } catch (problem) {
        this.heard.failed(problem);
      }
    });
    this.input.addEventListener("input", () => {
      this.checks.push(this.input.value);
      this.complete();
    });
    this.input.addEventListener("keydown", (e) => this.key(e));
    this.input.addEventListener("blur", () => this.close());
    onTheme(() => this.checked && this.drawProof(this.checked));
  }

  /** From outside: an address, a card, a slider. Does not open suggestions. */
  set(expr: string): void {
    if (this.input.value === expr && this.told === expr) return;
    this.input.value = expr;
    this.close();
    this.checks.push(expr);
  }

  private complete(): void {
    this.completions.push({ expr: this.input.value, cursor: this.input.selectionStart ?? this.input.value.length });
  }

  private key(e: KeyboardEvent): void {
    const open = this.candidates.length > 0;
    if (e.key === " " && e.ctrlKey) this.complete();
    else if (open && e.key === "ArrowDown") this.choose((this.chosen + 1) % this.candidates.length);
    else if (open && e.key === "ArrowUp") this.choose((this.chosen <= 0 ? this.candidates.length : this.chosen) - 1);
    else if (open && e.key === "Escape") this.close();
    else if (open && this.chosen >= 0 && (e.key === "Enter" || e.key === "Tab")) this.take(this.chosen);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private offer(from: number, candidates: Candidate[]): void {
    this.from = from;
    this.candidates = candidates.slice(0, 12);
    this.chosen = -1;
    this.list.replaceChildren(
      ...this.candidates.map((candidate, i) =>
        h(
          "li",
          {
            id: `${this.id}-${i}`,
            role: "option",
            "aria-selected": "false",
            // Before the box loses the focus.
            onpointerdown: (e: PointerEvent) => {
              e.preventDefault();
              this.take(i);
            },
          },
          h("code", null, candidate.text),
          h("span", { class: "hint" }, candidate.words),
        ),
      ),
    );
    this.list.hidden = this.candidates.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    if (this.candidates.length) this.choose(0);
  }

  private choose(i: number): void {
    this.chosen = i;
    [...this.list.children].forEach((li, k) => li.setAttribute("aria-selected", String(k === i)));
    this.input.setAttribute("aria-activedescendant", `${this.id}-${i}`);
    this.list.children[i]?.scrollIntoView?.({ block: "nearest" });
  }

  private take(i: number): void {
    const cursor = this.input.selectionStart ?? this.input.value.length;
    const { text } = this.candidates[i];
    const before = this.input.value.slice(0, this.from) + text;
    this.input.value = before + this.input.value.slice(cursor);
    // Inside the brackets of a name that wants arguments.
    const at = text.endsWith("()") ? before.length - 1 : before.length;
    this.input.setSelectionRange(at, at);
    this.close();
    this.checks.push(this.input.value);
    if (/[(=,]$/.test(before.slice(0, at))) this.complete();
  }

  private close(): void {
    this.candidates = [];
    this.chosen = -1;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  private tell(expr: string, check: Check): void {
    this.checked = check;
    this.told = expr;
    const good = !!check.proof;
    this.verdict.className = `verdict ${good ? "good" : check.counterexample ? "bad" : ""}`;
    this.input.setAttribute("aria-invalid", String(!good && expr.trim() !== ""));
    if (good) this.verdict.textContent = "✓ A kernel. The proof:";
    else if (check.counterexample) this.verdict.textContent = `✗ Not a kernel. ${check.words ?? ""}`;
    else this.verdict.textContent = check.error ? `Not readable yet: ${check.error}` : (check.words ?? "");
    this.error.hidden = check.position === undefined;
    if (check.position !== undefined) {
      const line = `${" ".repeat([...expr].slice(0, check.position).length)}^`;
      const expected = check.expected?.length ? `\nexpected: ${check.expected.slice(0, 8).join(", ")}` : "";
      this.error.textContent = `${expr}\n${line}${expected}`;
    }
    this.drawProof(check);
    if (good || expr.trim() === "") this.heard.proved(expr, check);
    else this.heard.refused?.();
  }

  private drawProof(check: Check): void {
    if (check.proof) drawInto(this.proof, "proof", charts as Charts, { proof: check.proof }, theme());
    else if (check.counterexample)
      drawInto(this.proof, "proof", charts as Charts, { counterexample: check.counterexample, words: check.words ?? "" }, theme());
    else this.proof.replaceChildren();
  }
}
