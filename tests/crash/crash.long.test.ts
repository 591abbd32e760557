import { crashes } from "./crash.suite.ts";

crashes(20, 1);
