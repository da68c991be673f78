// What the page asks of the server (docs/studio.md), and what comes back. All numbers come from there.
import type { Code, Exhibit, Metric, ProofTree, Counterexample } from "../charts/types";

export interface Kernel {
  name: string;
  rule: boolean;
  signature: string;
  arguments: { name: string; range: string; default: string }[];
  formula: string;
  domain: string;
  because: string;
  example: string;
  /** k(0, r) of the example, for cards. */
  picture?: { at: number[]; y: number[] };
}

export interface Option {
  name: string;
  fallback: string;
  help: string;
  flag: boolean;
}

export interface Machine {
  name: string;
  purpose: string;
  problem: string;
  task: string;
  kernel: string;
  options: Option[];
}

export interface Builtin {
  name: string;
  words: string;
  rows: number;
  columns: number;
  task?: "classes" | "numbers";
  play?: boolean;
}

/** A machine that can be played with: one that answers while points move. */
export interface Playable {
  machine: string;
  task: "classes" | "numbers";
  /** The options that are worth a slider, and where they start. */
  options: Record<string, string>;
}

export interface Catalog {
  version: string;
  kernels: Kernel[];
  machines: Machine[];
  playable: Playable[];
  builtin: Builtin[];
  /** Whether a folder was given on the command line. */
  folder?: string | null;
}

export interface Session {
  version: string;
  folder: string | null;
  /** The file that the command was started with. */
  open: string | null;
  /** To show with every request; given for a token. */
  key?: string;
}

export interface Param {
  path: string;
  value: number;
  lower: number | null;
  upper: number | null;
  fixed: boolean;
  automatic: boolean;
  words?: string;
}

export interface Check {
  str?: string;
  proof?: ProofTree;
  params?: Param[];
  counterexample?: Counterexample;
  words?: string;
  error?: string;
  position?: number;
  expected?: string[];
  code?: Code;
}

export interface Candidate {
  text: string;
  words: string;
}

export interface Points {
  x: number[];
  y: number[];
  labels?: string[];
}

export interface DataColumn {
  name: string;
  kind: string; // "number", "category", "date", "id", ...
  why: string;
  missing: number;
  distinct: number;
  low: number | null;
  high: number | null;
  histogram: { edges: number[]; counts: number[] } | null;
}

export interface Data {
  id: string;
  name: string;
  rows: number;
  columns: DataColumn[];
  preview: { columns: string[]; rows: (string | number | null)[][] };
  suggested: { target: string | null; machine: string; kernel: string };
  points?: Points;
  code?: Code;
}

export interface FitRequest {
  slot: string;
  seq: number;
  data?: string;
  points?: Points;
  box?: number[];
  machine: string;
  target?: string;
  options: Record<string, string>;
  expr: string;
  params?: Record<string, number>;
  learn: boolean;
  /** Of the inputs: "none" leaves them as they are. */
  scale?: string;
  exhibits?: string[];
}

export interface Fitted {
  slot: string;
  seq: number;
  model: {
    id: string;
    machine: string;
    kernel: string;
    words: string;
    outcome?: string;
    settings?: Record<string, string>;
    report?: { converged: boolean; stopped: string; iterations: number; seconds: number; figures: Record<string, number> };
  };
  metrics: Metric[];
  params: Param[];
  remarks: string[];
  exhibits: Exhibit[];
  code: Code;
  seconds?: number;
  how?: string;
}

/** A refusal in the words of the server: what, where, what to do. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly where = "",
    readonly hint = "",
    readonly status = 0,
  ) {
    super(message);
  }
}

/** The server does not answer at all. */
export class Gone extends Error {}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** The key to the server, which every request shows. It is kept for all pages of this browser that come from there: another port is another place. */
const keyPlace = "mercer-key";
export const key = (): string => localStorage.getItem(keyPlace) ?? "";
const keepKey = (given: string): void => localStorage.setItem(keyPlace, given);
export const keyHeader = (): Record<string, string> => ({ "X-Mercer-Key": key() });

export class Api {
  constructor(
    private readonly fetch: Fetch = (path, init) => window.fetch(path, init),
    private readonly gone: () => void = () => {},
    private readonly header: () => Record<string, string> = keyHeader,
  ) {}

  private async send(path: string, init: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      answer = await this.fetch(`/api/v1${path}`, { credentials: "omit", ...init, headers: { ...init.headers, ...this.header() } });
    } catch {
      this.gone();
      throw new Gone("The server does not answer.");
    }
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => ({}))) as { error?: string; where?: string; hint?: string };
    throw new Refusal(said.error ?? `The server refuses this (${answer.status}).`, said.where, said.hint, answer.status);
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.send(path, { method: "GET" })).json()) as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return (await (await this.postRaw(path, body)).json()) as T;
  }

  private postRaw(path: string, body: unknown): Promise<Response> {
    return this.send(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  session = (token: string) => this.post<Session>("/session", { token });
  reenter = () => this.get<Session>("/session");
  catalog = () => this.get<Catalog>("/catalog");
  check = (expr: string, params?: Record<string, number>) => this.post<Check>("/check", { expr, params });
  complete = (expr: string, cursor: number) =>
    this.post<{ from: number; candidates: Candidate[] }>("/complete", { expr, cursor });
  kernel = (expr: string, params?: Record<string, number>) =>
    this.post<{ str: string; exhibits: Exhibit[]; code?: Code }>("/kernel", { expr, params });
  prior = (expr: string, params: Record<string, number>, grid: [number, number, number], draws: number, seed: number) =>
    this.post<Exhibit>("/prior", { expr, params, grid, draws, seed });
  gram = (body: { expr: string; params?: Record<string, number>; data?: string; points?: Points; order: string; size: number }) =>
    this.post<Exhibit<"gram">>("/gram", body);
  builtin = (name: string) => this.post<Data>("/data", { builtin: name });
  files = () => this.get<{ folder: string | null; files: { name: string; bytes: number }[] }>("/files");
  open = (name: string) => this.post<Data>("/files/open", { name });
  fit = (request: FitRequest) => this.post<{ job: string }>("/fit", request);
  cancel = (job: string) => this.post<object>(`/jobs/${encodeURIComponent(job)}/cancel`, {});
  report = async (model: string) => (await this.postRaw("/report", { model })).text();
  save = (model: string, what: "report" | "model", name: string) =>
    this.post<{ path: string }>("/save", { model, what, name });

  async upload(file: File): Promise<Data> {
    const answer = await this.send("/data", {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream", "X-Mercer-Name": encodeURIComponent(file.name) },
      body: file,
    });
    return (await answer.json()) as Data;
  }

  modelFile = async (model: string) => (await this.send(`/models/${encodeURIComponent(model)}.mercer`, { method: "GET" })).blob();
}

/** The token of the address is used once and leaves it, so that it is in no history and in no screenshot. */
export async function enter(api: Pick<Api, "session" | "reenter">, location: Location, history: History, keep: (key: string) => void = keepKey): Promise<Session> {
  const found = /(?:^#|&)token=([^&]*)/.exec(location.hash);
  if (!found) return api.reenter();
  const rest = location.hash.replace(/(^#|&)token=[^&]*&?/, "$1").replace(/^#$/, "");
  history.replaceState(null, "", location.pathname + location.search + rest);
  try {
    const session = await api.session(found[1]);
    if (session.key) keep(session.key);
    return session;
  } catch (problem) {
    // A token is good for one time. Whoever opens the same address again may have the key already.
    if (problem instanceof Refusal && problem.status === 403) return api.reenter();
    throw problem;
  }
}
