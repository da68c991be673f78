// The server comes, goes, comes again, has a neighbour; and the key to it.
import { expect, allow, enter, follow, hash, serve, settled, test } from "./support/server";

const offline = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|status of 40[13]/;

test("a killed server is said; a new one is found, and nothing is lost", async ({ studio, server, context, watched }) => {
  watched.expected.push(offline);
  await follow(studio, server, "#play?task=curve");
  await expect(studio.locator(".plot.playable")).toBeVisible();
  await studio.locator(".plot.playable").press("+");
  await expect.poll(() => hash(studio)).toContain("points=");
  const kept = await hash(studio);
  await server.end("SIGKILL");
  await expect(studio.locator(".banner")).toBeVisible();

  const again = await serve({ port: server.port, folder: server.folder });
  try {
    expect(again.port).toBe(server.port);
    // The new one has a new key; whoever opens its address lets this browser in, and the waiting page with it.
    const other = await context.newPage();
    await enter(other, again);
    await expect(studio.locator(".banner")).toBeHidden({ timeout: 30_000 });
    expect(await hash(studio)).toBe(kept);
    const before = await studio.locator(".plot.playable canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    await studio.locator(".knob input").first().focus();
    for (let i = 0; i < 30; ++i) await studio.keyboard.press("ArrowLeft");
    await expect.poll(() => studio.locator(".plot.playable canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())).not.toBe(before);
    await expect(studio.locator(".problem")).toBeHidden();
  } finally {
    await again.end("SIGKILL");
  }
});

test("Ctrl-C closes it in peace while a page looks on", async ({ studio, server, watched }) => {
  watched.expected.push(offline);
  await settled(studio);
  expect(await server.end("SIGINT")).toBe(0);
  await expect(studio.locator(".banner")).toBeVisible();
});

test("two servers have a port and a key each", async ({ studio, server, context, watched }) => {
  const second = await serve();
  try {
    allow(watched, second);
    expect(second.port).not.toBe(server.port);
    const other = await context.newPage();
    await enter(other, second);
    await follow(studio, server, "#play?task=classes");
    await follow(other, second, "#play?task=classes");
    for (const page of [studio, other]) await expect(page.locator(".plot.playable")).toBeVisible();
  } finally {
    await second.end("SIGKILL");
  }
});

test("without the key, and with a wrong one, the page says where the right one is", async ({ page, server, watched }) => {
  watched.expected.push(/status of 40[13]/);
  for (const end of ["", "#token=0123456789abcdef0123456789abcdef"]) {
    await page.goto("about:blank");
    await page.goto(server.url + end);
    await expect(page.getByRole("alert")).toContainText("Open the address that the program printed in the terminal");
  }
});

test("the key leaves the address at once", async ({ studio }) => {
  expect(studio.url()).not.toContain("token");
  expect(await studio.evaluate(() => document.cookie)).toBe("");
});
