// Play, with the program itself: what is dragged, clicked and deleted ends where the hand ends.
import type { Page, Request } from "@playwright/test";
import { expect, follow, hash, test } from "./support/server";

const plot = async (page: Page) => {
  const place = page.locator(".plot.playable");
  await expect(place).toBeVisible();
  return (await place.boundingBox())!;
};
const picture = (page: Page): Promise<string> => page.locator(".plot.playable canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
const points = async (page: Page): Promise<string[]> => /points=([^&]*)/.exec(await hash(page))?.[1].split(";").slice(1) ?? [];

/** What the page asks to be fitted, in order. */
function fitsOf(page: Page) {
  const asked: { points: { x: number[]; y: number[] }; params?: Record<string, number> }[] = [];
  page.on("request", (request: Request) => request.url().endsWith("/api/v1/fit") && asked.push(request.postDataJSON()));
  return asked;
}

test("200 moves of a slider end in the last value, and never stand in a queue", async ({ studio, server, context }) => {
  await follow(studio, server, "#play?task=classes");
  await plot(studio);
  const fits = fitsOf(studio);
  const slider = (await studio.locator(".knob input").first().boundingBox())!;
  const y = slider.y + slider.height / 2;
  await studio.mouse.move(slider.x + slider.width / 2, y);
  await studio.mouse.down();
  for (let i = 1; i <= 200; ++i) await studio.mouse.move(slider.x + slider.width / 2 + 60 * Math.sin(i / 9), y);
  await studio.mouse.up();
  const said = await studio.locator(".knob output").first().textContent();
  await expect.poll(() => hash(studio)).toContain(`ell=${said}`);
  expect(fits.length).toBeLessThanOrEqual(203);

  // Whoever opens the link sees the same picture.
  const other = await context.newPage();
  await follow(other, server, await studio.evaluate(() => location.hash));
  await plot(other);
  const asked = await picture(other);
  await studio.bringToFront(); // what is behind is not drawn
  await studio.mouse.move(0, 0);
  await expect.poll(async () => (await picture(studio)) === asked).toBe(true);
});

test("a point is added, dragged in a storm, deleted; going back brings it again", async ({ studio, server }) => {
  await follow(studio, server, "#play?task=curve");
  const fits = fitsOf(studio);
  const box = await plot(studio);
  const [x, y] = [box.x + box.width / 2, box.y + 45];
  await studio.mouse.click(x, y);
  await expect.poll(async () => (await points(studio)).length).toBeGreaterThan(1);
  const count = (await points(studio)).length;
  const added = (await points(studio)).at(-1);
  // It can be held once a picture shows it, which is when the fit has answered.
  await expect
    .poll(async () => {
      await studio.mouse.move(x + 1, y);
      await studio.mouse.move(x, y);
      const ring = (await studio.locator(".plot.playable .focus-ring").boundingBox())!;
      return Math.hypot(ring.x + ring.width / 2 - x, ring.y + ring.height / 2 - y);
    })
    .toBeLessThan(3);
  await studio.mouse.down();
  for (let i = 1; i <= 200; ++i) await studio.mouse.move(x + i / 5, y + i / 2);
  await studio.mouse.up();
  await expect.poll(async () => (await points(studio)).at(-1)).not.toBe(added);
  expect((await points(studio)).length).toBe(count);

  const [lastX, lastY] = (await points(studio)).at(-1)!.split(",").map(Number);
  await expect.poll(() => fits.at(-1)!.points.x.at(-1)).toBeCloseTo(lastX, 2);
  await expect.poll(() => fits.at(-1)!.points.y.at(-1)).toBeCloseTo(lastY, 2);
  await expect(studio.locator(".job-bar")).toBeHidden();

  await studio.keyboard.press("Delete");
  await expect.poll(async () => (await points(studio)).length).toBe(count - 1);
  await studio.goBack();
  await expect.poll(async () => (await points(studio)).length).toBe(count);
});

test("the keyboard alone adds, moves and removes a point", async ({ studio, server }) => {
  await follow(studio, server, "#play?task=curve");
  await plot(studio);
  await studio.locator(".plot.playable").focus();
  await studio.keyboard.press("+");
  await expect.poll(async () => (await points(studio)).length).toBeGreaterThan(1);
  const count = (await points(studio)).length;
  await expect(studio.locator(".plot.playable")).toBeFocused();
  await studio.keyboard.press("Home");
  await studio.keyboard.press("Enter");
  const before = await hash(studio);
  await studio.keyboard.press("Shift+ArrowUp");
  await expect.poll(() => hash(studio)).not.toBe(before);
  await expect(studio.locator(".plot.playable")).toBeFocused();
  await studio.keyboard.press("Delete");
  await expect.poll(async () => (await points(studio)).length).toBe(count - 1);
});

test("one, two and no points, and a single class, are answered", async ({ studio, server, watched }) => {
  // Points that cannot be fitted are refused in a sentence; the page goes on.
  watched.expected.push(/status of 4\d\d/);
  for (const some of [";0,1", ";0,1;1,2", ";0,1;0,1;0,1"]) {
    await follow(studio, server, `#play?task=curve&data=curve&machine=gp&kernel=rbf(ell=1)&o.noise=0.05&points=${some}`);
    await expect(studio.locator(".plot.playable, .problem:visible").first()).toBeVisible();
    await expect(studio.locator("body")).not.toContainText(/NaN|undefined/);
  }
  await follow(studio, server, "#play?task=classes&points=a;0,1,0;1,1,0;2,1,0");
  await expect(studio.locator(".problem")).toContainText(/class/);
  await studio.getByRole("button", { name: "Put the points back" }).click();
  await plot(studio);
  await expect(studio.locator(".problem")).toBeHidden();
});

test("every machine and every card of both games has a picture", async ({ studio, server }) => {
  for (const task of ["classes", "curve"]) {
    await follow(studio, server, `#play?task=${task}`);
    await plot(studio);
    const select = studio.getByLabel("Machine");
    const machines = await select.locator("option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    expect(machines.length).toBeGreaterThan(2);
    for (const machine of machines) {
      await select.selectOption(machine);
      if (machine !== machines[0]) await expect.poll(() => hash(studio)).toContain(`machine=${machine}`);
      await plot(studio);
      await expect(studio.locator(".job-bar")).toBeHidden();
      expect(await studio.locator(".problem").textContent(), `${task}: ${machine}`).toBe("");
    }
    await select.selectOption(machines[0]);
    const cards = studio.locator(".cards label");
    for (let i = 0; i < (await cards.count()); ++i) {
      await cards.nth(i).click();
      await expect(studio.locator(".job-bar")).toBeHidden();
      await plot(studio);
      expect(await studio.locator(".problem").textContent(), `${task}: card ${i + 1}`).toBe("");
    }
  }
});

test("two tabs do not disturb each other", async ({ studio, server, context }) => {
  const other = await context.newPage();
  await follow(studio, server, "#play?task=classes");
  await follow(other, server, "#play?task=curve");
  await plot(studio);
  await plot(other);
  await studio.locator(".knob input").first().press("ArrowRight");
  await other.locator(".knob input").first().press("ArrowLeft");
  await expect.poll(() => hash(studio)).toContain("task=classes");
  await expect.poll(() => hash(other)).toContain("task=curve");
  await expect(studio.locator(".problem")).toBeHidden();
  await expect(other.locator(".problem")).toBeHidden();
});
