// Every screen of the studio: for readers, for telephones, for those who have no mouse, light and dark.
import { expectAccessible, expectHarmless, expectNarrow } from "./support/looks";
import { enter, expect, follow, settled, test } from "./support/server";

const work = "data=builtin:moons&machine=svc&kernel=rbf(ell=0.5)&learn=0";
const everywhere = {
  "Play, classes": "#play?task=classes",
  "Play, a curve": "#play?task=curve",
  "Kernel, proved": "#kernel?expr=rbf(ell=1)",
  "Kernel, refuted": "#kernel?expr=tanh(x*y-1)",
  "Kernel, broken off": "#kernel?expr=rbf(",
  "Data, none": "#data",
  Data: "#data?data=builtin:moons",
  "Fit, none": "#fit",
  Fit: `#fit?${work}`,
  "Compare, none": "#compare",
  Compare: `#compare?${work}&with=svc|rbf(ell%253D1)|0&with=svc|linear()|0`,
  "Report, none": "#report",
  Report: `#report?${work}`,
};

for (const [name, address] of Object.entries(everywhere))
  test(`${name}: nothing is hidden from readers, nobody scrolls sideways`, async ({ studio, server }) => {
    await studio.emulateMedia({ reducedMotion: "reduce" });
    await follow(studio, server, address);
    await settled(studio);
    if (name === "Report") await expect(studio.frameLocator("iframe").locator("h1")).toBeVisible({ timeout: 60_000 });
    for (const colorScheme of ["light", "dark"] as const) {
      await studio.emulateMedia({ colorScheme });
      await expect(studio.locator("html")).toHaveAttribute("data-theme", colorScheme);
      await expectAccessible(studio, `${name}, ${colorScheme}`);
    }
    expect(await studio.evaluate(() => document.getAnimations().filter((one) => one.playState === "running").length)).toBe(0);
    for (const width of [640, 360]) {
      await studio.setViewportSize({ width, height: 740 });
      await settled(studio);
      await expectNarrow(studio, `${name} at ${width} pixels`);
    }
    await expectHarmless(studio);
  });

test("by keyboard alone: all screens, one after the other", async ({ studio, server }) => {
  await follow(studio, server, "#play");
  for (const name of ["Kernel", "Data", "Fit", "Compare", "Report", "Play"]) {
    const link = studio.getByRole("navigation", { name: "Screens" }).getByText(name, { exact: true });
    await studio.locator("body").evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    for (let i = 0; i < 200 && !(await link.evaluate((el) => el === document.activeElement)); ++i) await studio.keyboard.press("Tab");
    await expect(link).toBeFocused();
    await studio.keyboard.press("Enter");
    await expect(link).toHaveAttribute("aria-current", "page");
    await expect(studio.locator(`.screen.${name.toLowerCase()}`)).toBeVisible();
  }
});

test("the tour is offered once, goes by keys, and ends where one is", async ({ page, server }) => {
  await page.goto(server.address);
  const tour = page.getByRole("dialog");
  await expect(tour).toBeVisible();
  const next = tour.getByRole("button", { name: /Next|Done/ });
  for (let i = 0; i < 20 && (await tour.isVisible()); ++i) {
    await expectAccessible(page, `step ${i + 1} of the tour`);
    await next.focus();
    await page.keyboard.press("Enter");
  }
  await expect(tour).toBeHidden();
  await enter(page, server);
  await expect(page.getByRole("dialog")).toBeHidden();
});
