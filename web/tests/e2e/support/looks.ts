// What a page owes whoever looks at it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import { painted } from "./painted";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  impact: string;
  id: string;
  nodes: { target: string[] }[];
}

/** Nothing that keeps people from using it. */
export async function expectAccessible(page: Page, where = page.url()): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } }).axe.run();
    return violations.filter((one) => one.impact === "serious" || one.impact === "critical").map((one) => `${one.id}: ${one.nodes[0].target.join(" ")}`);
  });
  expect(found, where).toEqual([]);
}

/** Every figure, scrolled to, has a picture. */
export async function expectDrawn(page: Page): Promise<void> {
  const figures = page.locator("figure.exhibit");
  const count = await figures.count();
  expect(count).toBeGreaterThan(0);
  for (let i = 0; i < count; ++i) {
    const figure = figures.nth(i);
    await figure.scrollIntoViewIfNeeded();
    const chart = figure.locator(".chart");
    await expect(chart.locator(":scope > *").first()).toBeAttached();
    const name = (await figure.locator("h3").textContent())!.slice(0, 80);
    expect(await chart.locator(".broken").allTextContents(), name).toEqual([]);
    expect(await painted(chart), `${name}: something is to be seen`).toBe(true);
  }
}

/** Nobody scrolls sideways. */
export async function expectNarrow(page: Page, where = page.url()): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), where).toBeLessThanOrEqual(0);
}

/** Names are words and nothing else. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.locator("img, #page script").count()).toBe(0);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
}
