import { describe } from "vitest";
import { controlPlaneTests } from "./cloud.ts";

describe("the control plane on SQLite", () => controlPlaneTests("sqlite"));
