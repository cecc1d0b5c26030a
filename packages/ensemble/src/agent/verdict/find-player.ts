/** Player lookup that ignores differences in spelling. Pure. */

/**
 * Returns the player with that name, ignoring case, spaces and hyphens if that leaves one match.
 * Otherwise returns undefined.
 */
export function findPlayer(name: string, players: readonly string[]): string | undefined {
  if (players.includes(name)) return name;
  const folded = fold(name);
  const alike = players.filter((player) => fold(player) === folded);
  return alike.length === 1 && folded !== '' ? alike[0] : undefined;
}

function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}_]+/gu, '');
}
