const pattern = /^#sign-in=([\w-]{1,200})$/;

/** Reads the single-use code of the address that the terminal printed, and removes it from the address and its history entry. */
export function takeSignInCode(location: Location, history: History): string | null {
  const [, code] = pattern.exec(location.hash) ?? [];
  if (code === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}
