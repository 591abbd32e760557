import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { until } from "../../../tests/support/harness.ts";
import type { DockerProgram } from "../runtime.ts";
import { limitProgram } from "./container-spec.ts";
import type { Engine } from "./engine.ts";
import { followLogs } from "./follow-logs.ts";

const program = { kind: "docker", memoryMib: 512, cpus: null, pids: 512 } as DockerProgram;
const maxima = { memoryMib: 4096, cpus: 4, pids: 1024 };

test.each([
  ["less than the maxima stays", {}, maxima, 4, { memoryMib: 512, cpus: null, pids: 512 }],
  ["exactly the maxima stays", { memoryMib: 4096, cpus: 4, pids: 1024 }, maxima, 8, maxima],
  ["more is cut", { memoryMib: 1_000_000, cpus: 64, pids: 4_000_000 }, maxima, 64, maxima],
  ["no limit of processors is the maximum", {}, maxima, 8, { memoryMib: 512, cpus: 4, pids: 512 }],
] as const)("[DK12] at the start %s", (_, asked, most, machineCpus, got) => {
  expect(limitProgram({ ...program, ...asked }, most, machineCpus)).toMatchObject(got);
});

test("[DK7] the log of a container is followed again soon after each time that the engine answered", async () => {
  let opened = 0;
  const engine: Engine = {
    ask: async () => null,
    async open() {
      opened += 1;
      // The cast is safe: only its bytes are read.
      return new PassThrough().end() as unknown as Awaited<ReturnType<Engine["open"]>>;
    },
  };
  const copy = { since: () => undefined, copy: async () => {} };
  // Pauses that double would take longer than the test may.
  const follower = followLogs(engine, "/containers/x", copy, { firstMs: 1, maxMs: 3_600_000 }, () => {});
  await until(() => opened >= 25);
  follower.close();
});
