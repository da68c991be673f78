// Times on this machine, for information: `npm run bench`. Nothing fails by them; run it on a machine that does nothing else.
import base from "./playwright.config";

export default { ...base, testMatch: "**/*.bench.ts", outputDir: "test-results/bench", timeout: 300_000 };
