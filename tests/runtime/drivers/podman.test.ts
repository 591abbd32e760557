import { runContainerSuites } from "./run-suites.ts";

runContainerSuites("podman", "Podman's containers");
