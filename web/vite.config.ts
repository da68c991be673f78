import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { sourceFiles } from "./sources";
import { specimenPage } from "./tests/specimens";

const sha256 = (text: string | Buffer) => createHash("sha256").update(text);

/** The page says which scripts and styles it holds, so that a browser runs no others, and which sources it was built of. */
function sealed(): Plugin {
  return {
    name: "sealed",
    writeBundle({ dir }) {
      const file = `${dir}/mercer.html`;
      const html = readFileSync(file, "utf8");
      const hashes = (tag: string) =>
        [...html.matchAll(new RegExp(`<${tag}\\b([^>]*)>([\\s\\S]*?)</${tag}>`, "g"))]
          .filter(([, attributes]) => !attributes.includes("application/json"))
          .map(([, , text]) => `'sha256-${sha256(text).digest("base64")}'`)
          .join(" ");
      const policy =
        `default-src 'none'; script-src ${hashes("script")}; style-src ${hashes("style")}; ` +
        "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";
      const sources = sha256(Buffer.concat(sourceFiles().map((file) => readFileSync(file)))).digest("hex");
      const head = '<meta charset="utf-8" />';
      writeFileSync(
        file,
        html.replace(
          head,
          `${head}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />\n` +
            `    <meta name="mercer-sources" content="${sources}" />`,
        ),
      );
    },
  };
}

// The mode "specimens" makes the same page with a sample of every chart in it.
export default defineConfig(({ mode }) => ({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), sealed(), mode === "specimens" && specimenPage()],
  build: {
    outDir: mode === "specimens" ? "test-results/specimens" : "dist",
    target: "es2022",
    rollupOptions: { input: "mercer.html" },
  },
}));
