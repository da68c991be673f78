// Server-sent events by fetch: EventSource can show no key.
import type { Source } from "./events";

type Told = { data: string; lastEventId: string };

export class Stream implements Source {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  private readonly ending = new AbortController();
  private readonly listeners = new Map<string, (e: Told) => void>();

  constructor(url: string, headers: Record<string, string>, fetch: (url: string, init: RequestInit) => Promise<Response> = (url, init) => window.fetch(url, init)) {
    void this.run(fetch(url, { headers, credentials: "omit", cache: "no-store", signal: this.ending.signal }));
  }

  addEventListener(kind: string, f: (e: Told) => void): void {
    this.listeners.set(kind, f);
  }

  close(): void {
    this.ending.abort();
  }

  private async run(asked: Promise<Response>): Promise<void> {
    try {
      const answer = await asked;
      if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
      this.onopen?.();
      const reader = answer.body.getReader();
      const letters = new TextDecoder();
      let waiting = "";
      for (let got = await reader.read(); !got.done; got = await reader.read()) waiting = this.take(waiting + letters.decode(got.value, { stream: true }));
    } catch {
      // Whoever listens is told below, as of a stream that ends.
    }
    if (!this.ending.signal.aborted) this.onerror?.();
  }

  /** Tells the events that are whole, and gives back the rest. */
  private take(text: string): string {
    const pieces = text.split("\n\n");
    const rest = pieces.pop()!;
    for (const piece of pieces) {
      const fields = new Map(piece.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      const name = fields.get("event");
      if (name !== undefined) this.listeners.get(name)?.({ data: fields.get("data") ?? "", lastEventId: fields.get("id") ?? "" });
    }
    return rest;
  }
}
