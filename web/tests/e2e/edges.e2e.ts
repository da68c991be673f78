// Reports of what nobody wants to see in a report: hostile names, few points, many rows, nothing to tell apart.
import { statSync } from "node:fs";
import { expectDrawn, expectHarmless, expectNarrow } from "./support/looks";
import { asAddress, build, noMercer } from "./support/places";
import { report } from "./support/program";
import { curve, hostile, moons } from "./support/rows";
import { expect, test } from "./support/test";

test.skip(noMercer, build);

test("names of columns and classes and the title are words", async ({ page }) => {
  const file = report({
    name: "hostile",
    machine: "svc",
    target: "class",
    rows: moons(60, [hostile.markup, hostile.long, "class"], [hostile.backwards, hostile.emoji]),
    title: `${hostile.markup}${hostile.backwards}`,
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(asAddress(file));
  await expectDrawn(page);
  await expectHarmless(page);
  await expectNarrow(page);
  await expect(page.locator("h1")).toContainText("<img src=x onerror");
  await expect(page.locator("body")).toContainText("🦊");
});

test("a hundred thousand rows make no larger page", async ({ page }) => {
  const file = report({ name: "many", machine: "ridge", target: "y", rows: curve(300), about: curve(100_000) });
  expect(statSync(file).size).toBeLessThanOrEqual(2 * 2 ** 20);
  await page.goto(asAddress(file));
  await expectDrawn(page);
  await expect(page.locator("body")).toContainText(/100[,\u202f\u00a0 ]?000/);
});

const few = (n: number) => ({ name: `points-${n}`, machine: "gp", target: "y", rows: curve(n), options: ["--kernel", "rbf(ell=1)", "--noise", "0.1", "--objective", "none"] });
const constant = { name: "constant", machine: "gp", target: "y", rows: `x,y\n${[1, 2, 3, 4, 5, 6].map((x) => `${x},3`).join("\n")}\n` };
const one = { name: "one-class", machine: "svc", target: "class", rows: moons(40), about: moons(20, undefined, ["upper", "upper"]) };

for (const made of [few(1), few(2), few(3), constant, one])
  test(`there is a report of ${made.name}`, async ({ page }) => {
    await page.goto(asAddress(report(made)));
    await expectDrawn(page);
    await expect(page.locator("body")).not.toContainText(/NaN|Infinity|undefined/);
  });
