import { edgesTests } from "./edges.suite.ts";

// Without PostgreSQL, so that planted faults can be tried where none runs.
edgesTests("sqlite");
