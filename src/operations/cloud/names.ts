import { namePatternSource } from "../../contract/version-config.ts";
import { displayNameMaxBytes, nameIdMaxCharacters } from "../../ground/limits.ts";
import { type Issue, refuse } from "../refusal.ts";

const namePattern = new RegExp(namePatternSource, "u");

/** Whether this is a valid name of a game mode, a region or a port label. */
export const isName = (value: string): boolean => namePattern.test(value);

/** The reasons too_short, too_long, invalid and reserved, in that order; the caller checks whether it is unique. */
export function checkNameId(value: string): Issue | null {
  if (value === "") return nameIdIssue("too_short", "The name_id is empty; it needs at least 1 character.");
  const length = countCodePoints(value);
  if (length > nameIdMaxCharacters) {
    return nameIdIssue(
      "too_long",
      `The name_id has ${length} characters; at most ${nameIdMaxCharacters} are allowed. Put the long form into display_name.`,
    );
  }
  if (!isName(value)) {
    return nameIdIssue(
      "invalid",
      "The name_id may contain only a-z, 0-9 and single hyphens between them, for example: eu-staging-2.",
    );
  }
  if (reservedNameIds.has(value)) {
    return nameIdIssue("reserved", `The name_id "${value}" is a word of the API itself. Choose another.`);
  }
  return null;
}

/**
 * `value` is the name to store: in NFC, so that equal-looking names are equal bytes. Undefined content when there is an
 * issue.
 */
export function checkDisplayName(value: string): { value: string; issue: Issue | null } {
  if (value === "") {
    return { value, issue: displayNameIssue("too_short", "The display name is empty; it needs at least 1 character.") };
  }
  // NFC makes a text at most three times shorter. Normalising a far longer text can be slow, which an attacker could
  // use.
  const isHopeless = value.length > 4 * displayNameMaxBytes;
  const normalised = isHopeless ? value : value.normalize("NFC");
  const bytes = Buffer.byteLength(normalised);
  if (bytes > displayNameMaxBytes) {
    const message = `The display name takes ${bytes} bytes; at most ${displayNameMaxBytes} are allowed. Characters outside ASCII take 2 to 4 bytes each.`;
    return { value: normalised, issue: displayNameIssue("too_long", message) };
  }
  const complaint = displayNameComplaint(normalised);
  return { value: normalised, issue: complaint === null ? null : displayNameIssue("invalid", complaint) };
}

export interface CheckedNames {
  /** In the form that is stored. */
  readonly displayName: string;
  readonly issues: Issue[];
}

/** The check of a new game or namespace: display_name's issue first, then name_id's, one for each. */
export async function checkNames(
  names: { display_name: string; name_id: string },
  isTaken: (nameId: string) => Promise<boolean>,
): Promise<CheckedNames> {
  const display = checkDisplayName(names.display_name);
  const nameIssue = checkNameId(names.name_id);
  const issues = [display.issue, nameIssue].filter((issue) => issue !== null);
  if (!nameIssue && (await isTaken(names.name_id))) issues.push(notUnique(names.name_id));
  return { displayName: display.value, issues };
}

/**
 * The answer to creating something whose names have issues. `isDeleting`: whether what has the name was deleted, and
 * something of it is still to be removed.
 */
export async function refuseNames(names: CheckedNames, what: "game" | "namespace", isDeleting: () => Promise<boolean>) {
  const [first] = names.issues;
  if (names.issues.length === 1 && first?.path[1] === "not_unique") {
    if (!(await isDeleting())) return refuse("CLOUD_NAME_TAKEN", first.message, { errors: names.issues });
    const message = `${first.message} The ${what} that has it is being deleted. Try again later.`;
    return refuse("CLOUD_NAME_TAKEN", message, { errors: names.issues, metadata: { is_deleting: true } });
  }
  return refuse("CLOUD_VALIDATION_ERROR", `The ${what} cannot be created with these names.`, { errors: names.issues });
}

/** Another request was faster: the store's constraint refused the name after the check had passed. */
export function nameTaken(nameId: string, what: "game" | "namespace", isDeleting: () => Promise<boolean>) {
  return refuseNames({ displayName: "", issues: [notUnique(nameId)] }, what, isDeleting);
}

function notUnique(nameId: string): Issue {
  return { path: ["name_id", "not_unique"], message: `The name_id "${nameId}" is taken.` };
}

/** Paths under a game's namespaces use these words at the position of a name_id. */
const reservedNameIds: ReadonlySet<string> = new Set(["validate", "new"]);

const nameIdIssue = (reason: string, message: string): Issue => ({ path: ["name_id", reason], message });
const displayNameIssue = (reason: string, message: string): Issue => ({ path: ["display_name", reason], message });

function countCodePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

function displayNameComplaint(name: string): string | null {
  if (plainWords.test(name)) return null;
  if (name.startsWith(" ") || name.endsWith(" ")) return "The display name begins or ends with a space. Remove it.";
  if (name.includes("  ")) return "The display name has two spaces in a row. Use one.";
  const rest = name.replace(flagOfRegion, "\u{1F3F4}");
  for (const { pattern, what } of forbidden) {
    const found = pattern.exec(rest);
    if (found) return `The display name contains ${codePointName(found[0])}, ${what}. Remove it.`;
  }
  if (!somethingVisible.test(rest)) return "The display name has no visible character. Give it at least one letter.";
  return null;
}

/** Most names are words of printable ASCII with single spaces between them, and those have no issue. */
const plainWords = /^[!-~]+(?: [!-~]+)*$/;

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// The sets below are written out, not taken from \p{…}: those depend on the Unicode version of Node, and all nodes of
// an installation must accept the same names.

/** The flags of England, Scotland and the like: a black flag, the region's code in invisible tag characters, an end mark. */
const flagOfRegion = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}/gu;

/** Zero-width joiners and variation selectors are allowed, but invisible alone; so is the blank Braille cell. */
const somethingVisible = outside("20 200C-200D FE00-FE0F 2800");

const forbidden: readonly { pattern: RegExp; what: string }[] = [
  { pattern: within("D800-DFFF"), what: "half of a character (an unpaired surrogate)" },
  { pattern: within("0-1F 7F-9F"), what: "a control character such as a tab or a line break" },
  {
    pattern: within("A0 1680 2000-200A 2028-2029 202F 205F 3000"),
    what: "a kind of white space other than the ordinary space",
  },
  {
    pattern: within("61C 200E-200F 202A-202E 2066-2069"),
    what: "which changes the direction of the text around it",
  },
  { pattern: within("E000-F8FF F0000-FFFFD 100000-10FFFD"), what: "a private-use character" },
  { pattern: within(`FDD0-FDEF ${lastTwoOfEachPlane()}`), what: "which is not a character" },
  // Default_Ignorable_Code_Point, without the joiners and variation selectors.
  {
    pattern: within(
      "AD 34F 115F-1160 17B4-17B5 180B-180F 200B 2060-206F 3164 FEFF FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF",
    ),
    what: "an invisible character",
  },
  // The rest of the general category Cf.
  {
    pattern: within("600-605 6DD 70F 890-891 8E2 FFF9-FFFB 110BD 110CD 13430-1343F"),
    what: "a format character",
  },
];

/** Hexadecimal code points and ranges of them, separated by spaces. */
function within(ranges: string): RegExp {
  return new RegExp(`[${characterClass(ranges)}]`, "u");
}

function outside(ranges: string): RegExp {
  return new RegExp(`[^${characterClass(ranges)}]`, "u");
}

function characterClass(ranges: string): string {
  return ranges.replaceAll(/[0-9A-F]+/g, "\\u{$&}").replaceAll(" ", "");
}

function lastTwoOfEachPlane(): string {
  return Array.from({ length: 17 }, (_, plane) => [0xfffe, 0xffff].map((last) => (plane * 0x10000 + last).toString(16)))
    .flat()
    .join(" ")
    .toUpperCase();
}
