import type { FaultStep } from "./journal-messages.ts";

type FaultPoint = (on: FaultStep["on"], when: FaultStep["when"]) => void;

/** Places in the worker where tests can make things go wrong. Without faults they do nothing. */
export function createFaultPoints(steps: readonly FaultStep[]): FaultPoint {
  const counts = { commit: 0, probe: 0, checkpoint: 0 };
  return (on, when) => {
    if (when === "before") counts[on] += 1;
    for (const step of steps) if (step.on === on && step.when === when && step.number === counts[on]) happen(step.what);
  };
}

function happen(what: FaultStep["what"]): void {
  if (what.type === "fail") throw Object.assign(new Error("a fault that a test asked for"), { errcode: what.code });
  if (what.type === "die") process.exit(1);
  // Two places: the worker says in the second that it has arrived, the test opens by writing to the first.
  Atomics.store(what.gate, 1, 1);
  Atomics.notify(what.gate, 1);
  Atomics.wait(what.gate, 0, 0);
}
