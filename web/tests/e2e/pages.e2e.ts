// Reports and the gallery as files: they ask nobody for anything, and can be read by everyone, on every screen and on paper.
import { expectAccessible, expectDrawn, expectNarrow } from "./support/looks";
import { asAddress, build, noMercer, specimens } from "./support/places";
import { gallery, report } from "./support/program";
import { curve, moons } from "./support/rows";
import { expect, test } from "./support/test";

const pages: [string, () => string][] = [
  ["specimens", () => specimens],
  ["gallery", () => gallery()],
  ["report of a curve", () => report({ name: "curve", machine: "gp", target: "y", rows: curve(80) })],
  ["report of classes", () => report({ name: "moons", machine: "svc", target: "class", rows: moons(120) })],
];

for (const [name, make] of pages)
  test.describe(name, () => {
    test.skip(noMercer && name !== "specimens", build);
    let address: string;
    test.beforeAll(() => {
      address = asAddress(make());
    });

    test("draws everything, asks nobody, and readers are kept from nothing", async ({ page }) => {
      await page.goto(address);
      await expectDrawn(page);
      await expectAccessible(page, name);
      await page.emulateMedia({ colorScheme: "dark" });
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await expectAccessible(page, `${name}, dark`);
    });

    test("fits a telephone, and a window at 200 %", async ({ page }) => {
      await page.goto(address);
      for (const width of [360, 640]) {
        await page.setViewportSize({ width, height: 740 });
        await expectDrawn(page);
        await expectNarrow(page, `${name} at ${width} pixels`);
      }
    });

    test("is whole on paper, though nobody scrolled", async ({ page }) => {
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(address);
      const figures = await page.locator("figure.exhibit .chart").count();
      const paper = await page.pdf({ format: "A4" });
      expect(paper.length).toBeGreaterThan(20_000);
      await expect(page.locator("figure.exhibit .chart:not(:empty)")).toHaveCount(figures);
    });

    test("stands still for whoever wants it so", async ({ page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(address);
      await expect(page.locator(".chart:not(:empty)").first()).toBeVisible();
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    });
  });

test("a chart is walked through by arrow keys, and says where one is", async ({ page }) => {
  await page.goto(asAddress(specimens));
  const figure = page.locator("figure.kind-residuals").first();
  await figure.scrollIntoViewIfNeeded();
  const plot = figure.locator(".plot[tabindex]").first();
  await expect(plot).toBeVisible();
  // From the heading before it, by Tab alone.
  for (let i = 0; i < 200 && !(await plot.evaluate((el) => el === document.activeElement)); ++i) await page.keyboard.press("Tab");
  await expect(plot).toBeFocused();
  await page.keyboard.press("Home");
  const said = plot.locator("xpath=following-sibling::*[@aria-live]").first();
  await expect(said).not.toBeEmpty();
  await expect(plot.locator(".tooltip")).toBeVisible();
  const first = await said.textContent();
  await page.keyboard.press("ArrowRight");
  await expect(said).not.toHaveText(first!);
  await page.keyboard.press("Escape");
  await expect(plot.locator(".tooltip")).toBeHidden();
});

test("the lights go on and off by the button", async ({ page }) => {
  await page.goto(asAddress(specimens));
  const before = await page.locator("html").getAttribute("data-theme");
  await page.locator(".theme-switch").click();
  await expect(page.locator("html")).not.toHaveAttribute("data-theme", before!);
});
