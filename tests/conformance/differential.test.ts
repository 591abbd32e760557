import { differential } from "./differential.suite.ts";

differential(2_028, 4_000);
