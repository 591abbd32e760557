import { defineConfig } from "vitest/config";

// Vitest itself wants a default export here; it is the only one in the repository.
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/services/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A test that passes at the second try has found something; it must not be hidden.
    retry: 0,
  },
});
