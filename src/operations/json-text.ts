/** A reply that is already JSON. */
export class JsonText {
  /** Encoded once, here, piece by piece: one text of all of them would be another copy, and the sender would encode it. */
  readonly bytes: Buffer;

  constructor(texts: readonly string[]) {
    this.bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    let at = 0;
    for (const text of texts) at += this.bytes.write(text, at);
  }
}

/**
 * Represents the reply that the pieces of text contain: parsing a MiB of stored JSON and writing it again would take as
 * long as hundreds of other requests.
 */
export function replyFromText<Reply>(texts: readonly string[]): Reply {
  // The cast is safe: the text is the JSON of a reply of this type, and is sent unchanged.
  return new JsonText(texts) as unknown as Reply;
}

/** The JSON of an object with one more member, whose value is already JSON, in pieces. */
export function withMember(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  json: readonly string[],
): readonly string[] {
  const head = JSON.stringify(fields).slice(0, -1);
  return [`${head}${head === "{" ? "" : ","}${JSON.stringify(name)}:`, ...json, "}"];
}
