// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import type { Check } from "../../src/studio/api";
import { KernelBox } from "../../src/studio/kernel_box";

const rest = () => new Promise((resolve) => setTimeout(resolve));
const proof = { statement: "k", rule: "rbf", because: "", conditions: "", citation: "", premises: [] };
let proved: string[];
let asked: string[];
let box: KernelBox;

beforeEach(() => {
  document.body.replaceChildren();
  proved = [];
  asked = [];
  box = new KernelBox(
    {
      check: (expr: string): Promise<Check> => {
        asked.push(expr);
        if (expr === "rbf(ell=") return Promise.resolve({ error: "expected a number", position: 8, expected: ["a number"] });
        if (expr === "sin(x)") return Promise.resolve({ counterexample: { points: ["1"], c: [1], value: -1 }, words: "c'Kc = -1." });
        return Promise.resolve({ proof, str: expr, params: [] });
      },
      complete: (expr: string, cursor: number) =>
        Promise.resolve({ from: 0, candidates: ["matern(", "max<b>"].filter((c) => c.startsWith(expr.slice(0, cursor))).map((text) => ({ text, words: "<i>" })) }),
    },
    { proved: (expr) => proved.push(expr), failed: (problem) => expect.fail(String(problem)) },
  );
  document.body.append(box.el);
  box.input.focus();
});

const type = async (text: string, cursor = text.length) => {
  box.input.value = text;
  box.input.setSelectionRange(cursor, cursor);
  box.input.dispatchEvent(new Event("input"));
  await rest();
};
const press = (key: string) => box.input.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true }));
const options = () => [...box.el.querySelectorAll("[role=option]")];

it("says that it is a kernel", async () => {
  await type("linear()");
  expect(proved).toEqual(["linear()"]);
  expect(box.el.querySelector(".verdict")!.textContent).toContain("A kernel");
  expect(box.input.getAttribute("aria-invalid")).toBe("false");
});

it("points at the place that cannot be read", async () => {
  await type("rbf(ell=");
  expect(box.el.querySelector(".caret")!.textContent).toBe("rbf(ell=\n        ^\nexpected: a number");
  expect(proved).toEqual([]);
});

it("says why something is no kernel", async () => {
  await type("sin(x)");
  expect(box.el.querySelector(".verdict.bad")!.textContent).toContain("c'Kc = -1.");
});

it("completes by keyboard and keeps what stands behind", async () => {
  await type("ma + linear()");
  await type("ma + linear()", 2);
  expect(options().map((o) => o.querySelector("code")!.textContent)).toEqual(["matern(", "max<b>"]);
  expect(box.input.getAttribute("aria-expanded")).toBe("true");
  press("ArrowDown");
  expect(options()[1].getAttribute("aria-selected")).toBe("true");
  press("ArrowDown");
  press("Enter");
  expect(box.input.value).toBe("matern( + linear()");
  expect(box.input.selectionStart).toBe("matern(".length);
  await rest();
  expect(asked.at(-1)).toBe("matern( + linear()");
});

it("shows names as text, never as markup", async () => {
  await type("ma");
  expect(box.el.querySelector("b, i")).toBeNull();
});

it("closes on Escape without taking anything", async () => {
  await type("ma");
  press("Escape");
  expect(box.el.querySelector<HTMLElement>("[role=listbox]")!.hidden).toBe(true);
  expect(box.input.value).toBe("ma");
});

it("does not ask the server about nothing", async () => {
  await type("   ");
  expect(asked).toEqual([]);
  expect(box.input.getAttribute("aria-invalid")).toBe("false");
});
