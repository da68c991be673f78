import { expect, it } from "vitest";
import { position, scaleFor, short, steps, valueAt } from "../../src/studio/scale";

it("goes there and back within a step, which is 0.9 % of the value", () => {
  for (const value of [0.013, 0.5, 1, 42.5]) {
    const scale = scaleFor(value, 0, null);
    expect(Math.abs(valueAt(scale, position(scale, value)) / value - 1)).toBeLessThan(0.0093);
    expect(scale.log).toBe(true);
  }
});

it("reaches both ends and stays within the bounds", () => {
  const scale = scaleFor(0.5, 0.01, 10);
  expect(valueAt(scale, 0)).toBe(0.01);
  expect(valueAt(scale, steps)).toBe(10);
  expect(position(scale, 1e9)).toBe(steps);
  expect(position(scale, 1e-9)).toBe(0);
  expect(scaleFor(0, -1, 1)).toEqual({ low: -1, high: 1, log: false });
  expect(scaleFor(0, null, null)).toEqual({ low: -1, high: 1, log: false });
});

it("writes numbers as people do", () => {
  expect([0.1, 1 / 3, 12345, 1e-7, 2e9, 0, 100].map(short)).toEqual(["0.1", "0.333", "12350", "1e-7", "2e9", "0", "100"]);
});
