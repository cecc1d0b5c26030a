/** Player lookup that ignores differences in spelling. Pure. */

/**
 * Returns the player with that name, ignoring case, spaces and punctuation, or the one player who
 * has it as a part: `cara` is `spy-cara`. Returns undefined if that leaves no player or several.
 */
export function findPlayer(name: string, players: readonly string[]): string | undefined {
  if (players.includes(name)) return name;
  const folded = fold(name);
  if (folded === '') return undefined;
  const alike = players.filter((player) => fold(player) === folded);
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  const partly = players.filter((player) => player.split(SEPARATORS).some((part) => fold(part) === folded));
  return partly.length === 1 ? partly[0] : undefined;
}

const SEPARATORS = /[\s\p{Pd}_]+/u;

function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{P}]+/gu, '');
}
