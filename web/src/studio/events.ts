// What the server tells by itself: progress, results, failures, of the jobs of all pages. The stream is opened again
// whenever it breaks, from the event after the last one heard, so nothing is missed while the server lives.

export interface Source {
  close(): void;
  onopen: (() => void) | null;
  onerror: (() => void) | null;
  addEventListener(kind: string, f: (e: { data: string; lastEventId: string }) => void): void;
}

type Heard = (data: Record<string, unknown>) => void;

export const kinds = ["hello", "progress", "done", "failed", "replaced", "cancelled", "lost"] as const;
export type Kind = (typeof kinds)[number];

export class Events {
  private last = 0;
  private source: Source | null = null;
  private tries = 0;
  private server = "";
  private readonly listeners = new Map<Kind, Set<Heard>>();

  /** `state` hears whether the server is there; `restarted` that it is another one than before. */
  constructor(
    private readonly state: (there: boolean) => void,
    private readonly restarted: () => void,
    private readonly make: (after: number) => Source,
    private readonly later: (f: () => void, ms: number) => void = (f, ms) => setTimeout(f, ms),
  ) {}

  open(): void {
    const source = this.make(this.last);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.state(true);
    };
    source.onerror = () => {
      if (this.source !== source) return;
      source.close();
      this.source = null;
      this.state(false);
      // Half a second, then longer, never more than five: a server that comes back is found soon.
      this.later(() => this.source ?? this.open(), Math.min(500 * 2 ** this.tries++, 5000));
    };
    for (const kind of kinds)
      source.addEventListener(kind, (e) => {
        if (e.lastEventId) this.last = Number(e.lastEventId);
        const data = JSON.parse(e.data) as Record<string, unknown>;
        if (kind === "hello") this.greet(data);
        for (const f of this.listeners.get(kind) ?? []) f(data);
      });
  }

  private greet(data: Record<string, unknown>): void {
    const server = String(data.server ?? "");
    const other = this.server !== "" && server !== this.server;
    this.server = server;
    if (typeof data.last === "number" && (other || data.last < this.last)) this.last = data.last;
    if (other) this.restarted();
  }

  on(kind: Kind, f: Heard): () => void {
    const all = this.listeners.get(kind) ?? new Set();
    this.listeners.set(kind, all.add(f));
    return () => all.delete(f);
  }

  close(): void {
    const source = this.source;
    this.source = null;
    source?.close();
  }
}
