import { expect, it } from "vitest";
import { axisTitle, domain, sane, scale, ticks } from "./scale";

const axis = { label: "x" };
const log = { label: "x", log: true };
const words = (of: typeof axis & { log?: boolean }, limits: [number, number], count = 6) => ticks(of, limits, count).map((tick) => tick.text);

it("makes a domain of anything", () => {
  expect(domain(axis, [[]])).toEqual([-0.04, 1.04]);
  expect(domain(axis, [[NaN, NaN]])).toEqual([-0.04, 1.04]);
  const [low, high] = domain(axis, [[5, 5, 5]]);
  expect(low).toBeLessThan(5);
  expect(high).toBeGreaterThan(5);
  expect(domain({ ...axis, domain: [2, 3] }, [[100]])).toEqual([2, 3]);
  expect(domain(axis, [[0, 10]], 0.1)).toEqual([-1, 11]);
});

it("keeps logarithmic axes positive", () => {
  const [low, high] = domain(log, [[0, -3, 1e-3, 10, NaN]]);
  expect(low).toBeGreaterThan(5e-4);
  expect(low).toBeLessThan(1e-3);
  expect(high).toBeGreaterThan(10);
  expect(sane([-5, -1], true)).toEqual([0.1, 10]);
  expect(sane([7, 7], true)).toEqual([3.5, 14]);
  const map = scale(log, [0.01, 100], [0, 400]);
  expect(map(1)).toBeCloseTo(200);
  expect(map.invert(300)).toBeCloseTo(10);
  expect(Number.isFinite(map(-1))).toBe(false); // marks leave it out
});

it("names ticks plainly", () => {
  expect(words(axis, [-1, 1], 4)).toEqual(["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
  expect(words(axis, [0, 20000], 3)).toEqual(["0", "5000", "10\u202f000", "15\u202f000", "20\u202f000"]);
  expect(words(axis, [0, 3e-6], 3)).toEqual(["0", "1×10⁻⁶", "2×10⁻⁶", "3×10⁻⁶"]);
  expect(words(log, [1e-6, 1e2], 5)).toEqual(["10⁻⁶", "10⁻⁴", "0.01", "1", "100"]);
  expect(words(log, [0.1, 10], 8)).toEqual(["0.1", "0.2", "0.5", "1", "2", "5", "10"]);
  expect(words(log, [3, 4], 4).length).toBeGreaterThan(1); // within a decade
});

it("writes the unit behind the name", () => {
  expect(axisTitle({ label: "time", unit: "s" })).toBe("time (s)");
});
