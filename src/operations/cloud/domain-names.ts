import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";
import { domainLabelMaxCharacters, domainMaxCharacters } from "../../ground/limits.ts";

/**
 * The one form in which a domain is stored and compared: lower-case ASCII. The issue is a sentence for the developer.
 *
 * The platform's domainToASCII is a piece of a URL parser: it drops a port, a path and line breaks, reads 0x7f.1 as an
 * IP address, and differs in its strictness between Node versions. So other parts of a URL are refused before it, and
 * its result is checked like any input.
 */
export function normaliseDomain(input: string): { domain: string } | { issue: string } {
  const issue = checkInput(input);
  if (issue !== null) return { issue };
  const domain = domainToASCII(input);
  const wasReadAsSomethingElse = isAscii(input) && domain !== input.toLowerCase();
  if (isIP(domain) !== 0 || looksLikeAnAddress(input)) return { issue: "An IP address is not a domain name." };
  if (domain === "" || wasReadAsSomethingElse) return { issue: "This is not a valid domain name." };
  const outcome = checkDomain(domain);
  return outcome === null ? { domain } : { issue: outcome };
}

function checkInput(input: string): string | null {
  if (input === "") return "The domain is empty.";
  // No spelling is more than four times as long as its ASCII form.
  if (input.length > 4 * domainMaxCharacters) return tooLong;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(input))
    return "Write the domain without a protocol: example.com, not https://example.com.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses.
  if (/[\s\u0000-\u0020\u007F-\u009F]/u.test(input)) return "A domain contains no white space or control characters.";
  if (isIP(input) !== 0 || /^\[.*\]$/.test(input)) return "An IP address is not a domain name.";
  if (input.includes("*")) return "Wildcards are not supported; add each domain by itself.";
  if (input.includes("_")) return "A domain that browsers show pages from has no underscore.";
  if (input.includes("@")) return "Write the domain without a user name.";
  if (/[/\\]/.test(input)) return "Write the domain without a path.";
  if (/[?#]/.test(input)) return "Write the domain without a query or fragment.";
  if (/:\d*$/.test(input)) return "Write the domain without a port.";
  const odd = /[!-,:-@[-`{-~]/.exec(input);
  if (odd) return `A domain does not contain the character ${odd[0]}`;
  return null;
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/** The forms of IPv4 that URL parsers accept: up to four numbers, decimal, octal or hexadecimal. */
const looksLikeAnAddress = (text: string) => /^(?:\d+|0x[0-9a-f]*)(?:\.(?:\d+|0x[0-9a-f]*)){0,3}\.?$/i.test(text);

const tooLong = `A domain has at most ${domainMaxCharacters} characters.`;

function checkDomain(domain: string): string | null {
  if (domain.length > domainMaxCharacters) return tooLong;
  const labels = domain.split(".");
  if (labels.at(-1) === "") return "Write the domain without a dot at the end.";
  if (labels.includes("")) return "The domain has an empty part: two dots in a row, or a dot at the start.";
  if (labels.length < 2) return "A domain has at least two parts: example.com, not example.";
  for (const label of labels) {
    const issue = checkLabel(label);
    if (issue !== null) return issue;
  }
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return "The last part of a domain is not a number.";
  return null;
}

function checkLabel(label: string): string | null {
  if (label.length > domainLabelMaxCharacters) {
    return `Each part of a domain has at most ${domainLabelMaxCharacters} characters.`;
  }
  if (!/^[a-z0-9-]+$/.test(label)) return "The parts of a domain hold only letters, digits and hyphens.";
  if (label.startsWith("-") || label.endsWith("-")) return "No part of a domain begins or ends with a hyphen.";
  if (label.startsWith("xn--") && !isGenuinelyInternational(label)) {
    return `The part ${label} is not the ASCII form of any international name.`;
  }
  return null;
}

/** Whether an xn-- label is needed and is the canonical form of its name. */
function isGenuinelyInternational(label: string): boolean {
  const unicode = domainToUnicode(label);
  return unicode !== "" && unicode !== label && domainToASCII(unicode) === label;
}
