import type { IncomingMessage } from "node:http";
import type { ProcessLogs } from "../process-logs.ts";
import { createFrameReader, type LogFrame, toSince } from "./log-frames.ts";
import { type LogPosition, type LogPositions, readPositions, writePositions } from "./log-position.ts";

/** Copies what an engine sends of a container's output into the log files of its lobby, each byte once. */
export interface LogCopy {
  /** From when on the engine must send the output; undefined: from the beginning. */
  since(): string | undefined;
  /** Resolves when the engine has sent all. */
  copy(response: IncomingMessage): Promise<void>;
}

const notePositionsEveryMs = 1_000;
/** A stream without any output had none up to a while before the latest output of the other one: nanoseconds. */
const betweenStreams = 60_000_000_000n;
const streams = ["stdout", "stderr"] as const;

export function createLogCopy(logs: ProcessLogs, folder: string, lobbyId: string): LogCopy {
  let noted: LogPositions = readPositions(folder);
  let notedAt = performance.now();

  /** Not more than once a second: an old position costs only reading the output since then again. */
  function note(positions: LogPositions): void {
    noted = positions;
    if (performance.now() - notedAt < notePositionsEveryMs) return;
    notedAt = performance.now();
    writePositions(folder, noted);
  }

  return {
    since() {
      const times = streams.flatMap((stream) => noted[stream]?.at ?? []);
      const [first, second = first && first - betweenStreams] = times;
      if (first === undefined || second === undefined) return undefined;
      return toSince(first < second ? first : second);
    },
    async copy(response) {
      const readFrames = createFrameReader();
      const ends = await Promise.all(streams.map(async (stream) => (await logs.piece(lobbyId, stream, 0, 0)).end));
      const cursors = { stdout: createCursor(noted.stdout, ends[0]!), stderr: createCursor(noted.stderr, ends[1]!) };
      for await (const chunk of response as AsyncIterable<Buffer>) {
        const frames = readFrames(chunk);
        for (const stream of streams) {
          const bytes = cursors[stream].take(frames.filter((frame) => frame.stream === stream));
          if (bytes.length > 0) await logs.append(lobbyId, stream, bytes);
        }
        note({ stdout: cursors.stdout.position(), stderr: cursors.stderr.position() });
      }
    },
  };
}

/** `noted`: where the copy continues; `end`: where the log file ends, which may be later. */
function createCursor(noted: LogPosition | null, end: number) {
  let position = noted;
  let isFirst = true;
  /** The output that the file has already. */
  let copied = Math.max(0, end - (noted?.position ?? 0));
  let place = noted?.position ?? 0;

  return {
    position: () => position,
    /** What the frames add to the log. */
    take(frames: readonly LogFrame[]): Buffer {
      const added: Buffer[] = [];
      for (const { at, text } of frames) {
        if (noted !== null && at < noted.at) continue;
        // The engine no longer keeps the output of that time, so the rest of the file cannot be compared with it.
        if (isFirst && noted !== null && at !== noted.at) {
          copied = 0;
          place = end;
        }
        isFirst = false;
        if (position === null || at > position.at) position = { at, position: place };
        const skipped = Math.min(copied, text.length);
        copied -= skipped;
        place += text.length;
        if (skipped < text.length) added.push(text.subarray(skipped));
      }
      return Buffer.concat(added);
    },
  };
}
