import { runContainerSuites } from "./run-suites.ts";

runContainerSuites("docker", "Docker's containers");
