// All that the page shows is in the part of its address behind '#': a link is a lesson, back and forward work.
//     #play?task=classes&data=moons&machine=svc&kernel=rbf(ell=0.5)&C=10
import type { Points } from "./api";

export const screens = ["play", "kernel", "data", "fit", "compare", "report"] as const;
export type ScreenName = (typeof screens)[number];

/** Where data come from: {kind, name} stays true when the server starts anew, an id does not. */
export interface DataRef {
  kind: "builtin" | "file" | "upload";
  name: string;
}

export interface Trial {
  machine: string;
  kernel: string;
  options: Record<string, string>;
  learn: boolean;
}

export interface State {
  screen: ScreenName;
  play: {
    task: "classes" | "curve";
    data: string;
    points: Points | null; // where they are not those of `data` any more
    machine: string;
    kernel: string;
    options: Record<string, string>;
  };
  kernel: { expr: string; seed: number };
  work: { data: DataRef | null; target: string; trial: Trial; compared: Trial[] };
}

export const first: State = {
  screen: "play",
  play: { task: "classes", data: "moons", points: null, machine: "svc", kernel: "rbf(ell=0.5)", options: { C: "10" } },
  kernel: { expr: "rbf(ell=1)", seed: 1 },
  work: { data: null, target: "", trial: { machine: "", kernel: "", options: {}, learn: true }, compared: [] },
};

/** The other game of the Play screen, from its start. */
export function playOf(task: "classes" | "curve"): State["play"] {
  if (task === "classes") return first.play;
  return { task, data: "curve", points: null, machine: "gp", kernel: "rbf(ell=1)", options: { noise: "0.05" } };
}

// Three decimals are finer than a pixel. Labels are kept once and then named by number.
export function pointsToText(points: Points): string {
  const classes = [...new Set(points.labels ?? [])];
  const list = points.x.map((x, i) => {
    const at = `${round(x)},${round(points.y[i])}`;
    return points.labels ? `${at},${classes.indexOf(points.labels[i])}` : at;
  });
  return [classes.map(encodeURIComponent).join(","), ...list].join(";");
}

export function pointsFromText(text: string): Points | null {
  const [head, ...list] = text.split(";");
  const classes = head === "" ? null : head.split(",").map(decodeURIComponent);
  const points: Points = classes ? { x: [], y: [], labels: [] } : { x: [], y: [] };
  for (const item of list) {
    const [x, y, label] = item.split(",").map(Number);
    if (!Number.isFinite(x) || !Number.isFinite(y) || (classes && classes[label] === undefined)) return null;
    points.x.push(x);
    points.y.push(y);
    if (classes) points.labels!.push(classes[label]);
  }
  return points;
}

const round = (value: number) => Number(value.toFixed(3));

class Writer {
  private parts: string[] = [];
  add(key: string, value: string | null | undefined): this {
    if (value !== null && value !== undefined && value !== "") this.parts.push(`${encodeURIComponent(key)}=${encode(value)}`);
    return this;
  }
  options(prefix: string, options: Record<string, string>): this {
    for (const [key, value] of Object.entries(options)) this.parts.push(`${encodeURIComponent(prefix + key)}=${encode(value)}`);
    return this;
  }
  text(screen: string): string {
    return this.parts.length ? `#${screen}?${this.parts.join("&")}` : `#${screen}`;
  }
}

/** Brackets, commas and signs stay readable: an expression in a link should look like one. */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3D|3B|3A|5B|5D|5E|2F)/g, (code) => decodeURIComponent(code)).replace(/%20/g, "+");
}

const trialText = (trial: Trial) =>
  [trial.machine, trial.kernel, trial.learn ? "1" : "0", ...Object.entries(trial.options).map(([k, v]) => `${k}=${v}`)]
    .map(encodeURIComponent)
    .join("|");

function trialFrom(text: string): Trial {
  const [machine, kernel, learn, ...options] = text.split("|").map(decodeURIComponent);
  return { machine, kernel: kernel ?? "", learn: learn !== "0", options: Object.fromEntries(options.map(split)) };
}

function split(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

export function toHash(state: State): string {
  const out = new Writer();
  const { play, kernel, work } = state;
  if (state.screen === "play")
    return out
      .add("task", play.task)
      .add("data", play.data)
      .add("machine", play.machine)
      .add("kernel", play.kernel)
      .options("o.", play.options)
      .add("points", play.points && pointsToText(play.points))
      .text("play");
  if (state.screen === "kernel") return out.add("expr", kernel.expr).add("seed", String(kernel.seed)).text("kernel");
  out.add("data", work.data && `${work.data.kind}:${work.data.name}`).add("target", work.target);
  out.add("machine", work.trial.machine).add("kernel", work.trial.kernel).options("o.", work.trial.options);
  if (!work.trial.learn) out.add("learn", "0");
  for (const trial of work.compared) out.add("with", trialText(trial));
  return out.text(state.screen);
}

/** The state of an address; what it does not say is as in `before`. Null where it is no address of ours. */
export function fromHash(hash: string, before: State): State | null {
  const [name, rest = ""] = split2(hash.replace(/^#/, ""));
  if (!screens.includes(name as ScreenName)) return null;
  const screen = name as ScreenName;
  const given = new URLSearchParams(rest);
  const options = () =>
    Object.fromEntries([...given].filter(([key]) => key.startsWith("o.")).map(([key, value]) => [key.slice(2), value]));
  const state: State = { ...before, screen };
  if (rest === "") return state;
  if (screen === "play") {
    const task = given.get("task") === "curve" ? "curve" : "classes";
    const base = playOf(task);
    const points = given.get("points");
    state.play = {
      task,
      data: given.get("data") ?? base.data,
      machine: given.get("machine") ?? base.machine,
      kernel: given.get("kernel") ?? base.kernel,
      options: given.has("machine") ? options() : base.options,
      points: points === null ? null : pointsFromText(points),
    };
  } else if (screen === "kernel") {
    const seed = Number(given.get("seed") ?? 1);
    state.kernel = { expr: given.get("expr") ?? first.kernel.expr, seed: Number.isSafeInteger(seed) ? seed : 1 };
  } else {
    const data = /^(builtin|file|upload):(.+)$/s.exec(given.get("data") ?? "");
    state.work = {
      data: data && { kind: data[1] as DataRef["kind"], name: data[2] },
      target: given.get("target") ?? "",
      trial: {
        machine: given.get("machine") ?? "",
        kernel: given.get("kernel") ?? "",
        options: options(),
        learn: given.get("learn") !== "0",
      },
      compared: given.getAll("with").slice(0, 4).map(trialFrom),
    };
  }
  return state;
}

function split2(hash: string): [string, string?] {
  const at = hash.indexOf("?");
  return at < 0 ? [hash] : [hash.slice(0, at), hash.slice(at + 1)];
}

type Listener = (state: State, cause: "address" | "page") => void;

/** The one state of the page. */
export class Store {
  private listeners = new Set<Listener>();
  private last = { what: "", at: 0 };

  constructor(
    public state: State,
    private readonly history: Pick<History, "pushState" | "replaceState">,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * `step`: a step of history that a person would want to go back by. A name instead makes one step of all changes of that
   * name that follow each other within a second: the key presses on a slider.
   */
  change(change: (state: State) => Partial<State>, step: boolean | string = true): void {
    const before = toHash(this.state);
    this.state = { ...this.state, ...change(this.state) };
    const after = toHash(this.state);
    const what = typeof step === "string" ? step : "";
    const same = what !== "" && what === this.last.what && this.now() - this.last.at < 1000;
    this.last = { what, at: this.now() };
    if (after !== before) this.history[step && !same ? "pushState" : "replaceState"](null, "", after);
    for (const f of this.listeners) f(this.state, "page");
  }

  /** Somebody typed an address, or went back. */
  arrive(hash: string): void {
    this.state = fromHash(hash, this.state) ?? { ...this.state, screen: "play" };
    for (const f of this.listeners) f(this.state, "address");
  }

  listen(f: Listener): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }
}
