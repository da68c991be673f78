// Data of one's own: dropped on the page, whatever is in them, and what becomes of them.
import type { Page } from "@playwright/test";
import { expectHarmless, expectNarrow } from "./support/looks";
import { curve, hostile, moons } from "./support/rows";
import { expect, follow, hash, settled, test } from "./support/server";

const upload = async (page: Page, name: string, content: string | Buffer) => {
  await page.getByRole("navigation", { name: "Screens" }).getByText("Data").click();
  await page.locator("#data-file").setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
};
const found = (page: Page) => page.locator(".found");

test("a file is described, a column is chosen, and a model fitted", async ({ studio }) => {
  await upload(studio, "moons.csv", moons(120));
  await expect(found(studio)).toContainText("120 rows, 3 columns; nothing is missing");
  await expect(found(studio).locator("table.columns tbody tr")).toHaveCount(3);
  await expect(studio.getByLabel("predict class")).toBeChecked();
  await studio.getByLabel("predict y").check();
  await expect.poll(() => hash(studio)).toContain("target=y");
  await studio.getByLabel("predict class").check();
  await studio.getByRole("link", { name: "Fit a model to it" }).click();
  await expect(studio.locator(".outcome .model")).toContainText("of 120 points");
  await expect(studio.locator(".stage .plot canvas").first()).toBeVisible();
});

test("missing values are counted where they are", async ({ studio }) => {
  await upload(studio, "gaps.csv", "a,b,y\n1,,3\n2,4,\n3,5,6\n4,6,8\n");
  await expect(found(studio)).toContainText("4 rows, 3 columns; 2 values are missing");
  await expect(found(studio).locator("table.columns td.bad")).toHaveText(["1", "1"]);
});

test("what is no table is refused in a sentence, and the page goes on", async ({ studio, watched }) => {
  watched.expected.push(/status of 4\d\d/);
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256));
  for (const [name, content] of [["picture.png", bytes], ["empty.csv", ""], ["ragged.csv", "a,b\n1,2\n3\n"]] as const) {
    await upload(studio, name, content);
    await expect(studio.locator(".problem")).toBeVisible();
    expect((await studio.locator(".problem").textContent())!.length, name).toBeGreaterThan(20);
  }
  await upload(studio, "curve.csv", curve(40));
  await expect(found(studio)).toContainText("40 rows");
  await expect(studio.locator(".problem")).toBeHidden();
});

test("hostile names are words on every screen", async ({ studio }) => {
  test.slow();
  await studio.setViewportSize({ width: 360, height: 740 });
  await upload(studio, `${hostile.markup.replaceAll("/", "")}.csv`, moons(60, [hostile.markup, hostile.long, hostile.backwards], [hostile.emoji, hostile.markup]));
  await expect(found(studio)).toContainText("60 rows");
  for (const screen of ["Data", "Fit", "Compare", "Report"]) {
    await studio.getByRole("navigation", { name: "Screens" }).getByText(screen).click();
    if (screen === "Fit") await expect(studio.locator(".outcome .model")).toBeVisible({ timeout: 60_000 });
    if (screen === "Report") await expect(studio.locator("iframe")).toBeVisible({ timeout: 60_000 });
    await settled(studio);
    await expectHarmless(studio);
    await expectNarrow(studio, screen);
    for (const frame of studio.frames()) expect(await frame.evaluate(() => "hit" in window)).toBe(false);
  }
});

test("a hundred thousand rows are described", async ({ studio }) => {
  await upload(studio, "many.csv", curve(100_000));
  await expect(found(studio)).toContainText(/100[,\u202f\u00a0 ]?000 rows/, { timeout: 60_000 });
  await expect(found(studio).locator("table.columns svg").first()).toBeVisible();
});

test("a file that is too large is not even sent", async ({ studio }) => {
  await studio.getByRole("navigation", { name: "Screens" }).getByText("Data").click();
  await studio.locator("#data-file").evaluate((input: HTMLInputElement) => {
    const held = new DataTransfer();
    held.items.add(new File([new Uint8Array(65 * 2 ** 20)], "huge.csv"));
    input.files = held.files;
    input.dispatchEvent(new Event("change"));
  });
  await expect(studio.locator(".problem")).toContainText("huge.csv has 65 MB; this page takes 64");
});

test("a file of the folder is opened by name, and the address finds it again", async ({ studio, server }) => {
  const { writeFileSync } = await import("node:fs");
  writeFileSync(`${server.folder}/mine.csv`, curve(50));
  await follow(studio, server, "#data");
  await studio.getByRole("button", { name: "mine.csv" }).click();
  await expect(found(studio)).toContainText("50 rows");
  await expect.poll(() => hash(studio)).toContain("data=file:mine.csv");
  await studio.reload();
  await expect(found(studio)).toContainText("50 rows");
});
