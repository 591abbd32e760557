import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Vite itself wants a default export here.
export default defineConfig({
  root: folder("."),
  base: "/",
  plugins: [react(), writeIntegrity()],
  // The SDK is built from its sources, so that the dashboard never waits for another build.
  resolve: {
    alias: [
      { find: "foyer-sdk", replacement: folder("../sdk/src/index.ts") },
      // React has this function itself; the shim is for versions before 18.
      { find: /^use-sync-external-store\/shim.*/, replacement: "react" },
    ],
  },
  build: {
    outDir: folder("dist"),
    emptyOutDir: true,
    target: "es2022",
    // The service's policy allows one script, no inline one and no data: address.
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});

/** The service allows the script by its hash, which the browser compares with this attribute. */
function writeIntegrity(): Plugin {
  return {
    name: "write-integrity",
    apply: "build",
    writeBundle({ dir }) {
      const file = join(dir!, "index.html");
      const html = readFileSync(file, "utf8").replace(
        /(src|href)="(\/assets\/[^"]+\.(?:js|css))"/g,
        (found, _, path) => {
          const hash = createHash("sha256")
            .update(readFileSync(join(dir!, path)))
            .digest("base64");
          return `${found} integrity="sha256-${hash}"`;
        },
      );
      writeFileSync(file, html);
    },
  };
}
