// The page in Debian's chromium (nothing is downloaded). What needs the program takes ../build/mercer, or $MERCER.
import { execFileSync } from "node:child_process";
import { defineConfig } from "@playwright/test";

function chromium(): string {
  try {
    return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error("chromium is missing: apt-get install chromium");
  }
}

export default defineConfig({
  testDir: "tests",
  testMatch: "**/*.e2e.ts",
  outputDir: "test-results/e2e",
  globalSetup: "./tests/e2e/support/build.ts",
  // The stored pictures: what a person has looked at. `npm run e2e -- --update-snapshots` makes them anew; look at them.
  snapshotPathTemplate: "tests/pictures/{arg}{ext}",
  expect: {
    timeout: 60_000, // a page beside other work
    // Letters are drawn a little differently from machine to machine; a chart that changed differs in more than that.
    toHaveScreenshot: { maxDiffPixelRatio: 0.02, threshold: 0.25, animations: "disabled", caret: "hide", scale: "css" },
  },
  workers: 1,
  retries: 0,
  timeout: 300_000,
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    timezoneId: "UTC",
    launchOptions: {
      executablePath: chromium(),
      // Root has no sandbox; a graphics card that is only computed is slower than none; letters without the hints of a machine
      // look alike on more machines.
      args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu", "--font-render-hinting=none", "--disable-lcd-text"],
    },
  },
});
