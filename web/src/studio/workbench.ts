// Fits of the data at hand, kept as long as nothing about them changes: Fit, Compare and Report show the same ones.
import type { Data, Fitted } from "./api";
import type { Context } from "./context";
import { short } from "./scale";
import type { State, Trial } from "./state";

type Work = State["work"];

/** What stands in the address, with what it leaves open filled in from the data. */
export function complete(work: Work, data: Data, trial: Trial = work.trial): { target: string; trial: Trial } {
  return {
    target: work.target || (data.suggested.target ?? ""),
    trial: { ...trial, machine: trial.machine || data.suggested.machine },
  };
}

/** Options as a fit left them: what it learnt or chose beside the kernel is among its figures, the rest in its settings. */
export function learntOptions(fitted: Fitted, options: Record<string, string>): Record<string, string> {
  const { settings = {}, report } = fitted.model;
  const figures = report?.figures ?? {};
  const out = { ...options };
  for (const name of Object.keys(settings)) {
    if (typeof figures[name] === "number") out[name] = short(figures[name]);
    else if (name in options) out[name] = settings[name];
  }
  return out;
}

export class Workbench {
  private readonly kept = new Map<string, Fitted>();

  constructor(private readonly my: Pick<Context, "data" | "jobs">) {}

  private key(work: Work, data: Data, trial: Trial): string {
    return JSON.stringify([data.id, complete(work, data, trial)]);
  }

  /** `params` are under the hand: such a fit is not kept. */
  async fit(slot: string, work: Work, trial: Trial = work.trial, live?: { params: Record<string, number>; exhibits: string[] }): Promise<Fitted | null> {
    if (!work.data) return null;
    const data = await this.my.data.get(work.data);
    const key = this.key(work, data, trial);
    const known = live ? undefined : this.kept.get(key);
    if (known) return known;
    const full = complete(work, data, trial);
    const fitted = await this.my.jobs.fit(slot, {
      data: data.id,
      // Data that know their target want no other word for it.
      target: full.target && full.target !== data.suggested.target ? full.target : undefined,
      machine: full.trial.machine,
      options: full.trial.options,
      expr: full.trial.kernel,
      learn: full.trial.learn && !live,
      ...live,
    });
    if (fitted && !live) this.kept.set(key, fitted);
    return fitted;
  }

  forget(): void {
    this.kept.clear();
  }
}
