import { useSyncExternalStore } from "react";

/** The present, once a second, for all that show an age. */
function createTicker(periodMs: number) {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      if (listeners.size === 1) {
        now = Date.now();
        timer = setInterval(tick, periodMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
    read: () => now,
  };
}

const seconds = createTicker(1_000);

function useNow(): number {
  return useSyncExternalStore(seconds.subscribe, seconds.read);
}

/** How long ago it was, with the exact time on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {describeAge(now - Date.parse(at))}
    </time>
  );
}

/** The same without words, for columns: "4 min". */
export function Age({ since }: { since: string }) {
  const now = useNow();
  return (
    <time dateTime={since} title={new Date(since).toLocaleString()}>
      {describeSpan(Math.abs(now - Date.parse(since)))}
    </time>
  );
}

function describeAge(ms: number): string {
  if (Math.abs(ms) < 2_000) return "just now";
  return ms < 0 ? `in ${describeSpan(-ms)}` : `${describeSpan(ms)} ago`;
}

function describeSpan(ms: number): string {
  const spans: [number, string][] = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
  ];
  const [unit, name] = spans.find(([size]) => ms >= size) ?? [1_000, "s"];
  return `${Math.floor(ms / unit)} ${name}`;
}
