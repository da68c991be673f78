// The page in a browser, with the stand-in for the server.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test, type Page } from "@playwright/test";
import { page as page_built } from "../e2e/support/places";
import { start, type Mock } from "../mock-server/server";

const page_file = page_built.file;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let mock: Mock;
let complaints: string[];

test.beforeEach(async ({ page }) => {
  mock = await start(page_file);
  complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(message.text()));
  // Nothing is asked of anybody else.
  await page.route("**", (route) => (route.request().url().startsWith(mock.url) ? route.continue() : (complaints.push(route.request().url()), route.abort())));
});
test.afterEach(async () => {
  await mock.stop();
});

const open = async (page: Page, hash: string) => {
  await page.goto(`${mock.url}/${hash}`);
  await page.waitForLoadState("load");
};
const plot = async (page: Page) => {
  await page.waitForSelector(".plot.playable");
  return (await page.locator(".plot.playable").boundingBox())!;
};
const hash = (page: Page) => page.evaluate(() => decodeURIComponent(location.hash));
const fits = () => mock.requests.filter((r) => r.path === "/fit");

const everywhere = [
  "#play?task=classes",
  "#play?task=curve",
  "#kernel?expr=rbf(ell=1)",
  "#kernel?expr=sin(x)*cos(y)",
  "#kernel?expr=rbf(",
  "#data?data=builtin:moons",
  "#data?data=builtin:hostile",
  "#fit?data=builtin:moons",
  "#compare?data=builtin:moons&with=svc|rbf(ell=1)|0&with=svc|rbf(ell=0.3)|0",
  "#report?data=builtin:moons",
];

test("a drag has one request under way and ends in its last value", async ({ page }) => {
  mock.delay = 120;
  await open(page, "#play?task=classes");
  await plot(page);
  const before = fits().length;
  const slider = (await page.locator(".knob input").first().boundingBox())!;
  await page.mouse.move(slider.x + slider.width / 2, slider.y + slider.height / 2);
  await page.mouse.down();
  for (let i = 0; i < 100; ++i) await page.mouse.move(slider.x + slider.width / 2 + i, slider.y + slider.height / 2);
  await page.mouse.up();
  const said = await page.locator(".knob output").first().textContent();
  await expect.poll(() => hash(page)).toContain(`rbf(ell=${said})`);
  await expect(page.locator("figcaption").first()).toContainText(`ell is ${said}`);
  expect(fits().length - before).toBeLessThan(30);
  expect(complaints).toEqual([]);
});

test("a slider moves by keys, and that is one step of history", async ({ page }) => {
  await open(page, "#play?task=classes");
  await plot(page);
  const steps = await page.evaluate(() => history.length);
  await page.locator(".knob input").first().focus();
  for (let i = 0; i < 20; ++i) await page.keyboard.press("ArrowRight");
  await expect.poll(() => hash(page)).toContain(`rbf(ell=${await page.locator(".knob output").first().textContent()})`);
  expect((await page.evaluate(() => history.length)) - steps).toBeLessThanOrEqual(2);
});

test("the tour goes by keyboard alone", async ({ page }) => {
  await open(page, "");
  await expect(page.locator(".tour")).toBeVisible();
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press("Tab");
    if (i > 0) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
  }
  await expect(page.locator(".tour")).toBeHidden();
  await page.reload();
  await expect(page.locator(".tour")).toBeHidden();
  await page.getByRole("button", { name: "Tour" }).click();
  await expect(page.locator(".tour")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".tour")).toBeHidden();
  expect(complaints).toEqual([]);
});

test("the server goes and comes again: the page waits and keeps what it has", async ({ page }) => {
  await open(page, "#play?task=curve");
  const box = await plot(page);
  await page.mouse.click(box.x + 200, box.y + 60);
  const kept = await expect.poll(() => hash(page)).toContain("points=").then(() => hash(page));
  const { port } = mock;
  await mock.stop();
  await expect(page.locator(".banner")).toBeVisible();
  const now = await plot(page);
  await page.mouse.click(now.x + 300, now.y + 60);
  mock = await start(page_file, port);
  await expect(page.locator(".banner")).toBeHidden({ timeout: 15_000 });
  await expect.poll(() => fits().length).toBeGreaterThan(0);
  expect((await hash(page)).startsWith(kept)).toBe(true);
  expect((fits().at(-1)!.body.points as { x: number[] }).x).toHaveLength(26);
});

test("work can be stopped", async ({ page }) => {
  mock.delay = 20_000;
  await open(page, "#fit?data=builtin:moons");
  await page.locator(".job-bar").getByText("Stop").click();
  await expect(page.locator(".problem")).toContainText("Stopped");
  await expect(page.locator(".job-bar")).toBeHidden();
});

test("the report is shown in a frame that can draw and reach nothing", async ({ page }) => {
  await open(page, "#report?data=builtin:moons");
  await expect(page.frameLocator("iframe").getByRole("heading", { name: "A report" })).toBeVisible();
  await expect(page.locator("iframe")).toHaveAttribute("sandbox", "allow-scripts");
  await page.getByRole("button", { name: "Save in mock" }).click();
  await expect(page.locator(".report-tools [role=status]")).toHaveText("Saved as report.html.");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  expect(download.suggestedFilename()).toBe("report.html");
  expect(complaints).toEqual([]);
});

test("two tabs do not disturb each other", async ({ page, context }) => {
  const other = await context.newPage();
  await open(page, "#play?task=classes");
  await open(other, "#play?task=curve");
  await plot(page);
  await plot(other);
  await expect(page.locator(".legend").first()).toContainText("boundary");
  await expect(other.locator(".legend").first()).toContainText("mean");
  expect(new Set(fits().map((r) => r.body.slot)).size).toBe(2);
});

test("every screen: no complaint, nothing hidden from readers, no markup out of names", async ({ browser }) => {
  test.setTimeout(180_000);
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ bypassCSP: true, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    for (const address of everywhere) {
      await page.goto("about:blank");
      await open(page, address);
      await page.waitForTimeout(500);
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: { run(): Promise<{ violations: { impact: string; id: string; nodes: { target: string[] }[] }[] }> } }).axe.run();
        return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id} ${v.nodes[0].target.join(" ")}`);
      });
      expect(found, `${address}, ${colorScheme}`).toEqual([]);
      expect(await page.locator("img").count(), address).toBe(0);
    }
    await context.close();
  }
});

test("a window 360 pixels wide, and one at 200 %, need no scrolling sideways", async ({ page }) => {
  for (const [width, height] of [[360, 740], [640, 450]]) {
    await page.setViewportSize({ width, height });
    for (const address of everywhere) {
      await page.goto("about:blank");
      await open(page, address);
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${address} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
  expect(complaints).toEqual([]);
});
