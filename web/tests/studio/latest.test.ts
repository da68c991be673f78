import { expect, it } from "vitest";
import { Frame, Latest } from "../../src/studio/latest";

it("has one request under way and ends in the last value", async () => {
  const sent: number[] = [];
  let release: () => void = () => {};
  const latest = new Latest<number>((value) => {
    sent.push(value);
    return new Promise((resolve) => (release = resolve));
  });
  for (let i = 0; i <= 200; ++i) latest.push(i);
  expect(sent).toEqual([0]);
  release();
  await Promise.resolve();
  await Promise.resolve();
  expect(sent).toEqual([0, 200]);
  expect(latest.busy).toBe(true);
  release();
  await new Promise((resolve) => setTimeout(resolve));
  expect(latest.busy).toBe(false);
  latest.push(7);
  expect(sent).toEqual([0, 200, 7]);
});

it("draws once a frame, and what came last", () => {
  const frames: (() => void)[] = [];
  const frame = new Frame((f) => frames.push(f));
  const drawn: string[] = [];
  frame.draw(() => drawn.push("first"));
  frame.draw(() => drawn.push("last"));
  expect(frames).toHaveLength(1);
  frames[0]();
  expect(drawn).toEqual(["last"]);
  frame.draw(() => drawn.push("next"));
  expect(frames).toHaveLength(2);
});
