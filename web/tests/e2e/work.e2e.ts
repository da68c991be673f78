// From data to a report: Fit, Compare, Report, and the address that remembers all of it.
import { existsSync, readFileSync } from "node:fs";
import { curve } from "./support/rows";
import { expect, follow, hash, settled, test } from "./support/server";

test("a fit has figures, pictures, a certificate and code, and its sliders are live", async ({ studio, server }) => {
  await follow(studio, server, "#fit?data=builtin:moons&machine=svc&kernel=rbf(ell=0.5)&learn=0");
  await expect(studio.locator(".outcome .model")).toBeVisible();
  await expect(studio.locator(".outcome")).toContainText(/accuracy/i);
  await expect(studio.locator("figure.exhibit").first()).toBeVisible();
  await studio.locator("details.reproduce summary").click();
  for (const word of ["mercer fit svc", "import mercer", "#include"]) await expect(studio.locator(".reproduce")).toContainText(word);

  const before = await studio.locator(".stage .plot canvas").first().evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await studio.locator(".knob input").first().focus();
  for (let i = 0; i < 40; ++i) await studio.keyboard.press("ArrowRight");
  const said = await studio.locator(".knob output").first().textContent();
  await expect.poll(() => hash(studio)).toContain(`ell=${said}`);
  await expect.poll(() => studio.locator(".stage .plot canvas").first().evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())).not.toBe(before);
});

test("an option that is wrong is refused in a sentence", async ({ studio, server, watched }) => {
  watched.expected.push(/status of 4\d\d/);
  await follow(studio, server, "#fit?data=builtin:moons&machine=svc&kernel=rbf(ell=0.5)&learn=0&o.C=-1");
  await expect(studio.locator(".problem")).toContainText("C");
});

test("fits are kept, compared, removed; reload and back keep to them", async ({ studio, server }) => {
  test.slow();
  await follow(studio, server, "#fit?data=builtin:moons&machine=svc&kernel=rbf(ell=0.5)&learn=0");
  await expect(studio.locator(".outcome .model")).toBeVisible();
  await studio.getByRole("button", { name: "Keep for comparison" }).click();
  await expect(studio.locator(".compare .empty")).toContainText("One fit is kept");
  await studio.getByRole("navigation", { name: "Screens" }).getByText("Fit").click();
  const before = await studio.locator(".outcome .model").textContent();
  const box = studio.getByRole("combobox", { name: "Kernel" });
  await box.fill("linear()");
  await box.blur();
  await expect(studio.locator(".outcome .model")).not.toHaveText(before!);
  await studio.getByRole("button", { name: "Keep for comparison" }).click();
  const rows = studio.locator(".compare table tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1).locator("td").first()).not.toBeEmpty();
  await expect(studio.locator(".compared .plot canvas")).toHaveCount(2);

  await studio.reload();
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0).locator("td").first()).not.toBeEmpty();
  await studio.getByRole("button", { name: "Remove fit 1" }).click();
  await expect(rows).toHaveCount(1);
  await studio.goBack();
  await expect(rows).toHaveCount(2);
});

test("the report is drawn, saved under a new name, and not over an old one", async ({ studio, server, watched }) => {
  watched.expected.push(/status of 409/);
  await follow(studio, server, "#report?data=builtin:moons&machine=svc&kernel=rbf(ell=0.5)&learn=0");
  const report = studio.frameLocator("iframe");
  await expect(report.locator("h1")).toBeVisible({ timeout: 60_000 });
  await expect(report.locator(".chart:not(:empty)").first()).toBeVisible();
  await expect(report.locator(".chart .broken")).toHaveCount(0);
  await studio.getByRole("button", { name: /^Save in/ }).click();
  await expect(studio.locator(".report-tools [role=status]")).toContainText("Saved as");
  expect(existsSync(`${server.folder}/report.html`)).toBe(true);
  expect(readFileSync(`${server.folder}/report.html`, "utf8")).toContain('id="document"');
  await studio.getByRole("button", { name: /^Save in/ }).click();
  await expect(studio.locator(".problem")).toContainText(/name|exists/);
  const saved = studio.waitForEvent("download");
  await studio.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("report.html");
});

test("long work is stopped at the person's wish, and the page goes on", async ({ studio, server }) => {
  await studio.getByRole("navigation", { name: "Screens" }).getByText("Data").click();
  await studio.locator("#data-file").setInputFiles({ name: "long.csv", mimeType: "text/csv", buffer: Buffer.from(curve(6000)) });
  await expect(studio.locator(".found")).toContainText("rows");
  await studio.getByRole("link", { name: "Fit a model to it" }).click();
  await studio.locator(".job-bar").getByRole("button", { name: "Stop" }).click();
  await expect(studio.locator(".problem")).toContainText("Stopped");
  await settled(studio);
  await follow(studio, server, "#play?task=curve");
  await expect(studio.locator(".plot.playable")).toBeVisible();
});
