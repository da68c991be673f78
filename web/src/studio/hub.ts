// One stream of events for all tabs of a browser: it opens six connections to a server and no more, and the seventh tab
// would wait for ever. The tab that holds the lock listens and tells the others; when it goes, the next one does, from
// the event after the last one heard.
import { kinds, type Kind, type Source } from "./events";

type Told = { data: string; lastEventId: string };
type Message = { what: "open" } | { what: "error" } | { what: "who" } | { what: "event"; kind: Kind; told: Told };

/** What of the browser is needed, so that tests can bring their own. */
export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((e: { data: unknown }) => void) | null;
}
export interface Locks {
  request(name: string, held: () => Promise<void>): Promise<unknown>;
}

/** The end of a tab: what it hears, from wherever. */
class Ear implements Source {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  opened = false;
  readonly listeners = new Map<string, (e: Told) => void>();
  constructor(private readonly left: () => void) {}
  addEventListener(kind: string, f: (e: Told) => void): void {
    this.listeners.set(kind, f);
  }
  close(): void {
    this.left();
  }
}

export class Hub {
  private ear: Ear | null = null;
  private leads = false;
  private real: Source | null = null;
  private there = false; // the stream of the tab that leads is open
  private hello: Told | null = null;
  private server = "";
  private last = 0;

  /** `connect` opens a stream of the events after one. */
  constructor(
    private readonly connect: (after: number) => Source,
    private readonly channel: Channel,
    locks: Locks,
  ) {
    channel.onmessage = (e) => this.hear(e.data as Message);
    // Held as long as the tab lives.
    void locks.request("mercer-events", () => {
      this.leads = true;
      if (this.ear) this.listen();
      return new Promise(() => {});
    });
  }

  open(): Source {
    const ear = new Ear(() => {
      if (this.ear === ear) this.ear = null;
    });
    this.ear = ear;
    if (this.leads) this.listen();
    else this.channel.postMessage({ what: "who" } satisfies Message);
    return ear;
  }

  private listen(): void {
    this.real?.close();
    const real = this.connect(this.last);
    this.real = real;
    real.onopen = () => this.tell({ what: "open" });
    real.onerror = () => {
      real.close();
      this.tell({ what: "error" });
    };
    for (const kind of kinds) real.addEventListener(kind, (told) => this.tell({ what: "event", kind, told: { data: told.data, lastEventId: told.lastEventId } }));
  }

  private tell(message: Message): void {
    this.channel.postMessage(message);
    this.hear(message);
  }

  private hear(message: Message): void {
    if (message.what === "who") {
      if (!this.leads || !this.there) return;
      this.channel.postMessage({ what: "open" } satisfies Message);
      if (this.hello) this.channel.postMessage({ what: "event", kind: "hello", told: this.hello } satisfies Message);
      return;
    }
    if (message.what === "open") {
      this.there = true;
      if (!this.ear || this.ear.opened) return;
      this.ear.opened = true;
      return this.ear.onopen?.();
    }
    if (message.what === "error") {
      this.there = false;
      return this.ear?.onerror?.();
    }
    if (message.kind === "hello") this.greet(message.told);
    // A tab that takes over, and one that asks who is there, make some things be told twice.
    const id = Number(message.told.lastEventId || 0);
    if (id > 0 && id <= this.last) return;
    if (id > 0) this.last = id;
    this.ear?.listeners.get(message.kind)?.(message.told);
  }

  private greet(told: Told): void {
    this.hello = told;
    const { server, last } = JSON.parse(told.data) as { server: string; last: number };
    // Numbers of another server begin anew.
    if (this.server !== "" && server !== this.server) this.last = Math.min(this.last, last);
    this.server = server;
  }
}
