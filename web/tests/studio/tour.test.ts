// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { first, fromHash } from "../../src/studio/state";
import { steps, Tour } from "../../src/studio/tour";

let went: string[];
beforeEach(() => {
  document.body.replaceChildren();
  went = [];
});
function tour(storage: Pick<Storage, "getItem" | "setItem"> | null): Tour {
  const made = new Tour((hash) => went.push(hash), storage);
  document.body.append(made.el);
  return made;
}
function shelf(): Pick<Storage, "getItem" | "setItem"> {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}
const button = (made: Tour, words: string) => [...made.el.querySelectorAll("button")].find((b) => b.textContent === words)!;

it("comes once by itself", () => {
  const storage = shelf();
  const made = tour(storage);
  expect(made.offer()).toBe(true);
  made.end();
  expect(tour(storage).offer()).toBe(false);
});

it("does not come by itself where nothing can be remembered, but when asked", () => {
  const broken = {
    getItem: () => {
      throw new Error("closed");
    },
    setItem: () => {
      throw new Error("closed");
    },
  };
  for (const storage of [null, broken]) {
    const made = tour(storage);
    expect(made.offer()).toBe(false);
    made.start();
    expect(made.el.hidden).toBe(false);
    made.end();
    expect(made.el.hidden).toBe(true);
  }
});

it("goes through all steps and back, and ends", () => {
  const made = tour(null);
  made.start();
  for (let i = 1; i < steps.length; ++i) button(made, "Next").click();
  expect(went).toEqual(steps.map((step) => step.hash));
  button(made, "Back").click();
  expect(went.at(-1)).toBe(steps.at(-2)!.hash);
  button(made, "Next").click();
  button(made, "Done").click();
  expect(made.el.hidden).toBe(true);
});

it("ends on Escape and gives the focus back", () => {
  const from = document.createElement("button");
  document.body.append(from);
  from.focus();
  const made = tour(null);
  made.start();
  expect(made.el.contains(document.activeElement)).toBe(true);
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  expect(made.el.hidden).toBe(true);
  expect(document.activeElement).toBe(from);
});

it("shows scenes that are addresses of the page", () => {
  for (const step of steps) expect(fromHash(step.hash, first), step.title).not.toBeNull();
  expect(fromHash(steps[3].hash, first)!.kernel.expr).toBe("periodic(period=2, ell=1)*rbf(ell=3) + linear()");
});
