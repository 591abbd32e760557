import { describeDriver } from "./drivers.suite.ts";
import { processDriver } from "./under-test.ts";

describeDriver("processes", processDriver);
