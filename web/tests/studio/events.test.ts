import { expect, it } from "vitest";
import { Events, type Source } from "../../src/studio/events";

class Stream implements Source {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  private readonly heard = new Map<string, (e: { data: string; lastEventId: string }) => void>();
  constructor(readonly after: number) {}
  close(): void {
    this.closed = true;
  }
  addEventListener(kind: string, f: (e: { data: string; lastEventId: string }) => void): void {
    this.heard.set(kind, f);
  }
  send(kind: string, data: object, id = ""): void {
    this.heard.get(kind)!({ data: JSON.stringify(data), lastEventId: id });
  }
}

function setUp() {
  const streams: Stream[] = [];
  const waits: { f: () => void; ms: number }[] = [];
  const told: string[] = [];
  const events = new Events(
    (there) => told.push(there ? "there" : "gone"),
    () => told.push("restarted"),
    (after) => {
      streams.push(new Stream(after));
      return streams[streams.length - 1];
    },
    (f, ms) => waits.push({ f, ms }),
  );
  events.open();
  return { streams, waits, told, events };
}

it("goes on after the last event it heard", () => {
  const { streams, waits, told, events } = setUp();
  const heard: unknown[] = [];
  events.on("done", (e) => heard.push(e.seq));
  streams[0].onopen!();
  streams[0].send("hello", { server: "a", last: 0 });
  streams[0].send("done", { seq: 1 }, "17");
  streams[0].onerror!();
  expect(streams[0].closed).toBe(true);
  waits[0].f();
  expect(streams[1].after).toBe(17);
  streams[1].onopen!();
  streams[1].send("hello", { server: "a", last: 18 });
  streams[1].send("done", { seq: 2 }, "18");
  expect(heard).toEqual([1, 2]);
  expect(told).toEqual(["there", "gone", "there"]);
});

it("waits longer and longer, five seconds at most, and begins anew when the server is back", () => {
  const { streams, waits } = setUp();
  for (let i = 0; i < 6; ++i) {
    streams[i].onerror!();
    waits[i].f();
  }
  expect(waits.map((w) => w.ms)).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
  streams[6].onopen!();
  streams[6].onerror!();
  expect(waits[6].ms).toBe(500);
});

it("notices another server, whose numbers begin anew", () => {
  const { streams, waits, told } = setUp();
  streams[0].send("hello", { server: "a", last: 40 });
  streams[0].send("progress", {}, "41");
  streams[0].onerror!();
  waits[0].f();
  streams[1].send("hello", { server: "b", last: 2 });
  expect(told).toContain("restarted");
  streams[1].onerror!();
  waits[1].f();
  expect(streams[2].after).toBe(2);
});
