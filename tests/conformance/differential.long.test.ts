import { differential } from "./differential.suite.ts";

// Another seed, or more: DIFFERENTIAL_SEED=7 DIFFERENTIAL_COMMANDS=200000 npx vitest run --config vitest.long.config.ts tests/conformance/differential
differential(Number(process.env.DIFFERENTIAL_SEED ?? 2_027), Number(process.env.DIFFERENTIAL_COMMANDS ?? 20_000));
