/** One server-sent event. */
export interface StreamEvent<Name extends string = string, Data = unknown> {
  readonly event: Name;
  readonly id: string | null;
  readonly data: Data;
}

/** Foyer sends something every 15 s. After this time without a byte the connection is dead. */
const quietMaxMs = 45_000;

/** The events of an answer. Ends when the connection ends; leaving the loop closes the connection. */
export async function* readStream(open: () => Promise<Response>): AsyncGenerator<StreamEvent> {
  const response = await open();
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await soon(reader.read());
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function soon<T>(next: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The connection has been quiet for too long.")), quietMaxMs);
  });
  try {
    return await Promise.race([next, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Null: a comment, which only keeps the connection open. */
function readEvent(block: string): StreamEvent | null {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  return fields.data === undefined
    ? null
    : { event: fields.event ?? "message", id: fields.id ?? null, data: JSON.parse(fields.data) };
}
