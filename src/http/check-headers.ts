import type { IncomingMessage } from "node:http";
import { headersMax } from "../ground/limits.ts";

/**
 * Finds headers that Foyer and a proxy in front of it could interpret differently. Node keeps the first of two such
 * headers and drops excess ones without an error. Scans the names once, because every request runs this. Null: the
 * headers are valid.
 */
export function checkHeaders({ headers, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (rawHeaders.length > 2 * headersMax) return `The request has more than ${headersMax} headers.`;
  let hosts = 0;
  let authorizations = 0;
  let types = 0;
  let codings = 0;
  let expectations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Most names are of another length, and are not compared.
    if (name.length === 4) hosts += is(name, "host");
    else if (name.length === 13) authorizations += is(name, "authorization");
    else if (name.length === 12) types += is(name, "content-type");
    else if (name.length === 6) expectations += is(name, "expect");
    else if (name.length === 17) codings += is(name, "transfer-encoding");
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "HTTP/1.1 needs a Host header, and only one.";
  if (authorizations > 1) return "The request has several Authorization headers; send one.";
  if (types > 1) return "The request has several Content-Type headers; send one.";
  if (codings > 0 && headers["transfer-encoding"]!.toLowerCase() !== "chunked") {
    return "The only allowed Transfer-Encoding is chunked.";
  }
  // Node takes every text for it that has it as a word.
  if (expectations > 0 && headers.expect!.toLowerCase() !== "100-continue") {
    return "The only expectation that can be met is 100-continue.";
  }
  return null;
}

const is = (name: string, wanted: string) => (name === wanted || name.toLowerCase() === wanted ? 1 : 0);
