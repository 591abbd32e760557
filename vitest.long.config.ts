import { defineConfig } from "vitest/config";
import usual from "./vitest.config.ts";

// The tests of `npm run test:long`. Many load the machine fully, so they run one file at a time.
export default defineConfig({
  test: { ...usual.test, include: ["tests/**/*.long.test.ts"], exclude: [], fileParallelism: false },
});
