/** A reply that is JSON already. */
export class JsonText {
  /** Encoded once, here: as text the sender would measure and encode it again. */
  readonly bytes: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }
}

/**
 * Stands for the reply that the text is: to parse a MiB of what is kept as text and to write it again would take as long as
 * hundreds of other requests.
 */
export function replyFromText<Reply>(text: string): Reply {
  // Border: the text is what a reply of this type would be written as, and is sent as it is.
  return new JsonText(text) as unknown as Reply;
}

/** The JSON of an object with one more member, whose value is JSON already. */
export function withMember(fields: Readonly<Record<string, unknown>>, name: string, json: string): string {
  const head = JSON.stringify(fields).slice(0, -1);
  return `${head}${head === "{" ? "" : ","}${JSON.stringify(name)}:${json}}`;
}
