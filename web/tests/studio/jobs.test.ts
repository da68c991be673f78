import { expect, it } from "vitest";
import { Gone, Refusal, type FitRequest } from "../../src/studio/api";
import type { Kind } from "../../src/studio/events";
import { Cancelled, Jobs } from "../../src/studio/jobs";

const wish = { machine: "gp", options: {}, expr: "rbf(ell=1)", learn: false };

function setUp(fit: (r: FitRequest) => Promise<{ job: string }> = () => Promise.resolve({ job: "7" })) {
  const listeners = new Map<Kind, (data: Record<string, unknown>) => void>();
  const requests: FitRequest[] = [];
  const cancelled: string[] = [];
  const api = {
    fit: (request: FitRequest) => {
      requests.push(request);
      return fit(request);
    },
    cancel: (job: string) => Promise.resolve(cancelled.push(job) as unknown as object),
  };
  const jobs = new Jobs(api, { on: (kind, f) => (listeners.set(kind, f), () => true) }, "tab");
  const say = (kind: Kind, data: object) => listeners.get(kind)!(data as Record<string, unknown>);
  return { jobs, say, requests, cancelled };
}

it("answers with the event of its own slot and number", async () => {
  const { jobs, say } = setUp();
  const fitted = jobs.fit("play", wish);
  say("done", { slot: "other/play", seq: 1, model: { id: "no" } });
  say("done", { slot: "tab/play", seq: 99, model: { id: "no" } });
  say("done", { slot: "tab/play", seq: 1, model: { id: "yes" } });
  expect((await fitted)?.model.id).toBe("yes");
});

it("lets the newest win", async () => {
  const { jobs, say, requests } = setUp();
  const older = jobs.fit("play", wish);
  const newer = jobs.fit("play", wish);
  expect(await older).toBeNull();
  expect(requests.map((r) => r.seq)).toEqual([1, 2]);
  say("done", { slot: "tab/play", seq: 1 });
  say("done", { slot: "tab/play", seq: 2, model: { id: "new" } });
  expect((await newer)?.model.id).toBe("new");
});

it("fails in the server's words, by an event or at once", async () => {
  const { jobs, say } = setUp();
  const failed = jobs.fit("play", wish);
  say("failed", { slot: "tab/play", seq: 1, error: "one class only", where: "class", hint: "add the other" });
  await expect(failed).rejects.toMatchObject({ message: "one class only", where: "class", hint: "add the other" });
  const refused = setUp(() => Promise.reject(new Refusal("no such machine")));
  await expect(refused.jobs.fit("play", wish)).rejects.toThrow("no such machine");
});

it("is stopped", async () => {
  const { jobs, say, cancelled } = setUp();
  const stopped = jobs.fit("fit", wish);
  await Promise.resolve();
  await jobs.cancel("tab/fit");
  expect(cancelled).toEqual(["7"]);
  say("cancelled", { slot: "tab/fit", seq: 1 });
  await expect(stopped).rejects.toBeInstanceOf(Cancelled);
});

it("leaves nobody waiting when the server or its answers are lost", async () => {
  const { jobs, say } = setUp();
  const one = jobs.fit("fit", wish);
  jobs.lose();
  await expect(one).rejects.toBeInstanceOf(Gone);
  const two = jobs.fit("fit", wish);
  say("lost", { from: 1, to: 9 });
  await expect(two).rejects.toBeInstanceOf(Gone);
});

it("tells how far it is", () => {
  const { jobs, say } = setUp();
  let seen = "";
  jobs.watch((all) => (seen = all.map((p) => `${p.stage} ${p.fraction}`).join()));
  void jobs.fit("fit", wish);
  expect(seen).toBe("starting null");
  say("progress", { slot: "tab/fit", seq: 1, stage: "factor", fraction: 0.5 });
  expect(seen).toBe("factor 0.5");
  say("done", { slot: "tab/fit", seq: 1 });
  expect(seen).toBe("");
});
