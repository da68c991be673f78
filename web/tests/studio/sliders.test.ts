// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { knobOf, Sliders } from "../../src/studio/sliders";

const ell = (value: number) => knobOf({ path: "rbf.ell", value, lower: 0, upper: null, fixed: false, automatic: false });

function setUp() {
  const told: [string, number, boolean][] = [];
  const sliders = new Sliders((id, value, done) => told.push([id, value, done]));
  sliders.show([ell(1)]);
  const input = sliders.el.querySelector("input")!;
  const move = (to: number, done: boolean) => {
    input.value = String(to);
    input.dispatchEvent(new Event("input"));
    if (done) input.dispatchEvent(new Event("change"));
  };
  return { sliders, input, told, move };
}

it("says its value in words", () => {
  const { input } = setUp();
  expect(input.getAttribute("aria-valuetext")).toBe("1, how far similarity reaches");
});

it("tells of the way and of its end", () => {
  const { move, told } = setUp();
  move(750, true);
  expect(told).toEqual([["rbf.ell", 10, false], ["rbf.ell", 10, true]]);
});

it("stays under the hand whatever answers come, and follows them afterwards", () => {
  vi.useFakeTimers();
  const { sliders, input, move } = setUp();
  move(750, false);
  sliders.show([ell(1)]);
  expect(input.value).toBe("750");
  move(760, true);
  sliders.show([ell(10)]);
  expect(input.value).toBe("760");
  vi.advanceTimersByTime(600);
  sliders.show([ell(1)]);
  expect(input.value).toBe("500");
  move(750, true);
  sliders.let();
  sliders.show([ell(1)]);
  expect(input.value).toBe("500");
  vi.useRealTimers();
});

it("keeps its scale while the value is on it", () => {
  const { sliders, input } = setUp();
  sliders.show([ell(10)]);
  expect(input.value).toBe("750");
  sliders.show([ell(1e6)]);
  expect(input.value).toBe("500");
});

it("takes away what is not there any more", () => {
  const { sliders } = setUp();
  sliders.show([]);
  expect(sliders.el.children).toHaveLength(0);
  expect(sliders.el.hidden).toBe(true);
});
