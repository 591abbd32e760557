/** RFC 3339 with a time zone; the pattern alone would accept 30 February. */
export function isTimestamp(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
