/** Number formatting for people, independent of the machine's locale. Pure. */

/** Formats `12,345`. */
export function inGroups(amount: number): string {
  return String(amount).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
}
