import { describe } from "vitest";
import { controlPlaneTests } from "./cloud.suite.ts";

describe("the control plane on PostgreSQL", () => controlPlaneTests("postgresql"));
