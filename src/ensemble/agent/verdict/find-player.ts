/** Owns finding the player that a model means, however it wrote the name. Pure. */

/** Returns the player of that name, with no regard to case, spaces and hyphens where that leaves one; undefined for nobody's name. */
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
