// The box of kernels, with the program behind it: proof, counterexample, the place of an error, suggestions.
import { expect, follow, hash, test } from "./support/server";

test("what is typed is proved, refuted, or shown where it breaks off", async ({ studio, server }) => {
  await follow(studio, server, "#kernel?expr=rbf(ell=1)");
  const box = studio.getByRole("combobox", { name: "Kernel" });
  const verdict = studio.locator(".verdict");
  await expect(verdict).toContainText("✓ A kernel");
  await expect(studio.locator(".proof").first()).toContainText("rbf");
  await expect(studio.locator(".gallery .plot canvas").first()).toBeVisible();

  await box.fill("tanh(x*y - 1)");
  await expect(verdict).toContainText("✗ Not a kernel");
  await expect(studio.locator(".proof").first()).toContainText("< 0");

  await box.fill("rbf(ell=1) + nosuch()");
  await expect(verdict).toContainText("Not readable yet");
  const caret = await studio.locator("pre.caret").textContent();
  const [line, mark] = caret!.split("\n");
  expect(line).toBe("rbf(ell=1) + nosuch()");
  expect(mark.indexOf("^")).toBe(line.indexOf("nosuch"));

  await box.fill("rbf(ell=2)*linear() + 3");
  await expect(verdict).toContainText("✓ A kernel");
  await expect.poll(() => hash(studio)).toContain("expr=rbf(ell=2)*linear() + 3");
  await expect(studio.locator("pre.caret")).toBeHidden();
});

test("a name is completed by keys, and a parameter after it", async ({ studio, server }) => {
  await follow(studio, server, "#kernel?expr=rbf(ell=1)");
  const box = studio.getByRole("combobox", { name: "Kernel" });
  await box.fill("");
  await box.pressSequentially("mat");
  const list = studio.getByRole("listbox", { name: "Ways to go on" });
  await expect(list.getByRole("option").first()).toContainText("matern");
  await studio.keyboard.press("Enter");
  await expect(box).toHaveValue(/^matern\(/);
  await expect(list.getByRole("option").first()).toBeVisible();
  await studio.keyboard.press("Escape");
  await expect(list).toBeHidden();
});

test("an expression of anything is words: markup, another direction, 10,000 letters", async ({ studio, server }) => {
  await follow(studio, server, "#kernel?expr=rbf(ell=1)");
  const box = studio.getByRole("combobox", { name: "Kernel" });
  for (const expr of ['<img src=x onerror="window.hit=1">', "\u202erbf", "🦊", "(".repeat(10_000), "rbf(ell=1)+".repeat(900)]) {
    await box.fill(expr);
    await expect(studio.locator(".verdict")).not.toContainText("✓");
    await expect(studio.locator(".verdict")).not.toBeEmpty();
  }
  expect(await studio.locator("img").count()).toBe(0);
  expect(await studio.evaluate(() => "hit" in window)).toBe(false);
  await box.fill("linear()");
  await expect(studio.locator(".verdict")).toContainText("✓ A kernel");
});

test("a slider writes itself into the kernel; another draw is another one", async ({ studio, server }) => {
  await follow(studio, server, "#kernel?expr=rbf(ell=1)&seed=1");
  const knob = studio.locator(".knob input").first();
  await knob.focus();
  for (let i = 0; i < 20; ++i) await studio.keyboard.press("ArrowRight");
  const said = await studio.locator(".knob output").first().textContent();
  await expect.poll(() => hash(studio)).toContain(`rbf(ell=${said})`);
  const draws = studio.locator(".gallery figure", { hasText: /drawn|draw/i }).locator("canvas").first();
  const before = await draws.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await studio.getByRole("button", { name: "Another draw" }).click();
  await expect.poll(() => draws.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())).not.toBe(before);
  await expect.poll(() => hash(studio)).toContain("seed=2");
});
