// Fits under way: asked for by a request, answered by an event. One at a time in a slot; the newest wins.
import { Gone, Refusal, type Api, type FitRequest, type Fitted } from "./api";
import type { Events } from "./events";

export interface Progress {
  slot: string;
  stage: string;
  fraction: number | null;
}

/** The person stopped it. */
export class Cancelled extends Error {}

interface Pending {
  seq: number;
  job: string | null;
  resolve(fitted: Fitted | null): void;
  reject(error: Error): void;
}

export class Jobs {
  private seq = 0;
  private readonly pending = new Map<string, Pending>();
  private readonly watchers = new Set<(all: Progress[]) => void>();
  private readonly stages = new Map<string, Progress>();

  constructor(
    private readonly api: Pick<Api, "fit" | "cancel">,
    events: Pick<Events, "on">,
    private readonly tab: string,
  ) {
    events.on("progress", (e) => {
      if (!this.of(e)) return;
      this.stages.set(String(e.slot), {
        slot: String(e.slot),
        stage: String(e.stage ?? ""),
        fraction: typeof e.fraction === "number" ? e.fraction : null,
      });
      this.tell();
    });
    events.on("done", (e) => this.settle(e, (p) => p.resolve(e as unknown as Fitted)));
    events.on("replaced", (e) => this.settle(e, (p) => p.resolve(null)));
    events.on("cancelled", (e) => this.settle(e, (p) => p.reject(new Cancelled("Stopped."))));
    events.on("lost", () => this.lose());
    events.on("failed", (e) =>
      this.settle(e, (p) => p.reject(new Refusal(String(e.error), String(e.where ?? ""), String(e.hint ?? "")))),
    );
  }

  /** Null: another request in the same slot took its place. */
  fit(slot: string, request: Omit<FitRequest, "slot" | "seq">): Promise<Fitted | null> {
    const name = `${this.tab}/${slot}`;
    const seq = ++this.seq;
    this.pending.get(name)?.resolve(null);
    return new Promise((resolve, reject) => {
      const pending: Pending = { seq, job: null, resolve, reject };
      this.pending.set(name, pending);
      this.tell();
      this.api.fit({ ...request, slot: name, seq }).then(
        ({ job }) => (pending.job = job),
        (error: Error) => this.settle({ slot: name, seq }, (p) => p.reject(error)),
      );
    });
  }

  async cancel(slot: string): Promise<void> {
    const pending = this.pending.get(slot) ?? this.pending.get(`${this.tab}/${slot}`);
    if (pending?.job) await this.api.cancel(pending.job);
  }

  /** The server went away, or its answers were lost: whoever waits shall ask again. */
  lose(): void {
    const all = [...this.pending.values()];
    this.pending.clear();
    this.stages.clear();
    this.tell();
    for (const pending of all) pending.reject(new Gone("The server went away."));
  }

  watch(f: (all: Progress[]) => void): () => void {
    this.watchers.add(f);
    return () => this.watchers.delete(f);
  }

  private of(e: Record<string, unknown>): Pending | null {
    const pending = this.pending.get(String(e.slot));
    return pending && pending.seq === e.seq ? pending : null;
  }

  private settle(e: Record<string, unknown>, how: (pending: Pending) => void): void {
    const pending = this.of(e);
    if (!pending) return;
    this.pending.delete(String(e.slot));
    this.stages.delete(String(e.slot));
    this.tell();
    how(pending);
  }

  private tell(): void {
    const all = [...this.pending.keys()].map(
      (slot) => this.stages.get(slot) ?? { slot, stage: "starting", fraction: null },
    );
    for (const f of this.watchers) f(all);
  }
}
