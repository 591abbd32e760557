import { afterAll, beforeAll } from "vitest";
import {
  type ContainerEngine,
  type EngineKind,
  startContainerEngine,
} from "../../support/services/container-engine.ts";
import { type Registry, startRegistry } from "../../support/services/registry.ts";
import { makeShellImage } from "../../support/services/root-file-system.ts";
import { describeContainers } from "./containers.suite.ts";
import { describeDriver } from "./drivers.suite.ts";
import { describeEngineAway } from "./engine-away.suite.ts";
import { describeGame } from "./game.suite.ts";
import { describeImages } from "./images.suite.ts";
import { containerDriver } from "./under-test.ts";

/** Everything about containers, on one engine and one registry. */
export function runContainerSuites(kind: EngineKind, name: string): void {
  let engine: ContainerEngine;
  let registry: Registry;

  beforeAll(async () => {
    registry = await startRegistry();
    engine = await startContainerEngine(kind, registry.address);
    await engine.importImage("foyer-shell:1", await makeShellImage("shell"));
  });
  afterAll(async () => {
    await engine?.stop();
    await registry?.stop();
  });

  describeDriver(
    name,
    containerDriver(() => engine, "foyer-shell:1"),
  );
  describeContainers(() => engine);
  describeEngineAway(() => engine);
  describeGame(() => engine);
  // The last: it removes all images.
  describeImages(
    () => engine,
    () => registry,
  );
}
