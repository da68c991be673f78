// @vitest-environment jsdom
import { beforeAll, expect, it } from "vitest";
import { standInCanvas } from "../../tests/canvas";
import { theme } from "../kit";
import { allCounts, cheapest, cost, cutoff } from "./cutoff";
import type { Cutoff } from "./types";

beforeAll(standInCanvas);

// Scores 0.9+ 0.8- 0.7+ 0.4+ 0.2-
const data: Cutoff = { positive: "ill", score: "probability", cut: [null, 0.9, 0.8, 0.7, 0.4, 0.2], tp: [0, 1, 1, 2, 3, 3], fp: [0, 0, 1, 1, 1, 2], positives: 3, negatives: 2 };

it("looks up and adds counts", () => {
  const all = allCounts(data);
  expect(all[3]).toEqual({ cut: 0.7, tp: 2, fp: 1, fn: 1, tn: 1, precision: 2 / 3, recall: 2 / 3, accuracy: 3 / 5 });
  expect(all[0].precision).toBeNaN(); // nobody is called ill
  expect(all[0].recall).toBe(0);
  for (const at of all) expect(at.tp + at.fp + at.fn + at.tn).toBe(5);
});

it("finds the cheapest cut-off for the prices", () => {
  const all = allCounts(data);
  expect(cost(all[3], { alarm: 2, miss: 10 })).toBe(12);
  expect(all[cheapest(all, { alarm: 1, miss: 10 })].cut).toBe(0.4);
  expect(all[cheapest(all, { alarm: 10, miss: 1 })].cut).toBe(0.9);
  expect(cheapest(all, { alarm: 0, miss: 0 })).toBe(0);
});

function drawn() {
  const el = document.createElement("div");
  cutoff.draw(el, data, theme());
  return { el, slider: () => el.querySelector<HTMLInputElement>("input[type=range]")! };
}
const counts = (el: HTMLElement) => [...el.querySelectorAll(".cut-counts b")].map((each) => each.textContent);

it("begins at one half, follows the slider, and stays there when drawn again", () => {
  const { el, slider } = drawn();
  expect(counts(el)).toEqual(["2", "1", "1", "1"]);
  expect(slider().getAttribute("aria-valuetext")).toBe("probability ≥ 0.7");
  slider().value = "0"; // leftmost: the lowest cut-off
  slider().dispatchEvent(new Event("input"));
  expect(counts(el)).toEqual(["3", "2", "0", "0"]);
  cutoff.draw(el, data, theme());
  expect(counts(el)).toEqual(["3", "2", "0", "0"]);
  slider().value = "5";
  slider().dispatchEvent(new Event("input"));
  expect(slider().getAttribute("aria-valuetext")).toBe("above every score");
});

it("takes prices as they are typed and ignores what is none", () => {
  const { el } = drawn();
  const [alarm, miss] = el.querySelectorAll<HTMLInputElement>("input[type=number]");
  const type = (input: HTMLInputElement, value: string) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const shown = () => el.querySelector(".cut-cost p")!.textContent;
  type(miss, "10");
  expect(shown()).toBe("cost 11");
  type(alarm, "-3");
  type(alarm, "");
  expect(shown()).toBe("cost 11");
  el.querySelector<HTMLButtonElement>(".cut-cost button")!.click();
  expect(shown()).toBe("cost 1");
});
