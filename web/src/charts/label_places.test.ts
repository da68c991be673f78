import { expect, it } from "vitest";
import { labelPlaces, touch } from "./label_places";

const frame = { x: 0, y: 0, width: 400, height: 300 };
const size = { width: 60, height: 13 };

it("lets no two labels touch, and none leave the frame", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const n = 60;
  const x = Array.from({ length: n }, () => 400 * random());
  const y = Array.from({ length: n }, () => 300 * random());
  const placed = labelPlaces(x, y, Array(n).fill(size), frame);
  const boxes = placed.filter((box) => box !== null);
  expect(boxes.length).toBeGreaterThan(20);
  boxes.forEach((a, i) => {
    expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= 400 && a.y + a.height <= 300).toBe(true);
    for (const b of boxes.slice(i + 1)) expect(touch(a, b)).toBe(false);
    for (let k = 0; k < n; ++k) expect(touch(a, { x: x[k] - 4, y: y[k] - 4, width: 8, height: 8 })).toBe(false);
  });
});

it("prefers the right side, turns left at the edge, and leaves out what has no room or no place", () => {
  const [free, edge, nowhere] = labelPlaces([100, 390, NaN], [100, 200, 5], [size, size, size], frame);
  expect(free!.x).toBe(106);
  expect(edge!.x + edge!.width).toBe(384);
  expect(nowhere).toBeNull();
  expect(labelPlaces([200], [150], [{ width: 500, height: 13 }], frame)).toEqual([null]);
});

it("gives the first of many points in one place its label", () => {
  const placed = labelPlaces(Array(30).fill(200), Array(30).fill(150), Array(30).fill(size), frame);
  expect(placed[0]).not.toBeNull();
  expect(placed.filter((box) => box === null).length).toBeGreaterThan(15);
});
