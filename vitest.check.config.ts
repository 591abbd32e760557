import { defineConfig } from "vitest/config";

// The tests of `npm run check`: units, the memory engine, the model, and what the repository promises about itself. None needs a server.
export default defineConfig({
  test: {
    include: [
      "src/**/*.test.ts",
      "tests/*.test.ts",
      "tests/checker/*.test.ts",
      "tests/conformance/memory.test.ts",
      "tests/planted/*.test.ts",
    ],
    exclude: ["tests/demo.test.ts", "tests/metrics.test.ts", "tests/node-versions.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    retry: 0,
  },
});
