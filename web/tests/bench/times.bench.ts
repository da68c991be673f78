// How long the page takes: from the hand to the picture, to the first paint, to an open report.
import type { Page } from "@playwright/test";
import { asAddress } from "../e2e/support/places";
import { report } from "../e2e/support/program";
import { curve, moons, numbers } from "../e2e/support/rows";
import { expect, follow, test } from "../e2e/support/server";

const rank = (times: number[], share: number): string => {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted.length ? `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))])} ms` : "none";
};
const table: Record<string, unknown>[] = [];
test.afterAll(() => console.table(table));

function points(n: number, classes: boolean): string {
  const random = numbers(n);
  if (!classes) return `;${Array.from({ length: n }, () => 6 * random() - 3).map((x) => `${x.toFixed(3)},${(Math.sin(2 * x) + 0.4 * (random() - 0.5)).toFixed(3)}`).join(";")}`;
  return `a,b;${moons(n, undefined, ["0", "1"]).trim().split("\n").slice(1).join(";")}`;
}

/** Milliseconds from the event that a fit was asked for by to the frame in which its picture stands. */
function drag(page: Page, events: number): Promise<number[]> {
  return page.evaluate(async (count) => {
    const input = document.querySelector<HTMLInputElement>(".knob input")!;
    const chart = document.querySelector(".screen.play figure .chart")!;
    const times: number[] = [];
    let moved = 0;
    const asked: number[] = []; // the next fit is asked for before the picture of this one stands
    const send = window.fetch.bind(window);
    window.fetch = (path, init) => {
      if (String(path).endsWith("/fit")) asked.push(moved);
      return send(path, init);
    };
    const seen = new MutationObserver(() => {
      const since = asked.shift();
      if (since !== undefined) requestAnimationFrame(() => times.push(performance.now() - since));
    });
    seen.observe(chart, { childList: true });
    const middle = Number(input.max) / 2;
    for (let i = 0; i < count; ++i) {
      input.value = String(middle + 0.2 * middle * Math.sin(i / 15));
      moved = performance.now();
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((next) => setTimeout(next, 16));
    }
    await new Promise((next) => setTimeout(next, 1500));
    seen.disconnect();
    window.fetch = send;
    return times;
  }, events);
}

for (const [task, words] of [["curve", "data=curve&machine=gp&kernel=rbf(ell=1)&o.noise=0.05"], ["classes", "data=moons&machine=svc&kernel=rbf(ell=0.5)&o.C=10"]])
  for (const [n, target] of [[500, 60], [1000, 120], [2000, 300]])
    test(`a slider of ${task} with ${n} points`, async ({ studio, server }) => {
      await follow(studio, server, `#play?task=${task}&${words}&points=${points(n, task === "classes")}`);
      await expect(studio.locator(".plot canvas").first()).toBeVisible();
      const times = await drag(studio, 120);
      table.push({ what: `drag, ${task}, n = ${n}`, pictures: times.length, median: rank(times, 0.5), "95 %": rank(times, 0.95), target: `${target} ms` });
    });

test("the first paint of the studio", async ({ studio, server }) => {
  const times: number[] = [];
  for (let i = 0; i < 10; ++i) {
    await follow(studio, server, "#play?task=classes");
    await studio.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    times.push(await studio.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  }
  table.push({ what: "first paint of the studio", pictures: times.length, median: rank(times, 0.5), "95 %": rank(times, 0.95), target: "200 ms" });
});

test("a report opens", async ({ page }) => {
  const address = asAddress(report({ name: "timed", machine: "gp", target: "y", rows: curve(200) }));
  const times: number[] = [];
  for (let i = 0; i < 10; ++i) {
    await page.goto("about:blank");
    await page.goto(address);
    await expect(page.locator("h1")).toBeVisible();
    times.push(await page.evaluate(() => Math.max(performance.getEntriesByName("first-contentful-paint")[0].startTime, (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).loadEventEnd)));
  }
  table.push({ what: "a report opens", pictures: times.length, median: rank(times, 0.5), "95 %": rank(times, 0.95), target: "500 ms" });
});
