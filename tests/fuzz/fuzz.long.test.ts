import { fuzz } from "./fuzz.suite.ts";

fuzz({ requests: 20_000, seeds: { embedded: 3, redis: 2 }, reachesAll: true });
