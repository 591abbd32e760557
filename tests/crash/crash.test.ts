import { crashes } from "./crash.suite.ts";

crashes(3, 2);
