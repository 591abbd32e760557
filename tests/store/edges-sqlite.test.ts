import { edgesTests } from "./edges.suite.ts";

// Without PostgreSQL, so that planted bugs can be tried where it does not run.
edgesTests("sqlite");
