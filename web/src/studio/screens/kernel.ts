// Kernel: an expression, why it is a kernel, and what it looks like in four ways.
import type { Curve, GramPicture } from "../../charts/types";
import { h } from "../../kit/dom";
import type { Check } from "../api";
import { Select } from "../choices";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { Influence } from "../influence";
import { KernelBox } from "../kernel_box";
import { Latest } from "../latest";
import { Moved } from "../moved";
import { Picture } from "../picture";
import type { State } from "../state";
import { knobOf, Sliders } from "../sliders";

interface Wanted {
  expr: string;
  params: Record<string, number>;
  seed: number;
  data: string;
  order: string;
}

const examples = ["rbf(ell=1)", "rbf(ell=1) + linear()", "periodic(period=2, ell=1)*rbf(ell=3)", "(1 + linear())^3", "sin(x)*cos(y)"];

export class KernelScreen implements Screen {
  readonly el: HTMLElement;
  private readonly box: KernelBox;
  private readonly sliders: Sliders;
  private readonly curve = new Picture(undefined, "Similarity over distance");
  private readonly prior = new Picture(undefined, "Functions drawn from it");
  private readonly gram: Picture;
  private readonly influence = new Influence();
  private readonly code = new CodeTabs();
  private readonly gallery = h("div", { class: "gallery" });
  private readonly data: Select;
  private readonly order: Select;
  private readonly moved = new Moved();
  private readonly settles: Latest<void>;
  private readonly pictures: Latest<Wanted>;
  private readonly matrices: Latest<Wanted>;
  private wanted: Wanted = { expr: "", params: {}, seed: 1, data: "moons", order: "class" };

  constructor(private readonly my: Context) {
    this.gram = new Picture({ hover: (i) => i !== null && this.influence.row(i), pick: (i) => this.influence.row(i) }, "The matrix of all pairs");
    this.box = new KernelBox(my.api, {
      proved: (expr, check) => this.proved(expr, check),
      refused: () => this.gallery.classList.add("stale"),
      failed: (problem) => this.fail(problem),
    });
    this.sliders = new Sliders((path, value, done) => {
      this.moved.set(path, value);
      this.wanted = { ...this.wanted, params: this.moved.params };
      if (done) this.settles.push();
      else this.ask();
    });
    this.settles = new Latest(() => this.settle());
    this.pictures = new Latest((wanted) => this.drawCurves(wanted));
    this.matrices = new Latest((wanted) => this.drawGram(wanted));
    this.data = new Select("Points", (data) => this.want({ data }));
    this.order = new Select("Order", (order) => this.want({ order }));
    this.data.show(my.catalog.builtin.filter((b) => b.play).map((b) => ({ value: b.name, text: `${b.name}: ${b.words}` })), "moons");
    this.order.show([{ value: "class", text: "by class" }, { value: "file", text: "as they come" }], "class");
    const another = h("button", { type: "button" }, "Another draw");
    another.addEventListener("click", () =>
      this.my.store.change((s) => ({ kernel: { ...s.kernel, seed: s.kernel.seed + 1 } }), false),
    );
    const chips = examples.map((expr) =>
      h("button", { type: "button", class: "chip", onclick: () => this.my.store.change(() => ({ kernel: { expr, seed: this.wanted.seed } })) }, expr),
    );
    this.el = h(
      "section",
      { class: "screen kernel", "aria-label": "Kernel" },
      h("div", { class: "lead" }, this.box.el, h("div", { class: "chips", role: "group", "aria-label": "Examples" }, ...chips), this.sliders.el, this.code.el),
      this.gallery,
    );
    this.gallery.append(
      this.curve.el,
      h("div", null, this.prior.el, h("div", { class: "row" }, another)),
      h("div", null, this.gram.el, h("div", { class: "pair" }, this.data.el, this.order.el)),
      this.influence.el,
    );
    this.gallery.hidden = true;
  }

  show(state: State, again = false): void {
    const { expr, seed } = state.kernel;
    const other = seed !== this.wanted.seed;
    this.wanted = { ...this.wanted, seed };
    this.box.set(expr);
    if ((other || again) && this.wanted.expr) this.ask();
  }

  private proved(expr: string, check: Check): void {
    if (!check.proof) return;
    this.gallery.hidden = false;
    this.gallery.classList.remove("stale");
    this.sliders.show((check.params ?? []).filter((p) => !p.fixed && !p.automatic).map(knobOf));
    this.code.show(check.code);
    if (expr !== this.my.store.state.kernel.expr) this.my.store.change((s) => ({ kernel: { ...s.kernel, expr } }), false);
    this.moved.arrive(expr);
    this.want({ expr, params: this.moved.params });
  }

  private want(change: Partial<Wanted>): void {
    this.wanted = { ...this.wanted, ...change };
    this.ask();
  }

  private ask(): void {
    this.pictures.push(this.wanted);
    this.matrices.push(this.wanted);
  }

  private async settle(): Promise<void> {
    try {
      const expr = await this.moved.write(this.wanted.expr, this.my.api.check);
      if (expr) this.my.store.change((s) => ({ kernel: { ...s.kernel, expr } }), "kernel");
    } catch (problem) {
      this.fail(problem);
    }
  }

  private async drawCurves({ expr, params, seed }: Wanted): Promise<void> {
    try {
      const [kernel, prior] = await Promise.all([this.my.api.kernel(expr, params), this.my.api.prior(expr, params, [-3, 3, 200], 5, seed)]);
      if (kernel.exhibits[0]) this.curve.show(kernel.exhibits[0]);
      (prior.data as Curve).lines.forEach((line, i) => (line.group ??= i));
      this.prior.show(prior);
      if (kernel.code) this.code.show(kernel.code);
      this.my.say(null);
    } catch (problem) {
      this.fail(problem);
    }
  }

  private async drawGram({ expr, params, data: name, order }: Wanted): Promise<void> {
    try {
      const data = await this.my.data.get({ kind: "builtin", name });
      const gram = await this.my.api.gram({ expr, params, data: data.id, order, size: 512 });
      this.gram.show(gram);
      this.influence.show(gram.data as GramPicture, data.points);
    } catch (problem) {
      this.fail(problem);
    }
  }

  private fail(problem: unknown): void {
    this.my.say(problem);
  }
}
