import { defineConfig } from "vitest/config";

// Vitest itself wants a default export here; it is the only one in the repository.
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    // vitest.long.config.ts has these.
    exclude: ["**/*.long.test.ts"],
    globalSetup: ["tests/support/services/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // They end what hangs, and judge nothing: many tests wait for real processes, leases and failovers.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that passes at the second try has found something; it must not be hidden.
    retry: 0,
  },
});
