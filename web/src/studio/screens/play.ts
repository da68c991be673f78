// Play: points that one can move, and what a machine makes of them while one does.
import type { Curve, Regions } from "../../charts/types";
import { h } from "../../kit/dom";
import { unpack } from "../../kit/numbers";
import type { Fitted, Param, Points } from "../api";
import { Cards } from "../cards";
import { Choices, Select } from "../choices";
import { CodeTabs } from "../code_tabs";
import type { Context, Screen } from "../context";
import { Cancelled } from "../jobs";
import { Latest } from "../latest";
import { metricsElement } from "../metrics";
import { Moved } from "../moved";
import { Picture } from "../picture";
import { scaleFor } from "../scale";
import { playOf, type State } from "../state";
import { learntOptions } from "../workbench";
import { knobOf, meaning, Sliders, type Knob } from "../sliders";

type Play = State["play"];

export class PlayScreen implements Screen {
  readonly el: HTMLElement;
  private readonly picture: Picture;
  private readonly task: Choices<"classes" | "curve">;
  private readonly data: Select;
  private readonly machine: Select;
  private readonly cards: Cards;
  private readonly sliders: Sliders;
  private readonly label: Choices<string>;
  private readonly again = h("button", { type: "button", class: "quiet" }, "Put the points back");
  private readonly learn = h("button", { type: "button" }, "Let Mercer choose");
  private readonly marks = h("div", { class: "marks", "aria-live": "polite" });
  private readonly code = new CodeTabs();
  private readonly fits: Latest<boolean>;
  private readonly settles: Latest<void>;

  private play!: Play;
  private points: Points | null = null;
  private params: Param[] = [];
  private readonly moved = new Moved();
  private adding = "";
  private box: number[] | undefined;
  private touched: number | null = null;

  constructor(private readonly my: Context) {
    this.picture = new Picture({
      drag: (i, x, y, done) => this.move(i, x, y, done),
      add: (x, y) => this.add(x, y),
      remove: (i) => this.remove(i),
    });
    // The point that was touched last, also when the picture is a new one since.
    this.picture.el.addEventListener("keydown", (e) => {
      if (e.defaultPrevented || (e.key !== "Delete" && e.key !== "Backspace") || this.touched === null) return;
      e.preventDefault();
      this.remove(this.touched);
    });
    this.task = new Choices<"classes" | "curve">("Game", (task) => this.change(() => ({ ...playOf(task) })));
    this.data = new Select("Points", (data) => this.change((p) => ({ ...p, data, points: null })));
    this.machine = new Select("Machine", (machine) =>
      this.change((p) => ({ ...p, machine, options: { ...my.catalog.playable.find((one) => one.machine === machine)?.options } })),
    );
    this.cards = new Cards(my.api, (kernel) => this.change((p) => ({ ...p, kernel })));
    this.sliders = new Sliders((id, value, done) => this.slide(id, value, done));
    this.label = new Choices<string>("A click adds", (label) => (this.adding = label));
    this.again.addEventListener("click", () => this.change((p) => ({ ...p, points: null })));
    this.learn.addEventListener("click", () => {
      this.sliders.let();
      this.fits.push(true);
    });
    this.settles = new Latest(() => this.settle());
    this.fits = new Latest((learn) => this.fit(learn));
    this.el = h(
      "section",
      { class: "screen play", "aria-label": "Play" },
      h(
        "div",
        { class: "stage" },
        this.picture.el,
        h("p", { class: "hint how" }, "Click: a new point. Drag: move it. Double click or Delete: remove it. With the keyboard: arrows choose, Enter holds, + adds."),
        this.marks,
        this.code.el,
      ),
      h(
        "div",
        { class: "controls" },
        this.task.el,
        h("div", { class: "pair" }, this.data.el, this.machine.el),
        this.label.el,
        this.cards.el,
        h("div", { class: "tune" }, h("h2", null, "Parameters"), this.sliders.el, h("div", { class: "row" }, this.learn, this.again)),
      ),
    );
  }

  show(state: State): void {
    const before = this.play as Play | undefined;
    this.play = state.play;
    this.moved.arrive(this.play.kernel);
    this.drawControls();
    void this.start(before).catch((problem) => this.my.say(problem));
  }

  private change(change: (play: Play) => Play, step: boolean | string = true): void {
    this.my.store.change((state) => ({ play: change(state.play) }), step);
  }

  private drawControls(): void {
    const { task, data, machine, kernel } = this.play;
    this.task.show(
      [
        { value: "classes", content: ["Tell classes apart"] },
        { value: "curve", content: ["Draw a curve"] },
      ],
      task,
    );
    const kind = task === "classes" ? "classes" : "numbers";
    this.data.show(
      this.my.catalog.builtin.filter((b) => b.play && b.task === kind).map((b) => ({ value: b.name, text: `${b.name}: ${b.words}` })),
      data,
    );
    const { machines, playable } = this.my.catalog;
    const names = playable.filter((one) => one.task === kind).map((one) => one.machine);
    this.machine.show(
      names.flatMap((name) => machines.filter((m) => m.name === name)).map((m) => ({ value: m.name, text: `${m.name}: ${m.purpose}` })),
      machine,
    );
    this.cards.show(task, kernel);
    this.again.hidden = this.play.points === null;
  }

  /** The points and the parameters of what the address says; then the first picture. */
  private async start(before: Play | undefined): Promise<void> {
    const { play } = this;
    const fresh = !this.points || !before || before.data !== play.data || before.task !== play.task || before.points !== play.points;
    const [points, check] = await Promise.all([
      play.points ?? (fresh ? this.my.data.get({ kind: "builtin", name: play.data }).then((data) => data.points ?? null) : this.points),
      this.my.api.check(play.kernel),
    ]);
    if (play !== this.play) return;
    if (!points) throw new Error(`The data "${play.data}" cannot be played with.`);
    if (check.error || !check.proof) throw new Error(check.error ?? check.words ?? `${play.kernel} is not a kernel.`);
    // A frame around the points that does not move while one of them is dragged.
    if (before?.data !== play.data || before.task !== play.task || !this.box) this.box = frame(points);
    this.points = points;
    this.params = check.params ?? [];
    this.drawLabels();
    this.drawSliders();
    this.fits.push(false);
  }

  private drawLabels(): void {
    const classes = [...new Set(this.points?.labels ?? [])];
    if (!classes.includes(this.adding)) this.adding = classes[0] ?? "";
    this.label.el.hidden = classes.length < 2;
    this.label.show(
      classes.map((value, i) => ({ value, content: [h("i", { class: `swatch group-${i}`, "aria-hidden": "true" }), value] })),
      this.adding,
    );
  }

  private drawSliders(): void {
    const known = this.my.catalog.machines.find((m) => m.name === this.play.machine)?.options ?? [];
    const options = Object.entries(this.play.options)
      .filter(([name, value]) => known.some((o) => o.name === name) && Number(value) > 0)
      .map(([name, value]): Knob => ({ id: `option ${name}`, label: name, words: meaning(name), value: Number(value), scale: scaleFor(Number(value), 0, null) }));
    const params = this.params.filter((p) => !p.fixed).map((p) => knobOf({ ...p, value: this.moved.params[p.path] ?? p.value }));
    this.sliders.show([...params, ...options]);
  }

  private slide(id: string, value: number, done: boolean): void {
    if (id.startsWith("option ")) {
      const options = { ...this.play.options, [id.slice(7)]: String(value) };
      this.play = { ...this.play, options };
      if (done) this.change((p) => ({ ...p, options }), id);
    } else {
      this.moved.set(id, value);
      if (done) this.settles.push();
    }
    if (!done) this.fits.push(false);
  }

  /** What was dragged goes into the text of the kernel, and so into the address. */
  private async settle(): Promise<void> {
    try {
      const kernel = await this.moved.write(this.play.kernel, this.my.api.check);
      if (kernel) this.change((p) => ({ ...p, kernel }), "kernel");
    } catch (problem) {
      this.my.say(problem);
    }
  }

  private move(i: number, x: number, y: number, done: boolean): void {
    if (!this.points) return;
    this.touched = i;
    const at = (list: number[], value: number) => list.map((v, k) => (k === i ? value : v));
    this.edit({ ...this.points, x: at(this.points.x, x), y: at(this.points.y, y) }, done);
  }

  private add(x: number, y: number): void {
    const p = this.points;
    this.touched = p?.x.length ?? null;
    if (p) this.edit({ x: [...p.x, x], y: [...p.y, y], ...(p.labels && { labels: [...p.labels, this.adding] }) }, true);
  }

  private remove(i: number): void {
    const p = this.points;
    this.touched = null;
    const without = <T>(list: T[]) => list.filter((_, k) => k !== i);
    if (p) this.edit({ x: without(p.x), y: without(p.y), ...(p.labels && { labels: without(p.labels) }) }, true);
  }

  private edit(points: Points, done: boolean): void {
    this.points = points;
    if (done) this.change((p) => ({ ...p, points }));
    else this.fits.push(false);
  }

  private async fit(learn: boolean): Promise<void> {
    const { play, points } = this;
    if (!points) return;
    try {
      const fitted = await this.my.jobs.fit("play", {
        points,
        box: this.box,
        machine: play.machine,
        options: play.options,
        expr: play.kernel,
        params: this.moved.params,
        learn,
        scale: "none",
        exhibits: [play.task === "classes" ? "regions" : "curve"],
      });
      if (fitted && play.machine === this.play.machine && play.task === this.play.task) this.draw(fitted, learn);
    } catch (problem) {
      if (!(problem instanceof Cancelled)) this.my.say(problem);
    }
  }

  /** What was learnt becomes the state, to four digits: the sliders and the address show it. */
  private async learnt(fitted: Fitted): Promise<void> {
    const digits = Object.fromEntries(fitted.params.map((p) => [p.path, Number(p.value.toPrecision(4))]));
    const { str } = await this.my.api.check(fitted.model.kernel, digits);
    this.change((p) => ({ ...p, kernel: str ?? fitted.model.kernel, options: learntOptions(fitted, p.options) }));
  }

  private draw(fitted: Fitted, learnt: boolean): void {
    this.my.say(null);
    const exhibit = fitted.exhibits.find((e) => e.kind === "regions" || e.kind === "curve");
    if (exhibit) {
      const marks = (exhibit.data as Regions | Curve).points;
      const mine = this.points;
      if (marks && mine && unpack(marks.x).length === mine.x.length) marks.draggable = true;
      if (exhibit.kind === "curve") hold(exhibit.data as Curve, this.box);
      this.picture.show(exhibit);
    }
    this.marks.replaceChildren(metricsElement(fitted.metrics.slice(0, 4), fitted.how), h("p", { class: "hint" }, fitted.model.outcome ?? ""));
    this.code.show(fitted.code);
    if (learnt) void this.learnt(fitted);
    else if (this.params.some((p) => p.automatic)) {
      this.params = fitted.params.length ? fitted.params : this.params;
      this.drawSliders();
    }
  }
}

/** Axes that stay where they are while a point is dragged. */
function hold(curve: Curve, box: number[] | undefined): void {
  if (!box) return;
  const height = box[3] - box[2];
  curve.x.domain ??= [box[0], box[1]];
  curve.y.domain ??= [box[2] - 0.15 * height, box[3] + 0.15 * height];
}

/** The least box around the points with a tenth of room. */
function frame(points: Points): number[] {
  const ends = (values: number[]) => {
    const low = Math.min(...values);
    const high = Math.max(...values);
    const room = 0.12 * (high - low || 1);
    return [low - room, high + room];
  };
  return [...ends(points.x), ...ends(points.y)];
}
