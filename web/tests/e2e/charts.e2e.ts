// Every kind of chart draws something, in silence, light and dark, and as it looked when a person last looked at it.
import type { Page } from "@playwright/test";
import { charts } from "../../src/charts";
import { specimens as exhibits } from "../specimens";
import { painted } from "./support/painted";
import { asAddress, specimens } from "./support/places";
import { expect, test, unexpected, watch, type Watch } from "./support/test";

test("there is a specimen of every kind, and each has a name of its own", () => {
  const shown = new Set<string>(exhibits().map((exhibit) => exhibit.kind));
  expect(new Set(exhibits().map((exhibit) => exhibit.id)).size).toBe(exhibits().length);
  expect(Object.keys(charts).filter((kind) => !shown.has(kind))).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const)
  test.describe(colorScheme, () => {
    // One page for all: they are many, and each is looked at where it stands.
    let page: Page;
    let seen: Watch;
    test.beforeAll(async ({ browser }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 420, height: 900 } });
      seen = await watch(context);
      page = await context.newPage();
      await page.goto(asAddress(specimens));
    });
    test.afterAll(() => page.context().close());

    for (const exhibit of exhibits())
      test(exhibit.id, async () => {
        const figure = page.locator(`[id="figure-${exhibit.id}"]`);
        await figure.scrollIntoViewIfNeeded();
        const chart = figure.locator(".chart");
        await expect(chart.locator(":scope > *").first()).toBeAttached();
        await expect(chart.locator(".broken")).toHaveCount(0);
        expect(await painted(chart), "every canvas has marks on it, or there are words").toBe(true);
        await expect(chart).toHaveScreenshot(`${exhibit.id}-${colorScheme}.png`);
        const asTable = figure.getByRole("button", { name: "Show as table" });
        if (await asTable.count()) {
          await asTable.click();
          expect(await figure.locator("tbody tr").count()).toBeGreaterThan(0);
          await figure.getByRole("button", { name: "Hide table" }).click();
        }
        expect(unexpected(seen)).toEqual([]);
      });
  });
