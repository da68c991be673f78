import { expect, it } from "vitest";
import { Events, type Source } from "../../src/studio/events";
import { Hub, type Channel, type Locks } from "../../src/studio/hub";

/** A browser with tabs: one lock, one channel, and streams that the test speaks through. */
class Browser {
  readonly streams: Real[] = [];
  private readonly mail: (() => void)[] = [];
  private readonly channels: (Channel & { open: boolean })[] = [];
  private readonly waiting: { open: boolean; held: () => Promise<void> }[] = [];

  /** Messages arrive later, in order. */
  deliver(): void {
    for (let next = this.mail.shift(); next; next = this.mail.shift()) next();
  }

  tab() {
    const channel: Channel & { open: boolean } = {
      open: true,
      onmessage: null,
      postMessage: (data) => {
        for (const other of this.channels) if (other !== channel && other.open) this.mail.push(() => other.onmessage?.({ data: structuredClone(data) }));
      },
    };
    this.channels.push(channel);
    const claim = { open: true, held: async () => {} };
    const locks: Locks = {
      request: async (_, held) => {
        claim.held = held;
        this.waiting.push(claim);
        if (this.waiting.filter((one) => one.open).length === 1) void held();
      },
    };
    const hub = new Hub(
      (after) => {
        this.streams.push(new Real(after));
        return this.streams[this.streams.length - 1];
      },
      channel,
      locks,
    );
    const told: string[] = [];
    const heard: unknown[] = [];
    const later: (() => void)[] = [];
    const events = new Events(
      (there) => told.push(there ? "there" : "gone"),
      () => told.push("restarted"),
      () => hub.open(),
      (f) => later.push(f),
    );
    events.on("done", (e) => heard.push(e.seq));
    events.open();
    const close = () => {
      const led = claim.open && this.waiting.find((one) => one.open) === claim;
      claim.open = channel.open = false;
      if (led) void this.waiting.find((one) => one.open)?.held();
    };
    return { told, heard, later, close };
  }
}

class Real implements Source {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  private readonly listeners = new Map<string, (e: { data: string; lastEventId: string }) => void>();
  constructor(readonly after: number) {}
  close(): void {
    this.closed = true;
  }
  addEventListener(kind: string, f: (e: { data: string; lastEventId: string }) => void): void {
    this.listeners.set(kind, f);
  }
  begin(server: string, last: number): void {
    this.onopen?.();
    this.listeners.get("hello")!({ data: JSON.stringify({ server, last }), lastEventId: "" });
  }
  done(seq: number, id: number): void {
    this.listeners.get("done")!({ data: JSON.stringify({ seq }), lastEventId: String(id) });
  }
}

it("opens one stream for any number of tabs, and all hear it", () => {
  const browser = new Browser();
  const tabs = Array.from({ length: 9 }, () => browser.tab());
  expect(browser.streams.length).toBe(1);
  browser.streams[0].begin("a", 0);
  browser.streams[0].done(7, 1);
  browser.deliver();
  for (const tab of tabs) {
    expect(tab.told).toEqual(["there"]);
    expect(tab.heard).toEqual([7]);
  }
});

it("tells a tab that comes later that the server is there", () => {
  const browser = new Browser();
  browser.tab();
  browser.streams[0].begin("a", 3);
  browser.deliver();
  const late = browser.tab();
  browser.deliver();
  expect(late.told).toEqual(["there"]);
  expect(browser.streams.length).toBe(1);
});

it("goes on in another tab when the one that listens is closed, and nothing is missed or heard twice", () => {
  const browser = new Browser();
  const [first, second, third] = [browser.tab(), browser.tab(), browser.tab()];
  browser.streams[0].begin("a", 0);
  browser.streams[0].done(1, 1);
  browser.deliver();
  first.close();
  expect(browser.streams.length).toBe(2);
  expect(browser.streams[1].after).toBe(1);
  browser.streams[1].begin("a", 2);
  browser.streams[1].done(1, 1); // told again
  browser.streams[1].done(2, 2);
  browser.deliver();
  expect(second.heard).toEqual([1, 2]);
  expect(third.heard).toEqual([1, 2]);
  expect(third.told).not.toContain("gone");
});

it("tells all tabs when the server goes, and when another one comes", () => {
  const browser = new Browser();
  const tabs = [browser.tab(), browser.tab()];
  browser.streams[0].begin("a", 40);
  browser.streams[0].done(1, 41);
  browser.streams[0].onerror!();
  browser.deliver();
  for (const tab of tabs) expect(tab.told).toEqual(["there", "gone"]);
  tabs[1].later.pop()!(); // the one that does not listen comes back first
  browser.deliver();
  tabs[0].later.pop()!();
  browser.deliver();
  expect(browser.streams.length).toBe(2);
  browser.streams[1].begin("b", 0);
  browser.streams[1].done(5, 1);
  browser.deliver();
  for (const tab of tabs) {
    expect(tab.told).toEqual(["there", "gone", "there", "restarted"]);
    expect(tab.heard).toEqual([1, 5]);
  }
});
