import { expect, it } from "vitest";
import { Stream } from "../../src/studio/stream";

const letters = new TextEncoder();

/** A stream of these pieces; what it told, once it has ended. */
async function hear(pieces: string[], status = 200): Promise<{ told: string[]; headers: unknown }> {
  const told: string[] = [];
  let headers: unknown;
  await new Promise<void>((ended) => {
    const body = new ReadableStream<Uint8Array>({
      start(to) {
        for (const piece of pieces) to.enqueue(letters.encode(piece));
        to.close();
      },
    });
    const stream = new Stream("/events", { "X-Mercer-Key": "k" }, async (_, init) => {
      headers = init.headers;
      return new Response(body, { status });
    });
    stream.addEventListener("done", (e) => told.push(`${e.lastEventId}:${e.data}`));
    stream.onopen = () => told.push("open");
    stream.onerror = () => ended();
  });
  return { told, headers };
}

it("tells events however they are cut, with their numbers, and passes over comments", async () => {
  const text = `id: 3\nevent: done\ndata: {"a":"b: c"}\n\n: still here\n\nid: 4\nevent: done\ndata: {}\n\nid: 5\nevent: done\ndata: {"half"`;
  for (const size of [1, 2, 7, 1000]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g"))!;
    const { told, headers } = await hear(pieces);
    expect(told).toEqual(["open", '3:{"a":"b: c"}', "4:{}"]);
    expect(headers).toEqual({ "X-Mercer-Key": "k" });
  }
});

it("is not open where it is refused", async () => {
  expect((await hear([""], 401)).told).toEqual([]);
});
