// A test of the page in which nobody complains: every message of the console, every exception and every request that
// leaves for elsewhere fails it.
import { test as base, type BrowserContext } from "@playwright/test";

export { expect } from "@playwright/test";

export interface Watch {
  /** What was said, asked for and thrown. */
  complaints: string[];
  /** Addresses begin with one of these; a file alone at first. */
  allowed: string[];
  /** Complaints that belong to what is tested. */
  expected: RegExp[];
}

export async function watch(context: BrowserContext): Promise<Watch> {
  const seen: Watch = { complaints: [], allowed: ["file:///"], expected: [] };
  context.on("console", (message) => seen.complaints.push(`${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => seen.complaints.push(`thrown: ${error.error().message}`));
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (seen.allowed.some((beginning) => url.startsWith(beginning))) return route.continue();
    seen.complaints.push(`request: ${url}`);
    return route.abort();
  });
  return seen;
}

export const unexpected = (seen: Watch): string[] => seen.complaints.filter((one) => !seen.expected.some((pattern) => pattern.test(one)));

export const test = base.extend<{ watched: Watch }>({
  watched: [
    async ({ context }, use) => {
      const seen = await watch(context);
      await use(seen);
      base.expect(unexpected(seen)).toEqual([]);
    },
    { auto: true },
  ],
});
