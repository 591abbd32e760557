import { killedWhileWriting } from "./killed.suite.ts";

killedWhileWriting(5);
