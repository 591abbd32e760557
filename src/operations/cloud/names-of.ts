import { type Fault, refuse } from "../refusal.ts";
import { checkDisplayName, checkNameId } from "./names.ts";

export interface CheckedNames {
  /** In the form that is stored. */
  readonly displayName: string;
  readonly faults: Fault[];
}

/** The check of a new game or namespace: display_name's fault first, then name_id's, one for each. */
export async function checkNames(
  names: { display_name: string; name_id: string },
  isTaken: (nameId: string) => Promise<boolean>,
): Promise<CheckedNames> {
  const display = checkDisplayName(names.display_name);
  const nameFault = checkNameId(names.name_id);
  const faults = [display.fault, nameFault].filter((fault) => fault !== null);
  if (!nameFault && (await isTaken(names.name_id))) faults.push(notUnique(names.name_id));
  return { displayName: display.value, faults };
}

/** The answer to creating something whose names have faults. */
export function refuseNames(names: CheckedNames, what: "game" | "namespace") {
  const [first] = names.faults;
  if (names.faults.length === 1 && first?.path[1] === "not_unique") {
    return refuse("CLOUD_NAME_TAKEN", first.message, { errors: names.faults });
  }
  return refuse("CLOUD_VALIDATION_ERROR", `The ${what} cannot be created with these names.`, { errors: names.faults });
}

/** Another request was faster: the store's constraint said no after the check had passed. */
export function nameTaken(nameId: string, what: "game" | "namespace") {
  return refuseNames({ displayName: "", faults: [notUnique(nameId)] }, what);
}

function notUnique(nameId: string): Fault {
  return { path: ["name_id", "not_unique"], message: `The name_id "${nameId}" is taken.` };
}
