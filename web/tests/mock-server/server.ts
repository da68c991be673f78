// A stand-in for `mercer studio`, for tests of the page alone: the same routes, made-up numbers, every fit can be made slow.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { answers } from "./answers";

export interface Mock {
  url: string;
  port: number;
  /** Milliseconds that a fit takes. */
  delay: number;
  requests: { method: string; path: string; body: Record<string, unknown> }[];
  stop(): Promise<void>;
}

const report = { kind: "report", title: "A report", subtitle: "of a model", sections: [], made: "the stand-in" };

const text = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => resolve(body));
  });

export async function start(page: string, port = 0): Promise<Mock> {
  const streams = new Set<ServerResponse>();
  const newest = new Map<string, number>();
  const id = Math.random().toString(36).slice(2);
  const told: { id: number; text: string }[] = [];
  const mock: Mock = { url: "", port, delay: 5, requests: [], stop: async () => {} };
  const tell = (kind: string, data: object) => {
    const id = told.length + 1;
    told.push({ id, text: `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n` });
    for (const stream of streams) stream.write(told[id - 1].text);
  };
  const json = (out: ServerResponse, data: unknown, status = 200) => {
    out.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    out.end(JSON.stringify(data));
  };
  const server = createServer(async (request, out) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://mock");
    if (path === "/") {
      out.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      return out.end(readFileSync(page));
    }
    const route = path.replace("/api/v1", "");
    const raw = await text(request);
    const body = (raw.startsWith("{") ? JSON.parse(raw) : {}) as Record<string, unknown>;
    mock.requests.push({ method: request.method ?? "", path: route, body });
    if (route === "/events") {
      out.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      out.write(`event: hello\ndata: ${JSON.stringify({ server: id, last: told.length })}\n\n`);
      for (const one of told) if (one.id > Number(query.get("after") ?? 0)) out.write(one.text);
      streams.add(out);
      return request.on("close", () => streams.delete(out));
    }
    if (route === "/fit") {
      const { slot, seq } = body as { slot: string; seq: number };
      newest.set(slot, seq);
      json(out, { job: `${slot}-${seq}` }, 202);
      tell("progress", { slot, seq, stage: "kernel matrix", fraction: 0.4 });
      return setTimeout(() => {
        if (newest.get(slot) !== seq) return tell("replaced", { slot, seq });
        try {
          tell("done", { slot, seq, ...answers.fit(body) });
        } catch (problem) {
          tell("failed", { slot, seq, error: String(problem), where: "", hint: "" });
        }
      }, mock.delay);
    }
    if (/^\/jobs\/.*\/cancel$/.test(route)) {
      const job = decodeURIComponent(route.split("/")[2]);
      const at = job.lastIndexOf("-");
      newest.delete(job.slice(0, at));
      tell("cancelled", { slot: job.slice(0, at), seq: Number(job.slice(at + 1)) });
      return json(out, {});
    }
    if (route === "/report") {
      out.writeHead(200, { "Content-Type": "text/html" });
      return out.end(readFileSync(page, "utf8").replace(/(<script type="application\/json" id="document">)null/, (_, tag) => tag + JSON.stringify(report)));
    }
    const answer = answers.route(request.method ?? "GET", route, body, String(request.headers["x-mercer-name"] ?? ""));
    return answer === null ? json(out, { error: `There is no ${route}.`, hint: "" }, 404) : json(out, answer);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  mock.port = (server.address() as AddressInfo).port;
  mock.url = `http://127.0.0.1:${mock.port}`;
  mock.stop = () =>
    new Promise((resolve) => {
      for (const stream of streams) stream.end();
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return mock;
}
