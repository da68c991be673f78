import { defineConfig } from "@playwright/test";

// Debian's chromium; nothing is downloaded. As root a browser has no sandbox of its own.
export default defineConfig({
  testDir: "tests",
  testMatch: "**/*.e2e.ts",
  outputDir: "test-results/e2e",
  workers: 1,
  timeout: 60_000,
  reporter: "line",
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    viewport: { width: 1280, height: 900 },
  },
});
