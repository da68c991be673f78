// @vitest-environment jsdom
import { beforeAll, expect, it } from "vitest";
import { standInCanvas } from "../../tests/canvas";
import { readable, rgb, theme } from "../kit";
import { bivariate } from "./bivariate";
import { mistakes, shares } from "./confusion";
import { byGroup, embedding } from "./embedding";
import { rowName } from "./gram";
import { layout } from "./graphs";
import { stacked } from "./histogram";
import { steps } from "./proof";
import { largest, signed } from "./ramp";
import { mostLetters, pieces, strings } from "./strings";
import { sorted, table } from "./table";
import type { ProofTree } from "./types";

beforeAll(standInCanvas);

it("sorts numbers as numbers, words as people do, and what is missing last", () => {
  const rows = [[2, "b"], [null, "a10"], [10, "a9"]];
  expect(sorted(rows, 0, false).map((row) => row[0])).toEqual([2, 10, null]);
  expect(sorted(rows, 0, true).map((row) => row[0])).toEqual([10, 2, null]);
  expect(sorted(rows, 1, false).map((row) => row[1])).toEqual(["a9", "a10", "b"]);
});

it("sorts by a click and says so", () => {
  const el = document.createElement("div");
  table.draw(el, { columns: ["name", "value"], rows: [["a", 1], ["b", 3], ["c", 2]] }, theme());
  const first = () => [...el.querySelectorAll("tbody tr")].map((row) => row.firstChild!.textContent).join("");
  const click = (j: number) => el.querySelectorAll<HTMLElement>("thead button")[j].click();
  expect(first()).toBe("abc");
  click(1);
  expect(first()).toBe("bca");
  expect(el.querySelectorAll("th")[1].getAttribute("aria-sort")).toBe("descending");
  click(1);
  expect(first()).toBe("acb");
});

it("numbers the steps of a proof, however deep", () => {
  const leaf = (statement: string, premises: ProofTree[] = []): ProofTree => ({ statement, rule: "", because: "", conditions: "", citation: "", premises });
  expect(steps(leaf("a", [leaf("b", [leaf("c")]), leaf("d")])).map((step) => `${step.number} ${step.statement}`)).toEqual(["1 a", "1.1 b", "1.1.1 c", "1.2 d"]);
  let deep = leaf("x");
  for (let i = 0; i < 2000; ++i) deep = leaf("x", [deep]);
  expect(steps(deep)).toHaveLength(2001);
});

it("finds shares of rows and the most frequent mistakes", () => {
  const data = { classes: ["a", "b", "none"], counts: [[8, 2, 0], [3, 1, 0], [0, 0, 0]] };
  expect(shares(data)[0]).toEqual([0.8, 0.2, 0]);
  expect(shares(data)[2][0]).toBeNaN();
  expect(mistakes(data)).toEqual([{ truth: 1, predicted: 0, count: 3 }, { truth: 0, predicted: 1, count: 2 }]);
  expect(mistakes({ ...data, predicted: ["1", "2", "3"] })).toEqual([]);
});

it("adds up neighbouring letters of one sign", () => {
  expect(pieces([0.5, 0.5, 0, -1, 0.01, 0.2], 1)).toEqual([{ from: 0, to: 2, value: 1 }, { from: 3, to: 4, value: -1 }, { from: 5, to: 6, value: 0.2 }]);
  expect(pieces([NaN, 0], 1)).toEqual([]);
});

it("shows the beginning of a very long text and says how much is left", () => {
  const el = document.createElement("div");
  const n = 100_000;
  strings.draw(el, { strings: [{ name: "long", letters: Array(n).fill("A"), values: Array(n).fill(0.1), score: 1, of: "s" }] }, theme());
  expect(el.querySelectorAll(".letters span")).toHaveLength(mostLetters);
  expect(el.textContent).toContain("more letters are not shown");
});

it("stacks groups, names blocks of rows, keeps the aspect of graphs, and writes signs", () => {
  expect(stacked([[1, 2], [3, NaN]])).toEqual([[[0, 1], [0, 2]], [[1, 4], [2, 2]]]);
  const matrix = { size: 2, n: 2, values: [], order: "", rows: [7, 3] };
  expect(rowName(matrix, 1)).toBe("row 3");
  expect(rowName({ ...matrix, n: 1000 }, 1)).toBe("places 501 to 1000");
  const at = layout([0, 2, 0], [0, 0, 1], 200, 200, 10);
  expect(Math.abs(at.x[1] - at.x[0]) / Math.abs(at.y[2] - at.y[0])).toBeCloseTo(2);
  expect(layout([5], [5], 200, 100, 10)).toEqual({ x: [100], y: [50] });
  expect([signed("0.5"), signed("−0.5"), signed("0"), signed("–")]).toEqual(["+0.5", "−0.5", "0", "–"]);
  expect(largest([NaN, -3, 2])).toBe(3);
  expect(largest([])).toBe(1);
});

it("draws 1e5 points by group and tells the axes that were chosen", () => {
  const n = 100_000;
  const coordinate = (k: number) => Array.from({ length: n }, (_, i) => Math.sin(k * i));
  const group = Array.from({ length: n }, (_, i) => i % 3);
  expect([...byGroup(group, n).values()].map((list) => list.length)).toEqual([33334, 33333, 33333]);
  const data = { axes: ["a", "b", "c"].map((label) => ({ label })), coordinates: [1, 2, 3].map(coordinate), group, classes: ["x", "y", "z"] };
  const el = document.createElement("div");
  embedding.draw(el, data, theme());
  const across = () => el.querySelectorAll("select")[0];
  across().value = "2";
  across().dispatchEvent(new Event("change"));
  expect(across().value).toBe("2");
  expect(el.querySelector(".plot")!.getAttribute("aria-label")).toBe("b over c");
  expect(embedding.table(data).more).toBe(n - 200);
});

it("offers the given value of a bivariate normal to the hand only where somebody answers", () => {
  const ellipse = { level: 0.5, x: [-1, 0, 1], y: [0, 1, 0] };
  const data = { x: { label: "a" }, y: { label: "b" }, mean: [0, 0] as [number, number], covariance: [1, 0, 1] as [number, number, number], ellipses: [ellipse], given: { x: 0.5, mean: 0, sd: 1 }, conditional: { at: [-1, 0, 1], density: [0.2, 0.4, 0.2], prior: [0.2, 0.4, 0.2] } };
  const el = document.createElement("div");
  bivariate.draw(el, data, theme());
  expect(el.querySelector("input")).toBeNull();
  const told: [number, boolean][] = [];
  bivariate.draw(el, data, theme(), { drag: (_, x, __, done) => void told.push([x, done]) });
  const slider = el.querySelector("input")!;
  slider.value = "0.8";
  slider.dispatchEvent(new Event("input"));
  slider.dispatchEvent(new Event("change"));
  expect(told.map(([, done]) => done)).toEqual([false, true]);
  expect(told[0][0]).toBeCloseTo(0.8, 1);
});

it("writes on every shade so that it can be read", () => {
  const light = (colour: string) => {
    const [r, g, b] = rgb(colour).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { sequential, diverging } = theme();
  for (const ramp of [sequential, diverging])
    for (let t = 0; t <= 1; t += 1 / 255) {
      const [a, b] = [light(ramp(t)), light(readable(ramp(t)))];
      expect((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
});
