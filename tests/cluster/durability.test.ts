import { closeAfterEach, everyWriteSynced, unavailable } from "./durability.suite.ts";

closeAfterEach();
everyWriteSynced(1);
unavailable();
