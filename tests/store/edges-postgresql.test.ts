import { edgesTests } from "./edges.suite.ts";

edgesTests("postgresql");
