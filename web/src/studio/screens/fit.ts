// Fit: a machine, its options, its kernel; pictures of how well it does, and the certificate.
import type { Exhibit } from "../../charts/types";
import { h } from "../../kit/dom";
import { text } from "../../kit/numbers";
import type { Data, Fitted, Option, Param } from "../api";
import { Select } from "../choices";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { offer } from "../download";
import { Cancelled } from "../jobs";
import { KernelBox } from "../kernel_box";
import { Latest } from "../latest";
import { metricsElement } from "../metrics";
import { Moved } from "../moved";
import { Pictures } from "../pictures";
import { toHash, type State, type Trial } from "../state";
import { knobOf, Sliders } from "../sliders";
import { complete, learntOptions } from "../workbench";

const livePictures = ["curve", "regions", "predicted_actual"];

export class FitScreen implements Screen {
  readonly el: HTMLElement;
  private readonly none: HTMLElement;
  private readonly body: HTMLElement;
  private readonly about = h("p", { class: "about" });
  private readonly machine: Select;
  private readonly problem = h("p", { class: "hint formula" });
  private readonly box: KernelBox;
  private readonly sliders: Sliders;
  private readonly options = h("div", { class: "options" });
  private readonly outcome = h("div", { class: "outcome", "aria-live": "polite" });
  private readonly pictures = new Pictures();
  private readonly code = new CodeTabs();
  private readonly learn = h("button", { type: "button", class: "main" }, "Fit, and choose what is open");
  private readonly settles: Latest<void>;
  private readonly live: Latest<Record<string, number>>;
  private work!: State["work"];
  private data: Data | null = null;
  private fitted: Fitted | null = null;
  private readonly moved = new Moved();

  constructor(private readonly my: Context) {
    this.machine = new Select("Machine", (machine) => this.trial(() => ({ machine, kernel: "", options: {}, learn: true })));
    this.box = new KernelBox(
      my.api,
      {
        proved: (kernel) => this.typed(kernel),
        failed: (problem) => this.fail(problem),
      },
      { proof: false, empty: "Left to Mercer: the usual one for this machine and these data." },
    );
    this.sliders = new Sliders((path, value, done) => {
      this.moved.set(path, value);
      if (done) this.settles.push();
      else this.live.push(this.moved.params);
    });
    this.settles = new Latest(() => this.settle());
    this.live = new Latest((params) => this.drag(params));
    this.learn.addEventListener("click", () => {
      this.sliders.let();
      this.my.bench.forget();
      this.trial((t) => ({ ...t, learn: true }));
    });
    const compare = h("button", { type: "button" }, "Keep for comparison");
    compare.addEventListener("click", () =>
      this.my.store.change((s) => ({
        screen: "compare",
        work: { ...s.work, compared: [...s.work.compared, this.exact()].slice(-4) },
      })),
    );
    this.none = h("p", { class: "empty" }, "There are no data yet. ", h("a", { href: "#data" }, "Choose some"), ".");
    this.body = h(
      "div",
      { class: "two" },
      h(
        "div",
        { class: "controls" },
        this.about,
        this.machine.el,
        this.problem,
        this.box.el,
        this.sliders.el,
        h("details", { class: "more-options" }, h("summary", null, "Options"), this.options),
        h("div", { class: "row" }, this.learn, compare),
      ),
      h("div", { class: "stage" }, this.outcome, this.pictures.el, this.code.el),
    );
    this.el = h("section", { class: "screen fit", "aria-label": "Fit" }, this.none, this.body);
  }

  show(state: State): void {
    this.work = state.work;
    this.none.hidden = !!state.work.data;
    this.body.hidden = !state.work.data;
    if (state.work.data) void this.start(state.work);
  }

  private trial(change: (trial: Trial) => Trial, step: boolean | string = true): void {
    this.my.store.change((s) => ({ work: { ...s.work, trial: change(s.work.trial) } }), step);
  }

  private exact(): Trial {
    return complete(this.work, this.data!).trial;
  }

  private async start(work: State["work"]): Promise<void> {
    try {
      this.data = await this.my.data.get(work.data!);
      if (work !== this.work) return;
      const { target, trial } = complete(work, this.data);
      this.about.replaceChildren(
        h("strong", null, this.data.name),
        target ? ": predicts " : "",
        target ? h("strong", null, target) : "",
        " (",
        h("a", { href: toHash({ ...this.my.store.state, screen: "data" }) }, "change"),
        ")",
      );
      const { machines } = this.my.catalog;
      this.machine.show(machines.map((m) => ({ value: m.name, text: `${m.name}: ${m.purpose}` })), trial.machine);
      const machine = machines.find((m) => m.name === trial.machine);
      this.problem.textContent = machine?.problem ?? "";
      this.drawOptions(machine?.options ?? [], trial.options);
      if (trial.kernel || !this.fitted) this.box.set(trial.kernel);
      const fitted = await this.my.bench.fit("fit", work);
      if (fitted && work === this.work) this.draw(fitted);
    } catch (problem) {
      this.fail(problem);
    }
  }

  private drawOptions(options: Option[], given: Record<string, string>): void {
    const change = (name: string, value: string, fallback: string) =>
      this.trial((t) => {
        const { [name]: _, ...rest } = t.options;
        return { ...t, options: value === fallback ? rest : { ...rest, [name]: value } };
      });
    this.options.replaceChildren(
      ...options.map((option) => {
        const value = given[option.name] ?? option.fallback;
        const input = option.flag ? h("input", { type: "checkbox" }) : h("input", { type: "text", placeholder: option.fallback });
        if (option.flag) input.checked = value === "true";
        else input.value = value;
        input.addEventListener("change", () => change(option.name, option.flag ? String(input.checked) : input.value.trim(), option.fallback));
        return h("label", { class: option.flag ? "option flag" : "option" }, h("span", { class: "name" }, option.name), input, h("span", { class: "hint" }, option.help));
      }),
      ...(options.length ? [] : [h("p", { class: "hint" }, "It has none.")]),
    );
  }

  private typed(kernel: string): void {
    if (kernel !== this.work.trial.kernel && kernel !== this.fitted?.model.kernel) this.trial((t) => ({ ...t, kernel }));
  }

  private settings(): Record<string, string> {
    const { options } = this.work.trial;
    return this.fitted && this.work.trial.learn ? learntOptions(this.fitted, options) : options;
  }

  private async settle(): Promise<void> {
    try {
      const kernel = this.fitted?.model.kernel ?? this.work.trial.kernel;
      const written = await this.moved.write(kernel, this.my.api.check);
      if (written) this.trial((t) => ({ ...t, kernel: written, options: this.settings(), learn: false }), "kernel");
    } catch (problem) {
      this.fail(problem);
    }
  }

  private async drag(params: Record<string, number>): Promise<void> {
    try {
      const kernel = this.fitted?.model.kernel ?? this.work.trial.kernel;
      const exhibits = this.fitted?.exhibits.filter((e) => livePictures.includes(e.kind)).slice(0, 1).map((e) => e.id) ?? [];
      const fitted = await this.my.bench.fit("fit", this.work, { ...this.work.trial, kernel, options: this.settings(), learn: false }, { params, exhibits });
      if (!fitted) return;
      this.outcome.replaceChildren(metricsElement(fitted.metrics, fitted.how));
      this.pictures.show(fitted.exhibits, true);
    } catch (problem) {
      this.fail(problem);
    }
  }

  private draw(fitted: Fitted): void {
    this.my.say(null);
    this.fitted = fitted;
    this.moved.arrive(fitted.model.kernel);
    if (document.activeElement !== this.box.input) this.box.set(fitted.model.kernel);
    this.sliders.show(fitted.params.filter((p: Param) => !p.fixed).map(knobOf));
    const remarks = fitted.remarks.map((remark) => h("li", null, remark));
    this.outcome.replaceChildren(
      h("p", { class: "model" }, fitted.model.outcome ?? fitted.model.words),
      metricsElement(fitted.metrics, fitted.how),
      remarks.length ? h("ul", { class: "remarks" }, ...remarks) : "",
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: () => this.download(fitted) }, "Download the model"),
        h("a", { class: "button", href: toHash({ ...this.my.store.state, screen: "report" }) }, "Report"),
      ),
    );
    this.pictures.show(fitted.exhibits.some((e) => e.id === "certificate") ? fitted.exhibits : [...fitted.exhibits, certificate(fitted)]);
    this.code.show(fitted.code);
  }

  private async download(fitted: Fitted): Promise<void> {
    try {
      offer(await this.my.api.modelFile(fitted.model.id), "model.mercer");
    } catch (problem) {
      this.my.say(problem);
    }
  }

  private fail(problem: unknown): void {
    this.my.say(problem instanceof Cancelled ? "Stopped. Nothing is fitted yet." : problem);
  }
}

/** How the fit went, as the machine reports it. */
function certificate(fitted: Fitted): Exhibit {
  const { report, outcome } = fitted.model;
  const rows = report
    ? [
        { name: "converged", value: report.converged ? "yes" : "no", good: report.converged },
        { name: "stopped", value: report.stopped || "solved directly" },
        { name: "iterations", value: text(report.iterations) },
        { name: "seconds", value: text(report.seconds, 3) },
        ...Object.entries(report.figures).map(([name, value]) => ({ name: name.replaceAll("_", " "), value: text(value) })),
      ]
    : [];
  return { id: "certificate", kind: "facts", title: "Certificate", finding: outcome ?? "", data: { rows } };
}
