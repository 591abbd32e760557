import { closeAfterEach, everyWriteSynced, syncedEverySecond } from "./durability.suite.ts";

closeAfterEach();
everyWriteSynced(3);
syncedEverySecond();
