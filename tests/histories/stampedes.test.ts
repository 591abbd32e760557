import { openEmbedded } from "./embedded.ts";
import { stampedes } from "./stampedes.suite.ts";

stampedes(openEmbedded);
